// The same pages from a server: data are asked for, and asked for again when games have come in.
const PATIENCE_S = 60;
async function ask(path, options, again) {
  const reply = await fetch(path, {...options, headers: {'X-Arena': '1', ...((options || {}).headers || {})}});
  const wait = Number(reply.headers.get('Retry-After'));
  if (reply.status === 429 && wait && wait <= PATIENCE_S && !again) {  // nothing was done: it can be sent once more
    await waited(wait);
    return ask(path, options, true);
  }
  let found;
  try { found = await reply.json(); } catch (error) { throw new Error(`the server answers ${reply.status}`); }
  if (!reply.ok) throw new Error(found.error || `the server answers ${reply.status}`);
  return found;
}
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
    try { if ((await ask('/api/state')).state === this.state) return; } catch (error) { return; }
    const at = scrollY;
    await show();
    scrollTo({top: at, behavior: 'instant'});
  },
  film: (name) => ask('/api/film?game=' + encodeURIComponent(name)),
  async custom(parts, current) {
    const path = location.pathname;
    if (path.startsWith('/report/')) return false;
    clearInterval(this.timer);
    const content = path.startsWith('/play/') ? await tablePage(path.slice(6), parts) : path === '/play' ? lobby(await ask('/api/home')) : path === '/submit' ? submitPage(await ask('/api/home')) : homePage(await ask('/api/home'));
    if (current()) frame(path.startsWith('/play') ? 'Play' : path === '/submit' ? 'Submit' : 'Arena', [['/', 'Leagues'], ['/play', 'Play'], ['/submit', 'Submit a bot']].map(([href, text]) => el('a', {href}, text)), content);
    const first = document.querySelector('.actions button');
    if (first) first.focus({preventScroll: true});
    if (current() && path === '/') this.timer = setInterval(() => { if (location.pathname === '/') show(); }, 5000);
    return true;
  },
};

function homePage(data) {
  return [data.message ? el('p', {class: 'say', role: 'note'}, data.message) : '', section('tables', 'Games', tableOf(data.games, [['game', 'name', (g) => g.title], ['players', 'n', (g) => g.players[0] === g.players[2] ? g.players[0] : `${g.players[0]}–${g.players[2]}`], ['leagues', '', (g) => g.played ? el('a', {href: reportPath(g.name)}, 'all leagues') : el('span', {class: 'dim'}, 'no league yet')], ['table', '', (g) => el('a', {href: '/play#' + new URLSearchParams({game: g.name})}, 'play')]], {label: 'games'})),
    data.seasons.length ? section('seasons', 'Seasons', tableOf(data.seasons, [['season', 'name', (s) => el('a', {href: '/season/' + encodeURIComponent(s.name)}, s.name)], ['state', '', (s) => s.state]], {label: 'seasons'})) : '',
    data.newest.length ? section('newest', 'Newest games', say('Of runs that are finished.'), tableOf(data.newest, [['game', 'name', (g) => el('a', {href: reportPath(g.run) + '#' + new URLSearchParams({game: g.label})}, '▶ ' + g.label)], ['seats', '', (g) => g.seats.map(([name, score], s) => [s ? ', ' : '', name, ' ', el('b', {}, fixed(score, 0))])]], {label: 'newest games'})) : '',
    section('runs', 'Runs', data.runs.length ? tableOf(data.runs, [['run', 'name', (r) => el('a', {href: reportPath(r.label)}, r.label)], ['game', '', (r) => r.game], ['state', '', (r) => r.state], ['progress', '', (r) => [el('progress', {max: r.planned, value: r.matches, 'aria-label': 'progress of ' + r.label}), ` ${count(r.matches)} of ${count(r.planned)} matches`]], ['games', 'n', (r) => count(r.games)], ['since', '', (r) => r.started.slice(0, 16).replace('T', ' ')]], {label: 'runs'}) : say('None yet: arena league run taroky')),
    data.submissions ? section('submit', 'Submissions', say('Bots are taken here, with a token: ', el('a', {href: '/submit'}, 'submit a bot'), '.')) : ''];
}

// Submit a bot, and what an owner has here. The token stays in this page.
function submitPage(data) {
  const token = el('input', {type: 'password', autocomplete: 'off', required: true}), file = el('input', {type: 'file', accept: '.py,.zip,.tar,.gz,.tgz', required: true}), note = el('input', {type: 'text', maxlength: 200}), out = el('div', {'aria-live': 'polite'});
  let timer = 0, shown = '';
  const mine = (path, options) => ask('/api/bots' + path, {...options, headers: {Authorization: 'Bearer ' + token.value.trim()}});
  const list = async () => {
    clearTimeout(timer);
    const found = await mine('');
    const change = (b) => el('button', {type: 'button', onclick: () => told(async () => { await mine('/' + encodeURIComponent(b.bot), {method: 'POST', body: JSON.stringify({retired: !b.retired})}); await list(); })}, (b.retired ? 'Restore ' : 'Retire ') + b.bot);
    if (shown !== JSON.stringify(found)) out.replaceChildren(  // else focus stays where it is
      section('outcomes', 'Submissions of ' + found.owner, found.submissions.length ? tableOf(found.submissions.slice().reverse(), [['file', 'name', (s) => s.file], ['state', '', (s) => s.state], ['outcome', 'words', (s) => el('pre', {}, s.text || '…')]], {label: 'submissions'}) : say('None yet.')),
      section('own', 'Bots of ' + found.owner, found.bots.length ? tableOf(found.bots, [['bot', 'name', (b) => b.bot], ['games', '', (b) => b.games.join(', ')], ['since', '', (b) => b.created.slice(0, 16).replace('T', ' ')], ['what was new', '', (b) => b.note], ['state', '', (b) => b.retired ? 'retired' : 'enters leagues'], ['change', '', change]], {label: 'bots'}) : say('None yet.'), el('p', {}, el('button', {type: 'button', onclick: () => told(save)}, 'Save all my data'))));
    shown = JSON.stringify(found);
    if (found.submissions.some((one) => one.state === 'waiting' || one.state === 'trying')) timer = setTimeout(() => { if (out.isConnected) list().catch(() => { timer = setTimeout(list, 5000); }); }, 2000);
  };
  const save = async () => {
    const found = await mine('/export'), address = URL.createObjectURL(new Blob([JSON.stringify(found, null, 2)], {type: 'application/json'}));
    el('a', {href: address, download: `arena-${found.owner}.json`}).click();
    URL.revokeObjectURL(address);
  };
  const told = async (act) => { try { await act(); } catch (error) { out.prepend(el('p', {class: 'lost', role: 'alert'}, error.message)); } };
  const form = el('form', {class: 'plain'}, el('label', {}, 'token', token), el('label', {}, 'a .py file, or a folder as .zip or .tar.gz', file), el('label', {}, 'what is new', note), el('button', {type: 'submit'}, 'Submit'), el('button', {type: 'button', onclick: () => { shown = ''; told(list); }}, 'Show mine'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    shown = '';
    told(async () => {
      const one = file.files[0];
      await mine('?' + new URLSearchParams({name: one.name, note: note.value}), {method: 'POST', body: await one.arrayBuffer()});
      await list();
    });
  });
  const name = el('input', {type: 'text', maxlength: 40, required: true, autocomplete: 'username'}), join = el('form', {class: 'plain'}, el('label', {}, 'your name', name), el('button', {type: 'submit'}, 'Register'));
  join.addEventListener('submit', (event) => {
    event.preventDefault();
    told(async () => {
      token.value = (await ask('/api/owners', {method: 'POST', body: JSON.stringify({name: name.value.trim()})})).token;
      out.prepend(el('p', {role: 'status'}, 'Your token, which nobody can show you again. Keep it: ', el('code', {id: 'token'}, token.value)));
    });
  });
  return [data.registration ? section('register', 'Register', say('You get a token, with which you submit bots.'), join) : '', section('submission', 'Submit a bot', say('The server tries it in the sandbox and shows the outcome below. It never shows sources to others.'), form), out];
}
