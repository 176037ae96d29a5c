// A person at a table: the lobby, and a game by keyboard or mouse.
function lobby(data) {
  const games = el('select', {id: 'game'}, data.games.map((g) => el('option', {value: g.name}, g.title))), many = el('select', {id: 'many'}), seats = el('div', {class: 'plain'}), rules = el('div', {class: 'plain'}), out = el('div', {'aria-live': 'polite'});
  const chosen = () => data.games.find((g) => g.name === games.value);
  const drawSeats = () => seats.replaceChildren(...Array.from({length: +many.value}, (_, s) => {
    const bots = chosen().bots.filter((name) => name !== 'random'), box = el('select', {class: 'seat-choice'}, el('option', {value: data.person}, s ? 'a person, by a link' : 'you'), chosen().bots.map((name) => el('option', {value: name}, name)));
    box.value = s ? bots[(s - 1) % Math.max(1, bots.length)] || 'random' : data.person;
    return el('label', {}, 'seat ' + s, box);
  }));
  const drawMany = () => {
    const [low, usual, high] = chosen().players;
    many.replaceChildren(...Array.from({length: high - low + 1}, (_, at) => el('option', {value: low + at}, low + at)));
    many.value = usual;
    rules.replaceChildren(...Object.entries(chosen().options).map(([name, one]) => el('label', {title: one.meaning}, `${name} (${one.allowed})`, el('input', {type: 'text', name, value: route()[name] || String(one.default), 'data-usual': String(one.default)}))));
    drawSeats();
  };
  games.addEventListener('change', drawMany);
  many.addEventListener('change', drawSeats);
  if (data.games.some((g) => g.name === route().game)) games.value = route().game;
  drawMany();
  const form = el('form', {class: 'plain'}, el('label', {}, 'game', games), el('label', {}, 'players', many), seats, el('details', {}, el('summary', {}, 'rules of the table'), rules), el('button', {type: 'submit', id: 'sit'}, 'Sit down'));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    out.replaceChildren(say('The table is set up; a game that was never played here is compiled first, which takes up to a minute.'));
    const options = Object.fromEntries([...rules.querySelectorAll('input')].filter((box) => box.value.trim() !== box.dataset.usual).map((box) => [box.name, box.value.trim()]));
    const wanted = [...seats.querySelectorAll('select')].map((box) => box.value);
    try {
      const made = await ask('/api/tables', {method: 'POST', body: JSON.stringify({game: games.value, seats: wanted, options})}), links = made.keys.map((key) => key ? `/play/${made.table}#` + new URLSearchParams({key}) : '');
      const mine = links.findIndex((one) => one), others = links.map((one, s) => [s, one]).filter(([s, one]) => one && s !== mine);
      if (!others.length) location.href = links[mine];
      else out.replaceChildren(say('Send these links to the others, each is one seat:'), el('ul', {}, others.map(([s, one]) => el('li', {}, `seat ${s}: `, el('a', {href: one}, new URL(one, location).href)))), el('p', {}, el('a', {href: links[mine], id: 'mine'}, 'To my seat')));
    } catch (error) { out.replaceChildren(el('p', {class: 'lost', role: 'alert'}, error.message)); }
  });
  return section('lobby', 'A table', say('House bots take the other seats. You see what a bot in your seat would see.'), form, out);
}

// Whether a game is written down on the server.
const unkept = (now) => now.unkept ? el('p', {class: 'note', role: 'status'}, `The server cannot write this game down (${now.unkept}): it is lost when the server ends.`) : '';

// What you made of cards that another had in an earlier game of the deal.
function compared({you, scores}, earlier) {
  const more = scores[you] - earlier.scores[you];
  return el('p', {class: 'compared'}, `With the cards of ${seatName(earlier.seats, you)} you made ${more ? Math.abs(more) + (more > 0 ? ' more' : ' less') : 'as much'} ${more ? 'than' : 'as'} it did (${signed(scores[you], 0)} and ${signed(earlier.scores[you], 0)}).`);
}

async function tablePage(table, parts) {
  const {key} = parts, path = '/api/tables/' + encodeURIComponent(table);
  if (parts.decision !== undefined) return replayView(await ask(`${path}/film?` + new URLSearchParams({key: key || ''})), parts);
  const stage = el('div', {class: 'stage'}), box = el('div', {class: 'decision'}), state = {shown: -1, frames: [], timer: 0, busy: false, now: null, marked: [], chosen: '', drawn: -1, wait: 0};
  const take = (found) => { state.frames.push(...found.frames); state.now = found; state.marked = []; state.chosen = ''; };
  let log = null, story = [], amount = null;
  const actions = () => [...box.querySelectorAll('.actions button')];
  const clear = () => { const old = box.querySelector('.lost'); if (old) old.remove(); };
  const failed = (error) => { clear(); box.prepend(el('p', {class: 'lost', role: 'alert'}, error.message)); };
  // Sends an action; who wants to be asked first sees it chosen, and can take it back.
  async function act(text, sure = !taste.ask) {
    if (state.busy) return;
    if (!sure) { state.chosen = text; draw(); return; }
    state.busy = true;
    try { take(await ask(path, {method: 'POST', body: JSON.stringify({key, action: text, at: state.now.at, since: state.frames.length})})); advance(); } catch (error) { failed(error); }
    state.busy = false;
  }
  async function rematch() {
    try {
      const made = await ask(`${path}/rematch`, {method: 'POST', body: JSON.stringify({key})});
      location.href = `/play/${made.table}#` + new URLSearchParams({key: made.keys.find((one) => one)});
    } catch (error) { failed(error); }
  }
  // A house bot is asked what it would play here; its action gets the focus, and nothing is played.
  function chooser(bots) {
    const some = bots.filter((name) => name !== 'random'), all = some.length ? some : bots, box = el('select', {'aria-label': 'house bot'}, all.map((name) => el('option', {value: name}, name)));
    if (all.includes(state.adviser)) box.value = state.adviser;
    state.adviser = box.value;
    box.addEventListener('change', () => { state.adviser = box.value; });
    return box;
  }
  async function hint() {
    if (state.busy || !state.now.legal.length) return;
    state.busy = true;
    try {
      const found = await ask(`${path}/hint`, {method: 'POST', body: JSON.stringify({key, bot: state.adviser})});
      if (found.at === state.now.at) {
        if (state.marked.length) { state.marked = []; draw(); }
        if (amount && found.action.startsWith(amount.verb + ' ')) amount.set(+found.action.split(' ')[1]);
        const said = block('hinted'), button = actions().find((one) => one.dataset.action === found.action);
        if (said) said.value = `${state.adviser}: ${found.action}`;
        if (button) button.focus({preventScroll: true});
      }
    } catch (error) { failed(error); }
    state.busy = false;
  }
  // What happened since, position by position; a key or a click shows the last one at once.
  function advance(atOnce) {
    clearTimeout(state.timer);
    state.shown = atOnce || !taste.speed || matchMedia('(prefers-reduced-motion: reduce)').matches ? state.frames.length - 1 : Math.min(state.shown + 1, state.frames.length - 1);
    draw();
    if (state.shown < state.frames.length - 1) state.timer = setTimeout(advance, taste.speed);
    else if (taste.only && state.now.legal.length === 1) state.timer = setTimeout(() => act(state.now.legal[0], true), taste.speed);
    else if (state.now.scores === null && !state.now.legal.length) state.timer = setTimeout(look, 1500);
  }
  async function look() {
    try { take(await ask(`${path}?` + new URLSearchParams({key, since: state.frames.length}))); state.wait = 0; clear(); } catch (error) {
      failed(error);
      state.wait = Math.min(30000, 2 * state.wait || 2000);
      state.timer = setTimeout(look, state.wait);
      return;
    }
    if (state.shown < state.frames.length - 1) advance(); else state.timer = setTimeout(look, 1500);
  }
  const room = fitted(stage, (size) => { if (log) { drawTable(size); log.bottom(); } });
  function drawTable(size = room.size()) {
    const {scene, seat} = state.frames[state.shown], {now} = state, legal = choices(), marking = needsMarks(legal), before = new Set([...stage.querySelectorAll('.middle .card')].map((card) => card.dataset.card)), moved = state.drawn >= 0 && state.drawn !== state.shown;
    let place = -1;
    const pick = (card, name) => {
      const at = ++place, mine = legal.filter((text) => takes(text).includes(name));
      if (!mine.length) return;
      card.classList.add('playable');
      if (state.marked.some((one) => one.at === at)) card.classList.add('marked');
      choosable(card, stage, () => { if (marking) mark(at, name); else act(mine[0]); });
    };
    stage.replaceChildren(tableView(now.game, now.seats, scene, seat, {you: now.you, pick, did: lastOf(story, state.shown, now.seats.length), ...size}));
    if (moved) for (const card of stage.querySelectorAll('.middle .card')) if (!before.has(card.dataset.card)) card.classList.add('fresh');
    state.drawn = state.shown;
  }
  // What may be done now: nothing while earlier positions are still shown.
  const choices = () => state.shown === state.frames.length - 1 ? state.now.legal : [];
  function mark(at, name) {
    const left = state.marked.filter((one) => one.at !== at);
    state.marked = left.length < state.marked.length ? left : [...left, {at, name}];
    draw();
  }
  // Adds what happened up to the position that is shown.
  function tell() {
    const all = storyOf(state.frames.slice(1, state.shown + 1).map((frame, at) => ({frame: at + 1, seat: frame.by, text: frame.did, scene: frame.scene})), state.frames[0].scene);
    log.add(state.now.seats, all.slice(story.length));
    story = all;
  }
  function unmark() { state.marked = []; state.chosen = ''; draw(); }
  function draw() {
    const {seat} = state.frames[state.shown], now = state.now, last = state.shown === state.frames.length - 1, mine = last && now.legal.length > 0;
    tell();
    drawTable();
    stage.dataset.frame = state.shown;
    stage.dataset.last = last ? 'yes' : 'no';
    if (last && now.scores) {
      box.replaceChildren(...endView(now.game, now.seats, now.scores, state.frames.map((one) => one.scene), {you: now.you}).filter(Boolean),
        el('p', {}, el('a', {id: 'again', href: link({decision: 0})}, 'Watch it with open cards'), ' ', now.seats.filter((name) => name === 'person').length === 1 && el('button', {type: 'button', id: 'rematch', title: 'the same cards, everybody one seat further', onclick: rematch}, 'Same deal, next seat'), ' ', el('a', {href: '/play#' + new URLSearchParams({game: now.game})}, 'Play again')), ...now.earlier.map((one) => compared(now, one)), now.record ? say('Kept as ', el('code', {}, now.record), '.') : '', unkept(now));
      return;
    }
    const warning = unkept(now), advice = mine && now.legal.length > 1 ? el('p', {class: 'hints'}, chooser(now.bots), el('button', {type: 'button', id: 'hint', title: 'what this house bot would play (h)', onclick: hint}, el('kbd', {}, 'h'), 'hint'), el('output', {id: 'hinted'})) : '';
    const held = box.contains(document.activeElement) || document.activeElement === document.body;
    const choice = mine && state.chosen && el('div', {class: 'actions', role: 'group', 'aria-label': 'chosen'}, el('button', {type: 'button', 'data-action': state.chosen, onclick: () => act(state.chosen, true)}, el('kbd', {}, 1), 'Play it: ' + state.chosen), el('button', {type: 'button', id: 'back', onclick: unmark}, el('kbd', {}, 'Esc'), 'Take it back'));
    const names = state.marked.map((one) => one.name), open = makes(choices(), names), found = amountsOf(open), texts = found ? open.filter((text) => !text.startsWith(found.verb + ' ')) : open;
    amount = found && {verb: found.verb, ...amountBox(found, Number.parseInt(state.frames[state.shown].scene['table/text/pot'], 10) || 0, act)};
    const skip = last ? '' : el('button', {type: 'button', id: 'skip', onclick: () => advance(true)}, el('kbd', {}, 's'), 'skip to my turn');
    const marks = names.length ? el('p', {class: 'marks', role: 'status'}, `Marked: ${names.join(' ')}. `, open.length ? 'They make: ' : 'No action takes all of them. ', el('button', {type: 'button', id: 'unmark', onclick: unmark}, el('kbd', {}, 'Esc'), 'clear')) : '';
    box.replaceChildren(el('div', {class: 'turn'}, el('p', {class: 'big', 'aria-live': 'polite'}, mine ? `Your turn: ${now.legal.length} legal` : last ? `Seat ${seat}, ${now.seats[seat] || ''}, is thinking …` : '… ', skip), advice), marks,
      choice || (mine ? el('div', {class: 'actions', role: 'group', 'aria-label': 'legal actions'}, texts.map((text, at) => el('button', {type: 'button', 'data-action': text, onclick: () => act(text)}, open.length <= 9 && el('kbd', {}, at + 1), text)), amount && amount.button) : ''), (mine && !choice && amount && amount.box) || '', warning);
    if (mine && held && actions().length) actions()[0].focus({preventScroll: true});
  }
  keys = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('select, dialog')) return;
    if (event.target.closest('input')) { if (event.key === 'Enter' && event.target.type === 'number') { event.target.dispatchEvent(new Event('change')); amount.button.click(); } return; }
    const all = actions(), at = all.indexOf(document.activeElement), step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (state.shown < state.frames.length - 1 && ['Enter', ' ', 'ArrowRight', 's'].includes(event.key)) { event.preventDefault(); advance(true); }
    else if (event.key === 'Enter' && at < 0 && all.length && document.activeElement === document.body) { event.preventDefault(); all[0].focus(); }
    else if (step && all.length) { event.preventDefault(); all[(at + step + all.length) % all.length].focus(); }
    else if (/^[1-9]$/.test(event.key) && all.length <= 9 && all[event.key - 1]) { event.preventDefault(); all[event.key - 1].click(); }
    else if (event.key === '?') { event.preventDefault(); keysBox().showModal(); }
    else if (event.key === 'Escape' && (state.marked.length || state.chosen)) { event.preventDefault(); unmark(); }
    else if (event.key === 'h' && block('hint')) { event.preventDefault(); hint(); }
  };
  leave = () => { clearTimeout(state.timer); room.end(); };
  take(await ask(`${path}?` + new URLSearchParams({key: key || '', since: 0})));
  taste.load();
  log = logView(state.now.game);
  advance(true);
  return [stage, el('div', {class: 'side'}, box, log.box, tasteView(() => advance()))];
}
