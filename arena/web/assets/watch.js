// Looking on at a table: what is public at once, the hands of a deal when it is over.

async function watchPage(path, code) {
  const side = el('div', {class: 'side'}), stage = el('div', {class: 'stage'}), said = el('div', {class: 'decision', 'aria-live': 'polite', tabindex: 0, role: 'region', 'aria-label': 'this position'}), state = {frames: [], opened: 0, at: 0, timer: 0, now: null};
  let log = null, story = [];
  const last = () => state.frames.length - 1;
  const go = (at) => { state.at = Math.max(0, Math.min(last(), at)); draw(); };
  const room = fitted(stage, (size) => { if (log) drawTable(size); });
  function drawTable(size = room.size()) {
    const {scene, seat} = state.frames[state.at];
    put(stage, tableView(state.now.game, state.now.seats, scene, seat, {did: lastOf(story, state.at, state.now.seats.length), ...size}));
  }
  function draw() {
    const {seat} = state.frames[state.at], {now} = state, end = state.at === last();
    side.classList.toggle('ended', end && now.scores !== null);
    drawTable();
    log.mark(state.at);
    stage.dataset.frame = state.at;
    said.replaceChildren(...end && now.scores ? endView(now.game, now.seats, now.scores, state.frames.map((one) => one.scene), {go}).filter(Boolean).concat(now.following ? el('p', {}, el('a', {id: 'following', href: site(`/play/${now.following}#`) + new URLSearchParams({watch: code})},
            'The next game at this table')) : []) : [el('p', {class: 'big'}, end ? `Seat ${seat}, ${now.seats[seat]}, is to act.` : `Position ${state.at} of ${last()}`, ' '), el('p', {class: 'dim'}, state.at < state.opened ? 'This deal is over: cards are open.'
            : 'Hands are shown when the deal is over.')]);
  }
  // Takes what is new: positions, and open cards of deals that are over.
  function take(found) {
    const live = state.at >= last();
    state.now = found;
    state.frames.push(...found.frames);
    found.open.forEach((one, at) => { state.frames[state.opened + at] = one; });
    state.opened += found.open.length;
    if (!log) log = logView(found.game, go);
    if (!found.frames.length && !found.open.length) { if (found.following) draw(); return; }
    story = storyOf(found.game, found.seats.length, state.frames.slice(1).map((frame, at) => ({frame: at + 1, seat: frame.by, text: frame.did, scene: frame.scene})), state.frames[0].scene);
    log.set(found.seats, story);
    go(live ? last() : state.at);
  }
  async function look() {
    let wait = 1500;
    try { take(await ask(`${path}/watch?` + new URLSearchParams({since: state.frames.length, opened: state.opened}), {headers: {'X-Arena-Key': code}})); } catch (error) { if (!state.now) throw error; wait = 5000; }
    if (!state.now.following) state.timer = setTimeout(look, state.now.scores ? 2 * wait : wait);
  }
  const rules = () => rulesBox(state.now.game, state.frames[state.at].scene.rules);
  keys = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('dialog, input, select')) return;
    const act = {ArrowRight: () => go(state.at + 1), ArrowLeft: () => go(state.at - 1), Home: () => go(0), End: () => go(last()), r: rules}[event.key];
    if (act) { event.preventDefault(); act(); }
  };
  leave = () => { clearTimeout(state.timer); room.end(); };
  await look();
  const button = (text, title, act) => el('button', {type: 'button', title, 'aria-label': title, onclick: act}, text);
  side.append(said, log.box, el('p', {class: 'dim'}, 'Keys: ← → step, Home, End: now, r rules.'));
  return Object.assign([stage, side, el('div', {class: 'toolbar'}, button('◀', 'back (←)', () => go(state.at - 1)), button('▶', 'forward (→)', () => go(state.at + 1)), button('now', 'as it is now (End)', () => go(last())), rulesButton(rules))], {title: `${state.now.title}, looked on`});
}
