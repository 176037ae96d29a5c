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
    el('button', {type: 'submit', id: 'goon'}, `Play on from decision ${decision}`), out);
  const box = el('dialog', {id: 'onwardbox', 'aria-label': 'play on from here'}, el('h2', {}, 'Play on from here'), form, el('p', {}, el('button', {type: 'button', onclick: () => box.close()}, 'Close')));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      const made = await film.onward({decision, seats: seats.map((label) => label.querySelector('select').value)}), keys = made.keys.filter(Boolean);
      location.href = site(`/play/${made.table}#`) + new URLSearchParams({key: keys.join('.'), ...(keys.length > 1 && {open: 1})});
    } catch (error) { out.replaceChildren(el('span', {class: 'lost', role: 'alert'}, error.message)); }
  });
  box.addEventListener('close', () => box.remove());
  page.append(box);
  box.showModal();
}

function lobby(data) {
  const games = el('select', {id: 'game'}, data.games.map((g) => el('option', {value: g.name}, g.title))), many = el('select', {id: 'many'}), seats = el('div', {class: 'plain'}), rules = el('div', {class: 'plain'}), watched = el('input', {type: 'checkbox', id: 'watched'}),
    learn = el('a', {id: 'learn'}, 'How it is played'), out = el('div', {'aria-live': 'polite'});
  const chosen = () => data.games.find((g) => g.name === games.value);
  const drawSeats = () => seats.replaceChildren(...Array.from({length: +many.value}, (_, s) => {
    const titles = chosen().bots, levels = Object.entries(saidOf(games.value).levels || {}), named = levels.map(([, name]) => name);
    const said = (name) => titles[name].startsWith(chosen().title) ? titles[name].slice(chosen().title.length + 2) : titles[name];
    const box = el('select', {class: 'seat-choice'}, el('option', {value: data.person}, s ? 'a person here' : 'you'), s > 0 && el('option', {value: data.invited}, 'a person, by a link'),
      [...levels, ...Object.keys(titles).filter((name) => !named.includes(name)).map((name) => ['', name])].map(([level, name]) => el('option', {value: name}, `${level && level + ', '}${name}: ${said(name)}`)));
    box.value = s ? named[1] || 'random' : data.person;
    return el('label', {}, 'seat ' + s, box);
  }));
  const drawMany = () => {
    const [low, usual, high] = chosen().players;
    many.replaceChildren(...Array.from({length: high - low + 1}, (_, at) => el('option', {value: low + at}, low + at)));
    many.value = usual;
    rules.replaceChildren(...Object.entries(chosen().options).map(([name, one]) => el('label', {title: one.meaning}, `${name} (${one.allowed})`, el('input', {type: 'text', name, value: route()[name] || String(one.default), 'data-usual': String(one.default)}))));
    learn.href = site('/learn/') + games.value;
    learn.hidden = !chosen().lesson;
    drawSeats();
  };
  games.addEventListener('change', drawMany);
  many.addEventListener('change', drawSeats);
  if (data.games.some((g) => g.name === route().game)) games.value = route().game;
  drawMany();
  const sit = el('button', {type: 'submit', id: 'sit', class: 'main'}, 'Sit down');
  const form = el('form', {class: 'plain'}, el('label', {}, 'game', games), el('label', {}, 'players', many), seats, el('details', {}, el('summary', {}, 'rules of the table'), rules, el('label', {}, el('span', {}, watched, ' people may look on'))), sit, learn);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const begun = Date.now(), count = () => { sit.textContent = `Setting up the table: ${Math.round((Date.now() - begun) / 1000)} s`; }, timer = setInterval(count, 1000);
    sit.disabled = true;
    count();
    out.replaceChildren(say('The first table of a game takes a minute or two, longer on a busy machine: the game is compiled.'));
    const options = Object.fromEntries([...rules.querySelectorAll('input')].filter((box) => box.value.trim() !== box.dataset.usual).map((box) => [box.name, box.value.trim()]));
    const wanted = [...seats.querySelectorAll('select')].map((box) => box.value);
    try {
      const made = await ask('/api/tables', {method: 'POST', body: JSON.stringify({game: games.value, seats: wanted, options, watched: watched.checked})});
      const path = site(`/play/${made.table}#`), mine = path + new URLSearchParams({key: made.keys.filter(Boolean).join('.')});
      const links = made.invitations.map((invitation, s) => [`seat ${s}, for one person: `, invitation && path + new URLSearchParams({invitation})]).concat([['to look on: ', made.watch && path + new URLSearchParams({watch: made.watch})]]).filter(([, href]) => href);
      if (!links.length) location.href = mine;
      else out.replaceChildren(say('Send these links. An invitation is good once: whoever opens it first has the seat.'), el('ul', {class: 'invitations'}, links.map(([what, href]) => el('li', {}, what, el('a', {href}, new URL(href, location).href)))),
        el('p', {}, el('a', {href: mine, id: 'mine'}, 'To my seat')));
    } catch (error) { out.replaceChildren(el('p', {class: 'lost', role: 'alert'}, error.message)); }
    clearInterval(timer);
    sit.disabled = false;
    sit.textContent = 'Sit down';
  });
  return section('lobby', 'A table', say('Programs, the house bots, take the other seats. A list says what happens, ', el('kbd', {}, 'h'), ' gives a hint and ', el('kbd', {}, 'r'), ' opens the rules.'), form, out);
}
