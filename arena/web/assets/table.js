// A card table: a scene (see engines/scene.py) drawn so that all of it fits the room there is.

// What a game's table looks like, as its words.toml says. turn: 1 if play goes clockwise. seat, middle: the zones that are large, each with the number of
// cards for which there is always room; all other zones are small. money: facts that are points or chips. bare: facts that need
// no name. counts: facts that count kinds of cards. ring: the zone whose cards lie before those who played them.
// rounds: how the cards of each round of a hand lie; its finished rounds are the zones `round 1` and so on, by seat.
// total: the fact of a seat that becomes its score. grow: how much higher than usual the seats are, where little lies in the middle; lift: the own seat, on a high table.
const PLAIN = {turn: 1, seat: {hand: 0}, middle: {}, small: true, money: [], bare: []};
const looksOf = (game) => saidOf(game).looks || PLAIN;
const BIGGEST = 118, GAP = 6;
const within = (value, low, high) => Math.max(low, Math.min(high, value));

// Where the seats are: [left, top, right] for so many others, on a wide and on a high table.
const AROUND = {
  wide: [[0, 0, 0], [0, 1, 0], [0, 2, 0], [1, 1, 1], [1, 2, 1], [1, 3, 1], [2, 2, 2], [2, 3, 2], [2, 4, 2], [2, 5, 2]],
  high: [[0, 0, 0], [0, 1, 0], [0, 2, 0], [0, 3, 0], [0, 4, 0], [1, 3, 1], [2, 2, 2], [2, 3, 2], [3, 2, 3], [3, 3, 3]],
};

// Boxes [x, y, width, height] of the seats in order of play from the one at the bottom, and of the middle.
function layout(players, width, height, grow = 1, lift = 1) {
  const wide = width > 1.15 * height, [left, top, right] = AROUND[wide ? 'wide' : 'high'][players - 1];
  const low = wide && height < 420;  // a phone on its side: the own cards are touched, those of others are not
  const own = within(height * (low ? Math.max(0.36, 0.29 * grow) : grow * (wide ? 0.29 : 0.26 * lift)), 108, 210 * grow), high = within(height * grow * (wide && !low ? 0.26 : low || left ? 0.2 : 0.22), 72, 190 * grow), side = left ? within(width * (wide ? 0.25 : 0.3), 96, 290) : 0;
  const first = top ? high + GAP : 0, area = height - own - first - GAP, boxes = [[0, height - own, width, own]];
  const stack = (many, x, up) => {
    const each = Math.min((area - GAP * (many - 1)) / many, 200), begin = first + (area - many * each - GAP * (many - 1)) / 2;
    for (let k = 0; k < many; k++) boxes.push([x, begin + (up ? many - 1 - k : k) * (each + GAP), side, each]);
  };
  stack(left, 0, true);
  for (let k = 0; k < top; k++) { const each = Math.min((width - GAP * (top - 1)) / top, 560), begin = (width - top * each - GAP * (top - 1)) / 2; boxes.push([begin + k * (each + GAP), 0, each, high]); }
  stack(right, width - side, false);
  const inset = side ? side + GAP : 0;
  return {boxes, middle: [inset, first, width - 2 * inset, area]};
}

const stepOf = (many, broad, width) => many > 1 ? Math.min(broad + 3, (width - broad) / (many - 1)) : broad;
// How cards are laid in a box: the number of rows in which most of each card is seen.
function fit(many, width, height, apart) {
  let best = null;
  for (let rows = 1; rows <= Math.min(apart ? 7 : 4, many); rows++) {
    const per = Math.ceil(many / rows), tall = Math.max(10, Math.min(BIGGEST, (height - 2 * (rows - 1)) / rows, 1.5 * width / (apart ? per + 0.1 * per : 1))), broad = tall / 1.5;
    const step = stepOf(per, broad, width), worth = Math.min(step, broad) * tall;
    if (!best || worth > 1.08 * best.worth) best = {per, tall, broad, worth};
  }
  return best;
}

// Pixels, to tenths.
const tenths = (value) => Math.round(10 * value) / 10;
function laid(sketch, x, y, width, height) {
  sketch.mark('laid');
  sketch.box = [tenths(x), tenths(y), tenths(width), tenths(height)];
  return sketch;
}
const split = (word) => /^(?:(\d+|house):)?(.+)$/.exec(word).slice(1);

function zoneOf(name, box, title) {
  const zone = laid(sk('div', {class: 'zone', 'data-zone': name, role: 'group', 'aria-label': name}), ...box);
  if (title) zone.append(laid(sk('small', {class: 'zonename'}, title), 0, 0, box[2], 13));
  return zone;
}

// Cards of a zone in one or more rows. `room`: so many are expected. `pick` hears of every card.
function cardRows(table, name, words, box, {room = 0, title = '', pick, fan = false, apart = false} = {}) {
  const zone = zoneOf(name, box, title), above = title ? 14 : fan ? 8 : 0, height = box[3] - above, found = fit(Math.max(words.length, room, 1), box[2], fan ? height - (title ? 12 : 6) : height, apart), bowed = fan && words.length <= found.per && words.length > 3 && found.tall > 50;
  if (!words.length && room === 1) zone.append(laid(sk('div', {class: 'awaited'}), (box[2] - found.broad) / 2, above + (height - found.tall) / 2, found.broad, found.tall));
  words.forEach((word, at) => {
    if (word === '|') return;
    const row = Math.floor(at / found.per), there = Math.min(found.per, words.length - row * found.per), rows = Math.ceil(words.length / found.per);
    const step = stepOf(there, found.broad, box[2]), wide = found.broad + (there - 1) * step, off = at % found.per - (there - 1) / 2, [, card] = split(word), shown = cardSketch(table.game, card, found.broad < 34 ? 'mini' : '');
    const down = bowed ? Math.min(10, off * off * 0.3) - 3 : fan ? 4 : 0;
    laid(shown, (box[2] - wide) / 2 + (at % found.per) * step, above + (height - rows * found.tall - (rows - 1) * 2) / 2 + row * (found.tall + 2) + down, found.broad, found.tall);
    if (bowed) shown.turn = Math.round(100 * off * Math.min(1.4, 12 / words.length)) / 100;
    if (pick) pick(shown, card);
    zone.append(shown);
  });
  return zone;
}

// Groups of cards side by side, as large as they all fit; `seats`: with the number of the seat that laid them.
function grouped(table, name, text, box, seats = false) {
  const zone = zoneOf(name, box), groups = text.split(' | ').map((group) => group.split(' ').filter(Boolean)).filter((group) => group.length), below = seats ? 13 : 0;
  const place = (tall) => {
    const broad = tall / 1.5, step = broad * 0.52, spots = [];
    let x = 0, y = 0;
    for (const group of groups) {
      const wide = broad + (group.length - 1) * step;
      if (x && x + wide > box[2]) { x = 0; y += tall + below + 4; }
      spots.push([x, y]);
      if (wide > box[2]) return null;
      x += wide + broad * 0.3;
    }
    return y + tall + below <= box[3] ? {spots, broad, step, tall, bottom: y + tall + below} : null;
  };
  let tall = Math.min(BIGGEST, box[3]), found = null;
  for (; !found && tall > 8; tall -= 2) found = place(tall);
  if (!found) return zone;
  groups.forEach((group, g) => {
    const [x, y] = found.spots[g], top = y + (box[3] - found.bottom) / 2;
    group.forEach((word, k) => zone.append(laid(cardSketch(table.game, split(word)[1], found.broad < 34 ? 'mini' : ''), x + k * found.step, top, found.broad, found.tall)));
    if (seats) zone.append(laid(sk('small', {class: 'who'}, 'seat ' + split(group[0])[0]), x - 4, top + found.tall, found.broad + (group.length - 1) * found.step + 8, 13));
  });
  return zone;
}

// A trick: every card towards the seat that played it, with its name; in a flat box side by side.
function ring(table, name, words, box, past) {
  const zone = zoneOf(name, box), [, , width, height] = box, flat = height < 170 && width > 1.5 * height;
  const tall = flat ? within(Math.min(height - 14, 1.5 * (width / table.seats.length - 4)), 20, 104) : within(Math.min(height / 2.6, width / 2.6), 24, 110), broad = tall / 1.5, step = Math.min(width / table.seats.length, broad + 34),
    label = flat ? step : broad + 36, below = flat ? within(height - tall - 6, 13, 36) : 13, full = table.seats.length > 4, beside = full && table.toward.some(([, down]) => Math.abs(down) < 0.5);
  const across = (right) => (beside ? right * Math.abs(right) : right) * Math.min((width - broad) / 2, (full ? 2.4 : 1.5) * broad);  // of five cards none lies on another
  words.forEach((word, at) => {
    const [who, card] = split(word), [right, down] = who === 'house' ? [0, 0] : table.toward[table.order(+who)];
    const x = (width - broad) / 2 + (flat ? (at - (table.seats.length - 1) / 2) * step : across(right)), y = (height - tall - below) / 2 + (flat ? 0 : down * Math.min((height - tall - 13) / 2, 0.85 * tall));
    zone.append(laid(cardSketch(table.game, card, broad < 34 ? 'mini' : ''), x, y, broad, tall), laid(sk('small', {class: below >= 24 ? 'who twice' : 'who'}, who === 'house' ? 'house' : seatName(table.seats, who)), x + (broad - label) / 2, y + tall, label, below));
  });
  if (past) zone.mark('past');
  return zone;
}

// The rounds of a hand side by side: what was laid in those that are over, where cards will lie in the others.
function roundsView(table, scene, cards, box) {
  const {rounds} = table.looks, [x, y, width, height] = box, many = rounds.length, rows = width < 2.4 * height && height > 130 ? 2 : 1, across = many / rows;
  const now = +(/round (\d)/.exec(scene.head || '') || [0, 0])[1], wide = (width - GAP * (across - 1)) / across, high = (height - GAP * (rows - 1)) / rows;
  return rounds.map((faces, k) => {
    const place = [x + k % across * (wide + GAP), y + Math.floor(k / across) * (high + GAP), wide, high], last = cards[`last hand, round ${k + 1}`], over = cards[`round ${k + 1}`] || last, title = last ? 'last hand' : `round ${k + 1}`;
    const node = zoneOf(title, place, title), room = [4, 14, wide - 8, high - 16];
    node.mark('round');
    if (k + 1 === now) node.mark('now');
    if (over) { node.append(grouped(table, title, over, room, high > 80)); return node; }
    const tall = within(Math.min(room[3], (room[2] / 2 - 6) * 1.5), 12, 96), broad = tall / 1.5, left = wide / 2 - broad - 3, top = 14 + (room[3] - tall) / 2;
    faces.forEach((face, at) => {
      const spot = [left + at * (broad + 6), top, broad, tall];
      if (face === 'shared' && cards.community) node.append(laid(sk('div', {class: 'zone', 'data-zone': 'community', role: 'group', 'aria-label': 'community'}, laid(cardSketch(table.game, cards.community, broad < 34 ? 'mini' : ''), 0, 0, broad, tall)), ...spot));
      else node.append(laid(sk('div', {class: 'awaited ' + face, title: face}, broad > 34 ? face : ''), ...spot));
    });
    return node;
  });
}

// Facts beside one another; money looks like chips.
function factsOf(table, facts, box, more) {
  const money = (name) => table.looks.money.includes(name), many = box[2] < 178 && box[3] < 48 && facts.filter(([name]) => money(name)).length > 1;
  const plain = (name, value) => table.looks.bare.includes(name) || (money(name) && (7 * (name + value).length + 21 > box[2] || (many && facts.some(([one, unit]) => money(one) && unit.endsWith('%')))));  // a figure is never cut: its name goes
  const shown = facts.map(([name, value]) => sk('span', {'data-name': name, title: name, class: money(name) ? 'money' : ''}, plain(name, value) ? '' : sk('i', {}, name + ' '), value.replace(/^seat (\d+)$/, (whole, seat) => seatName(table.seats, seat)).replace(/^-(?=\d)/, '−')));
  return laid(sk('p', {class: 'facts'}, shown, more), ...box);
}

// How wide facts are in a narrow seat, word by word where one is wider than a line, and what the seat did; and how many lines they take.
const widthsOf = ({looks}, facts, did, room) => [...facts.flatMap(([name, value]) => {
  const text = looks.bare.includes(name) ? value : name + ' ' + value, words = 5.2 * text.length + 3 > room ? text.split(' ') : [text];
  return looks.money.includes(name) ? 6 * (name + value).length + 20 : words.map((word) => 5.2 * word.length + 3);
}), ...(did ? [6 * did.length + 13] : [])];
const linesOf = (widths, room) => widths.reduce(([lines, used], width) => used && used + width > room ? [lines + 1, width] : [lines, used + width], [1, 0])[0];
const titled = ({looks}, name) => (looks.names || {})[name] || name;
// Small zones side by side in a strip.
function strip(table, zones, box) {
  const all = zones.reduce((sum, [, words]) => sum + 2 + words.length, 0), least = zones.map(([name]) => 6.5 * titled(table, name).length + 2), free = Math.max(0, box[2] - GAP * (zones.length - 1) - least.reduce((sum, one) => sum + one, 0));
  let x = box[0];
  return zones.map(([name, words], at) => {
    const width = least[at] + free * (2 + words.length) / all, most = Math.max(62, least[at], Math.min(width, words.length * (box[3] - 13) + 8));
    const made = cardRows(table, name, words, [x, box[1], Math.min(width, most), box[3]], {title: titled(table, name)});
    x += Math.min(width, most) + GAP;
    return made;
  });
}

// The large zones of a place share its room by the number of their cards.
function shared(table, zones, box, draw) {
  const along = box[2] > 1.1 * box[3] || zones.length < 2, weights = zones.map(([, words, room]) => Math.max(words.length, room, 1) + 0.6), all = weights.reduce((a, b) => a + b, 0);
  let at = 0;
  return zones.map(([name, words, room], k) => {
    const part = ((along ? box[2] : box[3]) - GAP * (zones.length - 1)) * weights[k] / all, mine = along ? [box[0] + at, box[1], part, box[3]] : [box[0], box[1] + at, box[2], part];
    at += part + GAP;
    return draw(name, words, room, mine);
  });
}

const wordsOf = (text) => text.split(' ').filter(Boolean);
function placesOf(scene, players) {
  const places = {table: {text: {}, cards: {}}};
  for (let s = 0; s < players; s++) places['seat/' + s] = {text: {}, cards: {}};
  for (const [key, text] of Object.entries(scene)) {
    const parts = key.split('/');
    if (parts.length > 2) places[parts.slice(0, -2).join('/')][parts.at(-2)][parts.at(-1)] = text;
  }
  return places;
}
function factList(table, text, hidden = []) {
  const rank = (name) => table.looks.money.includes(name) ? 0 : table.looks.bare.includes(name) ? 1 : 2;
  return Object.entries(text).filter(([name]) => !hidden.includes(name)).sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
}
const smallZones = (cards, large) => Object.entries(cards).filter(([name]) => !large.includes(name)).map(([name, text]) => [name, wordsOf(text)]);

function seatView(table, s, {text, cards}, box) {
  const {looks, you, lost, toAct, did, pick} = table, [, , width, height] = box, mine = s === you, large = Object.keys(looks.seat), two = width < 190 && height > 95, pills = Object.keys(text).filter((name) => looks.money.includes(name)).length;
  const dealer = /\bdealer\b/.test(text.role || '') || table.dealer === s;
  const node = laid(sk('div', {class: 'seat' + (s === toAct ? ' toact' : '') + (mine ? ' you' : '') + (two ? ' narrow' : ''), 'data-place': 'seat/' + s, role: 'group', 'aria-label': `seat ${s}, ${table.seats[s]}${s === toAct ? ', to act' : ''}`}), ...box);
  const inner = width - 12, one = width > 420 && height < 150, facts = factList(table, text), room = two ? inner : inner / 1.2, lines = linesOf(widthsOf(table, facts, did[s], room), room),
    line = one ? 0 : two ? within(16 * lines, pills > 1 ? 48 : 32, height < 115 ? 48 : 64) : lines > 1 ? 33 : 17, high = two && Object.values(looks.seat).filter(Boolean).length < 2 && 7.5 * (table.seats[s].length + 4) + (dealer ? 20 : 0) > inner ? 25 : 17,
    below = high + line, zones = smallZones(cards, large), least = height - below - 4, low = looks.small ? within(least * 0.32, 18, 40) : zones.length ? within(least * 0.3, 18, 40) : 0;
  const beside = inner > 140, said = did[s] && beside ? within(8 * did[s].length + 14, 30, inner * 0.5) : 0, free = inner - said - (said ? 4 : 0), named = one ? within(8 * table.seats[s].length + (mine ? 90 : 40) + (dealer ? 20 : 0), 0, free * 0.5) : free;
  if (said) node.append(laid(sk('span', {class: 'did'}, did[s]), width - 5 - said, 1, said, 17));
  const tight = 8 * Math.max(...table.seats.map((one) => one.length)) + 42 > named ? ' tight' : '';
  node.append(laid(sk('div', {class: 'name' + tight + (high > 17 ? ' twice' : ''), title: table.seats[s]},
      dealer && sk('b', {class: 'dealer', title: 'dealer'}, 'D'), table.seats[s].length > 10 ? `${s}\u00a0·\u00a0` : `${s} · `, sk('span', {}, clipped(table.seats[s], 26)), mine ? ' (you)' : '', lost[s] ? sk('span', {class: 'badge'}, 'forfeited: ' + lost[s]) : ''), 6, 1, named, high));
  node.append(factsOf(table, facts, one ? [6 + named, 1, free - named, 17] : [6, 1 + high, inner, line], did[s] && !beside ? sk('span', {class: 'did'}, did[s]) : ''));
  const main = large.map((name) => [name, wordsOf(cards[name] || ''), looks.seat[name]]).filter(([, words, room]) => words.length || room);
  node.append(...shared(table, main, [6, below, inner, least - low], (name, words, room, at) => cardRows(table, name, words, at, {room, title: main.length > 1 && at[3] > 44 ? name : '', fan: mine && name === 'hand', pick: mine && name === 'hand' ? pick : null})));
  if (zones.length) node.append(...strip(table, zones, [6, height - low - 3, inner, low]));
  return node;
}

function middleView(table, scene, {text, cards}, box) {
  const {looks} = table, [, , width, height] = box, node = laid(sk('div', {class: 'middle', 'data-place': 'table'}), ...box), held = {...cards}, counts = looks.counts || [];
  let large = Object.keys(looks.middle), past = false;
  if (looks.past && !held[looks.ring] && held[looks.past]) { past = true; large = large.map((name) => name === looks.ring ? looks.past : name); }
  const facts = factList(table, text, [...counts, 'dealer', ...(looks.hidden || [])]), line = width < 260 ? 32 : 18, main = large.map((name) => [name, wordsOf(held[name] || ''), name === looks.past ? 4 : looks.middle[name]]).filter(([, words, room]) => words.length || room);
  for (const name of counts) if (text[name]) main.push([name, text[name].split(/, | \| /), 8]);
  const zones = smallZones(held, large).filter(([name]) => !looks.rounds || !/round \d/.test(name)), low = zones.length ? within(height * 0.24, 30, 62) : 0;
  node.append(laid(sk('div', {class: 'head'}, scene.head || ' '), 0, 0, width, 18), factsOf(table, facts, [0, 18, width, line]));
  const rest = [0, 20 + line, width, height - 20 - line - (low ? low + 4 : 0)];
  if (looks.rounds) node.append(...roundsView(table, scene, held, rest));
  else node.append(...shared(table, main, rest, (name, words, room, at) => {
    if (counts.includes(name)) return countsView(table, name, words, at);
    if (name === looks.ring || (past && name === looks.past)) return ring(table, name, words, at, past);
    return name === looks.groups ? grouped(table, name, held[name] || '', at) : cardRows(table, name, words, at, {room, title: titled(table, name)});
  }));
  if (zones.length) node.append(...strip(table, zones, [0, height - low, width, low]));
  return node;
}

// Kinds of cards with how many of each there are.
function countsView(table, name, pairs, box) {
  const zone = cardRows(table, name, pairs.map((pair) => pair.split(' x')[0]), box, {title: name, apart: true});
  zone.children.filter((one) => one.card).forEach((card, at) => { const [left, top, width, height] = card.box; zone.append(laid(sk('small', {class: 'many'}, '×' + pairs[at].split(' x')[1]), left, top + height - 12, width, 12)); });
  return zone;
}

// A table from a scene. `you` sits at the bottom (unless another seat is to) and is marked; `did`: what seats did last; `pick` hears of every card of your hand.
function tableView(game, seats, scene, toAct, {you = -1, bottom = Math.max(0, you), lost = {}, did = {}, pick, width = 900, height = 560} = {}) {
  const looks = looksOf(game), players = seats.length, pad = 6, inner = [Math.max(200, width - 2 * pad), Math.max(180, height - 2 * pad)];
  const order = (s) => ((s - bottom) * looks.turn % players + players) % players, {boxes, middle} = layout(players, ...inner, looks.grow, looks.lift), places = placesOf(scene, players);
  const centre = ([x, y, w, h]) => [x + w / 2, y + h / 2], [mx, my] = centre(middle);
  const toward = boxes.map((box) => { const [x, y] = centre(box), dx = (x - mx) / inner[0], dy = (y - my) / inner[1], most = Math.max(Math.abs(dx), Math.abs(dy)) || 1; return [dx / most, dy / most]; });
  const dealt = /^seat (\d+)$/.exec(places.table.text.dealer || ''), table = {game, seats, looks, you, lost, did, pick, toAct, order, toward, dealer: dealt ? +dealt[1] : -1};
  const felt = sk('div', {class: 'felt', 'data-game': game}), cloth = laid(sk('div', {}), pad, pad, ...inner);
  felt.append(cloth);
  cloth.append(middleView(table, scene, places.table, middle), ...seats.map((_, s) => seatView(table, s, places['seat/' + s], boxes[order(s)])));
  return felt;
}

// Keeps a table as large as its stage; `draw` puts it there.
function fitted(stage, draw) {
  const size = () => stage.clientWidth > 50 ? {width: stage.clientWidth, height: Math.max(stage.clientHeight, 200)} : {};
  let before = '';
  const watch = new ResizeObserver(() => { const now = `${stage.clientWidth} ${stage.clientHeight}`; if (now !== before) { before = now; draw(); } });
  watch.observe(stage);
  const paper = () => draw({width: 680, height: 480}), screen = () => draw();
  addEventListener('beforeprint', paper);
  addEventListener('afterprint', screen);
  return {size, end() { watch.disconnect(); removeEventListener('beforeprint', paper); removeEventListener('afterprint', screen); }};
}
