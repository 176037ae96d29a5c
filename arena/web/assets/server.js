// The same pages from a server: data are asked for, and asked for again when games have come in.
const PATIENCE_S = 60;
async function ask(path, options, again) {
  let reply;
  try { reply = await fetch(site(path), {...options, headers: {'X-Arena': '1', ...((options || {}).headers || {})}}); } catch (error) { throw Object.assign(new Error('The server does not answer'), {lost: true}); }
  const wait = Number(reply.headers.get('Retry-After'));
  let found;
  const lost = reply.status === 429 || reply.status > 500;
  try { found = await reply.json(); } catch (error) { throw Object.assign(new Error(`the server answers ${reply.status}`), {lost: lost || reply.ok}); }  // else the answer was cut off
  if (wait && wait <= PATIENCE_S && (reply.status === 503 || (reply.status === 429 && !again))) {  // nothing was done: it can be sent once more
    await waited(wait, found.error);
    return ask(path, options, true);
  }
  if (found.error && reply.status === 202) {  // it is still being made
    await new Promise((done) => setTimeout(done, 1000));
    return ask(path, options, again);
  }
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
    if (!onPage) page.replaceChildren();
    if (again) setTimeout(again, this.wait);
  },
  back() { this.wait = 0; this.line.remove(); },
};
// Waits, and says so at the foot of the page.
async function waited(seconds, why) {
  const said = document.getElementById('waiting') || el('p', {id: 'waiting', class: 'note', role: 'status'});
  said.textContent = `${why[0].toUpperCase()}${why.slice(1)}; this page asks again in ${seconds} s.`;
  document.body.append(said);
  page.hidden = !onPage;  // nothing was drawn yet: the line alone says how it stands
  await new Promise((done) => setTimeout(done, 1000 * seconds));
  page.hidden = false;
  said.remove();
}
// The page that is asked for: its kind and what it is about, from the site's first page on.
const placed = () => {
  const [, kind, name] = /^(\w*)\/?(.*)/.exec(location.pathname.slice(new URL(site('/'), location).pathname.length));
  return [kind, decodeURIComponent(name)];
};
const reportPath = (name) => site('/report/' + encodeURIComponent(name));

// What stands at an address that is no report: title, content, links, seconds until it is drawn again.
const PAGES = {
  '': async () => ['Leagues of bots', homePage(await ask('/api/home')), null, 5],
  play: async (name, parts) => { const content = name ? await tablePage(name, parts) : lobby(await ask('/api/home')); return [content.title || 'Play', content, content.links]; },
  submit: async (name, parts) => ['Submit a bot', submitPage(await ask('/api/entering'), parts)],
  season: async (name, parts) => ['Season ' + name, await seasonPage(name, parts), null, parts.bot === undefined && 15],
  organise: async () => ['Organise', await organisePage(), null, 5],
  queue: async () => ['Queue', queuePage(await ask('/api/queue')), null, 15],
  async learn(game, parts) { const film = await ask('/api/lesson?' + new URLSearchParams({game})); return [film.label, replayView(film, parts), el('a', {href: site('/play#') + new URLSearchParams({game})}, 'play it')]; },
};

// Who sat where, with scores.
const seated = (seats) => seats.map(([name, score], s) => [s ? ', ' : '', name, ' ', el('b', {}, fixed(score, 0))]);

const fromServer = {
  live: true, kept: null, timer: 0,
  coming() { const [kind, name] = placed(); return kind === 'report' && !route().game ? `One moment: the report of ${name} is being made.` : kind === 'report' ? `One moment: ${route().game} is being played again, so that you can watch it.` : 'One moment: this page is being made.'; },
  async data() {
    const found = await ask('/api/report?subject=' + encodeURIComponent(placed()[1]));
    this.state = found.state;
    this.kept = [await unpack(found.data), new Int32Array(await inflate(found.games))];
    clearInterval(this.timer);
    this.timer = setInterval(() => this.poll(), 4000);
    return this.kept;
  },
  async poll() {  // draws again where games have come in, without moving what is read
    if (placed()[0] !== 'report' || route().game !== undefined) return;
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
    const path = location.pathname, [kind, name] = placed();
    if (kind === 'report') return false;
    clearInterval(this.timer);
    const [title, content, links, again] = await PAGES[kind](name, parts);
    if (!current()) return true;
    const moved = onPage !== location.href;
    frame(title, links, content);
    if (moved && parts.to && block(parts.to)) block(parts.to).scrollIntoView();
    const first = document.querySelector('.actions button:not([data-action=fold])');
    if (first) first.focus({preventScroll: true});
    if (again) this.timer = setInterval(() => { if (location.pathname === path) show(); }, 1000 * again);
    return true;
  },
};

const runTable = (runs, label) => tableOf(runs, [['run', 'name', (r) => el('a', {href: reportPath(r.label)}, r.label)], ['game', '', (r) => r.game], ['state', '', progressOf], ['games', 'n', (r) => count(r.games)], ['since', '', (r) => moment(r.started)]], {label});
const seasonPath = (name) => site('/season/' + encodeURIComponent(name));
const inSeason = (season, bot, text) => season ? el('a', {href: seasonPath(season) + '#' + new URLSearchParams({bot})}, text || bot) : bot;

function homePage(data) {
  const played = data.runs.filter((run) => !run.season), newest = data.runs.filter((run, at) => run.season && data.runs.findIndex((one) => one.season === run.season) === at);
  const live = data.runs.filter((run) => run.word === 'playing'), enter = data.submissions && section('enter', 'Send your own bot', el('ol', {}, el('li', {}, 'Write one file of Python with a function ', el('code', {}, 'act(view)'), '. ',
        el('a', {href: site('/submit')}, 'Submit a bot'), ' has one to start from, the games that are taken, and the limits.'), el('li', {}, data.registration ? 'Register there: you get a token.' : 'Ask the organiser for a token.'),
      el('li', {}, 'Send the file. The server tries it in the sandbox; then it plays in every season of its game.')), say('What waits is in the ', el('a', {href: site('/queue')}, 'queue'), '.'));
  return [live.length ? section('now', 'Now playing', runTable(live, 'now playing')) : '',
    data.seasons.length ? section('seasons', 'Seasons', data.seasons.map((season) => el('div', {class: 'card-of'}, el('h3', {}, el('a', {href: seasonPath(season.name)}, season.name), ` is ${season.state}`, season.state !== 'closed' && `; it runs ${season.lasts}`),
          season.leagues.map((league) => [say(league.title, league.first.length ? `: first by ${league.by}` : ': no game has been rated yet'),
            league.first.length > 0 && el('ol', {}, league.first.map(([bot, value]) => el('li', {}, inSeason(season.name, bot), ' ', el('b', {}, fixed(value, league.by === 'Elo' ? 0 : 2)))))])))) : '',
    enter || '',
    data.bots.length ? section('bots', 'Newest bots', tableOf(data.bots, [['bot', 'name', (b) => inSeason(b.season, b.bot)], ['owner', '', (b) => b.owner], ['games', '', (b) => b.games.join(', ')], ['since', '', (b) => moment(b.created)]], {label: 'newest bots', stack: true})) : '',
    section('tables', 'Games', tableOf(data.games, [['game', '', (g) => el('b', {}, g.title)], ['table', '', (g) => [el('a', {href: site('/play#') + new URLSearchParams({game: g.name})}, 'play'), g.lesson && [' · ', el('a', {href: site('/learn/') + g.name}, 'how it is played')]]],
          ['players', 'n', (g) => g.players[0] === g.players[2] ? g.players[0] : `${g.players[0]}–${g.players[2]}`], ['all games together', '', (g) => g.played ? el('a', {href: reportPath(g.name)}, 'standings') : el('span', {class: 'dim'}, 'none yet')]], {label: 'games', stack: true})),
    data.newest.length ? section('newest', 'Newest games', say('Of runs that are finished.'), tableOf(data.newest, [['game', 'name', (g) => el('a', {href: reportPath(g.run) + '#' + new URLSearchParams({game: g.label})}, '▶ ' + g.label)], ['seats', '', (g) => seated(g.seats)]],
        {label: 'newest games', stack: true})) : '',
    section('runs', 'Leagues', data.runs.length ? [say('Every run of a league with its report. A season’s page lists its epochs.'), played.length > 0 && runTable(played.slice(0, 12), 'runs'), played.length > 12 && el('details', {}, el('summary', {}, count(played.length - 12, 'earlier run')),
          runTable(played.slice(12), 'earlier runs')),
        newest.map((run) => el('p', {}, 'Season ', el('a', {href: seasonPath(run.season)}, run.season), '; newest epoch: ', el('a', {href: reportPath(run.label)}, run.label), ', ', progressOf(run), '.'))] : say('None was played here yet.'))];
}
