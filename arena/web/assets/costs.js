// What the decisions of a game cost (see arena/replay/analysis.py): the expected value along it, a mark at each costly decision.
const MOST_COSTLY = 3;

// The costliest decisions of a seat (or of all: OPEN), what surely cost most first.
function costliest(costs, seat) {
  const sure = (one) => one.cost - 1.96 * one.error;
  return costs.decisions.filter((one) => one.verdict === 'costly' && (seat === OPEN || one.seat === seat)).sort((a, b) => sure(b) - sure(a));
}
const costOf = (one, unit) => `${one.played} cost ${fixed(one.cost, 2)} ± ${fixed(one.error, 2)} ${unit}; better: ${one.best}`;

// The costliest decisions as a list; `at` makes the element that leads to one, `sceneOf` gives what lay there.
function costList(costs, seat, at, sceneOf) {
  const found = costliest(costs, seat).slice(0, MOST_COSTLY).sort((a, b) => b.cost - a.cost), where = (one) => partOf(sceneOf(one).head);
  return el('div', {class: 'costs'}, say(found.length ? 'What cost most, given what the seat could see:' : 'No decision surely cost more than a trifle.'),
    found.length > 0 && el('ol', {}, found.map((one) => el('li', {}, at(one, `${where(one)}: ${costOf(one, costs.unit)}`), one.reason && el('p', {class: 'dim'}, one.reason + '.')))));
}

// The line of a seat's expected value, of all seats where cards lie open. A click on a mark goes there.
function costsView(costs, frame, last, viewer, go, sceneOf) {
  const seat = costs.decisions.some((one) => one.seat === viewer) ? viewer : OPEN;
  const width = 420, height = 90, lines = new Map(), shown = costs.decisions.filter((one) => seat === OPEN || one.seat === seat), values = shown.map((one) => one.value);
  const low = Math.min(...values), high = Math.max(...values), x = (at) => 4 + at / Math.max(1, last) * (width - 8), y = (value) => height - 6 - (value - low) / (high - low || 1) * (height - 12);
  for (const one of shown) lines.set(one.seat, [...(lines.get(one.seat) || []), `${x(one.decision)},${y(one.value)}`]);
  const mark = (one) => svg('circle', {class: 'costly', cx: x(one.decision), cy: y(one.value), r: 5, 'data-frame': one.decision, onclick: () => go(one.decision)}, tip(`seat ${one.seat}, decision ${one.decision}: ${costOf(one, costs.unit)}`));
  const drawn = shown.length > 0 && svg('svg', {class: 'chart', id: 'costline', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `expected value, ${fixed(low, 1)} to ${fixed(high, 1)} ${costs.unit}`},
    [...lines].map(([who, points]) => svg('polyline', {class: 'expected', points: points.join(' ')}, tip(`seat ${who}`))), svg('line', {class: 'axis', x1: x(frame), x2: x(frame), y1: 0, y2: height}), costliest(costs, seat).map(mark));
  return el('div', {id: 'costs'}, el('p', {class: 'dim', title: costs.by}, `What the seat could expect, ${costs.unit}; marks are costly decisions`), drawn, costList(costs, seat, (one, text) => el('button', {type: 'button', onclick: () => go(one.decision)},
        `${one.decision}, seat ${one.seat}, ${text}`), sceneOf));
}
