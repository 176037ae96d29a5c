// What happened, as a list by round and trick; and what each seat did last.

// The part of the game that a head names: without the phase.
const partOf = (head) => (head || '').split(', ').filter((word) => /^(round|hand|deal) \d/.test(word)).join(', ') || 'the game';
const seatName = (seats, s) => `${s} ${clipped(seats[s] || 'seat ' + s, 18)}`;

// What every seat has, of what becomes its score.
const totalsOf = (game, scene, players) => Array.from({length: players}, (_, s) => Number.parseInt(scene[`seat/${s}/text/${looksOf(game).total}`], 10) || 0);
const OVER = /, over$/;

// The cards that came into a hand, as far as they are seen.
function gained(before, scene, seat) {
  const [old, now] = [before, scene].map((one) => (one[`seat/${seat}/cards/hand`] || '').split(' '));
  return now.filter((card) => { const at = old.indexOf(card); if (at >= 0) old.splice(at, 1); return at < 0 && card && card !== '?' && card !== '|'; });
}

// What seats have announced by an action, and what a seat says that was not asked: pairs of a seat and a word.
const announced = (before, scene, players, seat, text) => Array.from({length: players}, (_, s) => s).flatMap((s) => {
  const words = (from, name) => (from[`seat/${s}/text/${name}`] || '').split(', ');
  const fresh = (name) => words(scene, name).filter((word) => word && !words(before, name).includes(word));
  return [...fresh('said').filter((word) => word !== text), ...s === seat ? [] : fresh('says').map((word) => word + ' (not asked)')].map((word) => [s, word]);
});

// Entries from steps [{frame, seat, text, scene}], each with the scene that the action led to, and the scene at the beginning.
function storyOf(game, players, steps, first) {
  const entries = [];
  let part = null, past = '', trick = 0, before = first || {}, had = Array(players).fill(0);  // a first stake was paid before anybody acted
  if (first) { part = partOf(first.head); entries.push({frame: 0, part, open: first['table/cards/face-up']}); }
  for (const {frame, seat, text, scene} of steps) {
    const now = partOf(before.head), looks = 'table/cards/last trick';
    if (now !== part) { entries.push({frame: frame - 1, part: now, open: before['table/cards/face-up']}); part = now; trick = 0; past = ''; }
    const same = partOf(scene.head) === part, fate = scene[`seat/${seat}/text/status`], drawn = scene['table/text/drawn'];
    const last = entries.at(-1), phase = (before.head || '').split(', ')[1];
    entries.push({frame, seat, text, phase, drawn, gained: same ? gained(before, scene, seat) : [], said: announced(before, scene, players, seat, text), again: last.seat === seat && last.text === text, fate: same && drawn && fate in (saidOf(game).fates || {}) ? fate : ''});
    if (scene[looks] && scene[looks] !== past) entries.push({frame, trick: ++trick, won: scene['table/text/last trick'] || '', house: (/house:(\S+)/.exec(scene[looks]) || [])[1]});
    past = same ? scene[looks] || past : '';
    const has = totalsOf(game, scene, players), settled = has.map((value, s) => value - had[s]), why = scene['table/text/settled'] || '';
    if ((!same || OVER.test(scene.head)) && (settled.some(Boolean) || why !== (before['table/text/settled'] || ''))) { entries.push({frame, over: part, settled, why}); had = has; }
    before = scene;
  }
  return entries;
}

// The last action of every seat, as long as the same part is played.
function lastOf(entries, frame, players) {
  const did = {};
  let left = players;
  for (let at = entries.length - 1; at >= 0; at--) {
    const one = entries[at];
    if (one.frame > frame) continue;
    if (one.part !== undefined || !left) break;
    if (one.text !== undefined) { left--; if (!(one.seat in did)) did[one.seat] = one.text; }
  }
  return did;
}

// An entry as it is read; what is heard is a sentence of words.js.
function shown(game, seats, one, you) {
  const mine = (s) => called(seats, s, you) === 'You', who = (s) => mine(s) ? 'you' : seatName(seats, s), [, winner] = /^seat (\d+)$/.exec(one.won) || [];
  if (one.part !== undefined) return [el('b', {}, one.part)];
  if (one.settled) return [one.settled.map((points, s) => [s ? ', ' : '', el('span', {class: 'by'}, who(s) + ' '), el('b', {}, signed(points, 0))]), one.why && el('small', {class: 'why'}, '; ', named(one.why, seats, you))];
  if (one.trick) return [`trick ${one.trick}` + (one.won ? `: ${winner ? who(winner) : one.won} ${winner && mine(winner) ? 'win' : 'wins'} it` : '')];
  const led = [one.drawn ? drawnShort(one) : one.gained.join(' '), ...one.said.map(([s, word]) => (s === one.seat ? '' : who(s) + ': ') + word)].filter(Boolean).join(', ');
  return [el('span', {class: 'by'}, who(one.seat) + ' '), el('span', {class: 'what'}, one.text), one.text === 'pass' && (saidOf(game).passed || {})[one.phase] && el('span', {class: 'by'}, ` (${one.phase})`), led && el('span', {class: 'drew'}, ' → ' + led)];
}
function entryLine(game, seats, one, go, you) {
  const kind = one.part !== undefined ? 'part' : one.settled ? 'settled' : one.trick ? 'taken' : '', words = [el('span', {'aria-hidden': 'true'}, shown(game, seats, one, you)), el('span', {class: 'unseen'}, spoken(game, seats, one, you))];
  return el('li', {class: kind || null, 'data-frame': one.frame}, go && kind !== 'taken' && kind !== 'settled' ? el('button', {type: 'button', onclick: () => go(one.frame)}, words) : words);
}

// A list that follows the game: `set` puts entries in place of all, `add` adds to them, `mark` shows where we are. The page spells cards as it does.
function logView(game, go, you = -1) {
  spellCards(game);
  const list = el('ol', go ? {} : {role: 'presentation'}), box = el(go ? 'nav' : 'div', {class: 'happened', role: go ? null : 'log', 'aria-label': 'what happened', tabindex: 0}, list);
  let marked = null, frames = [], waiting = 0;
  // Where a list is scrolled to is asked for after the frame that is due: then its layout is known, and the step did not wait for it.
  const scroll = (top) => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => { const shown = new MessageChannel(); shown.port1.onmessage = () => { box.scrollTop = top(); shown.port1.close(); }; shown.port2.postMessage(0); });
  };
  const bottom = () => scroll(() => box.scrollHeight);
  return {
    box, bottom,
    set(seats, entries) { marked = null; frames = entries.map((one) => one.part === undefined ? one.frame : Infinity); list.replaceChildren(...entries.map((one) => entryLine(game, seats, one, go, you))); },
    add(seats, entries) { list.append(...entries.map((one) => entryLine(game, seats, one, go, you))); bottom(); },
    mark(frame) {
      const found = list.children[frames.findLastIndex((one) => one <= frame)];
      if (found !== marked) {
        if (marked) marked.removeAttribute('aria-current');
        if (found) found.setAttribute('aria-current', 'step');
        marked = found;
      }
      scroll(() => found ? found.offsetTop - box.clientHeight / 2 : 0);
    },
  };
}
