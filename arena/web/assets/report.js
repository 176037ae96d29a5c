// The sections of a report, and the page of a bot.
const botLink = (data, at, most = 99) => at < 0 ? '?' : el('a', {href: link({bot: data.bots[at].label}), title: data.bots[at].title}, briefly(data.bots[at].label, most));
const byLabel = (data, label) => data.bots.findIndex((bot) => bot.label === label);

function gameLink(data, name, decision) {
  const run = data.runs.find((one) => one.label === name.split('/')[0]), there = data.films.includes(name) || (source.live && run && run.state !== 'playing');
  return there ? el('a', {href: link(decision === undefined ? {game: name} : {game: name, decision}), title: 'watch this game'}, '▶ ' + name)
    : el('span', {title: source.live ? 'games are shown when their run is over' : `not in this file; arena replay ${name} --format html writes it`}, name);
}

// The rating table: `name` gives the cell of a bot; more may follow below it.
function standings({rows, headline, notes}, name, {id = 'standings', title = 'Standings'} = {}, ...more) {
  const elo = spread(rows.flatMap((r) => [r.elo, r.elo_low, r.elo_high]), 40), score = spread(rows.flatMap((r) => [r.score, r.score_low, r.score_high]), 0.1);
  const ranks = (r) => r.rank === null ? '–' : r.rank_low === r.rank_high ? String(r.rank_low) : `${r.rank_low}–${r.rank_high}`;
  const byElo = [
    ['Elo', 'n', (r) => ({1: '>', '-1': '<', 0: ''})[r.perfect] + fixed(r.elo, 0)],
    ['95 % interval', 'pic', (r) => whisker(r.elo, r.elo_low, r.elo_high, elo, `Elo ${fixed(r.elo, 0)} (95 %: ${fixed(r.elo_low, 0)} .. ${fixed(r.elo_high, 0)})`, 1500)],
  ], byPoints = [
    ['points', 'n', (r) => [fixed(r.score, 2), r.heavy && el('span', {title: 'a few huge blocks carry the score that ranks go by: its interval is too short'}, ' ~')]],
    ['95 % interval', 'pic', (r) => whisker(r.score, r.score_low, r.score_high, score, `${fixed(r.score, 2)} points a game (95 %: ${fixed(r.score_low, 2)} .. ${fixed(r.score_high, 2)})`, 0)],
  ], numbers = headline.startsWith('Elo') ? [byElo, byPoints] : [byPoints, byElo];
  const columns = [
    ...(room() < 400 ? [] : [['#', 'n', (r) => r.rank === null ? '–' : r.rank]]),
    ['ranks', 'n rankspan', (r) => el('span', {title: 'ranks that cannot be ruled out at 95 %'}, ranks(r))],
    ['bot', 'name', (r, at) => [name(r, at), r.provisional && el('span', {class: 'badge', title: 'fewer than 30 deals'}, 'provisional')]],
    ...numbers[0],
    ['ahead', '', (r, at) => r.ahead && el('span', {title: `ahead of ${rows[at + 1].bot}: ${r.ahead}` + (r.ahead === 'sure' ? '' : r.ahead_deals ? `; about ${count(r.ahead_deals, 'more deal')} would tell` : '; no number of deals is known to tell')}, r.ahead)],
    ...numbers[1],
    ...(rows.some((r) => r.luck !== null) ? [['luck', 'n', (r) => el('span', {title: `z = ${signed(r.luck_z, 1)}`}, signed(r.luck, 2))], ['w/o luck', 'n', (r) => fixed(r.fair_score, 2)]] : []),
    ['first', 'n', (r) => percent(r.first)],
    ['games', 'n', (r) => count(r.games)],
    ['forfeits', 'n', (r) => r.forfeits ? el('span', {title: r.faults}, count(r.forfeits)) : '0'],
    ['CPU µs', 'n', (r) => fixed(r.cpu_us, 0)],
    ['p99', 'n', (r) => el('span', {title: 'CPU µs that 99 % of the decisions do not exceed'}, fixed(r.cpu_p99_us, 0))],
  ];
  if (new Set(rows.map((r) => r.group)).size > 1) columns.unshift(['group', 'n', (r) => r.group]);
  return section(id, title, rows.length ? [say(`Ranks are by ${headline}. Bars are 95 % intervals (a hollow dot: not known yet): where two overlap widely, the order of the two bots is not known yet. A thick line stands where the order of its two neighbours is sure.`),
    tableOf(rows, columns, {id: id === 'standings' && 'table', label: 'standings', row: (r) => r.ahead === 'sure' ? 'apart' : null})] : say('No deal has been played from all seats yet: there is nothing to rate so far.'), notes.map((note) => el('p', {class: 'note'}, note)), more);
}

function crossTable(data) {
  const order = data.row_bots.filter((at) => at >= 0), names = order.map((at) => data.bots[at].label), found = new Map();
  for (const row of data.pairs) { found.set(row.bot + '\n' + row.against, [row, 1]); found.set(row.against + '\n' + row.bot, [row, -1]); }
  const largest = Math.max(...data.pairs.map((row) => Math.abs(row.difference)), 0);
  const cell = (one, other) => {
    const hit = found.get(one + '\n' + other);
    if (one === other || !hit) return el('td', {class: 'self'}, '');
    const [row, sign] = hit, difference = sign * row.difference, sure = row.p !== null && row.p < 0.05;
    const [low, high] = sign > 0 ? [row.low, row.high] : [row.high === null ? null : -row.high, row.low === null ? null : -row.low];
    const title = `${one} against ${other}: ${signed(difference, 2)} points a game (95 %: ${signed(low, 2)} .. ${signed(high, 2)}), p = ${row.p === null ? '–' : row.p} after Holm, ${count(row.blocks, 'deal')}`;
    return el('td', {class: `heat h${heat(difference, largest)}` + (sure ? ' sure' : ''), title}, signed(difference, Math.abs(difference) < 10 ? 1 : 0), sure && el('span', {class: 'mark', 'aria-label': 'significant'}, '*'));
  };
  if (!data.pairs.length) return section('pairs', 'Who beats whom', say('No two bots have met yet.'));
  return section('pairs', 'Who beats whom',
    say('Points a game that the bot of the row makes more than that of the column, at common tables. Bold with a star: beyond chance (p < 0.05 after Holm’s correction over all pairs); pale: may well be chance. Darker is larger.'),
    el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'cross table'}, el('table', {class: 'cross', id: 'cross'},
      el('thead', {}, el('tr', {}, el('td', {}), names.map((name) => el('th', {scope: 'col'}, el('span', {title: name}, briefly(name, 18)))))),
      el('tbody', {}, names.map((one, at) => el('tr', {}, el('th', {scope: 'row', title: one}, botLink(data, order[at], room() < 400 ? 14 : 28)), names.map((other) => cell(one, other))))))));
}

function distributions(data) {
  const largest = Math.max(...data.counts.map((counts) => Math.max(...counts, 0) / (counts.reduce((a, b) => a + b, 0) || 1)), 0.001);
  return section('scores', 'Scores', say('How often a bot ended a game with so many points; all on one scale. A forfeited game counts here with the points at its end, in the standings with the lowest of its table.'),
    el('div', {class: 'grid'}, data.row_bots.filter((at) => at >= 0).map((at) => {
      const counts = data.counts[at], all = counts.reduce((a, b) => a + b, 0) || 1;
      return el('figure', {}, el('figcaption', {}, botLink(data, at)), data.bins.length ? histogram(data.bins, counts, largest * all, 'scores of ' + data.bots[at].label) : '');
    })));
}

function clockSection(data) {
  const rank = new Map(data.row_bots.map((bot, at) => [bot, at]));
  const rows = [...data.clock].sort((a, b) => (rank.get(a.bot) ?? 99) - (rank.get(b.bot) ?? 99)).map((row) => ({...row, label: data.bots[row.bot].label}));
  const limit = data.limits.cpu_ms_per_decision;
  return section('clock', 'CPU against the clock', say(`Dot: mean CPU time a decision, loading included. Tick: 99 % of the decisions take no more; the bar ends at the worst. Line: the clock, ${limit} ms a decision, with a bank of ${data.limits.cpu_s_bank} s a match on top.`),
    rows.length ? clockChart(rows, limit * 1000) : say('Nothing was measured.'));
}

function forfeitSection(data) {
  if (!data.forfeits.length) return section('faults', 'Forfeits', say('None: no bot broke a rule.'));
  return section('faults', 'Forfeits', say('A seat that breaks a rule loses its game. The last output is that of the first time.'), faultTable(data.forfeits, ['bot', 'name', (r) => botLink(data, r.bot)], ['run', '', (r) => r.run]));
}
const faultTable = (rows, ...first) => tableOf(rows, [...first, ['kind', '', (r) => r.kind], ['seats', 'n', (r) => count(r.seats)], ['matches', 'n', (r) => count(r.matches)],
  ['last output', 'words', (r) => r.text ? el('details', {}, el('summary', {}, clipped(r.text.split('\n')[0], 70)), el('pre', {}, r.text)) : '–']], {label: 'forfeits'});

const listed = {};  // what a reader has chosen in lists of games, by what they are about: it outlives a redraw
function games(data, columns, bot) {
  const seats = data.columns, n = data.listed, at = (column, i) => columns[column * n + i];
  const points = data.bins.length && data.bins[0] < 0 ? (value) => signed(value, 0) : (value) => fixed(value, 0);
  const about = bot === undefined ? '' : data.bots[bot].label, body = el('div', {}), size = 25;
  const state = listed[about] = listed[about] || {page: 0, sort: 'new', label: about, text: ''};
  state.bot = byLabel(data, state.label);
  const rows = () => {
    const found = [];
    for (let i = 0; i < n; i++) {
      if (state.bot >= 0) { let mine = false; for (let s = 0; s < seats; s++) mine = mine || at(3 + s, i) === state.bot; if (!mine) continue; }
      if (state.sort === 'faults') { let lost = 0; for (let s = 0; s < seats; s++) lost += at(3 + 2 * seats + s, i); if (!lost) continue; }
      if (state.text && !`${data.runs[at(0, i)].label}/${at(1, i)}`.includes(state.text)) continue;
      found.push(i);
    }
    const score = (i) => { let most = -Infinity; for (let s = 0; s < seats; s++) if (at(3 + s, i) === state.bot || state.bot < 0) most = Math.max(most, at(3 + seats + s, i)); return most; };
    if (state.sort === 'high') found.sort((a, b) => score(b) - score(a)); else if (state.sort === 'low') found.sort((a, b) => score(a) - score(b)); else found.reverse();
    return found;
  };
  const show = () => {
    const found = rows(), pages = Math.max(1, Math.ceil(found.length / size));
    state.page = Math.max(0, Math.min(state.page, pages - 1));
    const some = found.slice(state.page * size, state.page * size + size), name = (i) => `${data.runs[at(0, i)].label}/${at(1, i)}`;
    const seatCell = (s) => (i) => at(3 + s, i) < 0 ? '' : [el('span', {class: at(3 + s, i) === state.bot ? 'mine' : ''}, data.bots[at(3 + s, i)].label), ' ', el('b', {}, points(at(3 + seats + s, i))), at(3 + 2 * seats + s, i) ? el('span', {class: 'badge', title: 'forfeited'}, 'lost') : ''];
    body.replaceChildren(tableOf(some, [['game', 'name', (i) => gameLink(data, name(i))], ['deal', 'n', (i) => at(2, i)], ...Array.from({length: seats}, (_, s) => ['seat ' + s, '', seatCell(s)])], {label: 'games'}),
      el('p', {class: 'pager'}, el('button', {type: 'button', onclick: () => { state.page--; show(); }, disabled: state.page === 0}, '‹ newer'), ` ${count(found.length, 'game')}, page ${state.page + 1} of ${pages} `,
        el('button', {type: 'button', onclick: () => { state.page++; show(); }, disabled: state.page >= pages - 1}, 'older ›')));
  };
  const pick = (label, values, change) => { const box = el('select', {'aria-label': label}, values.map(([value, text]) => el('option', {value}, text))); box.addEventListener('change', () => { change(box.value); state.page = 0; show(); }); return box; };
  const box = pick('bot', [[-1, 'all bots'], ...data.bots.map((one, i) => [i, one.label])], (value) => { state.bot = +value; state.label = value < 0 ? '' : data.bots[value].label; });
  box.value = state.bot;
  const order = pick('order', [['new', 'newest first'], ['high', 'highest score first'], ['low', 'lowest score first'], ['faults', 'with a forfeit']], (value) => { state.sort = value; });
  order.value = state.sort;
  show();
  return section('games', 'Games', say(count(data.games, 'game'), data.listed < data.games ? `, of which the newest ${count(data.listed)} are listed` : '', '.', source.live || data.films.length ? ' Those with ▶ can be watched here.' : ''),
    el('p', {class: 'controls'}, box, order,
      el('input', {type: 'search', value: state.text, placeholder: 'game…', 'aria-label': 'name of a game', oninput: (event) => { state.text = event.target.value; state.page = 0; show(); }})), body);
}

// How far a run is.
function progressOf(run) {
  const far = `${count(run.matches)} of ${count(run.planned, 'match')}`;
  return run.word === 'playing' ? ['playing ', el('progress', {max: run.planned, value: run.matches, 'aria-label': 'progress of ' + (run.label || run.run)}), ` ${far}`] : run.word === 'stopped' ? `stopped at ${far}` : run.word;
}
function runsLine(data) {
  const list = el('ul', {class: 'runs'}, data.runs.map((run) => el('li', {}, el('b', {}, run.label), ' ', progressOf(run), `, ${count(run.games, 'game')}, card-arena ${run.version}`,
    el('span', {class: 'dim'}, ` since ${moment(run.started)}`))));
  return data.runs.length < 4 ? list : el('details', {class: 'runs'}, el('summary', {}, `${count(data.runs.length, 'run')}, ${count(data.games, 'game')}, since ${moment(data.runs[0].started)}; ${data.runs.at(-1).label}: `, progressOf(data.runs.at(-1))), list);
}

const outOf = (bot) => bot.banned ? el('span', {class: 'badge', title: 'its owner may not submit any more'}, 'banned') : bot.retired && el('span', {class: 'badge', title: 'taken back by its author: enters no league any more'}, 'retired');

function overview(data, columns) {
  if (!data.games) {
    const open = data.runs.some((run) => run.state === 'playing');
    return [el('p', {class: 'lead'}, data.subtitle), runsLine(data), section('nothing', 'No games yet', say(open ? 'No match is over so far. Tables, charts and games stand here as soon as the first one is.' : 'The run was ended before its first match was over: there is nothing to show.'))];
  }
  return [el('p', {class: 'lead'}, data.subtitle), runsLine(data), standings({rows: data.table, headline: data.headline, notes: data.notes}, (r, at) => [botLink(data, data.row_bots[at]), outOf(data.bots[data.row_bots[at]] || {})]), crossTable(data), distributions(data), clockSection(data),
    forfeitSection(data), games(data, columns)];
}

// What the table says of a bot.
function rowFacts(row) {
  const facts = [['rank', row.rank === null ? '–' : `${row.rank} (${row.rank_low}–${row.rank_high})`], ['Elo', `${fixed(row.elo, 0)} (95 %: ${between(row.elo_low, row.elo_high, 0)})`], ['points a game', `${fixed(row.score, 2)} (95 %: ${between(row.score_low, row.score_high, 2)})`],
    ['first', percent(row.first)], ['games', count(row.games)], ['forfeits', row.faults || '0'], ['CPU a decision', `${fixed(row.cpu_us, 0)} µs (99 %: ${fixed(row.cpu_p99_us, 0)}, worst: ${fixed(row.cpu_worst_us, 0)})`]];
  return el('dl', {class: 'facts'}, facts.map(([term, value]) => el('div', {}, el('dt', {}, term), el('dd', {}, value))));
}

function botPage(data, columns, label) {
  const at = byLabel(data, label);
  if (at < 0) return [el('p', {}, `No bot ${label} here. `, el('a', {href: link({})}, 'To the standings'))];
  const bot = data.bots[at], row = data.table[data.row_bots.indexOf(at)], name = bot.label;
  const pairs = data.pairs.filter((p) => p.bot === name || p.against === name).map((p) => p.bot === name ? {label: p.against, value: p.difference, low: p.low, high: p.high, more: count(p.blocks, 'deal')}
    : {label: p.bot, value: -p.difference, low: p.high === null ? null : -p.high, high: p.low === null ? null : -p.low, more: count(p.blocks, 'deal')});
  const deals = (label, found) => tableOf(found, [['game', 'name', (g) => gameLink(data, g[0])], ['seat', 'n', (g) => g[1]], ['points', 'n', (g) => signed(g[2], 0)], ['others, same cards', 'n', (g) => signed(g[3], 1)], ['difference', 'n', (g) => g[3] === null ? '–' : signed(g[2] - g[3], 1)]],
    {label, stack: true});
  const family = data.families[bot.name];
  return [el('h2', {class: 'botname'}, name), el('p', {class: 'lead'}, bot.title, bot.owner ? ` (${bot.owner})` : ''), row && rowFacts(row),
    section('opponents', 'Against each opponent', pairs.length ? forest(pairs, {unit: 'points a game more than the opponent', zero: 0}) : say('It met nobody.')),
    family ? section('versions', 'Versions', say('Each version against the one before it.'), tableOf(family, [['version', 'n', (v) => v.version], ['Elo', 'n', (v) => fixed(v.elo, 0)], ['gain', 'n', (v) => signed(v.gain, 0)], ['95 %', 'n', (v) => `${signed(v.low, 0)} .. ${signed(v.high, 0)}`],
          ['games', 'n', (v) => count(v.games)]], {label: 'versions'})) : '',
    section('best', 'Best deals', say('Where it made more than others with the same cards in the same seat.'), deals('best deals', data.best[at])), section('worst', 'Worst deals', deals('worst deals', data.worst[at])),
    section('scores', 'Scores', data.bins.length ? histogram(data.bins, data.counts[at], Math.max(...data.counts[at]), 'scores of ' + name, 110) : ''), games(data, columns, at)];
}
