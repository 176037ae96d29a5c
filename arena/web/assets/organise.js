// The organiser's page: how the server is, and the organiser's commands. The token stays in this window.
const ruler = tokenOf('arena-organiser');
const ruling = (options) => ask('/api/organise', {...options, headers: ruler.headers()});
let ruled = null;  // what the last command said

function rulerForm(why) {
  const field = el('input', {type: 'password', autocomplete: 'off', required: true}), form = el('form', {class: 'plain'}, el('label', {}, 'the organiser’s token', field), el('p', {class: 'controls'}, el('button', {type: 'submit', class: 'main'}, 'Open')));
  form.addEventListener('submit', (event) => { event.preventDefault(); ruler.set(field.value.trim()); show(); });
  return section('ruler', 'For the organiser', why && el('p', {class: 'lost', role: 'alert'}, why), form);
}

async function organisePage() {
  if (!ruler.get()) return rulerForm();
  let data;
  try { data = await ruling(); } catch (error) { if (error.lost) throw error; ruler.set(''); return rulerForm(error.message); }
  const run = async (wish, sure) => {
    try {
      wish = await wish;
      if (!wish || (sure && !confirm(sure))) return;
      ruled = say('Working …');
      block('ruled').replaceChildren(ruled.cloneNode(true));
      const {said} = await ruling({method: 'POST', body: JSON.stringify(wish)});
      ruled = el('p', {class: 'lead'}, wish.do === 'invite' ? [`Token for ${wish.name}, shown this once: `, el('code', {id: 'token'}, said), `. ${wish.name} pastes it on the page Submit a bot, or runs `, loginLine(), '.'] : said);
    } catch (error) { ruled = el('p', {class: 'lost', role: 'alert'}, error.message); }
    show();
  };
  const button = (text, wish, sure) => el('button', {type: 'button', onclick: () => run(wish(), sure)}, text);
  const ago = (seconds) => seconds < 120 ? `${fixed(seconds, 0)} s ago` : `${fixed(seconds / 60, 0)} min ago`, mib = (bytes) => bytes === null ? 'not known' : `${count(Math.round(bytes / (1 << 20)))} MiB`;
  const name = el('input', {type: 'text', maxlength: 40, required: true}), invite = el('form', {class: 'controls'}, el('label', {}, 'name ', name), el('button', {type: 'submit', class: 'main'}, 'Invite'));
  invite.addEventListener('submit', (event) => { event.preventDefault(); run({do: 'invite', name: name.value.trim()}); });
  const seasonTurns = (s) => [s.state === 'open' && button('Pause', () => ({do: 'pause', season: s.name})), s.state === 'paused' && button('Go on', () => ({do: 'pause', season: s.name, undo: true})), ' ', ['open', 'paused'].includes(s.state) && button('Close', () => ({do: 'close', season: s.name}),
      `Close season ${s.name} for good?`)];
  const ownerTurns = (o) => [button('New token', () => ({do: 'invite', name: o.owner, again: true})), ' ', o.tokens.length > 0 && button('Revoke tokens', () => ({do: 'revoke', name: o.owner}), `End all tokens of ${o.owner}?`), ' ',
    o.banned ? button('End the ban', () => ({do: 'unban', name: o.owner})) : button('Ban', () => { const reason = prompt(`Why is ${o.owner} banned? The owner sees it.`); return reason !== null && {do: 'ban', name: o.owner, reason}; },
      `Ban ${o.owner}, retire all bots of ${o.owner}, and refuse what waits?`)];
  const bot = el('input', {type: 'text', maxlength: 60, placeholder: 'my_bot@2'}), season = el('select', {}, data.seasons.map((s) => el('option', {value: s.name}, s.name)));
  const deed = (text, wish, more = () => ({})) => button(text, async () => { const name = bot.value.trim(), also = name && await more(name); return also && {...wish, bot: name, ...also}; });
  const ofSeason = () => ({season: season.value}), why = async (name) => { const {said} = await ruling({method: 'POST', body: JSON.stringify({do: 'weigh', bot: name, ...ofSeason()})}), reason = prompt(`${said}. Why? Everybody sees it.`); return reason !== null && {...ofSeason(), reason}; };
  const bots = section('bots', 'Bots', el('p', {class: 'controls'}, el('label', {}, 'version of a bot ', bot), deed('Retire', {do: 'retire'}), deed('Restore', {do: 'retire', undo: true})), data.seasons.length > 0 && el('p', {class: 'controls'}, el('label', {}, 'its games in ', season),
      deed('Exclude', {do: 'exclude'}, why), deed('Count again', {do: 'exclude', undo: true}, ofSeason)));
  const {disk} = data, offends = (s) => s.text.includes('tried what no bot may do');
  return [el('div', {id: 'ruled', role: 'status'}, ruled && ruled.cloneNode(true)),
    section('ruled-seasons', 'Seasons', data.seasons.length ? tableOf(data.seasons, [['season', 'name', (s) => el('a', {href: seasonPath(s.name)}, s.name)], ['state', '', (s) => s.state === 'closed' ? s.state : `${s.state}, ${s.lasts}`], ['commands', '', seasonTurns],
          ['last epoch', '', (s) => s.leagues.map((one) => one.last.map((epoch) => el('div', {}, epoch.run, ': ', progressOf(epoch), `; ${count(one.queue, 'new bot')} ${one.queue === 1 ? 'waits' : 'wait'}`)))]], {label: 'seasons', stack: true}) : say('None.')),
    section('drivers', 'Drivers and nodes', data.drivers.length ? tableOf(data.drivers, [['season or run', 'name', (d) => d.run], ['driver', '', (d) => d.who], ['does', '', (d) => d.does],
          ['last heartbeat', '', (d) => ago(d.heard_s)]], {label: 'drivers', stack: true})
        : say('No driver lives: nothing is played.'),
      say('Nodes that finished a match in the last hour: ', data.nodes.length ? data.nodes.map((n, at) => `${at ? ', ' : ''}${n.node} (${ago(n.ago_s)})`) : 'none', '.')),
    section('owners', 'Owners', invite, tableOf(data.owners, [['owner', 'name', (o) => o.owner], ['commands', '', ownerTurns], ['invited', '', (o) => moment(o.invited)], ['tokens', '', (o) => o.tokens.join(' ')], ['bots', 'n', (o) => o.bots], ['waiting', 'n', (o) => o.waiting],
          ['banned', '', (o) => o.banned ? o.reason || 'yes' : '']], {label: 'owners', stack: true})),
    bots,
    section('sent', 'Submissions', data.submissions.length ? tableOf(data.submissions, [['owner', 'name', (s) => s.owner], ['file', '', (s) => [s.file, s.bot && ' ', s.bot && button(s.bot, () => { bot.value = s.bot; bot.focus(); })]], ['sent', '', (s) => moment(s.sent)],
          ['state', '', (s) => [s.state, offends(s) && el('span', {class: 'badge'}, 'tried what is forbidden')]], ['outcome', 'words', (s) => el('pre', {class: offends(s) && 'lost'}, s.text || '…')]], {label: 'submissions', stack: true}) : say('None yet.'),
      data.failing > 0 && el('p', {}, `${count(data.failing, 'submission')} failed for no fault of the bot: `, button('Try again', () => ({do: 'retry'})))),
    section('machine', 'This machine', el('dl', {class: 'facts'}, [['disk that is free', mib(disk.free)], ['database', mib(disk.database)], ['games in the last hour', count(disk.games)], ['tables for people', disk.tables]].map(
          ([term, value]) => el('div', {}, el('dt', {}, term), el('dd', {}, value))))),
    section('errors', 'What the server said last', data.errors.length ? el('ul', {}, data.errors.map((line) => el('li', {}, line))) : say('Nothing was wrong.')),
    section('acts', 'What was done', tableOf(data.acts.slice().reverse(), [['when', '', (a) => moment(a[0])], ['who', '', (a) => a[1]], ['what', '', (a) => a[2]], ['owner', '', (a) => a[3]], ['more', 'words', (a) => a[4]]], {label: 'acts', stack: true}))];
}
