// The same deal in other seats: another game of a deal beside the one that is watched.

// A list of the other games of a deal; `choose` hears of one, or of null.
function dealBox(film, choose) {
  const pick = (one) => { box.close(); choose(one); };
  const row = (label, seats, scores, last) => el('tr', {}, el('th', {scope: 'row'}, label), seats.map((name, s) => el('td', {}, clipped(name, 16), ' ', el('b', {}, signed(scores[s], 0)))), el('td', {}, last));
  const box = el('dialog', {id: 'dealbox', class: 'wide', 'aria-label': 'the same deal in other seats'}, el('h2', {}, 'The same deal in other seats'),
    el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'games of this deal'}, el('table', {}, el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'game'), film.seats.map((_, s) => el('th', {scope: 'col'}, 'seat ' + s)), el('th', {scope: 'col'}, 'parted at'))),
      el('tbody', {}, row('this game', film.seats, film.scores, ''), film.same.map((one) => row(one.label, one.seats, one.scores, el('button', {type: 'button', 'data-game': one.label, onclick: () => pick(one)}, `decision ${one.parted}`)))))),
    el('p', {}, el('button', {type: 'button', onclick: () => pick(null)}, 'This game alone'), ' ', el('button', {type: 'button', onclick: () => box.close()}, 'Close')));
  showBox(box);
}

// Two tables in the room of one, side by side; where that is too small, the other one alone.
function besideView(one, other, {width = 900, height = 560}) {
  const both = width > 700 || height > 900, across = width > height, size = both ? {width: across ? width / 2 - 3 : width, height: across ? height - 20 : height / 2 - 22} : {width, height: height - 20};
  const half = (side, {view, label}) => { const table = view(size); table.box = [0, 0, size.width, size.height]; return sk('div', {class: 'half', 'data-place': side}, sk('p', {class: 'whose'}, label), table); };
  return sk('div', {class: across ? 'pair' : 'pair high'}, both && half('this', one), half('other', other));
}
