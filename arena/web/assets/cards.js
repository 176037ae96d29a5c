// Cards as SVG, drawn here: French, Spanish and tarot packs and Flip 7. A card is what its game writes: Ks, 12o, XXI, +4.
const SHAPES = {
  s: 'M0,-9.5C3,-4.5 9,-1.5 9,4C9,8 3.4,8.6 1,5.2L2.6,9.5H-2.6L-1,5.2C-3.4,8.6 -9,8 -9,4C-9,-1.5 -3,-4.5 0,-9.5Z',
  h: 'M0,9.5C-11,0.5 -9.5,-8.5 -4.6,-8.5C-1.6,-8.5 0,-5.8 0,-4.2C0,-5.8 1.6,-8.5 4.6,-8.5C9.5,-8.5 11,0.5 0,9.5Z',
  d: 'M0,-10L7.4,0L0,10L-7.4,0Z',
  c: 'M0,-9.5A4.3,4.3 0 0 1 3.4,-2.4A4.3,4.3 0 1 1 1,5.2L2.6,9.5H-2.6L-1,5.2A4.3,4.3 0 1 1 -3.4,-2.4A4.3,4.3 0 0 1 0,-9.5Z',
  cup: 'M-7.5,-9H7.5C7.5,-1 4.6,2.4 1.6,3.2V6.4H5.4V9.4H-5.4V6.4H-1.6V3.2C-4.6,2.4 -7.5,-1 -7.5,-9Z',
  club: 'M-1.8,10L-3.2,3L-5,1.4L-3.6,-1L-4.6,-5.6C-4.6,-11 4.6,-11 4.6,-5.6L3.6,-2.4L5.2,-0.4L3,2.4L1.8,10Z',
  crown: 'M-12,9L-14,-7L-6,0L0,-11L6,0L14,-7L12,9Z',
  tiara: 'M-12,9C-12,-2 -8,-4 -6,-9L-3,-2L0,-10L3,-2L6,-9C8,-4 12,-2 12,9Z',
  horse: 'M-9,11C-9,2 -6,-2 -8,-6L-4,-11L-1,-8C7,-8 11,-1 11,4L6,6L3,2C1,3 2,6 6,11Z',
  hat: 'M-13,7C-6,3 6,3 13,7L8,9.5H-8ZM-7,3C-7,-6 7,-6 7,3C3,1 -3,1 -7,3ZM5,-3C8,-10 13,-9 13,-12C7,-12 3,-8 5,-3Z',
  star: 'M0,-13L3.2,-4.4L12.4,-4L5.2,1.7L7.6,10.5L0,5.4L-7.6,10.5L-5.2,1.7L-12.4,-4L-3.2,-4.4Z',
  moon: 'M5,-13A13,13 0 1 0 11,8A11,11 0 0 1 5,-13Z',
  jester: 'M-12,9C-11,2 -15,-3 -13,-9C-8,-8 -6,-3 -5,0C-5,-6 -3,-10 0,-13C3,-10 5,-6 5,0C6,-3 8,-8 13,-9C15,-3 11,2 12,9Z',
  heart: 'M0,14C-17,1 -14,-12 -7,-12C-2.4,-12 0,-8.4 0,-6C0,-8.4 2.4,-12 7,-12C14,-12 17,1 0,14Z',
};
const PIPS = {  // places of the pips of a number card
  1: [[0, 0]], 2: [[0, -24], [0, 24]], 3: [[0, -24], [0, 0], [0, 24]], 4: [[-11, -22], [11, -22], [-11, 22], [11, 22]],
  5: [[-11, -22], [11, -22], [0, 0], [-11, 22], [11, 22]], 6: [[-11, -22], [11, -22], [-11, 0], [11, 0], [-11, 22], [11, 22]],
  7: [[-11, -22], [11, -22], [0, -11], [-11, 0], [11, 0], [-11, 22], [11, 22]],
  8: [[-11, -22], [11, -22], [0, -11], [-11, 0], [11, 0], [0, 11], [-11, 22], [11, 22]],
  9: [[-11, -24], [11, -24], [-11, -8], [11, -8], [0, 0], [-11, 8], [11, 8], [-11, 24], [11, 24]],
  10: [[-11, -24], [11, -24], [0, -16], [-11, -8], [11, -8], [-11, 8], [11, 8], [0, 16], [-11, 24], [11, 24]],
};
const NUMBER = {T: 10, A: 1};
const FIGURE = {K: 'crown', Q: 'tiara', R: 'horse', J: 'hat', 12: 'crown', 11: 'horse', 10: 'hat'};
const ENGLISH = {s: 'spades', h: 'hearts', d: 'diamonds', c: 'clubs'};
const RANKS = {K: 'king', Q: 'queen', J: 'jack', A: 'ace', T: '10'};
const saidOf = (game) => GAMES[game] || {};
const SYMBOLS = {s: '♠', h: '♥', d: '♦', c: '♣'};
// From now on French suits have their symbols in texts: 9♥ for `9h`, 10♥ for `Th` as on the card, ♠ ♥ ♦ ♣ for `s h d c`.
const spellCards = (game) => { if (['french', 'tarot'].includes(saidOf(game).pack)) spelled = (text) => text.replace(/\b[\dAJKQRT][shdc]\b|\b[shdc](?: [shdc])+\b/g, (all) => all.replace('T', 10).replace(/[shdc]/g, (suit) => SYMBOLS[suit])); };

// The name of a card in the language of its game, with the English one.
function cardName(game, card) {
  const {cards = {}} = saidOf(game);
  return card === '?' ? 'a card face down' : cards[card] || (card === 'JK' ? 'joker' : `${RANKS[card[0]] || card[0]} of ${ENGLISH[card[card.length - 1]]}`);
}

const shape = (name, x, y, size, kind) => svg('path', {d: SHAPES[name], class: kind, transform: `translate(${x},${y}) scale(${size})`});
const corner = (text, kind) => [0, 180].map((turn) => svg('text', {class: 'rank ' + (kind || ''), x: text === '10' ? -26.5 : -23, y: -28, 'font-size': text.length > 2 ? 10 : text === '10' ? 13 : 14, transform: `rotate(${turn})`}, text));

function frenchFace(rank, suit) {
  const kind = suit === 'h' || suit === 'd' ? 'red' : 'black', number = NUMBER[rank] || +rank;
  const marks = [corner(rank === 'T' ? '10' : rank, kind), [0, 180].map((turn) => svg('g', {transform: `rotate(${turn})`}, shape(suit, -18, -20, 0.5, kind)))];
  if (FIGURE[rank]) marks.push(svg('rect', {class: 'panel', x: -13, y: -30, width: 26, height: 60, rx: 3}), shape(FIGURE[rank], 0, -9, 0.85, 'gold'), shape(suit, 0, 15, 0.95, kind));
  else if (number === 1) marks.push(shape(suit, 0, 0, 1.9, kind));
  else marks.push(PIPS[number].map(([x, y]) => svg('g', {transform: `translate(${x * (number === 10 ? 0.65 : 0.8)},${y * 1.1}) rotate(${y > 0 ? 180 : 0})`}, shape(suit, 0, 0, 0.52, kind))));
  return marks;
}

function spanishPip(suit, x, y, size) {
  if (suit === 'o') return svg('g', {transform: `translate(${x},${y}) scale(${size})`}, svg('circle', {class: 'coin', r: 9.5}), svg('circle', {class: 'ring', r: 6}), svg('path', {class: 'ring', d: 'M0,-4L4,0L0,4L-4,0Z'}));
  return shape(suit === 'c' ? 'cup' : 'club', x, y, size, suit === 'c' ? 'cup' : 'stick');
}
function spanishFace(rank, suit) {
  const breaks = {o: 0, c: 1, b: 3}[suit], marks = [];
  // the frame: its gaps at top and bottom tell the suit, as on Spanish cards
  for (const y of [-40, 40]) {
    const gaps = breaks + 1, step = 48 / gaps;
    for (let k = 0; k < gaps; k++) marks.push(svg('line', {class: 'frame', x1: -24 + k * step + (k ? 2 : 0), x2: -24 + (k + 1) * step - (k < gaps - 1 ? 2 : 0), y1: y, y2: y}));
  }
  for (const x of [-24, 24]) marks.push(svg('line', {class: 'frame', x1: x, x2: x, y1: -40, y2: 40}));
  marks.push([0, 180].map((turn) => svg('text', {class: 'rank small', x: -21.5, y: -29, 'font-size': 11, transform: `rotate(${turn})`}, rank)));
  const number = +rank;
  if (number >= 10) marks.push(shape(FIGURE[rank], 0, -10, 1.05, 'robe'), spanishPip(suit, 0, 19, 1));
  else if (number === 1) marks.push(spanishPip(suit, 0, 0, 1.9));
  else marks.push(PIPS[number].map(([x, y]) => spanishPip(suit, x * 0.95, y, 0.62)));
  return marks;
}

function trumpFace(card) {
  const special = {Sk: 'jester', XXI: 'moon', I: 'star'}[card], text = card === 'Sk' ? '★' : card;
  return [svg('rect', {class: 'trump', x: -24, y: -39, width: 48, height: 78, rx: 4}), svg('rect', {class: 'trumpline', x: -21, y: -36, width: 42, height: 72, rx: 3}),
    [0, 180].map((turn) => svg('text', {class: 'numeral', x: -19, y: -24, 'font-size': card.length > 3 ? 9.5 : 12, transform: `rotate(${turn})`}, text)),
    special ? shape(special, 0, 1, 1.15, 'gold') : svg('text', {class: 'numeral', 'text-anchor': 'middle', y: 6, 'font-size': card.length > 4 ? 13 : 17}, text)];
}

function flipFace(card) {
  if (card === 'FZ') return [svg('rect', {class: 'ice', x: -26, y: -41, width: 52, height: 82, rx: 5}), [0, 60, 120].map((turn) => svg('path', {class: 'flake', d: 'M0,-19V19M-5,-17L0,-12L5,-17M-5,17L0,12L5,17', transform: `translate(0,-4) rotate(${turn})`})),
    svg('text', {class: 'word', y: 33}, 'FREEZE')];
  if (card === 'F3') return [svg('rect', {class: 'flame', x: -26, y: -41, width: 52, height: 82, rx: 5}), [-18, 0, 18].map((turn) => svg('rect', {class: 'mini', x: -8, y: -24, width: 16, height: 25, rx: 2, transform: `translate(0,4) rotate(${turn})`})), svg('text', {class: 'word', y: 24}, 'FLIP'),
    svg('text', {class: 'word', y: 35}, 'THREE')];
  if (card === 'SC') return [svg('rect', {class: 'pink', x: -26, y: -41, width: 52, height: 82, rx: 5}), shape('heart', 0, -10, 1.05, 'white'), svg('text', {class: 'word', y: 24}, 'SECOND'), svg('text', {class: 'word', y: 35}, 'CHANCE')];
  if (card[0] === '+' || card === 'X2') return [svg('rect', {class: 'amber', x: -26, y: -41, width: 52, height: 82, rx: 5}), svg('circle', {class: 'disc', r: 21}), svg('text', {class: 'big dark', y: 8, 'font-size': card === '+10' ? 18 : 22}, card === 'X2' ? '×2' : card)];
  return [svg('rect', {class: 'rim n' + card % 6, x: -25, y: -40, width: 50, height: 80, rx: 5}), svg('text', {class: 'big n' + card % 6, y: card > 9 ? 10 : 13, 'font-size': card > 9 ? 28 : 36}, card),
    [0, 180].map((turn) => svg('text', {class: 'rank tiny', x: -20, y: -28, 'font-size': 11, transform: `rotate(${turn})`}, card))];
}

function jokerFace(stands) {
  return [shape('jester', 0, -8, 1.35, 'violet'), [0, 180].map((turn) => svg('text', {class: 'rank violet', x: -23, y: -29, 'font-size': 10, transform: `rotate(${turn})`}, 'JK')),
    svg('text', {class: 'word violet', y: stands ? 18 : 24}, stands ? '= ' + stands : 'JOKER')];
}

function face(game, card) {
  if (card === '?') return [svg('rect', {class: 'back', x: -26, y: -41, width: 52, height: 82, rx: 5}), svg('path', {class: 'lattice', d: 'M-20,-35L20,35M20,-35L-20,35M-20,0L0,-35L20,0L0,35Z'})];
  if (saidOf(game).pack === 'flip') return flipFace(card);
  if (card.startsWith('JK')) return jokerFace(card.slice(3, -1));
  if (saidOf(game).pack === 'spanish') return spanishFace(card.slice(0, -1), card.slice(-1));
  if (saidOf(game).pack === 'tarot' && (card === 'Sk' || /^[IVX]+$/.test(card))) return trumpFace(card);
  return frenchFace(card[0], card[card.length - 1]);
}

// The face of a card that is drawn small or mostly covered: what counts is large and at the left edge.
function miniFace(game, card) {
  const text = (words, kind, size, y = -14) => svg('text', {class: 'rank ' + kind, x: -25, y, 'font-size': size}, words);
  if (card === '?') return face(game, card);
  if (saidOf(game).pack === 'flip') {
    const kind = {FZ: 'ice', F3: 'flame', SC: 'pink'}[card] || (/^[+X]/.test(card) ? 'amber' : '');
    return [kind && svg('rect', {class: kind, x: -26, y: -41, width: 52, height: 82, rx: 5}), text({X2: '×2', SC: '♥'}[card] || card, kind === '' ? 'n' + card % 6 : kind === 'amber' ? 'dark' : 'light', [42, 33, 23][card.length - 1], 6)];
  }
  if (card.startsWith('JK')) return [text('JK', 'violet', 28), card.length > 2 && text('=' + card.slice(3, -1), 'violet', 22, 26)];
  if (saidOf(game).pack === 'spanish') return [text(card.slice(0, -1), '', 34), spanishPip(card.slice(-1), -9, 20, 1.35)];
  if (saidOf(game).pack === 'tarot' && (card === 'Sk' || /^[IVX]+$/.test(card))) return [svg('rect', {class: 'trump', x: -26, y: -41, width: 52, height: 82, rx: 4}), svg('text', {class: 'numeral', x: -38, y: -4, 'font-size': 25, transform: 'rotate(90)'}, card === 'Sk' ? 'Skýz' : card)];
  const suit = card[card.length - 1], kind = suit === 'h' || suit === 'd' ? 'red' : 'black';
  return [card[0] === 'T' ? text('10', kind, 27) : text(card[0], kind, 36), shape(suit, -10, 19, 1.5, kind)];
}

// Cards are pictures: the browser lays out, styles and paints one element for each, and draws the same card once.
const drawn = new Map();
const styled = () => [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).filter((rule) => /^\.card \.|^\.card text/.test(rule.selectorText || '')).map((rule) => rule.cssText.replaceAll('.card ', '')).join('');
let style = '';
function cardOf(game, card, extra) {
  const key = [game, card, extra].join();
  if (!drawn.has(key)) drawn.set(key, drawCard(game, card, extra));
  return drawn.get(key).cloneNode();
}
// A card; what cannot be drawn is shown as text, so that no card is ever missing.
function drawCard(game, card, extra) {
  let marks;
  style = style || styled();
  try { marks = (extra === 'mini' ? miniFace : face)(game, card); } catch (error) { marks = svg('text', {class: 'word', y: 4}, card); }
  const name = cardName(game, card.startsWith('JK') ? 'JK' : card) + (card.startsWith('JK(') ? ' as ' + card.slice(3, -1) : '');
  const picture = svg('svg', {viewBox: '-30 -45 60 90', width: 180, height: 270}, svg('style', {}, style), svg('rect', {class: 'paper', x: -29, y: -44, width: 58, height: 88, rx: 6}), [marks].flat(Infinity).filter(Boolean));
  return el('img', {class: 'card' + (extra ? ' ' + extra : ''), src: 'data:image/svg+xml,' + encodeURIComponent(new XMLSerializer().serializeToString(picture)), alt: name, title: name, draggable: 'false', 'data-card': card, decoding: 'sync'});
}
