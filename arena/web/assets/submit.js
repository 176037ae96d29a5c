// Submit a bot, and what an owner has here. The token stays in this window.
function takenHere(data) {
  const until = (season) => [el('a', {href: seasonPath(season.name)}, season.name), ` ${season.lasts}`, season.versions ? `; it plays ${count(season.versions, 'version')} of an owner, the newest first` : ''];
  const limits = (g) => `${g.cpu_ms_per_decision} ms of CPU time a decision, and ${g.cpu_s_bank} s a match on top; ${g.memory_mib} MiB of memory${g.preload.length ? `; it may import ${g.preload.join(', ')}` : ''}`;
  if (!data.games.length) return section('taken', 'What is taken here', say('No season is open. Bots are taken again when the next one opens.'));
  return section('taken', 'What is taken here', data.games.map((g) => el('div', {class: 'card-of'}, el('h3', {}, g.title), el('ul', {}, el('li', {}, 'Plays in ', g.seasons.length ? g.seasons.map((season, at) => [at ? '; ' : '', until(season)]) : 'the next league of the game', '.'),
          el('li', {}, 'Limits: ', limits(g), '.'), el('li', {}, el('a', {href: site('/api/first_bot?') + new URLSearchParams({game: g.game}), download: 'my_bot.py'}, `A first bot for ${g.title}`), ' to start from.')))),
    say(`One file of Python of at most ${data.source >> 20} MiB, or a folder as .zip of at most ${data.archive >> 20} MiB. `,
      `Its name is the bot's: small letters, digits and _. The same name again is a new version. An owner may send ${data.per_hour} an hour. The server tries every bot in the sandbox and shows the outcome below. It never shows sources to others.`),
    say('From a terminal: ', loginLine(), ' once, then ', el('code', {}, 'arena push my_bot.py'), '.'));
}

// How a version stands in the open seasons: its rank, its turn, or why it does not play.
function standing(bot, seasons) {
  const one = (season, {table, queue, archived}) => {
    const row = table.rows.find((row) => versionOf(row) === bot);
    if (archived[bot]) return `does not play: ${archived[bot]}`;
    if (queue.includes(bot)) return `new: number ${queue.indexOf(bot) + 1} of ${queue.length} in turn to play`;
    return row && row.rank !== null && `rank ${row.rank} of ${table.rows.length}`;
  };
  return seasons.flatMap((season) => season.leagues.map((league) => [season.season, one(season, league), season.leagues.length > 1 ? ` (${league.title})` : ''])).filter(([, how]) => how).map(([name, how, where]) => el('div', {}, inSeason(name, bot, name), where, ': ', how));
}

const loginLine = () => el('code', {}, `arena login ${new URL(site('/'), location)}`);

function submitPage(data, parts) {
  if (!data.submissions) return section('taken', 'Submit a bot', say('This server takes no bots at the moment.'));
  const field = el('input', {type: 'password', autocomplete: 'off', required: true}), file = el('input', {type: 'file', accept: '.py,.zip', required: true});
  const note = el('input', {type: 'text', maxlength: 200}), out = el('div', {}), losses = el('div', {'aria-live': 'polite'}), said = el('div', {'aria-live': 'polite'});
  let timer = 0, shown = '', seasons = null;
  const mine = (path, options) => ask('/api/bots' + path, {...options, headers: token.headers()});
  field.value = token.get();
  field.addEventListener('change', () => token.set(field.value.trim()));
  const list = async () => {
    clearTimeout(timer);
    const found = await mine(''), left = `Of ${data.per_hour} submissions an hour you have ${found.left} left.`;
    const change = (b, name) => el('button', {type: 'button', 'aria-label': `${name} ${b.bot}`, onclick: () => told(async () => { await mine('/' + encodeURIComponent(b.bot), {method: 'POST', body: JSON.stringify({retired: !b.retired})}); await list(); })}, name);
    if (shown !== JSON.stringify(found)) out.replaceChildren(  // else focus stays where it is
      section('outcomes', 'Submissions of ' + found.owner, say(left), found.submissions.length ? tableOf(found.submissions.slice().reverse(), [['file', 'name', (s) => [s.file, el('span', {class: 'badge'}, s.state)]], ['outcome', 'words', (s) => el('pre', {}, s.text || '…')],
          ['sent', '', (s) => moment(s.sent)]], {label: 'submissions', stack: true}) : say('None yet.')),
      section('own', 'Bots of ' + found.owner, found.bots.length ? tableOf(found.bots.slice().reverse(), [['bot', 'name', (b) => b.bot], ['state', 'words', (b) => [b.retired ? 'retired' : 'enters leagues', standing(b.bot, seasons || [])]],
            ['why it loses', '', (b) => el('button', {type: 'button', onclick: () => told(() => why(b.bot), losses), 'aria-label': 'Why ' + b.bot + ' loses'}, 'Show')], ['change', '', (b) => change(b, b.retired ? 'Restore' : 'Retire')],
            ['games', '', (b) => b.games.join(', ')], ['since', '', (b) => moment(b.created)], ['what was new', '', (b) => b.note]], {label: 'bots', stack: true}) : say('None yet.'),
        el('p', {}, el('button', {type: 'button', onclick: () => told(save)}, 'Save all my data'), ' ', el('button', {type: 'button', onclick: () => told(rotate)}, 'Change my token'))));
    shown = JSON.stringify(found);
    if (found.submissions.some((one) => one.state === 'waiting' || one.state === 'trying')) timer = setTimeout(() => { if (out.isConnected) list().catch(() => { timer = setTimeout(list, 5000); }); }, 2000);
  };
  // Faults, worst deals and output of a bot in its latest finished run.
  const why = async (bot) => {
    losses.replaceChildren(say('…'));
    const path = `/${encodeURIComponent(bot)}/`, [{run, forfeits, lines}, {games}] = await Promise.all([mine(path + 'logs'), mine(path + 'games?worst=1')]);
    losses.replaceChildren(section('losses', `Why ${bot} loses`, say('In its latest finished run, ', el('a', {href: reportPath(run)}, run), '. ', forfeits.length ? '' : 'It broke no rule.'), forfeits.length ? faultTable(forfeits) : '', worstDeals(games) || say('Nobody made more with its cards.'),
        el('details', {}, el('summary', {}, `It printed ${count(lines.length, 'line')}`), el('pre', {tabindex: 0}, lines.map((one) => `${one.game}, decision ${one.decision}: ${one.text.trimEnd()}`).join('\n')))));
    losses.scrollIntoView({block: 'nearest'});
  };
  const save = async () => {
    const found = await mine('/export'), address = URL.createObjectURL(new Blob([JSON.stringify(found, null, 2)], {type: 'application/json'}));
    el('a', {href: address, download: `arena-${found.owner}.json`}).click();
    URL.revokeObjectURL(address);
  };
  const fresh = (text) => {
    field.value = text;
    token.set(text);
    said.replaceChildren(el('p', {role: 'status'}, 'Your token, which nobody can show you again. Keep it: ', el('code', {id: 'token'}, text)));
  };
  const tokens = (path, method) => ask('/api/tokens' + path, {method, headers: token.headers()});
  const rotate = async () => {
    const old = (await tokens('', 'GET')).tokens.find((one) => one.used);
    fresh((await tokens('', 'POST')).token);
    await tokens('/' + old.token, 'DELETE');
  };
  const told = async (act, where = said) => {
    where.replaceChildren();
    try { await act(); } catch (error) { where.replaceChildren(el('p', {class: 'lost', role: 'alert'}, error.message)); }
  };
  const form = el('form', {class: 'plain'}, el('label', {}, 'token', field), el('label', {}, 'a .py file, or a folder as .zip', file), el('label', {}, 'what is new', note), el('p', {class: 'controls'}, el('button', {type: 'submit', class: 'main'}, 'Submit'),
      el('button', {type: 'button', onclick: () => { shown = ''; told(ownPage); }}, 'Show mine')));
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
      fresh((await ask('/api/owners', {method: 'POST', body: JSON.stringify({name: name.value.trim()})})).token);
    });
  });
  const ownPage = async () => {
    await list();
    seasons = await Promise.all([...new Set(data.games.flatMap((g) => g.seasons.map((season) => season.name)))].map((name) => ask('/api/season?' + new URLSearchParams({name}))));
    shown = '';
    await list();
  };
  if (token.get()) told(ownPage).then(() => parts.bot && told(() => why(parts.bot), losses));
  return [takenHere(data), data.registration && !token.get() ? section('register', 'Register', say('You get a token, with which you submit bots.'), join) : '', section('submission', 'Your file', form, said), out, losses];
}
