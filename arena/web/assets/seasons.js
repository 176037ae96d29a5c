// Pages of a season: how its leagues stand, a bot with its newest games; and the queue of submissions.

async function seasonPage(name, parts) {
  const data = await ask('/api/season?' + new URLSearchParams({name}));
  if (parts.bot !== undefined) return seasonBot(data, parts, await ask('/api/season/games?' + new URLSearchParams({name, bot: parts.bot})));
  return [el('p', {class: 'lead'}, `Opened on ${moment(data.opened)}. It is ${data.state}${data.closed ? ` since ${moment(data.closed)}` : ''}.`),
    data.leagues.map((league, at) => standings(league.table, (row) => el('a', {href: link({bot: versionOf(row)})}, versionOf(row)), {id: `league-${at}`, title: league.title},
      league.queue.length > 0 && [el('h3', {}, 'New bots, next first'), el('p', {}, league.queue.join(', '))],
      Object.keys(league.archived).length > 0 && [el('h3', {}, 'Archive'), tableOf(Object.entries(league.archived).sort(), [['bot', 'name', ([bot]) => bot], ['why it does not play', 'words', ([, why]) => why]], {label: 'archive'})],
      el('h3', {}, 'Epochs'), league.next_secret_hash && !data.closed && say('Hash of the next secret: ', el('code', {}, league.next_secret_hash)),
      tableOf(league.epochs.slice().reverse(), [['epoch', 'n', (one) => one.epoch], ['run', 'name', (one) => el('a', {href: reportPath(one.run)}, one.run)], ['state', '', (one) => one.state], ['blocks', 'n', (one) => count(one.blocks)], ['for new bots', 'n', (one) => count(one.newcomer_blocks)], ['secret, or its hash while it is played', '', (one) => el('code', {}, one.secret || one.secret_hash)]], {label: 'epochs'})))];
}
const versionOf = (row) => `${row.bot}@${row.version}`;

function seasonBot(data, {bot, against}, {owner, games}) {
  const faced = new Map(), some = against === undefined ? games : games.filter((game) => game.bots.includes(against)), once = [...new Map(some.map((game) => [game.game, game])).values()];
  for (const {bots, scores, seat} of games) bots.forEach((other, s) => {
    if (s === seat) return;
    const had = faced.get(other) || faced.set(other, {other, games: 0, more: 0, fewer: 0}).get(other);
    had.games++; had.more += scores[seat] > scores[s]; had.fewer += scores[seat] < scores[s];
  });
  return [el('h2', {class: 'botname'}, bot), owner && el('p', {class: 'lead'}, `Owner: ${owner}`), data.leagues.map(({title, table}) => table.rows.filter((row) => versionOf(row) === bot).map((row) => [el('h3', {}, title), rowFacts(row)])),
    section('opponents', 'Against whom', tableOf([...faced.values()].sort((a, b) => b.games - a.games), [['opponent', 'name', (one) => el('a', {href: link({bot, against: one.other}), title: 'the games of both'}, one.other)], ['games', 'n', (one) => count(one.games)], ['more points', 'n', (one) => count(one.more)], ['fewer points', 'n', (one) => count(one.fewer)]], {label: 'opponents'})),
    section('games', against === undefined ? 'Newest games' : `Newest games with ${against}`, against !== undefined && say(el('a', {href: link({bot})}, 'All games')), tableOf(once.slice(0, 60), [['game', 'name', (game) => el('a', {href: reportPath(game.game.split('/')[0]) + '#' + new URLSearchParams({game: game.game})}, '▶ ' + game.game)], ['deal', 'n', (game) => game.deal], ['seats', '', (game) => seated(game.bots.map((name, s) => [name, game.scores[s]]))], ['', '', (game) => el('a', {href: '/api/game?' + new URLSearchParams({game: game.game}), title: 'the record of this game'}, 'save')]], {label: 'games'}))];
}

function queuePage({rows, counts}) {
  let place = 0;
  return section('queue', 'Queue of submissions', say(`${count(counts.accepted || 0)} submissions were accepted so far, ${count(counts.refused || 0)} refused.`),
    rows.length ? tableOf(rows, [['place', 'n', (row) => row.state === 'trying' ? 'being tried' : ++place], ['owner', 'name', (row) => row.owner], ['sent', '', (row) => moment(row.sent)]], {label: 'queue'}) : say('Nothing waits.'));
}
