"""Compiled code on disk: the first use of a game compiles for up to a minute, every later start loads it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import engines
from engines import core
from engines.game import Game

from . import lockstep


def warm_up(name: str, say: Callable[[str], None]) -> None:
    """Load (and on first use compile) all that matches of a game run, so that no worker compiles or waits
    for another.

    Args:
        name: the game.
        say: gets a line when it will take long.
    """
    mark = folder / "ready" if (folder := core.cache_folder(core.LEARN + name)) else None
    if mark is not None and mark.exists():
        return
    if core.JIT:
        say(f"compiling {name}: once, takes 20 to 60 seconds; later starts take under a second")
    use_everything(name)
    if mark is not None:
        mark.touch()


def use_everything(name: str) -> None:
    """Call every compiled function that matches and bots use, once."""
    game = engines.load(name)
    game.use_everything()
    use_what_matches_call(game)


def use_what_matches_call(game: Game) -> None:
    """Call the compiled functions of a match, once: at the first call Numba loads much of itself."""
    states = game.new(2, seed=1)
    mask = game.legal_mask(states)
    legal = np.zeros((2, game.n_actions), np.int16)
    counts = mask.sum(axis=1).astype(np.int64)
    for i in range(2):
        core.legal_row(core.rows(states), i, legal[i])
    gathered = np.empty(int(counts.sum()), np.int16)
    lockstep.gather_legal(legal, counts, np.arange(2), gathered, np.empty(3, np.int32))
    moves, made = np.zeros((2, 4096), np.int16), np.zeros(2, np.int64)
    actions = np.where(counts > 0, legal[:, 0], -1).astype(np.int64)
    lockstep.advance(core.rows(states), actions, legal, counts, moves, made, core.work(game.deck_size))
