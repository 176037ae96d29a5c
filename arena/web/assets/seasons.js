// Pages of a season: how its leagues stand, a bot with its newest games; and the queue of submissions.

async function seasonPage(name, parts) {
  const data = await ask('/api/season?' + new URLSearchParams({name}));
  if (parts.bot !== undefined) return seasonBot(data, parts, await ask('/api/season/games?' + new URLSearchParams({name, bot: parts.bot})));
  const named = (bot) => el('a', {href: link({bot})}, bot), whose = (owner) => owner && el('small', {class: 'dim'}, ` of ${owner}`), out = (why) => why && el('span', {class: 'badge', title: why}, why.endsWith('banned') ? 'banned' : 'out of play');
  return [data.leagues.map((league, at) => standings(league.table, (row) => [named(versionOf(row)), whose(league.owners[versionOf(row)]), out(league.archived[versionOf(row)])], {id: `league-${at}`, title: league.title},
      league.queue.length > 0 && el('p', {}, el('b', {}, 'New bots, next first: '), league.queue.map((bot, number) => [number ? ', ' : '', named(bot)])),
      Object.keys(league.archived).length > 0 && el('details', {}, el('summary', {}, `${count(Object.keys(league.archived).length, 'bot')} out of play`), tableOf(Object.entries(league.archived).sort(), [['bot', 'name', ([bot]) => named(bot)], ['why it does not play', 'words', ([, why]) => why]],
          {label: 'archive'})),
      epochsOf(league, data.closed))),
    el('p', {class: 'lead'}, `The season was opened on ${moment(data.opened)}. It is ${data.state}${data.closed ? ` since ${moment(data.closed)}` : `; it runs ${data.lasts}`}.`)];
}
const versionOf = (row) => `${row.bot}@${row.version}`;

// The epochs of a league in one line, with a table below it that a reader may open.
function epochsOf({epochs, played, next_secret_hash: next}, closed) {
  const last = epochs.at(-1);
  return el('details', {class: 'epochs'}, el('summary', {}, `${count(played.epochs, 'epoch')}, ${count(played.matches, 'match')}${played.epochs > epochs.length ? `; the newest ${epochs.length} are listed` : ''}`, last && ['; ', last.run, ': ', progressOf(last)]),
    next && !closed && say('Hash of the next secret: ', el('code', {}, next)),
    tableOf(epochs.slice().reverse(), [['epoch', 'n', (one) => one.epoch], ['run', 'name', (one) => el('a', {href: reportPath(one.run)}, one.run)], ['state', '', progressOf], ['blocks', 'n', (one) => count(one.blocks)], ['for new bots', 'n', (one) => count(one.newcomer_blocks)],
        ['hash that was published before, secret and seal', '', (one) => [['hash', one.secret_hash], ['secret', one.secret], ['seal', one.seal]].map(([what, hex]) => hex && el('div', {}, `${what} `, el('code', {}, hex)))]], {label: 'epochs'}));
}

// A share of games, as a bar with its percentage.
const share = (some, all, what) => [el('progress', {max: all, value: some, 'aria-label': what}), ` ${percent(some / all)}`];

const watchLink = (game) => el('a', {href: reportPath(game.game.split('/')[0]) + '#' + new URLSearchParams({game: game.game, seat: game.seat})}, '▶ ' + game.game);
// The deals in which a bot made least of its cards.
function worstDeals(games) {
  const worst = games.filter((game) => game.margin !== null && game.margin < 0).sort((a, b) => a.margin - b.margin).slice(0, 5);
  return worst.length > 0 && [say('Deals in which others made most more with the same cards in the same seat. Watch one: ', el('kbd', {}, 'b'), ' puts a game of another bot with these cards beside it.'),
    tableOf(worst, [['game', 'name', watchLink], ['points', 'n', (game) => fixed(game.scores[game.seat], 0)], ['less than the others', 'n', (game) => signed(game.margin, 1)]], {label: 'worst deals', stack: true})];
}

function seasonBot(data, {bot, against}, {owner, banned, games, history}) {
  const faced = new Map(), some = against === undefined ? games : games.filter((game) => game.bots.includes(against)), once = [...new Map(some.map((game) => [game.game, game])).values()], name = bot.split('@')[0];
  for (const {bots, scores, seat} of games) bots.forEach((other, s) => {
    if (s === seat) return;
    const had = faced.get(other) || faced.set(other, {other, games: 0, more: 0, fewer: 0}).get(other);
    had.games++; had.more += scores[seat] > scores[s]; had.fewer += scores[seat] < scores[s];
  });
  const worst = worstDeals(games);
  const among = (some, all) => some.filter((one) => !all.includes(one)).join(', '), change = (old, now) => [among(now, old) && `came: ${among(now, old)}`, among(old, now) && `went: ${among(old, now)}`].filter(Boolean).join('; ');
  const epochs = history.map((one, at) => ({one, why: at ? change(history[at - 1].field, one.field) : ''})).map(({one, why}) => ({label: one.epoch + (why && '*'), values: one.values, why}));
  const versions = data.leagues.flatMap(({title, table}) => table.rows.filter((row) => row.bot === name).map((row) => ({...row, title}))), by = history.length ? history[0].by : '';
  return [el('h2', {class: 'botname'}, bot), owner && el('p', {class: 'lead'}, `Owner: ${owner}`, banned && el('span', {class: 'badge'}, 'banned')), data.leagues.map(({title, table}) => table.rows.filter((row) => versionOf(row) === bot).map((row) => [el('h3', {}, title), rowFacts(row)])),
    data.leagues.map(({queue, archived}) => archived[bot] ? el('p', {}, `It does not play: ${archived[bot]}.`) : queue.includes(bot) && el('p', {}, `It is new: number ${queue.indexOf(bot) + 1} of ${queue.length} in turn to play.`)),
    games.length === 0 && el('p', {}, 'No finished epoch has a game of it yet.'),
    history.length > 0 && section('history', 'Epoch by epoch', say('Each point is one epoch alone, with its 95 % interval.'),
      curve(epochs, by, by.startsWith('Elo') ? 0 : 2), epochs.some((one) => one.why) && [say('* Other bots played than at the point before: the rating cannot be compared with the earlier ones.'),
        el('details', {}, el('summary', {}, 'Which bots came and went'), el('ul', {}, epochs.filter((one) => one.why).map((one) => el('li', {}, `${one.label} ${one.why}`))))]),
    versions.length > 1 && section('versions', 'Versions', tableOf(versions, [['version', 'name', (row) => el('a', {href: link({bot: versionOf(row)})}, versionOf(row))], ['Elo', 'n', (row) => fixed(row.elo, 0)], ['95 %', 'n', (row) => between(row.elo_low, row.elo_high, 0)],
          ['points', 'n', (row) => fixed(row.score, 2)], ['95 %', 'n', (row) => between(row.score_low, row.score_high, 2)], ['games', 'n', (row) => count(row.games)]], {label: 'versions'})),
    games.length > 0 && section('opponents', 'Against whom', say(`In its newest ${count(new Set(games.map((one) => one.game)).size, 'game')}; an opponent in two seats counts twice. What the shares lack to 100 % are equal points.`),
      tableOf([...faced.values()].sort((a, b) => b.games - a.games), [['opponent', 'name', (one) => el('a', {href: link({bot, against: one.other}), title: 'the games of both'}, one.other)], ['games', 'n', (one) => count(one.games)],
          ['more points', '', (one) => share(one.more, one.games, `games with more points than ${one.other}`)], ['fewer points', '', (one) => share(one.fewer, one.games, `games with fewer points than ${one.other}`)]], {label: 'opponents', stack: true})),
    worst && section('worst', 'Why it loses', worst),
    owner && say('Its owner sees its faults and what it printed ', el('a', {href: site('/submit#') + new URLSearchParams({bot})}, 'with the token'), '.'),
    games.length > 0 && section('games', against === undefined ? 'Newest games' : `Newest games with ${against}`, against !== undefined && say(el('a', {href: link({bot})}, 'All games')),
      tableOf(once.slice(0, 60), [['game', 'name', watchLink], ['deal', 'n', (game) => game.deal], ['seats', '', (game) => seated(game.bots.map((one, s) => [one, game.scores[s]]))],
          ['record', '', (game) => el('a', {href: site('/api/game?') + new URLSearchParams({game: game.game}), title: 'the record of this game'}, 'save')]], {label: 'games', stack: true}))];
}

function queuePage({rows, counts}) {
  let place = 0;
  return section('queue', 'Queue of submissions', say(`So far ${count(counts.accepted || 0, 'submission')} passed the trial, and ${count(counts.refused || 0)} did not or were withdrawn.`),
    rows.length ? tableOf(rows, [['place', 'n', (row) => row.state === 'trying' ? 'being tried' : ++place], ['owner', 'name', (row) => row.owner], ['sent', '', (row) => moment(row.sent)], ['failed trials', 'n', (r) => r.tries - (r.state === 'trying')]], {label: 'queue'}) : say('Nothing waits.'));
}
