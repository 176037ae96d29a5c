// The replay viewer: a film (see arena/replay/film.py) on a table (table.js), stepped by buttons or keys.
const OPEN = -1;

// What lies where in a frame, as a seat (or OPEN) sees it.
function frameOf(film, frame, viewer) {
  const last = (track) => {
    let low = 0, high = track.length;
    while (low < high) { const middle = (low + high) >> 1; if (track[middle][0] <= frame) low = middle + 1; else high = middle; }
    return low ? track[low - 1][1] : undefined;
  };
  const shown = {};
  for (const [key, track] of Object.entries(film.open)) { const text = last(track); if (text) shown[key] = text; }
  if (viewer >= 0) for (const [key, track] of Object.entries(film.views[viewer])) {
    const text = last(track);
    if (text !== null && text !== undefined) { if (text) shown[key] = text; else delete shown[key]; }
  }
  return shown;
}

// What happened in a film, as a seat (or OPEN) is told.
function filmStory(film, viewer) {
  const steps = film.played.map((played, at) => {
    const text = film.texts[played];
    return {frame: at + 1, seat: film.seat[at], text: (film.hidden[at] || []).includes(viewer) ? text.split(' ')[0] + ' ?' : text, scene: frameOf(film, at + 1, viewer)};
  });
  return storyOf(steps, frameOf(film, 0, viewer));
}

// Marks at the beginnings of parts and tricks under a slider; a click goes to the nearest one.
function timeline(slider, last, go) {
  const strip = el('div', {class: 'ticks', 'aria-hidden': 'true', onclick: (event) => {
    const {left, width} = strip.getBoundingClientRect(), at = (event.clientX - left) / width * last, frames = [...strip.children].map((tick) => +tick.dataset.frame);
    if (frames.length) go(frames.reduce((best, frame) => Math.abs(frame - at) < Math.abs(best - at) ? frame : best));
  }});
  return {
    box: el('div', {class: 'timeline'}, slider, strip),
    set(marks) {
      strip.replaceChildren(...marks.map((one) => el('span', {class: one.part === undefined ? 'tick' : 'tick first', 'data-frame': one.frame, title: one.part === undefined ? 'after trick ' + one.trick : one.part})));
      for (const tick of strip.children) tick.style.left = `${100 * tick.dataset.frame / Math.max(1, last)}%`;
    },
  };
}

function replayView(film, start) {
  const state = {frame: 0, viewer: OPEN, timer: 0, follow: 0, loop: null}, last = film.frames - 1, stage = el('div', {class: 'stage'}), said = el('div', {class: 'decision', 'aria-live': 'polite'});
  state.frame = Math.max(0, Math.min(last, Number.parseInt(start.decision, 10) || 0));
  if (start.seat !== undefined && +start.seat >= 0 && +start.seat < film.players) state.viewer = +start.seat;
  const slider = el('input', {type: 'range', min: 0, max: last, 'aria-label': 'decision', oninput: () => go(+slider.value)});
  const where = el('output', {}), play = el('button', {type: 'button', title: 'play (space)', onclick: () => toggle()}, 'play');
  const eyes = el('select', {'aria-label': 'whose eyes'}, el('option', {value: OPEN}, 'open cards'), film.seats.map((name, s) => el('option', {value: s}, `seat ${s}: ${name}`)));
  eyes.addEventListener('change', () => { state.viewer = +eyes.value; draw(); });
  const deep = el('a', {class: 'deep', title: 'a link to this position'}, 'link');
  const button = (text, title, act) => el('button', {type: 'button', title, 'aria-label': title, onclick: act}, text);
  const go = (frame) => { state.frame = Math.max(0, Math.min(last, frame)); draw(); };
  const toggle = () => {
    if (state.timer) { clearInterval(state.timer); state.timer = 0; } else { if (state.frame === last) state.frame = 0; state.timer = setInterval(() => { if (state.loop && (state.frame >= state.loop[1] || state.frame < state.loop[0])) go(state.loop[0]); else if (state.frame >= last) toggle(); else go(state.frame + 1); }, 700); }
    play.textContent = state.timer ? 'pause' : 'play';
  };
  const loopButton = el('button', {type: 'button', title: 'play this trick or round again and again (l)', 'aria-pressed': 'false', onclick: () => loop()}, 'loop');
  const loop = () => {
    const starts = marks().map((one) => one.frame);
    state.loop = state.loop ? null : [starts.findLast((frame) => frame <= state.frame && frame < last) ?? 0, starts.find((frame) => frame > state.frame) ?? last];
    loopButton.setAttribute('aria-pressed', String(state.loop !== null));
    if ((state.timer !== 0) !== (state.loop !== null)) toggle();
  };
  const mine = () => { for (let at = state.frame + 1; at <= last; at++) if (state.viewer === OPEN ? film.legal[at].length > 1 : film.seat[at] === state.viewer && film.legal[at].length > 1) return go(at); go(last); };
  const room = fitted(stage, (size) => draw(size)), log = logView(film.game, (frame) => go(frame)), line = timeline(slider, last, (frame) => go(frame));
  let story = [], told = null;
  const marks = () => story.filter((one) => one.text === undefined);
  // The next or the last beginning of a trick or a round.
  const leap = (way) => {
    const starts = marks().map((one) => one.frame), found = way > 0 ? starts.find((frame) => frame > state.frame) : starts.findLast((frame) => frame < state.frame);
    go(found === undefined ? (way > 0 ? last : 0) : found);
  };
  // The address follows the position when that stays for a moment: browsers refuse many changes of it at once.
  function follow() {
    clearTimeout(state.follow);
    state.follow = setTimeout(() => window.history.replaceState(null, '', deep.href), 150);
  }
  function draw(size = room.size()) {
    if (told !== state.viewer) { told = state.viewer; story = filmStory(film, told); log.set(film.seats, story); line.set(marks()); }
    const at = state.frame, toAct = film.seat[at], fallen = {};
    for (const lost of film.lost) if (lost.frame <= at) fallen[lost.seat] = lost.kind;
    stage.replaceChildren(tableView(film.game, film.seats, frameOf(film, at, state.viewer), toAct, {you: state.viewer, lost: fallen, did: lastOf(story, at, film.players), ...size}));
    log.mark(at);
    stage.dataset.frame = at;
    slider.value = at; where.value = `${at} / ${last}`; eyes.value = state.viewer;
    deep.href = link({...(film.label && {game: film.label}), decision: at, ...(state.viewer !== OPEN && {seat: state.viewer})});
    follow();
    const parts = [];
    if (at === last) parts.push(...endView(film.game, film.seats, film.scores, Array.from({length: film.frames}, (_, frame) => frameOf(film, frame, OPEN)), {you: state.viewer, go}));
    else {
      const played = film.played[at], legal = film.legal[at], many = legal.length;
      if (state.viewer !== OPEN && state.viewer !== toAct) parts.push(el('p', {class: 'big'}, `Seat ${toAct}, ${film.seats[toAct]}, is to act.`));
      else {
      parts.push(el('p', {class: 'big'}, `Seat ${toAct}, ${film.seats[toAct]}: `, el('b', {id: 'played'}, film.texts[played]), many === 1 ? ' (the only legal action)' : ''));
      parts.push(el('p', {class: 'legal'}, el('i', {}, many === 1 ? '' : `${many} legal: `), legal.map((one) => el('span', {class: one === played ? 'chosen' : ''}, film.texts[one]))));
      }
    }
    for (const lost of film.lost) if (lost.frame === at) parts.push(el('p', {class: 'lost'}, `Seat ${lost.seat} forfeits here (${lost.kind}); the lowest legal action is played for it from now on.`), lost.text && el('pre', {}, lost.text));
    if (film.log[at]) parts.push(el('pre', {class: 'log'}, film.log[at]));
    said.replaceChildren(...parts.filter(Boolean));
  }
  keys = (event) => {
    if (event.target.closest('select, input[type=search], input[type=text]') || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = {ArrowRight: () => go(state.frame + 1), ArrowLeft: () => go(state.frame - 1), Home: () => go(0), End: () => go(last), PageDown: () => leap(1), PageUp: () => leap(-1), ' ': toggle, l: loop, n: mine, o: () => { state.viewer = OPEN; draw(); }}[event.key]
      || (/^\d$/.test(event.key) && +event.key < film.players ? () => { state.viewer = +event.key; draw(); } : null);
    if (act) { event.preventDefault(); act(); }
  };
  leave = () => { clearInterval(state.timer); clearTimeout(state.follow); state.timer = 0; room.end(); };
  draw();
  return [stage, el('div', {class: 'side'}, said, log.box, el('p', {class: 'dim'}, 'Keys: ← → step, PgUp PgDn trick or round, Home End, space plays, l plays one trick or round, n to the next choice, o open cards, 0–9 a seat’s eyes.')), el('div', {class: 'toolbar'}, button('|◀', 'first (Home)', () => go(0)), button('◀', 'back (←)', () => go(state.frame - 1)), play, button('▶', 'forward (→)', () => go(state.frame + 1)), button('▶|', 'the end (End)', () => go(last)), el('button', {type: 'button', title: 'next real choice (n)', onclick: mine}, 'choice'), loopButton, line.box, where, eyes, deep)];
}
