"""Compiled code on disk: the first use of a game compiles for up to a minute, every later start loads it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import engines
from engines import core, helpers

from . import lockstep


def warm_up(name: str, say: Callable[[str], None]) -> None:
    """Load (and on first use compile) all that matches of a game run, so that no worker compiles or waits for another.

    Args:
        name: the game.
        say: gets a line when it will take long.
    """
    mark = core.CACHE_FOLDER / f"{name}.ready" if core.CACHE_FOLDER else None
    if mark is not None and mark.exists():
        return
    if core.JIT:
        say(f"compiling {name}: once, takes 20 to 60 seconds; later starts take under a second")
    use_everything(name)
    if mark is not None:
        mark.touch()


def use_everything(name: str) -> None:
    """Call every compiled function that matches, searching bots and batches use, once, on two games."""
    game = engines.load(name)
    states = game.new(2, seed=1)
    views = game.views(states)
    position = game.position(seed=1)
    view = position.view()
    for field in game.fields:
        getattr(view, field)
    if not position.over:
        position.play(position.legal()[0])
    game.playout(game.determinize(views), seed=1)
    mask = game.legal_mask(states)
    legal = np.zeros((2, game.n_actions), np.int16)
    counts = mask.sum(axis=1).astype(np.int64)
    for i in range(2):
        core.legal_row(core.rows(states), i, legal[i])
    rows = np.arange(2)
    lockstep.gather_legal(legal, counts, rows, np.empty(int(counts.sum()), np.int16), np.empty(3, np.int32))
    moves, made = np.zeros((2, 4096), np.int16), np.zeros(2, np.int64)
    actions = np.where(counts > 0, legal[:, 0], -1).astype(np.int64)
    game.step(states.copy(), np.maximum(actions, 0))
    lockstep.advance(core.rows(states), actions, legal, counts, moves, made, core.work(game.deck_size))
    helpers.use_all(game)
    game.playout(states, seed=1)
    game.scores(states)
