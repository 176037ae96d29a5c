// A person at a table: a game by keyboard, mouse or touch.

// What the server has to say: another table was cleared for this one; this game is not written down.
const notes = (now) => [now.goal && el('p', {class: 'note'}, now.goal), now.note && el('p', {class: 'note', role: 'status'}, now.note), unkept(now)];
const unkept = (now) => now.unkept ? el('p', {class: 'note', role: 'status'}, `The server cannot write this game down (${now.unkept}): it is lost when the server ends.`) : '';

// What you made of cards that another had in an earlier game of the deal.
function compared({you, scores}, earlier) {
  const more = scores[you] - earlier.scores[you];
  return el('p', {class: 'compared'}, `With the cards of ${seatName(earlier.seats, you)} you made ${more ? Math.abs(more) + (more > 0 ? ' more' : ' less') : 'as much'} ${more ? 'than' : 'as'} it did (${signed(scores[you], 0)} and ${signed(earlier.scores[you], 0)}).`);
}

// The seats of this device: [seat, key] each, from keys that are joined by dots.
async function seatsHere(path, joined) {
  const keys = joined.split('.'), looked = await Promise.all(keys.map((key) => ask(`${path}?since=${1 << 29}`, {headers: {'X-Arena-Key': key}})));
  return new Map(looked.map((one, at) => [one.you, keys[at]]));
}

async function tablePage(table, parts) {
  const path = '/api/tables/' + encodeURIComponent(table), uncovered = parts.open !== undefined;
  if (parts.watch) return watchPage(path, parts.watch);
  if (parts.invitation) {
    const mine = kept.of(table);  // who opens a used invitation again goes to the own seat
    try { parts.key = (await ask(`${path}/join`, {method: 'POST', body: JSON.stringify({invitation: parts.invitation})})).key; } catch (error) { if (!mine || error.lost) throw error; parts.key = mine.key; }
    window.history.replaceState(null, '', '#' + new URLSearchParams({key: parts.key}));
  }
  const seated = await seatsHere(path, parts.key || ''), state = {key: [...seated.values()][0], shown: -1, frames: [], timer: 0, busy: false, now: null, marked: [], chosen: '', drawn: -1, wait: 0, advised: null, covered: false, left: {}};
  const call = (to, options = {}) => ask(path + to, {...options, headers: {...token.headers(), 'X-Arena-Key': state.key}}), send = (to, content) => call(to, {method: 'POST', body: JSON.stringify(content)});
  if (parts.decision !== undefined) { const film = await call('/film'); return Object.assign(replayView({...film, asked: (wish) => send('/asked', wish), onward: (wish) => send('/onward', wish)}, parts), {title: film.title + ', watched again'}); }
  const side = el('div', {class: 'side'}), stage = el('div', {class: 'stage'}), voice = el('p', {class: 'unseen', role: 'status'}), box = el('div', {class: 'decision'}), board = el('section', {id: 'board', class: 'board', 'aria-label': 'the end of the game', hidden: true});
  const take = (found) => { state.frames.push(...found.frames); state.now = found; state.marked = []; state.chosen = ''; };
  // All from the beginning, as the server has it now.
  const anew = (found) => {
    Object.assign(state, {frames: [], covered: false, advised: null, drawn: -1});
    log.set(found.seats, story = []);
    take(found);
  };
  // Takes the own last action back, and what bots did after it.
  const undo = () => trying(async () => { anew(await send('', {undo: true, since: 0})); advance(true); });
  let log = null, story = [], amount = null;
  const actions = () => [...box.querySelectorAll('.actions button')];
  // What Enter plays without a choice: never to give up.
  const first = () => actions().find((one) => one.dataset.action !== 'fold') || actions()[0];
  const clear = () => { const old = box.querySelector('.lost'); if (old) old.remove(); };
  const failed = (error) => { clear(); box.prepend(el('p', {class: 'lost', role: 'alert'}, error.message)); };
  const trying = async (act) => {
    if (state.trying) return;  // a key that is pressed twice asks once
    state.trying = true;
    try { await act(); } catch (error) { failed(error); }
    state.trying = false;
  };
  // While the server is asked, what cannot be played now is grey.
  const busy = (on) => { state.busy = on; for (const one of [box, stage]) one.setAttribute('aria-busy', on); };
  // The other seat of this device that is to act, if one is.
  const next = () => { const seat = state.frames.at(-1).seat; return state.now.scores === null && seat !== state.now.you && seated.has(seat) ? seat : -1; };
  // Sends an action; who wants to be asked first sees it chosen, and can take it back.
  async function act(text, sure = text === state.chosen || state.now.legal.length === 1 || (!taste.ask && !state.now.legal.includes(state.now.last[text]))) {
    if (state.busy) return;
    if (!sure) { state.chosen = text; draw(); return; }
    busy(true);
    try { take(await send('', {action: text, at: state.now.at, since: state.frames.length})); advance(); } catch (error) { failed(error); }
    busy(false);
  }
  // The table after this one, for all seats of this device.
  const rematch = () => trying(async () => {
    const made = [];
    for (const key of seated.values()) made.push(await ask(path + '/rematch', {method: 'POST', body: '{}', headers: {'X-Arena-Key': key}}));
    location.href = site(`/play/${made[0].table}#`) + new URLSearchParams({key: made.map((one) => one.key).join('.'), ...(uncovered && {open: 1})});
  });
  // A new game with the same seats and options.
  const playAgain = () => trying(async () => {
    const {game, options, you} = state.now, seats = state.now.seats.map((name, s) => s === you ? 'person' : name);
    const made = await ask('/api/tables', {method: 'POST', body: JSON.stringify({game, seats, options})});
    location.href = site(`/play/${made.table}#`) + new URLSearchParams({key: made.keys.filter(Boolean).join('.')});
  });
  // The device goes to another seat: all cards are hidden until that person says so.
  function handOver(seat) {
    state.left[state.now.you] = state.frames.length;
    state.covered = true;
    clearTimeout(state.timer);
    log.set(state.now.seats, []);
    stage.replaceChildren(el('div', {class: 'felt'}));
    box.replaceChildren(el('p', {class: 'big', 'aria-live': 'polite'}, `Seat ${seat}: take the device. Nobody else looks?`), el('div', {class: 'actions'}, el('button', {type: 'button', id: 'uncover', onclick: () => uncover(seat)}, el('kbd', {}, 1), 'Show my cards')));
    actions()[0].focus({preventScroll: true});
  }
  async function uncover(seat) {
    state.key = seated.get(seat);
    const found = await call('?since=0');
    anew(found);
    state.shown = Math.max(0, Math.min(state.left[seat] || found.begun + 1, state.frames.length) - 2);
    advance();
  }
  // What actions are worth, and a bot's; the best action gets the focus, and nothing is played.
  function chooser(bots) {
    const some = bots.filter((name) => name !== 'random'), all = some.length ? some : bots;
    state.adviser = state.adviser || all[0];
    return botChoice(state.now.game, all, state.adviser, (name) => { state.adviser = name; });
  }
  async function hint() {
    if (state.busy || !state.now.legal.length) return;
    busy(true);
    document.getElementById('hinted').textContent = `${state.adviser} is asked`;
    try {
      const found = await send('/hint', {bot: state.adviser}), [best] = found.values[0];
      if (found.at === state.now.at) {
        state.advised = found;
        state.marked = [];
        draw();
        if (amount && best.startsWith(amount.verb + ' ')) amount.set(+best.split(' ')[1]);
        const button = actions().find((one) => one.dataset.action === best);
        if (button) { button.focus({preventScroll: true}); button.scrollIntoView({block: 'nearest', inline: 'nearest'}); }
      }
    } catch (error) {
      document.getElementById('hinted').textContent = '';
      failed(error);
    }
    busy(false);
  }
  const rules = () => rulesBox(state.now.game, state.frames[state.shown].scene.rules);
  // What happened since, position by position; a key or a click shows the last one at once.
  function advance(atOnce) {
    clearTimeout(state.timer);
    state.shown = atOnce || !taste.speed || matchMedia('(prefers-reduced-motion: reduce)').matches ? state.frames.length - 1 : Math.min(state.shown + 1, state.frames.length - 1);
    draw();
    if (state.shown < state.frames.length - 1) state.timer = setTimeout(advance, taste.speed);
    else if (next() >= 0) { if (uncovered) uncover(next()); }
    else if (state.now.scores !== null) { if (several() && !state.now.following) state.timer = setTimeout(look, 3000); }
    else if (taste.only && state.now.legal.length === 1) state.timer = setTimeout(() => act(state.now.legal[0], true), taste.speed);
    else if (!state.now.legal.length) state.timer = setTimeout(look, 1500);
  }
  async function look() {
    const {waiting, seats, away} = state.now;
    try { take(await call('?since=' + state.frames.length)); state.wait = 0; clear(); } catch (error) {
      failed(error);
      state.wait = Math.min(30000, 2 * state.wait || 2000);
      state.timer = setTimeout(look, state.wait);
      return;
    }
    if (state.shown < state.frames.length - 1 || state.now.following || state.now.waiting.length < waiting.length || String([state.now.seats, state.now.away]) !== String([seats, away])) advance(); else state.timer = setTimeout(look, 1500);
  }
  const standIn = () => trying(async () => { take(await send('', {stand_in: true, since: state.frames.length})); advance(); });
  // What is said of a seat whose invitation nobody has opened; who made it has the link here.
  const awaited = (seat) => { const code = (kept.of(table)?.invitations || [])[seat]; return [`Seat ${seat} waits for whoever gets ${code ? 'this' : 'its'} link`, code ? [': ', invitationTo(table, code)] : '.']; };
  const several = () => state.now.people > 1;
  const room = fitted(stage, (size) => { if (log && !state.covered) { drawTable(size); log.bottom(); } });
  function drawTable(size = room.size()) {
    const {scene, seat} = state.frames[state.shown], {now} = state, legal = choices(), before = new Set(stage.querySelectorAll('.middle .card')), moves = state.drawn >= 0 && state.drawn !== state.shown;
    let place = -1;
    const pick = (card, name) => {
      card.attributes['data-at'] = String(++place);
      if (!legal.some((text) => takes(text).includes(name))) return;
      card.mark('playable');
      if (state.marked.some((one) => one.at === place) || takes(state.chosen).includes(name)) card.mark('marked');
    };
    const view = tableView(now.game, now.seats, scene, seat, {you: now.you, pick, did: lastOf(story, state.shown, now.seats.length), ...size});
    put(stage, view);
    for (const card of stage.querySelectorAll('.middle .card')) card.classList.toggle('fresh', moves && !before.has(card));
    state.drawn = state.shown;
  }
  const wanted = () => state.now.legal.length === 1 ? `only “${labelled(state.now.game, state.now.legal[0])}” is possible` : asked(state.now.game, state.frames[state.shown].scene);
  // What may be done now: nothing while earlier positions are still shown.
  const choices = () => state.shown === state.frames.length - 1 ? state.now.legal : [];
  choosable(stage, ({dataset: {at, card}}) => { if (needsMarks(choices())) mark(+at, card); else act(choices().find((text) => takes(text).includes(card))); });
  function mark(at, name) {
    const left = state.marked.filter((one) => one.at !== at);
    state.marked = left.length < state.marked.length ? left : [...left, {at, name}];
    draw();
  }
  // Adds what happened up to the position that is shown.
  function tell() {
    const all = storyOf(state.now.game, state.now.seats.length, state.frames.slice(1, state.shown + 1).map((frame, at) => ({frame: at + 1, seat: frame.by, text: frame.did, scene: frame.scene})), state.frames[0].scene);
    log.add(state.now.seats, all.slice(story.length));
    story = all;
  }
  // What the own decisions cost, below the scores.
  async function price() {
    state.priced = el('div', {id: 'priced', role: 'status'}, say('Your decisions are judged …'));
    board.append(state.priced);
    const lead = (one, text) => el('a', {href: link({decision: one.decision, seat: one.seat})}, text);
    try { state.priced.replaceChildren(costList(await send('/asked', {seat: state.now.you}), state.now.you, lead, (one) => state.frames[one.decision].scene)); } catch (error) { state.priced.replaceChildren(say(error.message)); }
  }
  function unmark() { state.marked = []; state.chosen = ''; draw(); }
  function draw() {
    const {seat} = state.frames[state.shown], now = state.now, last = state.shown === state.frames.length - 1, mine = last && now.legal.length > 0;
    tell();
    side.classList.toggle('ended', last && now.scores !== null);
    drawTable();
    voice.textContent = last && now.scores ? ended(now.seats, now.scores, now.you) : mine ? `Your turn: ${wanted()}.`.replace('?.', '?') : '';
    stage.dataset.frame = state.shown;
    stage.dataset.last = last ? 'yes' : 'no';
    if (last && now.scores) {
      const again = several() ? el('button', {type: 'button', id: 'rematch', class: 'main', title: 'other cards, everybody one seat further (n)', onclick: rematch}, el('kbd', {}, 'n'), 'Play again, next seat')
        : el('button', {type: 'button', id: 'playagain', class: 'main', title: 'other cards (n)', onclick: playAgain}, el('kbd', {}, 'n'), 'Play again');
      const open = board.hidden, turns = el('p', {class: 'controls'}, again, !several() && el('button', {type: 'button', id: 'rematch', title: 'the same cards, everybody one seat further', onclick: rematch}, 'Same deal, next seat'),
        el('a', {id: 'again', href: link({decision: 0})}, 'Watch it with open cards'), el('a', {href: site('/play#') + new URLSearchParams({game: now.game})}, 'Another table'), el('button', {type: 'button', onclick: () => { board.hidden = true; }}, 'See the table'));
      board.replaceChildren(...scoreboard(now, state.frames.map((one) => one.scene), ...now.earlier.map((one) => compared(now, one)), turns).flat(Infinity).filter(Boolean));
      box.replaceChildren(...[el('p', {class: 'big'}, 'The game is over. ', el('button', {type: 'button', onclick: () => { board.hidden = false; }}, 'Scores')), several() && now.following && el('p', {class: 'big', role: 'status'}, 'The others go to a new table.'),
          now.origin && say('Played on from ', now.origin, '.'), unkept(now)].filter(Boolean));
      board.hidden = false;
      if (!state.priced) price();
      else board.append(state.priced);
      if (open || document.activeElement === document.body) board.querySelector('#won').focus({preventScroll: true});  // no button: the Enter that skips bots must not begin a game
      log.bottom();
      return;
    }
    if (last && next() >= 0 && !uncovered) {
      const seat = next();
      box.replaceChildren(el('p', {class: 'big', 'aria-live': 'polite'}, `Seat ${seat} is next, on this device.`), el('div', {class: 'actions'}, el('button', {type: 'button', id: 'handover', onclick: () => handOver(seat)}, el('kbd', {}, 1), `Hide the cards and hand over to seat ${seat}`)));
      actions()[0].focus({preventScroll: true});
      return;
    }
    const opening = state.frames[state.shown].scene['table/text/to open'], warning = [mine && opening && say('To open: ', opening, '.'), ...notes(now)].filter(Boolean), said = state.advised && state.advised.at === now.at && mine ? state.advised
      : null, advice = mine && now.legal.length > 1 ? el('p', {class: 'hints'}, chooser(now.bots), el('button', {type: 'button', id: 'hint', title: 'what actions are worth, and what this bot would play (h)', onclick: hint}, el('kbd', {}, 'h'), 'hint'),
      !several() && el('button', {type: 'button', id: 'undo', title: 'take your last action back (u)', onclick: undo}, el('kbd', {}, 'u'), 'undo'), el('output', {id: 'hinted'}, said ? `best: ${said.values[0][0]}; ${state.adviser}: ${said.bot}` : ''),) : '';
    const held = box.contains(document.activeElement) || document.activeElement === document.body;
    const choice = mine && state.chosen && el('div', {class: 'actions', role: 'group', 'aria-label': 'chosen'}, el('button', {type: 'button', 'data-action': state.chosen, onclick: () => act(state.chosen, true)}, el('kbd', {}, 1), 'Play it: ' + state.chosen),
      el('button', {type: 'button', id: 'back', onclick: unmark}, el('kbd', {}, 'Esc'), 'Take it back'));
    const names = state.marked.map((one) => one.name), open = makes(choices(), names), found = amountsOf(open), texts = found ? open.filter((text) => !text.startsWith(found.verb + ' ')) : open, worth = worthOf(said || {values: []});
    amount = found && {verb: found.verb, ...amountBox(found, Number.parseInt(state.frames[state.shown].scene['table/text/pot'], 10) || 0, act, worth)};
    const button = (text, short) => el('button', {type: 'button', 'data-action': text, 'aria-label': short && text, onclick: () => act(text)}, short || labelled(now.game, text), worth(text));
    const skip = last ? '' : el('button', {type: 'button', id: 'skip', onclick: () => advance(true)}, el('kbd', {}, 's'), 'skip to my turn');
    const marks = names.length ? el('p', {class: 'marks', role: 'status'}, `Marked: ${names.join(' ')}. `, open.length ? 'They make: ' : 'No action takes all of them. ', el('button', {type: 'button', id: 'unmark', onclick: unmark}, el('kbd', {}, 'Esc'), 'clear')) : '';
    box.replaceChildren(el('div', {class: 'turn'}, el('p', {class: 'big'}, mine ? `Your turn: ${wanted()}` : !last ? '… ' : now.waiting.includes(seat) ? awaited(seat) : `Seat ${seat}, ${now.seats[seat] || ''}, is thinking …`, skip,
      last && now.away === seat && el('button', {type: 'button', id: 'standin', onclick: standIn}, 'Nobody is there: a bot plays on')), advice), marks,
      choice || (mine ? el('div', {class: 'actions', role: 'group', 'aria-label': 'legal actions'}, offers(texts.filter((text) => text !== 'fold'), button), amount && amount.button, texts.includes('fold') && button('fold')) : ''), (mine && !choice && amount && amount.box)
        || '', said ? el('p', {id: 'unit', class: 'say'}, el('small', {}, `What you can expect, ${said.about}.`)) : '', ...warning);
    const marked = box.querySelector('.marks');
    box.scrollTop += marked ? marked.getBoundingClientRect().top - box.getBoundingClientRect().top : -box.scrollTop;
    if (!choice) for (const [at, one] of actions().slice(0, 9).entries()) one.prepend(el('kbd', {}, at + 1));
    for (const [kind, on] of [['taught', now.goal], ['advised', said]]) side.classList.toggle(kind, Boolean(on));
    log.bottom();
    if (mine && held) first()?.focus({preventScroll: true});
  }
  keys = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('select, dialog') || (event.key === ' ' && event.target.closest('input'))) return;
    if (event.target.closest('input:not([type=checkbox])')) { if (event.key === 'Enter' && event.target.type === 'number') { event.target.dispatchEvent(new Event('change')); amount.button.click(); } return; }
    const all = actions(), at = all.indexOf(document.activeElement), step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    const found = {r: rules, '?': () => keysBox(state.now.game), h: block('hint') && hint, u: !state.busy && undo, n: !board.hidden && !event.repeat && (() => board.querySelector('.main').click()), Escape: (state.marked.length || state.chosen) && unmark}[event.key];
    if (state.shown < state.frames.length - 1 && ['Enter', ' ', 'ArrowRight', 's'].includes(event.key)) { event.preventDefault(); advance(true); }
    else if (event.key === 'Enter' && at < 0 && all.length && event.target.matches('body, input')) { event.preventDefault(); first()?.focus(); }
    else if (step && all.length) { event.preventDefault(); all[(at + step + all.length) % all.length].focus(); }
    else if (/^[1-9]$/.test(event.key) && all[event.key - 1]) { event.preventDefault(); all[event.key - 1].click(); }
    else if (found) { event.preventDefault(); found(); }
  };
  leave = () => { clearTimeout(state.timer); room.end(); };
  take(await call('?since=0'));
  log = logView(state.now.game, null, state.now.you);
  kept.add({table, game: state.now.game, key: parts.key});
  const rename = (name = prompt('How the others at this table see you (16 characters at most):', taste.name)) => name !== null && trying(async () => { taste.name = name; taste.save(); state.now.seats = (await send('/name', {name})).seats; draw(); });
  const links = [state.now.lesson && el('a', {href: site('/learn/') + state.now.game}, 'lesson'), several() && seated.size === 1 && el('button', {type: 'button', id: 'name', onclick: () => rename()}, 'your name')];
  side.append(box, voice, log.box, tasteView(() => advance(), rules, state.now.game));
  if (next() >= 0 && !uncovered) { state.shown = 0; handOver(next()); } else advance(true);
  if (links[1] && taste.name && /^person\b/.test(state.now.seats[state.now.you])) rename(taste.name);
  return Object.assign([stage, side, board], {title: state.now.title, links});
}
