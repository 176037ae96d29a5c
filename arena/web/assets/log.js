// What happened, as a list by round and trick; and what each seat did last.

// The part of the game that a head names: without the phase.
const partOf = (head) => (head || '').split(', ').filter((word) => /^(round|hand|deal) \d/.test(word)).join(', ') || 'the game';
const seatName = (seats, s) => `${s} ${clipped(seats[s] || 'seat ' + s, 18)}`;

// Entries from steps [{frame, seat, text, scene}], each with the scene that the action led to, and the scene at the beginning.
function storyOf(steps, first) {
  const entries = [];
  let part = null, past = '', trick = 0, before = first || {};
  for (const {frame, seat, text, scene} of steps) {
    const now = partOf(before.head), looks = 'table/cards/last trick';
    if (now !== part) { entries.push({frame: frame - 1, part: now}); part = now; trick = 0; past = ''; }
    entries.push({frame, seat, text});
    if (scene[looks] && scene[looks] !== past && partOf(scene.head) === part) entries.push({frame, trick: ++trick, won: scene['table/text/last trick'] || ''});
    past = scene[looks] || past;
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

// An action as one hears it: cards by their names.
const spoken = (game, text) => text.split(' ').map((word, at) => at && !/^\d+$/.test(word) && word !== '?' && !['hi', 'lo', 'run', 'set', 'stock', 'jolly', 'discard'].includes(word) ? cardName(game, word).replace(/^[^(]*\((.*)\)$/, '$1') : word).join(' ').replace(/\?$/, 'a hidden card');
const wonBy = (seats, won) => { const found = /^seat (\d+)$/.exec(won); return found ? seatName(seats, found[1]) : won; };

function entryLine(game, seats, one, go) {
  if (one.part !== undefined) return el('li', {class: 'part', 'data-frame': one.frame}, go ? el('button', {type: 'button', onclick: () => go(one.frame)}, one.part) : el('b', {}, one.part));
  if (one.trick) return el('li', {class: 'taken', 'data-frame': one.frame}, `trick ${one.trick}` + (one.won ? `: ${wonBy(seats, one.won)} wins it` : ''));
  const words = [el('span', {class: 'by'}, seatName(seats, one.seat) + ' '), el('span', {'aria-hidden': 'true'}, one.text), el('span', {class: 'unseen'}, spoken(game, one.text))];
  return el('li', {'data-frame': one.frame}, go ? el('button', {type: 'button', onclick: () => go(one.frame)}, words) : words);
}

// A list that follows the game: `set` puts entries in place of all, `add` adds to them, `mark` shows where we are.
function logView(game, go) {
  const list = el('ol', go ? {} : {role: 'presentation'}), box = el(go ? 'nav' : 'div', {class: 'happened', role: go ? null : 'log', 'aria-label': 'what happened', tabindex: 0}, list);
  const bottom = () => { box.scrollTop = box.scrollHeight; };
  return {
    box, bottom,
    set(seats, entries) { list.replaceChildren(...entries.map((one) => entryLine(game, seats, one, go))); },
    add(seats, entries) { list.append(...entries.map((one) => entryLine(game, seats, one, go))); bottom(); },
    mark(frame) {
      let found = null;
      for (const line of list.children) { line.removeAttribute('aria-current'); if (+line.dataset.frame <= frame && !line.classList.contains('part')) found = line; }
      if (found) { found.setAttribute('aria-current', 'step'); box.scrollTop = found.offsetTop - box.clientHeight / 2; } else box.scrollTop = 0;
    },
  };
}
