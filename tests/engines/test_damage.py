"""Rows from outside: views, rows that are not started and damaged rows are refused by name, not played."""

import os
import random
import subprocess
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines import core
from engines.core import copy_states
from engines.errors import GameError
from engines.game import Game
from engines.laws.setups import random_step, same
from engines.position import Position
from engines.search import ismcts
from engines.view import View
from tests.python import python

ROOT = Path(__file__).parents[2]


def running(game: Game) -> np.ndarray:
    states, rng = game.new(4, seed=3), random.Random(1)
    for _ in range(9):
        random_step(game, states, rng)
    return states


def damage(name: str, first: int, n: int, seconds: float, **also: str) -> None:
    """Damaged rows of a game in a process of its own, which may neither crash nor hang."""
    command = ["-m", "tests.engines.damage", name, str(first), str(n)]
    try:
        done = python(*command, cwd=ROOT, timeout=seconds, env=os.environ | also)
    except subprocess.TimeoutExpired as late:
        last = bytes(late.stderr or b"").decode().splitlines()[-1:]
        pytest.fail(f"{name}: no end in {seconds} s, at row and call {last}")
    assert done.returncode == 0, (done.returncode, done.stderr.splitlines()[-1:], done.stdout[-3000:])


def test_damaged_rows_are_refused_in_a_line_or_played_right(game: Game) -> None:
    damage(game.name, 0, 100, 500)


@pytest.mark.soak
@pytest.mark.parametrize("part", range(10))
def test_many_damaged_rows_are_refused_in_a_line_or_played_right(game: Game, part: int) -> None:
    damage(game.name, 1000 + 2000 * part, 2000, 3000)


@pytest.mark.soak
def test_no_array_is_read_or_written_beside_its_places(game: Game, tmp_path: Path) -> None:
    """Numba checks every index: an `IndexError` is a failure. Compiled so, code is kept by itself."""
    damage(game.name, 5000, 1000, 3000, NUMBA_BOUNDSCHECK="1", ARENA_CACHE=str(tmp_path))


def test_a_view_is_refused_where_a_whole_state_is_wanted(game: Game) -> None:
    views = game.views(running(game))
    before = copy_states(views)
    step: Any = lambda rows: game.step(rows, [0] * len(rows))
    for call in (game.playout, step, game.legal_mask, game.keep, lambda rows: Position.of(game, rows[:1])):
        with pytest.raises(GameError, match=r"row 0 is a view.*game\.determinize\(views, seed\)") as raised:
            call(views)
        assert "\n" not in str(raised.value)
    assert same(before, views)
    game.playout(game.determinize(views, 1))


def test_rows_that_are_not_started_are_refused_everywhere(game: Game) -> None:
    rows = game.blank(4)
    calls: Any = (lambda rows: game.determinize(rows, 1), lambda rows: Position.of(game, rows[:1]))
    for call in (game.playout, game.views, game.legal_mask, game.points, *calls):
        with pytest.raises(GameError, match=r"row 0 is not started: game\.new\(n\) makes games"):
            call(rows)


def test_a_whole_state_is_refused_where_a_view_is_wanted_whatever_its_seed(game: Game) -> None:
    states = game.new(2, seed=0)
    for call in (lambda: game.determinize(states, 1), lambda: game.worlds(states[:1], 2, 1)):
        with pytest.raises(GameError, match="row 0 is a whole state and no view"):
            call()
    position = game.position(seed=1)
    while len(position.legal()) < 2:
        position.play(position.legal()[0])
    seat = position.seat
    with pytest.raises(GameError, match="whole state and no view"):
        ismcts(View(game, position.states, seat, np.array(position.legal_numbers())), 10)
    with pytest.raises(GameError, match="legal actions of the view are not those of its record"):
        ismcts(View(game, position.view().state, seat, np.array([game.n_actions])), 10)


def test_points_of_a_view_are_those_of_the_state(game: Game) -> None:
    states = running(game)
    assert (game.points(game.views(states)) == game.points(states)).all()


def test_a_batch_of_the_game_s_own_cannot_be_written_into(game: Game) -> None:
    states = game.new(4, seed=3)
    for name in ("seat", "seed"):
        with pytest.raises(ValueError, match="read-only"):
            states[name][0] = 100
    with pytest.raises(ValueError, match="WRITEABLE"):
        states.flags.writeable = True
    part = states[1:3]
    game.step(part, game.legal_mask(part).argmax(axis=1))
    assert not same(states, game.new(4, seed=3)) and same(states[:1], game.new(1, seed=3))


def test_a_later_write_into_one_s_own_array_is_found(game: Game) -> None:
    states = game.new(4, seed=3).copy()
    game.step(states, game.legal_mask(states).argmax(axis=1))
    kept = game.keep(states)
    states["seat"][2] = 100
    with pytest.raises(GameError, match=r"row 2 is damaged: seat = 100, allowed is -1 to"):
        game.legal_mask(states)
    assert game.legal_mask(kept).any()


def test_what_is_damaged_is_named_with_what_is_allowed(game: Game) -> None:
    name = next(iter(game.options))
    states = game.new(2, seed=3).copy()
    states[name] = 10**12
    with pytest.raises(GameError, match=f"has {name} = 1000000000000: allowed is") as raised:
        game.playout(states)
    assert "\n" not in str(raised.value)
    states = game.new(2, seed=3).copy()
    states["players"] = 63
    with pytest.raises(GameError, match="has players = 63: allowed is"):
        game.playout(states)


def test_kept_batches_are_forgotten_when_nobody_holds_them(game: Game) -> None:
    known = import_module("engines.core.plain")._kept
    before = len(known)
    states = game.new(3, seed=1)
    assert len(known) == before + 1
    del states
    assert len(known) == before


def test_odd_arrays_and_numbers_are_refused_in_a_line(game: Game) -> None:
    states = game.new(2, seed=1)
    out = np.zeros((2, game.encoding_size), np.float32)
    out.flags.writeable = False
    with pytest.raises(GameError, match="out must be a writable contiguous float32 array"):
        game.encode(states, out=out)
    with pytest.raises(GameError, match="out must be a writable"):
        game.encode(states, out=np.ma.zeros((2, game.encoding_size), np.float32))
    with pytest.raises(GameError, match="one-dimensional array"):
        game.playout(np.ma.MaskedArray(states.copy()))
    with pytest.raises(GameError, match="n = 10000000000000: no room in memory"):
        game.new(10**13)
    with pytest.raises(GameError, match="n = 10000000000000: no room in memory"):
        game.worlds(game.views(states[:1]), 10**13, 1)


def test_every_row_that_a_game_leads_to_is_valid(game: Game) -> None:
    from .damage import pool

    for rows in pool(game):
        views, wholes = rows[rows["form"] == core.VIEW], rows[rows["form"] == core.WHOLE]
        game._checked(views, core.VIEW)
        game._checked(wholes, core.PLAYABLE)
