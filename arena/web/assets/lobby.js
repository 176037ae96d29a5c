// The lobby: who sits at a new table; and at one that plays on from a position.

// Asks who plays on from a position of a film, and goes to that table.
function onwardBox(film, decision) {
  const house = film.bots, usual = house.find((name) => name !== 'random') || house[0], known = (name) => house.includes(name.split('@')[0]) ? name.split('@')[0] : usual;
  const seats = film.seats.map((name, s) => {
    const box = el('select', {class: 'seat-choice'}, el('option', {value: 'person'}, 'you'), house.map((bot) => el('option', {value: bot}, bot)));
    box.value = s === film.seat[decision] ? 'person' : known(name);
    return el('label', {}, seatName(film.seats, s), box);
  });
  const out = el('p', {'aria-live': 'polite'}), form = el('form', {class: 'plain'}, say('All that was played before stays. Bots go on from here without their memory. Take several seats to try a line for both sides.'), seats,
    el('button', {type: 'submit', class: 'main', id: 'goon'}, `Play on from decision ${decision}`), out);
  const box = el('dialog', {id: 'onwardbox', 'aria-label': 'play on from here'}, el('h2', {}, 'Play on from here'), form, el('p', {}, el('button', {type: 'button', onclick: () => box.close()}, 'Close')));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      const made = await film.onward({decision, seats: seats.map((label) => label.querySelector('select').value)}), keys = made.keys.filter(Boolean);
      location.href = site(`/play/${made.table}#`) + new URLSearchParams({key: keys.join('.'), ...(keys.length > 1 && {open: 1})});
    } catch (error) { out.replaceChildren(el('span', {class: 'lost', role: 'alert'}, error.message)); }
  });
  showBox(box);
}

// The tables of this browser, newest first, if it may keep them: {table, game, key, invitations}.
const kept = {
  all() { try { return JSON.parse(localStorage.getItem('arena-tables') || '[]'); } catch { return []; } },
  put(tables) { try { localStorage.setItem('arena-tables', JSON.stringify(tables.slice(0, 12))); } catch { /* not allowed here */ } },
  of(number) { return this.all().find(({table}) => table === number); },
  add(one) { this.put([{...this.of(one.table), ...one}, ...this.all().filter(({table}) => table !== one.table)]); },
};
// A link to send: its address, a button that copies it (also where a page has no clipboard: without https), and who can open it.
const linkTo = (href) => {
  const shown = el('a', {href}, new URL(href, location).href), copy = ({target}) => { getSelection().selectAllChildren(shown); target.textContent = document.execCommand('copy') ? 'copied' : 'marked: press Ctrl+C'; };
  return [shown, ' ', el('button', {type: 'button', onclick: copy}, 'copy'), ' ', reach()];
};
const invitationTo = (table, invitation) => linkTo(site(`/play/${table}#`) + new URLSearchParams({invitation}));
const reach = () => /^(localhost|127\..*|\[::1\])$/.test(location.hostname) && el('small', {class: 'dim'}, 'only this computer can open it; for others: arena serve --host 0.0.0.0');
// Lists them with how they stand; those that the server no longer has are forgotten.
async function ownTables(data) {
  const known = await Promise.all(kept.all().map(async (one) => {
    try { return {one, now: await ask(`/api/tables/${one.table}?since=${1 << 29}`, {headers: {'X-Arena-Key': one.key.split('.')[0]}})}; } catch (error) { return {one, lost: error.lost}; }
  }));
  kept.put(known.filter(({now, lost}) => now || lost).map(({one}) => one));
  const found = known.filter(({now}) => now), state = ({scores, legal, you, waiting}) => scores ? `over: you have ${signed(scores[you], 0)}` : legal.length ? 'your turn' : waiting.length ? 'waits for a guest' : 'others are to act';
  return found.length ? section('own-tables', 'Your tables', tableOf(found, [['game', 'name', ({one}) => el('a', {href: site(`/play/${one.table}#`) + new URLSearchParams({key: one.key})}, (data.games.find((g) => g.name === one.game) || {}).title || one.game)],
      ['state', '', ({now}) => state(now)], ['with', 'words', ({now}) => now.seats.filter((_, s) => s !== now.you).join(', ')]], {label: 'your tables'})) : '';
}

// An option of a game as a field, with what it means.
function optionField(name, {default: usual, allowed, meaning}) {
  const range = /^(-?\d+) to (-?\d+)$/.exec(allowed), facts = {name, 'data-usual': String(usual)};
  const box = range ? el('input', {type: 'number', min: range[1], max: range[2], ...facts}) : el('select', facts, allowed.split(' or ').map((value) => el('option', {value}, {true: 'yes', false: 'no'}[value] || value)));
  box.value = route()[name] || String(usual);
  return el('label', {}, el('span', {}, el('b', {}, name.replaceAll('_', ' ')), ` (${range ? `${allowed}, ` : ''}usually ${{true: 'yes', false: 'no'}[usual] || usual})`), box, el('small', {class: 'dim'}, meaning.replaceAll('`', '')));
}

function lobby(data) {
  const games = el('select', {id: 'game'}, data.games.map((g) => el('option', {value: g.name}, g.title))), many = el('select', {id: 'many'}), seats = el('div', {class: 'plain'}), rules = el('div', {class: 'plain'}), watched = el('input', {type: 'checkbox', id: 'watched'}),
    learn = el('a', {id: 'learn'}, 'How it is played'), mine = el('div'), out = el('div', {'aria-live': 'polite'});
  const chosen = () => data.games.find((g) => g.name === games.value);
  const drawSeats = () => seats.replaceChildren(...Array.from({length: +many.value}, (_, s) => {
    const titles = chosen().bots, levels = Object.entries(saidOf(games.value).levels || {}), named = levels.map(([, name]) => name);
    const said = (name) => titles[name].startsWith(chosen().title) ? titles[name].slice(chosen().title.length + 2) : titles[name];
    const box = el('select', {class: 'seat-choice'}, el('option', {value: data.person}, s ? 'a person here' : 'you'), s > 0 && el('option', {value: data.invited}, 'a person, by a link'),
      el('optgroup', {label: 'house bots by strength'}, levels.map(([level, name]) => el('option', {value: name}, `${level} (${name})`))),
      el('optgroup', {label: 'other house bots'}, Object.keys(titles).filter((name) => !named.includes(name)).map((name) => el('option', {value: name}, `${name}: ${said(name)}`))));
    box.value = s ? named[1] || 'random' : data.person;
    return el('label', {}, 'seat ' + s, box);
  }));
  const drawMany = () => {
    const [low, usual, high] = chosen().players;
    many.replaceChildren(...Array.from({length: high - low + 1}, (_, at) => el('option', {value: low + at}, low + at)));
    many.value = usual;
    rules.replaceChildren(...Object.entries(chosen().options).map(([name, one]) => optionField(name, one)));
    learn.href = site('/learn/') + games.value;
    learn.hidden = !chosen().lesson;
    drawSeats();
  };
  ownTables(data).then((found) => mine.append(found));
  games.addEventListener('change', drawMany);
  many.addEventListener('change', drawSeats);
  games.value = [route().game, new URLSearchParams(location.search).get('game'), (kept.all()[0] || {}).game, games.value].find((name) => data.games.some((g) => g.name === name));
  drawMany();
  const sit = el('button', {type: 'submit', id: 'sit', class: 'main'}, 'Sit down');
  const form = el('form', {class: 'plain', novalidate: true}, el('label', {}, 'game', games), learn, el('label', {}, 'players', many), seats, el('details', {}, el('summary', {}, 'rules of the table'), rules, el('label', {}, el('span', {}, watched, ' people may look on'))), sit);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    sit.disabled = true;
    sit.textContent = 'Setting up the table …';
    out.replaceChildren();
    const options = Object.fromEntries([...rules.querySelectorAll('input, select')].filter((box) => box.value.trim() !== box.dataset.usual).map((box) => [box.name, box.value.trim()]));
    const wanted = [...seats.querySelectorAll('select')].map((box) => box.value);
    try {
      const made = await ask('/api/tables', {method: 'POST', body: JSON.stringify({game: games.value, seats: wanted, options, watched: watched.checked})});
      const path = site(`/play/${made.table}#`), mine = path + new URLSearchParams({key: made.keys.filter(Boolean).join('.')});
      const links = made.invitations.map((invitation, s) => [`seat ${s}, for one person: `, invitation && path + new URLSearchParams({invitation})]).concat([['to look on: ', made.watch && path + new URLSearchParams({watch: made.watch})]]).filter(([, href]) => href);
      if (made.invitations.some(Boolean)) kept.add({table: made.table, game: games.value, key: made.keys.filter(Boolean).join('.'), invitations: made.invitations});
      if (!made.keys.some(Boolean) && made.watch) location.href = links[0][1];
      else if (!links.length) location.href = mine;
      else out.replaceChildren(say('Send these links. An invitation is good once: whoever opens it first has the seat.'), el('ul', {class: 'invitations'}, links.map(([what, href]) => el('li', {}, what, linkTo(href)))),
        el('p', {}, el('a', {href: mine, id: 'mine'}, 'To my seat')));
    } catch (error) { out.replaceChildren(el('p', {class: 'lost', role: 'alert'}, error.message)); }
    sit.disabled = false;
    sit.textContent = 'Sit down';
  });
  return [mine, section('lobby', 'A table', say('Programs, the house bots, take the other seats; where they take all, you look on. A list says what happens, ', el('kbd', {}, 'h'), ' gives a hint and ', el('kbd', {}, 'r'), ' opens the rules.'), form, out)];
}
