"""Tzogous 37: luck has the expectation 0 for honest players of every kind, and shows who peeks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from engines import core, luck
from engines.core import copy_states
from engines.tzogous37 import GAME, state
from engines.tzogous37 import luck as room
from engines.tzogous37.state import ROUNDS, Action, Phase

from ..lucky import moves_of, remixed, z

RANKS = np.array([50] * Action.PLACE + [state.value(card) for card in range(GAME.n_actions - Action.PLACE)])
Chooser = Callable[[Any, np.ndarray, np.random.Generator], np.ndarray]


def at_random(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.asarray((rng.random(mask.shape) * mask).argmax(axis=1))


def bold(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Raises as much as it may, and places its highest card first: all chips are in before round 4."""
    return np.asarray(mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1))


def by_rule(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Bets more after a won round and less after a lost one: what chance brought decides what it does."""
    rows = np.arange(len(states))
    ahead = states["net"][rows, np.maximum(states["seat"], 0)] > 0
    low = mask.argmax(axis=1)
    passes = np.where(mask.sum(axis=1) > 1, np.argsort(~mask, axis=1, kind="stable")[:, 1], low)
    return np.where(ahead, at_random(states, mask, rng), passes)


def keeps_high_cards(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Checks and calls, and places its lowest card."""
    betting = (states["phase"] == Phase.BET1) | (states["phase"] == Phase.BET2)
    several = np.argsort(~mask, axis=1, kind="stable")
    second = np.where(mask.sum(axis=1) > 1, several[:, 1], several[:, 0])
    low = np.where(mask, RANKS[: mask.shape[1]], 99).argmin(axis=1)
    return np.where(betting, second, low)


HONEST = {chooser.__name__: chooser for chooser in (at_random, bold, by_rule)}


def steps(choosers: list[Chooser], games: int, seed: int, **options: Any) -> Iterator[tuple[Any, np.ndarray]]:
    """Positions of games in which each seat follows its chooser, before each step, with what is played."""
    states, rng = GAME.new(games, seed, len(choosers), **options), np.random.default_rng(seed)
    while (states["seat"] >= 0).any():
        mask = GAME.legal_mask(states)
        chosen = np.zeros(games, np.int64)
        for seat, chooser in enumerate(choosers):
            mine = states["seat"] == seat
            chosen[mine] = chooser(states, mask, rng)[mine]
        yield states, chosen
        GAME.step(states, chosen)


def play(choosers: list[Chooser], games: int, seed: int, **options: Any) -> list[np.ndarray]:
    return moves_of(games, steps(choosers, games, seed, **options))


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("chooser", HONEST)
def test_luck_is_0_on_average_whatever_an_honest_player_does(chooser: str, players: int) -> None:
    choosers = [HONEST[chooser], at_random, bold, by_rule][:players]
    moves = play(choosers, 600, 4_000)
    found = luck.of_games(GAME, players, {}, np.arange(4_000, 4_600), moves, worlds=4)
    assert (np.abs(z(found)) < 4).all() and (found.std(axis=0) > 10).all(), z(found)
    assert np.abs(found.sum(axis=1)).max() < 1e-6  # chips go from seat to seat


def sees_the_shared_card(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Before the shared card is turned up it raises if it would be the best with it, and folds if not."""
    chosen, other = bold(states, mask, rng), copy_states(states)
    for i in np.flatnonzero((states["phase"] == Phase.BET1) & (states["round_no"] == ROUNDS)):
        if other["left"][i] > 0 and states["seat"][i] >= 0:
            other["community"][i] = other["deck_cards"][i, other["left"][i] - 1]
            best = int(state.best_seats(core.rows(other)[i]))
            if not best >> int(states["seat"][i]) & 1:
                chosen[i] = int(mask[i].argmax())
    return chosen


def test_a_player_that_sees_the_shared_card_is_far_luckier_than_chance_allows() -> None:
    moves = play([sees_the_shared_card, at_random], 400, 3)
    found = z(luck.of_games(GAME, 2, {}, np.arange(3, 403), moves, worlds=4))
    assert found[0] > 6, found


def test_a_mean_over_what_the_public_has_not_seen_does_not_pass() -> None:
    """The control: the last cards lie face down, and whoever keeps high cards has put high ones there."""
    right, wrong = [], []
    for states, chosen in steps([keeps_high_cards] * 6, 200, 60):
        other = copy_states(states)
        GAME.step(other, chosen)
        turned = np.flatnonzero((states["community"] < 0) & (other["community"] >= 0) & (states["left"] > 0))
        for i in turned:
            deck = [rank(card) for card in states["deck_cards"][i, : states["left"][i]]]
            hidden = [rank(card) for card in states["table"][i, ::2] if card >= 0]
            drawn = rank(other["community"][i])
            right.append(drawn - np.mean(deck))
            wrong.append(drawn - np.mean(deck + hidden))
    assert len(right) > 300
    assert abs(z(np.array(right)[:, None])[0]) < 4 < abs(z(np.array(wrong)[:, None])[0])


def rank(card: int) -> float:
    return float(state.value(int(card)))


def test_remixing_moves_only_what_nobody_has_seen() -> None:
    moved = 0
    for at, (states, _) in enumerate(steps([at_random] * 3, 20, 9)):
        if at % 13:
            continue
        other = copy_states(states)
        remixed(room, other, at)
        for one, two in zip(states, other):
            left = int(one["left"])
            assert sorted(one["deck_cards"][:left]) == sorted(two["deck_cards"][:left])
            assert (one["deck_cards"][left:] == two["deck_cards"][left:]).all()
            moved += (one["deck_cards"] != two["deck_cards"]).any()
        for seat in (-1, 0, 1, 2):
            assert (GAME.views(states, seat).view(np.uint8) == GAME.views(other, seat).view(np.uint8)).all()
    assert moved > 50


def test_every_order_is_as_likely_as_the_others() -> None:
    states = np.repeat(GAME.new(1, 9, 2), 24_000)
    states["left"], states["deck_cards"][:, :4] = 4, [1, 2, 3, 4]
    remixed(room, states, 8)
    counts = Counter(map(tuple, states["deck_cards"][:, :4].tolist()))
    chi2 = sum((n - 1_000) ** 2 / 1_000 for n in counts.values())
    assert len(counts) == 24 and chi2 < 49.7  # 23 degrees of freedom, 0.1 %
