// What happens in a game in whole sentences, for those who hear it. $ is the cards of an action by name, # its other words, @ the seat it names.
// A game's words.toml says it; of a game without one the action itself is told.
const asked = (game, scene) => (scene.head || '').split(', ').map((part) => (saidOf(game).asked || {})[part.split(' ')[0]]).find(Boolean) || 'choose an action';
// An action as a button says it.
const labelled = (game, text) => text.replace(/^raise max$/, 'raise max (all that is allowed)').replace(/^joker (\d) (\d)$/, (whole, seat, card) => `joker on card ${card} of seat ${seat}`);
const BARE = /^(hi|lo|run|set|\d+|[2-9TJQKA])$/;

// The English name of a card, as it is said.
const saidCard = (game, card) => card === '?' ? 'a card face down' : cardName(game, card).replace(/^[^(]*\(([^()]*)\).*$/, '$1').replace(/^(\w+) of/, (whole, rank) => `${rank} of`);
// How a seat is called: "You", its name, or its name with its number where another has the same.
function called(seats, seat, you) {
  const name = seats[seat] || 'seat ' + seat;
  return +seat === you || name === 'you' ? 'You' : seats.filter((one) => one === name).length > 1 ? `${name} in seat ${seat}` : name;
}
// A sentence about seats by number, with their names.
const named = (text, seats, you) => text.replace(/\bseat (\d+)/g, (whole, seat) => called(seats, seat, you).replace('You', 'you')).replace(/(\s)-(\d)/g, '$1−$2').replace(/^you/, 'You');
// A verb after "You".
const toYou = (text) => text.replace(/^(\w+)(.*)/, (whole, verb, rest) => ({is: 'are', passes: 'pass', does: 'do'}[verb] || verb.replace(/s$/, '')) + rest.replace(/ and goes /, ' and go '));

// An action as a sentence without its full stop. Of a game that is not listed: the action itself.
function acted(game, seats, {seat, text, phase, again, gained = []}, you) {
  const [verb, ...rest] = text.split(' '), {told: tells = {}, passed = {}, from = {}} = saidOf(game), told = (verb === 'pass' && passed[phase]) || tells[verb], who = called(seats, seat, you);
  if (!told) return `${who}: ${text}`;
  const cards = told.includes('$') ? rest.filter((word, at) => !BARE.test(word) || (at < 3 && ['run', 'set'].includes(verb) && !BARE.test(word))).map((card) => saidCard(game, card)).join(', ') : '';
  const said = told.replace('$', cards).replace('@', () => called(seats, rest[0], you).replace('You', 'you')).replace('#', rest.map((word) => from[word] || word).join(' '));
  const got = gained.length ? ` and get${who === 'You' ? '' : 's'} ${gained.map((card) => saidCard(game, card)).join(', ')}` : '';
  return `${who} ${who === 'You' ? toYou(said) : said}${got}`.replace('a card face down', again ? 'another card face down' : 'a card face down');
}

// Who drew which cards by an action, from `2:8 2:FZ`: as words, and in short.
const drawnBy = (text) => (text || '').split(' ').filter(Boolean).map((word) => split(word));
function drew(game, seats, one, you) {
  const all = drawnBy(one.drawn), seatsOf = [...new Set(all.map(([seat]) => seat))];
  return seatsOf.map((seat) => {
    const cards = all.filter(([who]) => who === seat).map(([, card]) => saidCard(game, card)).join(', '), who = called(seats, seat, you);
    return (+seat === one.seat ? ' and ' : `; ${who} `) + (who === 'You' ? 'draw ' : 'draws ') + cards + (one.fate && +seat === one.seat ? saidOf(game).fates[one.fate] : '');
  }).join('');
}
const drawnShort = (one) => drawnBy(one.drawn).map(([seat, card]) => (+seat === one.seat ? '' : seat + ': ') + card).join(' ') + (one.fate ? `, ${one.fate}` : '');

// The end of a game.
function ended(seats, scores, you) {
  const best = Math.max(...scores), first = seats.map((_, s) => s).filter((s) => scores[s] === best);
  if (first.length === scores.length) return 'The end: all are equal.';
  const names = first.map((s) => called(seats, s, you)).map((name) => name.replace(/^You$/, 'you'));
  return `The end: ${names.join(' and ')} ${first.length > 1 || names[0] === 'you' ? 'win' : 'wins'}.`;
}

// How a part was settled, with its cards by name.
const because = (game, seats, why, you) => why && ` ${named(why, seats, you).replace(/\b([2-9TJQKA][shdc]|JK)\b/g, (card) => saidCard(game, card))}.`;

// What a seat announced, or was not asked about, behind the action that led to it.
function announcement(game, who, word) {
  const [first, ...rest] = word.split(' '), tells = (saidOf(game).told || {})[first], said = tells ? [tells, ...rest].join(' ') : 'announces ' + word;
  return who === 'You' ? `; you ${toYou(said)}` : `; ${who} ${said}`;
}

// An entry of the log (see log.js) as it is heard.
function spoken(game, seats, one, you = -1) {
  if (one.part !== undefined) return one.part[0].toUpperCase() + one.part.slice(1) + (one.open ? `. The card that makes trump is ${saidCard(game, one.open)}` : '') + '.';
  if (one.settled) return `${one.over[0].toUpperCase() + one.over.slice(1)} is over. ` + one.settled.map((points, seat) => `${called(seats, seat, you)} ${points ? signed(points, 0).replace('+', 'plus ').replace('−', 'minus ') : 'nothing'}`).join(', ') + '.' + because(game, seats, one.why, you);
  if (one.trick) { const found = /^seat (\d+)$/.exec(one.won), who = found ? called(seats, found[1], you) : one.won && 'The ' + one.won; return `${one.house ? `The house plays ${saidCard(game, one.house)}. ` : ''}${who || 'Somebody'} ${who === 'You' ? 'win' : 'wins'} trick ${one.trick}.`; }
  return acted(game, seats, one, you) + drew(game, seats, one, you) + one.said.map(([seat, word]) => announcement(game, called(seats, seat, you), word)).join('') + '.';
}
