// What a person can do at a table: cards to mark, an amount to set, how fast the bots play, and the keys.

// How many words after the verb of an action name cards that it takes from the hand.
const TAKES = {play: 1, discard: 1, place: 1, swap: 1, lay: 1, run: 3, set: 3};
function takes(text) {
  const [verb, ...words] = text.split(' ');
  return words.slice(0, TAKES[verb] || 0);
}
// The actions that take all these cards; those that take no others come first.
function makes(legal, cards) {
  const rest = (text) => {
    const left = takes(text);
    for (const card of cards) { const at = left.indexOf(card); if (at < 0) return -1; left.splice(at, 1); }
    return left.length;
  };
  return cards.length ? legal.map((text) => [rest(text), text]).filter(([left]) => left >= 0).sort(([a], [b]) => a - b).map(([, text]) => text) : legal;
}
// Whether cards have to be marked: an action takes several, or a card has several actions.
function needsMarks(legal) {
  const cards = legal.map(takes).filter((some) => some.length);
  return cards.some((some) => some.length > 1) || new Set(cards.map(([card]) => card)).size < cards.length;
}

// Buttons of actions. Many that take one card each, as discards, are short ones in a row of their own: their cards can be clicked, too.
function offers(texts, button) {
  const verbs = texts.filter((text) => takes(text).length === 1 && text.split(' ').length === 2).map((text) => text.split(' ')[0]), long = verbs.filter((verb) => verb === verbs[0]).length > 6 ? verbs[0] + ' ' : null;
  const short = long ? texts.filter((text) => text.startsWith(long)) : [], rest = texts.filter((text) => !short.includes(text));
  return [rest.map((text) => button(text)), short.length > 0 && el('div', {class: 'row', role: 'group', 'aria-label': verbs[0]}, el('span', {}, `${verbs[0]}: click a card, or`), short.map((text) => button(text, text.slice(long.length))))];
}

// A raised card of a stage is chosen by a click, a tap, or by being dragged to the middle of the table. `choose` hears of it.
function choosable(stage, choose) {
  let card = null, from = null, moved = false;
  const under = ({clientX, clientY}) => document.elementsFromPoint(clientX, clientY).map((one) => one.closest('.card.playable')).find(Boolean);  // a card that another covers, too
  const end = (event) => {
    if (!from) return;
    const {left, right, top, bottom} = stage.querySelector('.middle').getBoundingClientRect(), {clientX: x, clientY: y} = event;
    from = null;
    card.style.translate = '';
    for (const [node, name] of [[card, 'dragged'], [card.closest('.seat'), 'lifted']]) if (node) node.classList.remove(name);
    if (moved && event.type === 'pointerup' && x > left && x < right && y > top && y < bottom) choose(card);
  };
  stage.addEventListener('pointerdown', (event) => {
    card = under(event);
    if (card && event.button === 0) { from = [event.clientX, event.clientY]; moved = false; card.setPointerCapture(event.pointerId); }
  });
  stage.addEventListener('pointermove', (event) => {
    if (!from) return;
    const by = [event.clientX - from[0], event.clientY - from[1]];
    moved = moved || Math.hypot(...by) > 8;
    if (moved) { card.style.translate = `${by[0]}px ${by[1]}px`; card.classList.add('dragged'); card.closest('.seat').classList.add('lifted'); }
  });
  for (const name of ['pointerup', 'pointercancel']) stage.addEventListener(name, end);
  stage.addEventListener('click', (event) => { const clicked = under(event); if (clicked && !moved) choose(clicked); });
}

// Actions that differ in an amount alone: its verb and its values, or null.
function amountsOf(legal) {
  const found = legal.map((text) => /^(\w+) (\d+)$/.exec(text)).filter(Boolean), verb = found.length ? found[0][1] : '', values = found.filter((hit) => hit[1] === verb).map((hit) => +hit[2]).sort((a, b) => a - b);
  return values.length > 4 ? {verb, values} : null;
}
// A slider, a field and parts of the pot that set one amount, and the button that plays it; `worth`: what an action is worth, for its button.
function amountBox({verb, values}, pot, act, worth) {
  const low = values[0], high = values.at(-1), button = el('button', {type: 'button', class: 'amount', onclick: () => act(button.dataset.action)});
  const slider = el('input', {type: 'range', min: low, max: high, 'aria-label': verb + ' by, slider'}), field = el('input', {type: 'number', min: low, max: high, 'aria-label': verb + ' by'});
  const set = (value) => {
    const near = values.reduce((best, one) => Math.abs(one - value) < Math.abs(best - value) ? one : best);
    slider.value = field.value = near;
    button.dataset.action = `${verb} ${near}`;
    button.replaceChildren(button.querySelector('kbd') || '', `${verb} ${near}`, worth(`${verb} ${near}`));
  };
  slider.addEventListener('input', () => set(+slider.value));
  field.addEventListener('change', () => set(+field.value || low));
  const parts = [['least', low], ['½ pot', Math.round(pot / 2)], ['pot', pot], ['most', high]].filter(([name, value]) => !name.includes('pot') || (value > low && value < high));
  set(low);
  return {button, set, box: el('div', {class: 'amounts', role: 'group', 'aria-label': 'amount'}, slider, field, el('span', {class: 'parts'}, parts.map(([name, value]) => el('button', {type: 'button', title: `${verb} ${value}`, onclick: () => set(value)}, name))))};
}

// What a person prefers, kept by the browser if it may.
const SPEEDS = [['slow', 1000], ['usual', 350], ['fast', 100], ['at once', 0]];
const taste = {
  speed: 350, only: false, ask: matchMedia('(pointer: coarse)').matches, name: '',
  load() { try { Object.assign(this, JSON.parse(localStorage.getItem('arena-table') || '{}')); } catch { /* not allowed here: the usual ones */ } },
  save() { try { localStorage.setItem('arena-table', JSON.stringify({speed: this.speed, only: this.only, ask: this.ask, name: this.name})); } catch { /* kept for this page alone */ } },
};
function tasteView(changed, rules, game) {
  taste.load();
  const speed = el('select', {id: 'speed', 'aria-label': 'speed of the bots'}, SPEEDS.map(([name, value]) => el('option', {value, selected: value === taste.speed}, name)));
  const [only, sure] = ['only', 'ask'].map((id) => el('input', {type: 'checkbox', id, checked: taste[id]}));
  const keep = () => { taste.speed = +speed.value; taste.only = only.checked; taste.ask = sure.checked; taste.save(); changed(); };
  for (const box of [speed, only, sure]) box.addEventListener('change', keep);
  return el('p', {class: 'taste'}, rulesButton(rules), el('button', {type: 'button', id: 'keys', title: 'words and keys (?)', 'aria-label': '? words and keys', onclick: () => keysBox(game)}, '?'),
    el('label', {}, 'bots ', speed), el('label', {}, only, ' play forced'), el('label', {}, sure, ' ask first'));
}

const KEYS = [['← →', 'choose an action'], ['Enter', 'play it; while bots play: skip to my turn'], ['1 to 9', 'play the action with this number at once'], ['s', 'skip to my turn'], ['h', 'ask a bot what it would play, and what actions are worth'], ['u', 'take your last action back'],
  ['n', 'after the end: play again'], ['r', 'the rules about what is decided now'], ['Esc', 'clear the marked cards; with “ask first”, which touch screens begin with: take an action back; the same card or key again plays it'], ['?', 'this list, with the words of the game']];
function keysBox(game) {
  const list = (rows) => el('table', {}, el('tbody', {}, rows.map(([word, what]) => el('tr', {}, el('th', {scope: 'row'}, word), el('td', {}, what))))), terms = Object.entries(saidOf(game).terms || {});
  const box = el('dialog', {id: 'keylist', class: 'wide', 'aria-label': 'words and keys'}, el('button', {type: 'button', onclick: () => box.close()}, 'Close'),
    terms.length > 0 && [el('h2', {}, 'Words of this game'), list(terms)], el('h2', {}, 'Keys'), list(KEYS.map(([key, what]) => [el('kbd', {}, key), what])),
    say('Raised cards can be clicked, tapped, or dragged to the middle. Where an action takes several cards, mark them: the buttons show what they make.'));
  showBox(box);
}
