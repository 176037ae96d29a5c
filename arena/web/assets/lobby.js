// The lobby: who sits at a new table.
function lobby(data) {
  const games = el('select', {id: 'game'}, data.games.map((g) => el('option', {value: g.name}, g.title))), many = el('select', {id: 'many'}), seats = el('div', {class: 'plain'}), rules = el('div', {class: 'plain'}), watched = el('input', {type: 'checkbox', id: 'watched'}), learn = el('a', {id: 'learn'}, 'How it is played'), out = el('div', {'aria-live': 'polite'});
  const chosen = () => data.games.find((g) => g.name === games.value);
  const drawSeats = () => seats.replaceChildren(...Array.from({length: +many.value}, (_, s) => {
    const bots = chosen().bots.filter((name) => name !== 'random'), box = el('select', {class: 'seat-choice'}, el('option', {value: data.person}, s ? 'a person here' : 'you'), s > 0 && el('option', {value: data.invited}, 'a person, by a link'), chosen().bots.map((name) => el('option', {value: name}, name)));
    box.value = s ? bots[(s - 1) % Math.max(1, bots.length)] || 'random' : data.person;
    return el('label', {}, 'seat ' + s, box);
  }));
  const drawMany = () => {
    const [low, usual, high] = chosen().players;
    many.replaceChildren(...Array.from({length: high - low + 1}, (_, at) => el('option', {value: low + at}, low + at)));
    many.value = usual;
    rules.replaceChildren(...Object.entries(chosen().options).map(([name, one]) => el('label', {title: one.meaning}, `${name} (${one.allowed})`, el('input', {type: 'text', name, value: route()[name] || String(one.default), 'data-usual': String(one.default)}))));
    learn.href = '/learn/' + games.value;
    learn.hidden = !chosen().lesson;
    drawSeats();
  };
  games.addEventListener('change', drawMany);
  many.addEventListener('change', drawSeats);
  if (data.games.some((g) => g.name === route().game)) games.value = route().game;
  drawMany();
  const form = el('form', {class: 'plain'}, el('label', {}, 'game', games), el('label', {}, 'players', many), seats, el('details', {}, el('summary', {}, 'rules of the table'), rules, el('label', {}, el('span', {}, watched, ' people may look on'))), el('button', {type: 'submit', id: 'sit'}, 'Sit down'), learn);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    out.replaceChildren(say('The table is set up; a game that was never played here is compiled first, which takes up to a minute.'));
    const options = Object.fromEntries([...rules.querySelectorAll('input')].filter((box) => box.value.trim() !== box.dataset.usual).map((box) => [box.name, box.value.trim()]));
    const wanted = [...seats.querySelectorAll('select')].map((box) => box.value);
    try {
      const made = await ask('/api/tables', {method: 'POST', body: JSON.stringify({game: games.value, seats: wanted, options, watched: watched.checked})});
      const path = `/play/${made.table}#`, mine = path + new URLSearchParams({key: made.keys.filter(Boolean).join('.')});
      const links = made.invitations.map((invitation, s) => [`seat ${s}, for one person: `, invitation && path + new URLSearchParams({invitation})]).concat([['to look on: ', made.watch && path + new URLSearchParams({watch: made.watch})]]).filter(([, href]) => href);
      if (!links.length) location.href = mine;
      else out.replaceChildren(say('Send these links. An invitation is good once: whoever opens it first has the seat.'), el('ul', {class: 'invitations'}, links.map(([what, href]) => el('li', {}, what, el('a', {href}, new URL(href, location).href)))), el('p', {}, el('a', {href: mine, id: 'mine'}, 'To my seat')));
    } catch (error) { out.replaceChildren(el('p', {class: 'lost', role: 'alert'}, error.message)); }
  });
  return section('lobby', 'A table', say('House bots take the other seats. You see what a bot in your seat would see.'), form, out);
}
