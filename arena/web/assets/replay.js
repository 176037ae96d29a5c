// The replay viewer: a film (see arena/replay/film.py) on a table, stepped by buttons or keys.
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

// The frames that fill a place most: of every place the four with most text and cards, a line counting as some.
function fullest(film, viewer) {
  const best = new Map();
  for (let at = 0; at < film.frames; at++) {
    const sizes = new Map();
    for (const [key, text] of Object.entries(frameOf(film, at, viewer))) {
      const place = key.split('/').slice(0, -2).join('/');
      sizes.set(place, (sizes.get(place) || 0) + 12 + text.length);
    }
    for (const [place, size] of sizes) {
      const held = best.get(place) || [];
      if (held.length < 4 || size > held[3][0]) best.set(place, [...held, [size, at]].sort((a, b) => b[0] - a[0]).slice(0, 4));
    }
  }
  return new Set([...best.values()].flat().map(([, at]) => at));
}

// Cards of a place: words, `|` for a gap, `2:Ks` with the seat that played it.
function cardsOf(game, text, seats, pick) {
  const words = text.split(' '), small = words.length > 16 ? 'small' : '', groups = [[]];
  for (const word of words) { if (word === '|') groups.push([]); else groups[groups.length - 1].push(word); }
  return groups.filter((group) => group.length).map((group) => el('span', {class: 'group ' + (group.length > 4 ? 'fan' : '')}, group.map((word) => {
    const [, who, card] = /^(?:(\d+|house):)?(.+)$/.exec(word);
    const shown = cardOf(game, card, small);
    if (pick) pick(shown, card);
    return who === undefined ? shown : el('span', {class: 'played'}, shown, el('small', {}, who === 'house' ? 'house' : clipped(seats[who] || 'seat ' + who, 12)));
  })));
}

const ORDER = ['hand', 'row', 'slots', 'trick', 'talon', 'melds'];
const BIG = new Set(['hand', 'row', 'slots', 'trick', 'melds', 'community', 'to decide', 'face-up', 'Jolly card', 'called', 'shown', 'talon']);
const rankOf = (name) => { const at = ORDER.indexOf(name); return at < 0 ? 99 : at; };

// A table from a scene; `you` is marked, `pick` hears of every card of that seat's hand.
function tableView(game, seats, scene, toAct, {you = -1, lost = {}, pick, reserve} = {}) {
  const places = new Map();
  const place = (key) => { if (!places.has(key)) places.set(key, {text: [], cards: []}); return places.get(key); };
  for (let s = 0; s < seats.length; s++) place('seat/' + s);
  place('table');
  for (const key of reserve || []) if (!(key in scene)) { const parts = key.split('/'), name = parts.pop(), kind = parts.pop(); if (kind === 'cards' && BIG.has(name) && (name === 'hand' || name === 'row' || name === 'slots' || name === 'trick')) place(parts.join('/')).cards.push([name, '']); }
  for (const [key, text] of Object.entries(scene)) {
    const parts = key.split('/');
    if (parts.length < 3) continue;
    const name = parts.pop(), kind = parts.pop();
    place(parts.join('/'))[kind].push([name, text]);
  }
  const panel = (key, title, classes, mine) => {
    const {text, cards} = places.get(key);
    text.sort(([a], [b]) => a < b ? -1 : 1);
    cards.sort(([a], [b]) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
    return el('div', {class: classes, 'data-place': key}, title && el('h3', {}, title), el('p', {class: 'facts'}, text.map(([name, value]) => el('span', {'data-name': name}, el('i', {}, name + ' '), value))),
      cards.map(([name, value]) => el('div', {class: 'zone ' + (BIG.has(name) ? 'big' : 'little'), 'data-zone': name}, el('small', {class: 'zonename'}, name), el('div', {class: 'cards'}, value ? cardsOf(game, value, seats, mine && name === 'hand' ? pick : null) : ''))));
  };
  return el('div', {class: 'felt', 'data-game': game}, el('div', {class: 'head'}, scene.head || ' '), panel('table', '', 'middle'),
    el('div', {class: 'seats n' + seats.length}, seats.map((name, s) => panel('seat/' + s, [`${s} · `, el('span', {}, clipped(name, 26)), s === you ? ' (you)' : '', lost[s] ? el('span', {class: 'badge'}, 'forfeited: ' + lost[s]) : ''], 'seat' + (s === toAct ? ' toact' : '') + (s === you ? ' you' : ''), s === you))));
}

function replayView(film, start) {
  const state = {frame: 0, viewer: OPEN, timer: 0}, last = film.frames - 1, stage = el('div', {class: 'stage'}), said = el('div', {class: 'decision', 'aria-live': 'polite'});
  const all = Object.keys(film.open);
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
    if (state.timer) { clearInterval(state.timer); state.timer = 0; } else { if (state.frame === last) state.frame = 0; state.timer = setInterval(() => { if (state.frame >= last) toggle(); else go(state.frame + 1); }, 700); }
    play.textContent = state.timer ? 'pause' : 'play';
  };
  const mine = () => { for (let at = state.frame + 1; at <= last; at++) if (state.viewer === OPEN ? film.legal[at].length > 1 : film.seat[at] === state.viewer && film.legal[at].length > 1) return go(at); go(last); };
  const forfeits = {};
  for (const lost of film.lost) forfeits[lost.seat] = lost;
  const tableAt = (at, toAct, fallen) => tableView(film.game, film.seats, frameOf(film, at, state.viewer), toAct, {you: state.viewer, lost: fallen, reserve: all});
  // Takes the room from the start that the middle and the seats need at their fullest: stepping moves nothing.
  function makeRoom() {
    if (!stage.isConnected) return;
    const most = {middle: 0, seat: 0};
    for (const kind in most) stage.style.removeProperty('--' + kind);
    for (const at of fullest(film, state.viewer)) {
      stage.replaceChildren(tableAt(at, -1, {}));
      for (const kind in most) for (const one of stage.querySelectorAll('.' + kind)) most[kind] = Math.max(most[kind], one.offsetHeight);
    }
    for (const kind in most) stage.style.setProperty('--' + kind, most[kind] + 'px');
    draw();
  }
  function draw() {
    const at = state.frame, toAct = film.seat[at], fallen = {};
    for (const lost of film.lost) if (lost.frame <= at) fallen[lost.seat] = lost.kind;
    stage.replaceChildren(tableAt(at, toAct, fallen));
    stage.dataset.frame = at;
    slider.value = at; where.value = `${at} / ${last}`; eyes.value = state.viewer;
    deep.href = link(state.viewer === OPEN ? {game: film.label, decision: at} : {game: film.label, decision: at, seat: state.viewer});
    const parts = [];
    if (at === last) parts.push(el('p', {class: 'big', id: 'scores'}, 'The end. ', film.scores.map((score, s) => el('span', {class: 'score', 'data-score': score}, `${film.seats[s]}: `, el('b', {}, signed(score, 0))))));
    else {
      const played = film.played[at], legal = film.legal[at], many = legal.length;
      if (state.viewer !== OPEN && state.viewer !== toAct) parts.push(el('p', {class: 'big'}, `Seat ${toAct}, ${film.seats[toAct]}, decides; what this seat may know of it lies on the table next.`));
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
    const act = {ArrowRight: () => go(state.frame + 1), ArrowLeft: () => go(state.frame - 1), Home: () => go(0), End: () => go(last), ' ': toggle, n: mine, o: () => { state.viewer = OPEN; draw(); }}[event.key]
      || (/^\d$/.test(event.key) && +event.key < film.players ? () => { state.viewer = +event.key; draw(); } : null);
    if (act) { event.preventDefault(); act(); }
  };
  let waits = 0;
  const resized = () => { cancelAnimationFrame(waits); waits = requestAnimationFrame(makeRoom); };
  addEventListener('resize', resized);
  leave = () => { clearInterval(state.timer); state.timer = 0; removeEventListener('resize', resized); };
  draw();
  resized();
  return [el('div', {class: 'toolbar'}, button('|◀', 'first (Home)', () => go(0)), button('◀ back', 'back (←)', () => go(state.frame - 1)), play, button('next ▶', 'forward (→)', () => go(state.frame + 1)), button('▶|', 'the end (End)', () => go(last)), button('next choice', 'next real choice (n)', mine), slider, where, eyes, deep),
    said, stage, el('p', {class: 'dim'}, 'Keys: ← → step, Home End, space plays, n to the next choice, o open cards, 0–9 a seat’s eyes.')];
}
