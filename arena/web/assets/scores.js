// The end of a game: the scores, and how they came about, part by part.

// Rows {part, frame, changes, totals, why} for the parts of a game in which points or chips changed hands, from its scenes by frame.
function accountOf(game, seats, scenes, you) {
  const players = seats.length, rows = [];
  let part = partOf(scenes[0].head), frame = 0, before = Array(players).fill(0);
  scenes.forEach((scene, at) => {
    const next = partOf(scene.head);
    if (next === part && at < scenes.length - 1) return;
    const now = totalsOf(game, scene, players), changes = now.map((value, s) => value - before[s]);
    if (changes.some(Boolean)) rows.push({part, frame, changes, totals: now, why: named(scene['table/text/settled'] || '', seats, you)});
    [part, frame, before] = [next, at, now];
  });
  return rows;
}

// A dialog with the account; `go` leads to the beginning of a part.
function accountBox(game, seats, scores, rows, go) {
  const close = () => box.close(), cells = (values) => values.map((value) => el('td', {class: 'n'}, signed(value, 0)));
  const leap = (frame) => { close(); go(frame); };
  const box = el('dialog', {id: 'account', class: 'wide', 'aria-label': 'how the scores came about'}, el('h2', {}, 'How the scores came about'),
    el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'scores by part'}, el('table', {}, el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'part'), seats.map((_, s) => el('th', {class: 'n', scope: 'col'}, seatName(seats, s))))),
      el('tbody', {}, rows.map((row) => [el('tr', {}, el('th', {scope: 'row'}, go ? el('button', {type: 'button', onclick: () => leap(row.frame)}, row.part) : row.part), cells(row.changes)), row.why && el('tr', {class: 'why'}, el('td', {colspan: seats.length + 1}, row.why))])),
      el('tfoot', {}, el('tr', {class: 'mine'}, el('th', {scope: 'row'}, 'score'), cells(scores))))),
    el('p', {}, el('button', {type: 'button', onclick: close}, 'Close')));
  showBox(box);
}

// The end of a game as a board over the table: places, scores, the part that decided it, and what to do next.
function scoreboard({game, seats, scores, you}, scenes, ...next) {
  const rows = accountOf(game, seats, scenes, you), order = scores.map((_, s) => s).sort((a, b) => scores[b] - scores[a]), [first, ...rest] = order, second = rest.includes(you) ? you : rest[0], gap = (row) => row.changes[first] - row.changes[second];
  const most = rows.reduce((best, row) => best && gap(best) >= gap(row) ? best : row, null), decided = most && gap(most) > 0 && (rows.length > 1 || most.why);
  return [el('h2', {id: 'won', tabindex: -1}, ended(seats, scores, you)),
    el('table', {id: 'scores'}, el('thead', {}, el('tr', {}, ['place', 'seat', 'score'].map((head) => el('th', {scope: 'col'}, head)))),
      el('tbody', {}, order.map((s) => el('tr', {class: s === you ? 'mine' : null}, el('td', {}, 1 + scores.filter((score) => score > scores[s]).length), el('td', {}, seatName(seats, s), s === you ? ' (you)' : ''), el('td', {class: 'score', 'data-seat': s, 'data-score': scores[s]},
            signed(scores[s], 0)))))),
    decided && say(rows.length > 1 ? `What decided it: ${most.part}, ${signed(most.changes[first], 0)} for ${called(seats, first, you).replace('You', 'you')} and ${signed(most.changes[second], 0)} for ${called(seats, second, you).replace('You', 'you')}. ` : '', most.why),
    next, rows.length > 0 && el('p', {}, el('button', {type: 'button', id: 'why', onclick: () => accountBox(game, seats, scores, rows)}, 'How they came about'))];
}

// The scores in a line, and a button that shows how they came about.
function endView(game, seats, scores, scenes, {you = -1, go} = {}) {
  const rows = accountOf(game, seats, scenes, you);
  return [el('p', {class: 'big', id: 'scores'}, el('b', {id: 'won'}, ended(seats, scores, you)), ' ', scores.map((score, s) => el('span', {class: 'score', 'data-score': score}, `${seatName(seats, s)}${s === you ? ' (you)' : ''}: `, el('b', {}, signed(score, 0))))),
    rows.length > 0 && el('p', {}, el('button', {type: 'button', id: 'why', onclick: () => accountBox(game, seats, scores, rows, go)}, 'How they came about'))];
}
