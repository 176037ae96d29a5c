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

const MENU = () => [['/', 'Leagues'], ['/play', 'Play'], ['/submit', 'Submit a bot']].map(([href, text]) => el('a', {href}, text));

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
  get embeds() { return location.pathname.startsWith('/report/'); },
  rules: async (game) => (await ask('/api/rules?' + new URLSearchParams({game}))).text,
  async film(name) {
    const path = '/api/film?game=' + encodeURIComponent(name);
    if (location.pathname === '/embed') return ask(path);
    const found = await ask(path, {headers: token.headers()});
    const send = (to) => (wish) => ask(to, {method: 'POST', headers: token.headers(), body: JSON.stringify({...wish, game: name})});
    return {...found, asked: send('/api/asked'), onward: send('/api/onward')};
  },
  async custom(parts, current) {
    const path = location.pathname;
    if (path.startsWith('/report/')) return false;
    clearInterval(this.timer);
    if (path === '/embed') {
      const content = replayView(await this.film(parts.game || ''), parts);
      if (current()) frame(parts.game, [el('a', {href: reportPath(parts.game.split('/')[0]) + location.hash, target: '_blank', rel: 'noopener'}, 'open')], content);
      return true;
    }
    if (path.startsWith('/learn/')) {
      const film = await ask('/api/lesson?' + new URLSearchParams({game: path.slice(7)}));
      if (current()) frame(film.label, MENU().slice(0, 2), replayView(film, parts));
      return true;
    }
    const content = path.startsWith('/play/') ? await tablePage(path.slice(6), parts) : path === '/play' ? lobby(await ask('/api/home')) : path === '/submit' ? submitPage(await ask('/api/home')) : homePage(await ask('/api/home'));
    if (current()) frame(path.startsWith('/play') ? content.title || 'Play' : path === '/submit' ? 'Submit' : 'Arena', MENU(), content);
    const first = document.querySelector('.actions button:not([data-action=fold])');
    if (first) first.focus({preventScroll: true});
    if (current() && path === '/') this.timer = setInterval(() => { if (location.pathname === '/') show(); }, 5000);
    return true;
  },
};

function homePage(data) {
  return [section('tables', 'Games', tableOf(data.games, [['game', '', (g) => el('b', {}, g.title)], ['table', '', (g) => [el('a', {href: '/play#' + new URLSearchParams({game: g.name})}, 'play'), g.lesson && [' · ', el('a', {href: '/learn/' + g.name}, 'how it is played')]]], ['players', 'n', (g) => g.players[0] === g.players[2] ? g.players[0] : `${g.players[0]}–${g.players[2]}`], ['leagues', '', (g) => g.played ? el('a', {href: reportPath(g.name)}, 'all leagues') : el('span', {class: 'dim'}, 'none')]], {label: 'games'})),
    data.seasons.length ? section('seasons', 'Seasons', tableOf(data.seasons, [['season', 'name', (s) => el('a', {href: '/season/' + encodeURIComponent(s.name)}, s.name)], ['state', '', (s) => s.state]], {label: 'seasons'})) : '',
    data.newest.length ? section('newest', 'Newest games', say('Of runs that are finished.'), tableOf(data.newest, [['game', 'name', (g) => el('a', {href: reportPath(g.run) + '#' + new URLSearchParams({game: g.label})}, '▶ ' + g.label)], ['seats', '', (g) => g.seats.map(([name, score], s) => [s ? ', ' : '', name, ' ', el('b', {}, fixed(score, 0))])]], {label: 'newest games'})) : '',
    section('runs', 'Runs', data.runs.length ? tableOf(data.runs, [['run', 'name', (r) => el('a', {href: reportPath(r.label)}, r.label)], ['game', '', (r) => r.game], ['state', '', (r) => r.state], ['progress', '', (r) => [el('progress', {max: r.planned, value: r.matches, 'aria-label': 'progress of ' + r.label}), ` ${count(r.matches)} of ${count(r.planned)} matches`]], ['games', 'n', (r) => count(r.games)], ['since', '', (r) => r.started.slice(0, 16).replace('T', ' ')]], {label: 'runs'}) : say('None yet: arena league run taroky')),
    data.submissions ? section('submit', 'Submissions', say('Bots are taken here, with a token: ', el('a', {href: '/submit'}, 'submit a bot'), '.')) : ''];
}
