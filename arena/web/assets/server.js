// The same pages from a server: data are asked for, and asked for again when games have come in.
const PATIENCE_S = 60;
async function ask(path, options, again) {
  let reply;
  try { reply = await fetch(path, {...options, headers: {'X-Arena': '1', ...((options || {}).headers || {})}}); } catch (error) { throw Object.assign(new Error('The server does not answer'), {lost: true}); }
  const wait = Number(reply.headers.get('Retry-After'));
  if (reply.status === 429 && wait && wait <= PATIENCE_S && !again) {  // nothing was done: it can be sent once more
    await waited(wait);
    return ask(path, options, true);
  }
  let found;
  const lost = reply.status === 429 || reply.status >= 500;
  try { found = await reply.json(); } catch (error) { throw Object.assign(new Error(`the server answers ${reply.status}`), {lost}); }
  if (!reply.ok) throw Object.assign(new Error(found.error || `the server answers ${reply.status}`), {lost});
  return found;
}
// A page whose server does not answer stays as it is, says so at its foot, and asks again, later each time.
const connection = {
  wait: 0, line: el('p', {id: 'lost', class: 'note', role: 'status'}),
  lost(error, again) {
    this.wait = Math.min(30000, 2 * this.wait || 2000);
    this.line.textContent = `${error.message}. Reconnecting …`;
    document.body.append(this.line);
    if (again) setTimeout(again, this.wait);
  },
  back() { this.wait = 0; this.line.remove(); },
};
// Waits, and says so at the foot of the page.
async function waited(seconds) {
  const said = document.getElementById('waiting') || el('p', {id: 'waiting', class: 'note', role: 'status'});
  said.textContent = `Too many requests from your address: sent again in ${seconds} s.`;
  document.body.append(said);
  await new Promise((done) => setTimeout(done, 1000 * seconds));
  said.remove();
}
const subject = () => decodeURIComponent(location.pathname.replace(/^\/report\//, ''));
const reportPath = (name) => '/report/' + encodeURIComponent(name);

// What stands at an address that is no report: title, content, links, seconds until it is drawn again.
const PAGES = {
  '': async () => ['Arena', homePage(await ask('/api/home')), null, 5],
  play: async (name, parts) => { const content = name ? await tablePage(name, parts) : lobby(await ask('/api/home')); return [content.title || 'Play', content]; },
  submit: async () => ['Submit', submitPage(await ask('/api/home'))],
  season: async (name, parts) => ['Season ' + name, await seasonPage(name, parts), null, parts.bot === undefined && 15],
  queue: async () => ['Queue', queuePage(await ask('/api/queue')), null, 15],
  async learn(game, parts) { const film = await ask('/api/lesson?' + new URLSearchParams({game})); return [film.label, replayView(film, parts)]; },
};
const MENU = () => [['/', 'Leagues'], ['/play', 'Play'], ['/submit', 'Submit a bot']].map(([href, text]) => el('a', {href}, text));

// Who sat where, with scores.
const seated = (seats) => seats.map(([name, score], s) => [s ? ', ' : '', name, ' ', el('b', {}, fixed(score, 0))]);

const fromServer = {
  live: true, kept: null, timer: 0,
  async data() {
    const found = await ask('/api/report?subject=' + encodeURIComponent(subject()));
    this.state = found.state;
    this.kept = [await unpack(found.data), new Int32Array(await inflate(found.games))];
    clearInterval(this.timer);
    this.timer = setInterval(() => this.poll(), 4000);
    return this.kept;
  },
  async poll() {  // draws again where games have come in, without moving what is read
    if (!location.pathname.startsWith('/report/') || route().game !== undefined) return;
    try { if ((await ask('/api/state')).state === this.state) return connection.back(); } catch (error) { return connection.lost(error); }
    const at = scrollY;
    await show();
    scrollTo({top: at, behavior: 'instant'});
  },
  rules: async (game) => (await ask('/api/rules?' + new URLSearchParams({game}))).text,
  async film(name) {
    const path = '/api/film?game=' + encodeURIComponent(name);
    const found = await ask(path, {headers: token.headers()});
    const send = (to) => (wish) => ask(to, {method: 'POST', headers: token.headers(), body: JSON.stringify({...wish, game: name})});
    return {...found, asked: send('/api/asked'), onward: send('/api/onward')};
  },
  async custom(parts, current) {
    const path = location.pathname, [, kind, name] = /^\/(\w*)\/?(.*)/.exec(path);
    if (kind === 'report') return false;
    clearInterval(this.timer);
    const [title, content, links, again] = await PAGES[kind](decodeURIComponent(name), parts);
    if (!current()) return true;
    frame(title, links || MENU(), content);
    const first = document.querySelector('.actions button:not([data-action=fold])');
    if (first) first.focus({preventScroll: true});
    if (again) this.timer = setInterval(() => { if (location.pathname === path) show(); }, 1000 * again);
    return true;
  },
};

function homePage(data) {
  return [section('tables', 'Games', tableOf(data.games, [['game', '', (g) => el('b', {}, g.title)], ['table', '', (g) => [el('a', {href: '/play#' + new URLSearchParams({game: g.name})}, 'play'), g.lesson && [' · ', el('a', {href: '/learn/' + g.name}, 'how it is played')]]], ['players', 'n', (g) => g.players[0] === g.players[2] ? g.players[0] : `${g.players[0]}–${g.players[2]}`], ['leagues', '', (g) => g.played ? el('a', {href: reportPath(g.name)}, 'all leagues') : el('span', {class: 'dim'}, 'none')]], {label: 'games'})),
    data.seasons.length ? section('seasons', 'Seasons', tableOf(data.seasons, [['season', 'name', (s) => el('a', {href: '/season/' + encodeURIComponent(s.name)}, s.name)], ['state', '', (s) => s.state]], {label: 'seasons'})) : '',
    data.newest.length ? section('newest', 'Newest games', say('Of runs that are finished.'), tableOf(data.newest, [['game', 'name', (g) => el('a', {href: reportPath(g.run) + '#' + new URLSearchParams({game: g.label})}, '▶ ' + g.label)], ['seats', '', (g) => seated(g.seats)]], {label: 'newest games'})) : '',
    section('runs', 'Runs', data.runs.length ? tableOf(data.runs, [['run', 'name', (r) => el('a', {href: reportPath(r.label)}, r.label)], ['game', '', (r) => r.game], ['state', '', (r) => r.state], ['progress', '', (r) => [el('progress', {max: r.planned, value: r.matches, 'aria-label': 'progress of ' + r.label}), ` ${count(r.matches)} of ${count(r.planned)} matches`]], ['games', 'n', (r) => count(r.games)], ['since', '', (r) => moment(r.started)]], {label: 'runs'}) : say('None yet: arena league run taroky')),
    data.submissions ? section('submit', 'Submissions', say('Bots are taken here, with a token: ', el('a', {href: '/submit'}, 'submit a bot'), '. What waits is in the ', el('a', {href: '/queue'}, 'queue'), '.')) : ''];
}
