// Charts as SVG. Colours are classes of the style sheet, so both themes and print work; every mark has a title.
function scale(low, high, from, to) {
  const span = high - low || 1;
  return (value) => from + (value - low) / span * (to - from);
}
function ticks(low, high, n) {
  const raw = (high - low || 1) / n, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= raw);
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9) * step; at <= high + step * 1e-6; at += step) found.push(Math.abs(at) < step / 1e6 ? 0 : at);
  return found;
}
const short = (value) => Math.abs(value) >= 10000 ? Math.round(value / 1000) + 'k' : String(+value.toPrecision(4)).replace('-', '−');
const known = (values) => values.filter((value) => value !== null && value !== undefined && Number.isFinite(value));
const spread = (values, least) => {
  const some = known(values);
  if (!some.length) return [0, 1];
  let low = Math.min(...some), high = Math.max(...some);
  if (high - low < least) { const middle = (low + high) / 2; low = middle - least / 2; high = middle + least / 2; }
  const margin = (high - low) * 0.04;
  return [low - margin, high + margin];
};

// How wide a chart is drawn, so that its text stays readable on a phone.
const room = () => Math.max(300, Math.min(640, document.documentElement.clientWidth - 48));

// A point with its 95 % interval, on a common scale; `zero` marks a reference.
function whisker(value, low, high, [from, to], title, zero) {
  const width = 130, height = 22, x = scale(from, to, 4, width - 4), clip = (at) => Math.max(2, Math.min(width - 2, x(at))), sure = low !== null && high !== null;
  const marks = [tip(title)];
  if (zero !== undefined && zero > from && zero < to) marks.push(svg('line', {class: 'axis', x1: x(zero), x2: x(zero), y1: 0, y2: height}));
  if (value !== null && value !== undefined) {
    if (sure) marks.push(svg('rect', {class: 'bar', x: clip(low), y: 7, width: Math.max(1, clip(high) - clip(low)), height: 8, rx: 4}));
    marks.push(svg('circle', {class: sure ? 'dot' : 'dot hollow', cx: clip(value), cy: 11, r: 4}));
  }
  return svg('svg', {class: 'whisker', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': title}, marks);
}

// Rows of points with intervals, names on the left and an axis below.
function forest(rows, {zero, unit, digits = 2, labels: wanted = 130}) {
  const width = room(), labels = Math.min(wanted, Math.round(width * 0.4)), line = 24, top = 6, height = top + line * rows.length + 34;
  const domain = spread([zero, ...rows.flatMap((row) => [row.value, row.low, row.high])], 1e-6);
  const x = scale(domain[0], domain[1], labels + 10, width - 14);
  const marks = ticks(domain[0], domain[1], width > 480 ? 6 : 3).map((at) => [
    svg('line', {class: 'grid', x1: x(at), x2: x(at), y1: top, y2: height - 30}),
    svg('text', {class: 'tick', x: x(at), y: height - 16, 'text-anchor': 'middle'}, short(at))]);
  if (zero !== undefined) marks.push(svg('line', {class: 'axis', x1: x(zero), x2: x(zero), y1: top, y2: height - 30}));
  rows.forEach((row, at) => {
    const y = top + line * at + line / 2, text = `${row.label}: ${signed(row.value, digits)} (95 %: ${signed(row.low, digits)} .. ${signed(row.high, digits)})${row.more ? ', ' + row.more : ''}`;
    marks.push(svg('g', {class: 'mark'}, tip(text),
      svg('text', {class: 'label', x: labels, y: y + 4, 'text-anchor': 'end'}, briefly(row.label, Math.floor(labels / 7.8))),
      row.low !== null && row.low !== undefined && svg('rect', {class: 'bar', x: x(row.low), y: y - 5, width: Math.max(1, x(row.high) - x(row.low)), height: 10, rx: 5}),
      svg('circle', {class: 'dot', cx: x(row.value), cy: y, r: 4.5})));
  });
  marks.push(svg('text', {class: 'tick', x: (labels + width) / 2, y: height - 4, 'text-anchor': 'middle'}, unit));
  return svg('svg', {class: 'chart', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': unit}, marks);
}
// A name with its middle left out: bots of a long common beginning differ at their ends.
const briefly = (text, most) => text.length > most ? text.slice(0, Math.ceil((most - 1) / 2)) + '…' + text.slice(-Math.floor((most - 1) / 2)) : text;

// Values in their order as a curve, with the band of their intervals; rows are {label, values: [value, low, high], why}.
function curve(rows, unit, digits) {
  const width = room(), height = 170, left = 52, values = rows.map((row) => row.values), domain = spread(values.flat(), digits ? 0.1 : 10), y = scale(domain[0], domain[1], height - 34, 8), x = scale(0, Math.max(1, rows.length - 1), left + 8, width - 14);
  const told = rows.map((row, at) => [at, ...row.values]).filter(([, value]) => value !== null), line = (points) => points.map(([at, value]) => `${x(at)},${y(value)}`).join(' '), band = told.filter(([, , low]) => low !== null);
  const grid = ticks(domain[0], domain[1], 4).map((at) => [svg('line', {class: 'grid', x1: left, x2: width - 8, y1: y(at), y2: y(at)}), svg('text', {class: 'tick', x: left - 4, y: y(at) + 4, 'text-anchor': 'end'}, short(at))]);
  return svg('svg', {class: 'chart', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': unit}, grid,
    band.length > 1 && svg('polygon', {class: 'band', points: line([...band.map(([at, , low]) => [at, low]), ...band.map(([at, , , high]) => [at, high]).reverse()])}), svg('polyline', {class: 'curve', points: line(told)}),
    told.map(([at, value, low, high]) => svg('g', {class: 'mark'}, tip(`${rows[at].label}: ${fixed(value, digits)} (95 %: ${fixed(low, digits)} .. ${fixed(high, digits)})${rows[at].why && '\n' + rows[at].why}`), svg('circle', {class: 'dot', cx: x(at), cy: y(value), r: 4.5}))),
    rows.map((row, at) => (row.why || at % Math.ceil(rows.length / 10) === 0) && svg('text', {class: 'tick', x: x(at), y: height - 18, 'text-anchor': 'middle'}, row.label, row.why && tip(row.why))), svg('text', {class: 'tick', x: (left + width) / 2, y: height - 3, 'text-anchor': 'middle'}, unit));
}

// A histogram; `bounds` has one more than `counts`.
function histogram(bounds, counts, top, title, size) {
  const width = 300, height = size || 70, x = scale(0, counts.length, 2, width - 2), y = scale(0, top || 1, height - 16, 4), all = counts.reduce((a, b) => a + b, 0) || 1;
  const marks = counts.map((n, at) => svg('rect', {class: 'bar', x: x(at) + 0.5, y: y(n), width: Math.max(1, x(at + 1) - x(at) - 1), height: Math.max(0, height - 16 - y(n))},
    tip(`${short(bounds[at])} .. ${short(bounds[at + 1] - 1)}: ${count(n, 'seat')} (${percent(n / all)})`)));
  const zero = bounds.findIndex((at) => at >= 0);
  if (bounds[0] < 0 && zero > 0) marks.push(svg('line', {class: 'axis', x1: x(zero), x2: x(zero), y1: 2, y2: height - 16}));
  marks.push(svg('line', {class: 'axis', x1: 2, x2: width - 2, y1: height - 16, y2: height - 16}));
  marks.push(svg('text', {class: 'tick', x: 2, y: height - 3}, short(bounds[0])), svg('text', {class: 'tick', x: width - 2, y: height - 3, 'text-anchor': 'end'}, short(bounds[bounds.length - 1])));
  return svg('svg', {class: 'chart small', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': title}, tip(title), marks);
}

// CPU on a logarithmic scale against the clock.
function clockChart(rows, clock) {
  const width = room(), line = 24, top = 6, labels = Math.min(130, Math.round(width * 0.36)), height = top + line * rows.length + 34;
  const values = known([...rows.flatMap((row) => [row.mean, row.p99, row.worst]), clock]).map((v) => Math.max(v, 1));
  const low = Math.floor(Math.log10(Math.min(...values))), high = Math.ceil(Math.log10(Math.max(...values)) + 0.05);
  const x = (value) => scale(low, high, labels + 10, width - 28)(Math.log10(Math.max(value, 10 ** low)));
  const figure = (at) => String(+at.toPrecision(3)), name = (at) => at >= 1e6 ? figure(at / 1e6) + ' s' : at >= 1000 ? figure(at / 1000) + ' ms' : figure(at) + ' µs';
  const marks = [];
  for (let at = low; at <= high; at++) marks.push(svg('line', {class: 'grid', x1: x(10 ** at), x2: x(10 ** at), y1: top, y2: height - 30}),
    svg('text', {class: 'tick', x: x(10 ** at), y: height - 16, 'text-anchor': 'middle'}, name(10 ** at)));
  if (clock) marks.push(svg('line', {class: 'limit', x1: x(clock), x2: x(clock), y1: top, y2: height - 30}, tip('the clock: ' + name(clock) + ' a decision')));
  rows.forEach((row, at) => {
    const y = top + line * at + line / 2;
    marks.push(svg('g', {class: 'mark'}, tip(`${row.label}: mean ${name(row.mean)}` + (row.p99 === null ? '; more was not kept' : `, 99 % of its decisions at most ${name(row.p99)}, worst ${name(row.worst)}`)),
      svg('text', {class: 'label', x: labels, y: y + 4, 'text-anchor': 'end'}, briefly(row.label, Math.floor(labels / 7.8))),
      row.p99 !== null && [svg('line', {class: 'thin', x1: Math.min(x(row.mean), x(row.p99)), x2: x(row.worst), y1: y, y2: y}),
        svg('line', {class: 'bartick', x1: x(row.p99), x2: x(row.p99), y1: y - 6, y2: y + 6})],
      svg('circle', {class: 'dot', cx: x(row.mean), cy: y, r: 4.5})));
  });
  marks.push(svg('text', {class: 'tick', x: (labels + width) / 2, y: height - 4, 'text-anchor': 'middle'}, 'CPU per decision'));
  return svg('svg', {class: 'chart', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'CPU per decision'}, marks);
}

// Seven classes of effect for the heat map: -3 .. 3, by standardised difference.
function heat(value, largest) {
  if (value === null || value === undefined || !largest) return 0;
  const size = Math.min(3, Math.ceil(3.999 * Math.abs(value) / largest - 1e-9) - 1);
  return Math.sign(value) * Math.max(0, size);
}
