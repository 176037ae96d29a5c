"""Damaged rows: what a file or another program may hand over for a row of a game."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from .. import core
from ..core import JIT, States, copy_states
from ..errors import GameError
from ..game import Game
from ..view import View
from .laws import STEPS
from .setups import some_games

ROWS = 40  # damaged ones of an example


def a_damaged_row_is_refused_or_shown_and_played_to_its_end(
    game: Game, facts: Any, rng: random.Random
) -> None:
    """Change numbers of states and views at all stages: what `valid` accepts can be used as any row."""
    states, numbers = some_games(game, facts, rng, 6, STEPS), np.random.default_rng(rng.getrandbits(32))
    views = game.views(states, rng.randrange(-1, int(states["players"][0])))
    for _ in range(ROWS):
        rows = rng.choice((states, views))
        row = damaged(game, rows, numbers)
        try:
            game.points(row)
        except GameError:
            continue
        try:
            _use(game, row, rng.randrange(1000))
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise AssertionError(f"`valid` accepts {_changed(rows, row)}: {what}") from error


def _use(game: Game, row: States, seed: int) -> None:
    """Show, encode and deal out a row, and play it to its end, which plain rules are too slow for."""
    for seat in (-1, 0):
        view = View(game, game.views(row, seat), seat, np.zeros(0, np.int16))
        str(view), [getattr(view, name) for name in game.fields]
        if game.columns:
            view.encode()
    if not JIT:
        return
    try:
        played = game.determinize(row, seed) if row["form"][0] == core.VIEW else copy_states(row)
        game.playout(played, seed)
    except GameError:  # no world of a view that contradicts itself, or a turn that cannot be ended
        return
    game.scores(played)


def _changed(rows: States, row: States) -> str:
    """Return the fields in which a row differs from the one that it is most like."""
    names = row.dtype.names or ()
    unlike = [[name for name in names if (one[name] != row[0][name]).any()] for one in rows]
    nearest = min(range(len(rows)), key=lambda i: len(unlike[i]))
    words = [f"{name} {rows[nearest][name].tolist()} -> {row[0][name].tolist()}" for name in unlike[nearest]]
    return "a row with " + "; ".join(words)


def damaged(game: Game, rows: States, rng: np.random.Generator, damage: Any = None) -> States:
    """Return one of some rows with numbers changed, moved in their field, or taken from another row."""
    row, other = (copy_states(rows[i : i + 1]) for i in rng.integers(len(rows), size=2))
    damage = damage or (_change, _change, paste, _move, _mix, _change_option)[int(rng.integers(6))]
    damage(game, row, other, rng)
    return row


def _mix(game: Game, row: States, other: States, rng: np.random.Generator) -> None:
    """One to three fields, or half of all, are another row's."""
    names = (game.state.names or ())[1:]
    for name in rng.choice(names, int(rng.choice([1, 2, 3, len(names) // 2])), replace=False):
        row[name] = other[name]


def paste(game: Game, row: States, other: States, rng: np.random.Generator) -> None:
    """Two to six single numbers are another row's."""
    for name in rng.choice((game.state.names or ())[1:], int(rng.integers(2, 7))):
        numbers, others = row[name].reshape(-1), other[name].reshape(-1)
        unlike = np.flatnonzero(numbers != others)
        if unlike.size:
            at = rng.choice(unlike)
            numbers[at] = others[at]


def _change_option(game: Game, row: States, other: States, rng: np.random.Generator) -> None:
    """Set an option to another value, which is allowed by itself."""
    names = list(game.options)
    if names:
        option = game.options[str(rng.choice(names))]
        row[option.name] = rng.integers(option.low_number, option.high_number, endpoint=True)


def _move(game: Game, row: States, other: States, rng: np.random.Generator) -> None:
    """Two numbers of a field change places, or all of them do."""
    lists = [name for name in game.state.names or () if row[name].size > 1]
    numbers = row[rng.choice(lists)].reshape(-1)
    places = rng.choice(len(numbers), 2 if rng.random() < 0.7 else len(numbers), replace=False)
    numbers[places] = numbers[rng.permutation(places)] if len(places) > 2 else numbers[places[::-1]]


def _change(game: Game, row: States, other: States, rng: np.random.Generator) -> None:
    """One to three numbers are others."""
    names = [name for name in game.state.names or () if name != "seed"]
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        numbers = row[names[int(rng.integers(len(names)))]].reshape(-1)
        info = np.iinfo(numbers.dtype)
        at = int(rng.integers(len(numbers)))
        near = [int(numbers[at]) + 1, int(numbers[at]) - 1, int(numbers[int(rng.integers(len(numbers)))])]
        wanted = [-2, -1, 0, 1, 5, 100, info.max, info.min, int(rng.integers(info.min, info.max)), *near]
        numbers[at] = min(max(wanted[int(rng.integers(len(wanted)))], info.min), info.max)
