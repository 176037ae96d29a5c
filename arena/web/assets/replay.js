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
  return storyOf(film.game, film.players, steps, frameOf(film, 0, viewer));
}

// Marks at the beginnings of parts and tricks under a slider; a click goes to the nearest one.
function timeline(slider, last, go) {
  const strip = el('div', {class: 'ticks', 'aria-hidden': 'true', onclick: (event) => {
    const {left, width} = strip.getBoundingClientRect(), at = (event.clientX - left) / width * last, frames = [...strip.children].map((tick) => +tick.dataset.frame);
    if (frames.length) go(frames.reduce((best, frame) => Math.abs(frame - at) < Math.abs(best - at) ? frame : best));
  }});
  return {
    box: el('div', {class: 'timeline'}, slider, strip),
    // Decisions at which the bot that is asked would play otherwise.
    differ(frames) {
      const now = frames.join();
      if (strip.dataset.differ === now) return;
      strip.dataset.differ = now;
      for (const old of strip.querySelectorAll('.differs')) old.remove();
      for (const frame of frames) { const tick = el('span', {class: 'tick differs', 'data-frame': frame, title: 'another action'}); tick.style.left = `${100 * frame / Math.max(1, last)}%`; strip.append(tick); }
    },
    set(marks) {
      strip.replaceChildren(...marks.map((one) => el('span', {class: one.part === undefined ? 'tick' : 'tick first', 'data-frame': one.frame, title: one.part === undefined ? 'after trick ' + one.trick : one.part})));
      for (const tick of strip.children) tick.style.left = `${100 * tick.dataset.frame / Math.max(1, last)}%`;
    },
  };
}

// What happens at a frame: who plays what, of which legal actions; nothing that the viewer may not know.
function decisionLines(film, at, viewer) {
  const played = film.played[at], legal = film.legal[at], many = legal.length, toAct = film.seat[at];
  if (viewer !== OPEN && viewer !== toAct) return [el('p', {class: 'big'}, `Seat ${toAct}, ${film.seats[toAct]}, is to act.`)];
  return [el('p', {class: 'big'}, `Seat ${toAct}, ${film.seats[toAct]}: `, el('b', {id: 'played'}, film.texts[played]), many === 1 ? ' (the only legal action)' : ''),
    el('p', {class: 'legal', tabindex: 0, role: 'group', 'aria-label': 'legal actions'}, el('i', {}, many === 1 ? '' : `${many} legal: `), legal.map((one) => el('span', {class: one === played ? 'chosen' : ''}, film.texts[one])))];
}
// What a film has to say at a frame besides: a teacher's note, forfeits, a bot's log.
function asideLines(film, at) {
  const lost = film.lost.filter((one) => one.frame === at).map((one) => [el('p', {class: 'lost'}, `Seat ${one.seat} forfeits here (${one.kind}); the lowest legal action is played for it from now on.`), one.text && el('pre', {}, one.text)]);
  return [film.notes && film.notes[at] && el('p', {class: 'teach', id: 'note'}, film.notes[at]), ...lost.flat(), film.log[at] && el('pre', {class: 'log'}, film.log[at])];
}

function replayView(film, start) {
  const state = {frame: 0, viewer: OPEN, timer: 0, follow: 0, loop: null, other: null, there: false}, last = film.frames - 1;
  const side = el('div', {class: film.notes ? 'side taught' : 'side film'}), stage = el('div', {class: 'stage'}), said = el('div', {class: 'decision', 'aria-live': 'polite', tabindex: 0, role: 'region', 'aria-label': 'this position'}), held = (frame) => Math.max(0, Math.min(last, frame));
  state.frame = held(Number.parseInt(start.decision, 10) || 0);
  if (start.seat !== undefined && +start.seat >= 0 && +start.seat < film.players) state.viewer = +start.seat;
  const slider = el('input', {type: 'range', min: 0, max: last, 'aria-label': 'decision', oninput: () => go(+slider.value)});
  const where = el('output', {}), play = el('button', {type: 'button', title: 'play (space)', onclick: () => toggle()}, 'play');
  const eyes = el('select', {'aria-label': 'whose eyes'}, el('option', {value: OPEN}, 'open cards'), film.seats.map((name, s) => el('option', {value: s}, `seat ${s}: ${name}`)));
  eyes.addEventListener('change', () => { state.viewer = +eyes.value; draw(); });
  const deep = el('a', {class: 'deep', title: 'a link to this position'}, 'link'), advice = film.asked ? adviceOf(film, () => draw()) : null;
  const button = (text, title, act) => el('button', {type: 'button', title, 'aria-label': title, onclick: act}, text);
  const go = (frame) => { state.frame = held(frame); draw(); };
  const toggle = () => {
    if (state.timer) { clearInterval(state.timer); state.timer = 0; } else { if (state.frame === last) state.frame = 0; state.timer = setInterval(() => { if (state.loop && (state.frame >= state.loop[1] || state.frame < state.loop[0])) go(state.loop[0]); else if (state.frame >= last) toggle();
          else go(state.frame + 1); }, 700); }
    play.textContent = state.timer ? 'pause' : 'play';
  };
  const loopButton = el('button', {type: 'button', title: 'play this trick or round again and again (l)', 'aria-pressed': 'false', onclick: () => loop()}, 'loop');
  const loop = () => {
    const starts = marks().map((one) => one.frame);
    state.loop = state.loop ? null : [starts.findLast((frame) => frame <= state.frame && frame < last) ?? 0, starts.find((frame) => frame > state.frame) ?? last];
    loopButton.setAttribute('aria-pressed', String(state.loop !== null));
    if ((state.timer !== 0) !== (state.loop !== null)) toggle();
  };
  // The next frame that a teacher says something about, or with a choice.
  const telling = (at) => film.notes ? film.notes[at] !== undefined : film.legal[at].length > 1 && (state.viewer === OPEN || film.seat[at] === state.viewer);
  const next = () => { for (let at = state.frame + 1; at <= last; at++) if (telling(at)) return go(at); go(last); };
  const differing = () => { if (!advice) return; const found = advice.differences().find((at) => at > state.frame); if (found !== undefined) go(found); };
  // What decisions cost: saved with the game, or asked for one seat of it.
  const costs = Object.assign(el('div'), {known: film.costs || {}});
  const price = async () => {
    const seat = state.viewer === OPEN ? Math.max(0, film.seat[state.frame]) : state.viewer;
    costs.replaceChildren(say(`Seat ${seat} is judged …`));
    try { costs.known = await film.asked({seat}); draw(); } catch (error) { costs.replaceChildren(el('p', {class: 'lost'}, error.message)); }
  };
  const room = fitted(stage, (size) => draw(size)), log = logView(film.game, (frame) => go(frame)), line = timeline(slider, last, (frame) => go(frame));
  let story = [], told = null;
  const marks = () => story.filter((one) => one.part !== undefined || one.trick);
  // The next or the last beginning of a trick or a round.
  const leap = (way) => {
    const starts = marks().map((one) => one.frame), found = way > 0 ? starts.find((frame) => frame > state.frame) : starts.findLast((frame) => frame < state.frame);
    go(found === undefined ? (way > 0 ? last : 0) : found);
  };
  // Puts another game of the deal beside this one, from where they part.
  async function beside(one, at) {
    state.other = one && {parted: one.parted, film: await source.film(one.label)};
    state.there = state.other !== null;
    go(state.other ? at ?? one.parted : state.frame);
  }
  const deals = () => { if (state.other && !state.there) { state.there = true; draw(); } else dealBox(film, (one) => beside(one)); };
  const onward = film.onward && (() => { if (state.frame < last) onwardBox(film, state.frame); });
  const rules = () => rulesBox(film.game, frameOf(film, state.frame, state.viewer).rules);
  // The address follows the position when that stays for a moment: browsers refuse many changes of it at once.
  function follow() {
    clearTimeout(state.follow);
    state.follow = setTimeout(() => window.history.replaceState(null, '', deep.href), 150);
  }
  // One of the two tables: a film at the frame that is shown, or its end.
  const tableAt = (shown, entries) => (size) => {
    const at = Math.min(state.frame, shown.frames - 1), fallen = {};
    for (const lost of shown.lost) if (lost.frame <= at) fallen[lost.seat] = lost.kind;
    return tableView(shown.game, shown.seats, frameOf(shown, at, state.viewer), shown.seat[at], {you: state.viewer, lost: fallen, did: lastOf(entries, at, shown.players), ...(state.viewer === OPEN && {bottom: Math.max(0, shown.seats.indexOf('you'))}), ...size});
  };
  function drawTables(size) {
    const here = tableAt(film, story), {other} = state;
    if (!other || !state.there) { put(stage, here(size)); return; }
    const at = Math.min(state.frame, other.film.frames - 1), played = at < other.film.frames - 1 ? other.film.texts[other.film.played[at]] : 'the end', since = state.frame < other.parted ? `parts at ${other.parted}` : state.frame === other.parted ? 'parts here' : `parted at ${other.parted}`;
    put(stage, besideView({view: here, label: film.label}, {view: tableAt(other.film, filmStory(other.film, state.viewer)), label: `${other.film.label}, ${since}: ${played}`}, size));
  }
  function draw(size = room.size()) {
    if (told !== state.viewer) { told = state.viewer; story = filmStory(film, told); log.set(film.seats, story); line.set(marks()); }
    const at = state.frame;
    side.classList.toggle('ended', at === last);
    drawTables(size);
    if (advice) line.differ(advice.differences());
    stage.dataset.frame = at;
    slider.value = at; where.value = `${at} / ${last}`; eyes.value = state.viewer;
    deep.href = link({...(film.label && !film.notes && {game: film.label}), decision: at, ...(state.viewer !== OPEN && {seat: state.viewer}), ...(state.other && {beside: state.other.film.label})});
    follow();
    const parts = at === last ? endView(film.game, film.seats, film.scores, Array.from({length: film.frames}, (_, frame) => frameOf(film, frame, OPEN)), {you: state.viewer, go}) : decisionLines(film, at, state.viewer);
    if (advice && at < last && [OPEN, film.seat[at]].includes(state.viewer)) parts.push(...advice.lines(at));
    costs.replaceChildren(...(costs.known.decisions ? [costsView(costs.known, at, last, state.viewer, go, (one) => frameOf(film, one.decision, OPEN))] : costs.known.lost ? [el('p', {class: 'lost'}, costs.known.lost)] : []));
    const [note, ...aside] = asideLines(film, at);
    said.replaceChildren(...[note, ...parts, ...aside].filter(Boolean));
    log.mark(at);
  }
  keys = (event) => {
    if (event.target.closest('dialog, select, input[type=search], input[type=text]') || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = {ArrowRight: () => go(state.frame + 1), ArrowLeft: () => go(state.frame - 1), Home: () => go(0), End: () => go(last), PageDown: () => leap(1), PageUp: () => leap(-1), ' ': toggle, l: loop, n: next, o: () => { state.viewer = OPEN; draw(); }, r: source.rules && rules, p: onward,
      b: film.same && film.same.length > 0 && (() => { if (state.there) { state.there = false; draw(); } else deals(); }), d: differing, v: advice && advice.toggle}[event.key]
      || (/^\d$/.test(event.key) && +event.key < film.players ? () => { state.viewer = +event.key; draw(); } : null);
    if (act) { event.preventDefault(); act(); }
  };
  leave = () => { clearInterval(state.timer); clearTimeout(state.follow); state.timer = 0; room.end(); };
  draw();
  if (start.beside && film.same) { const one = film.same.find(({label}) => label === start.beside); if (one) beside(one, state.frame); }
  const helps = el('p', {class: 'helps'}, advice && [el('label', {}, 'ask ', advice.choice), ' ', el('button', {type: 'button', title: 'what each action is worth (v)', onclick: advice.toggle}, 'worth'), ' ',
      el('button', {type: 'button', id: 'price', title: 'what the decisions of the seat cost', onclick: price}, 'costs'), ' '], film.same && film.same.length > 0 && el('button', {type: 'button', id: 'deal', title: 'the same deal in other seats (b)', onclick: deals}, 'same deal'), ' ',
    onward && el('button', {type: 'button', id: 'onward', title: 'play on from here, yourself or with bots (p)', onclick: onward}, 'play on'), ' ', source.rules && rulesButton(rules));
  const known = el('p', {class: 'dim'}, 'Keys: ← → step, PgUp PgDn trick or round, Home End, space plays, l plays one trick or round, n to the next ', film.notes ? 'note' : 'choice', ', o open cards, 0–9 a seat’s eyes', advice && ', d to the next difference, v worth',
    film.same && film.same.length > 0 && ', b the same deal', onward && ', p play on', source.rules && ', r rules', '.');
  side.append(said, helps, costs, log.box, known);
  return [stage, side, el('div', {class: 'toolbar'}, button('|◀', 'first (Home)', () => go(0)), button('◀', 'back (←)', () => go(state.frame - 1)), play, button('▶', 'forward (→)', () => go(state.frame + 1)), button('▶|', 'the end (End)', () => go(last)),
      el('button', {type: 'button', title: film.notes ? 'next note (n)' : 'next real choice (n)', onclick: next}, film.notes ? 'note' : 'choice'), loopButton, line.box, where, eyes, deep)];
}
