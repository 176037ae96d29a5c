"""Julepe: luck has the expectation 0 for honest players; only if leftovers and pile are kept apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from engines import luck
from engines.core import copy_states
from engines.julepe import GAME
from engines.julepe import luck as room
from engines.julepe.state import ACE, DONE, IN, OUT, SUIT_CARDS, Phase

from ..lucky import moves_of, remixed, z

Chooser = Callable[[Any, np.ndarray, np.random.Generator], np.ndarray]
SEATS = 5


def trumps_of(states: Any) -> np.ndarray:
    """Mask of the trumps of every row's round."""
    upcard = states["upcard"][np.arange(len(states)), states["round_no"]].astype(np.int64)
    return np.asarray(SUIT_CARDS << (10 * (np.maximum(upcard, 0) // 10)))


def at_random(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.asarray((rng.random(mask.shape) * mask).argmax(axis=1))


def by_rule(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """In with two trumps; keeps trumps and aces; plays any card."""
    rows = np.arange(len(states))
    hand, trumps = states["hand"][rows, np.maximum(states["seat"], 0)], trumps_of(states)
    strong = np.bitwise_count(hand & trumps) >= 2
    asked = np.where(mask[:, OUT] & ~strong, OUT, IN)
    cards = np.arange(30)
    keep = ((trumps[:, None] >> cards) & 1).astype(bool) | (cards % 10 == ACE)
    spare = mask[:, 3:33] & ~keep
    thrown = np.where(spare.any(axis=1), 3 + spare.argmax(axis=1), DONE)
    phase = states["phase"]
    chosen = np.where(phase == Phase.EXCHANGE, thrown, at_random(states, mask, rng))
    return np.where((phase == Phase.STATEMENTS) | (phase == Phase.OFFER), asked, chosen)


def reckless(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """In by a coin; exchanges everything while it is behind, nothing while it is ahead."""
    rows = np.arange(len(states))
    behind = states["net"][rows, np.maximum(states["seat"], 0)] <= states["net"].mean(axis=1)
    discards = mask[:, 3:33]
    thrown = np.where(discards.any(axis=1) & behind, 3 + discards.argmax(axis=1), DONE)
    phase = states["phase"]
    chosen = np.where(phase == Phase.EXCHANGE, thrown, at_random(states, mask, rng))
    said = np.where(mask[:, OUT] & (rng.random(len(states)) < 0.5), OUT, IN)
    return np.where((phase == Phase.STATEMENTS) | (phase == Phase.OFFER), said, chosen)


HONEST = {chooser.__name__: chooser for chooser in (at_random, by_rule, reckless)}


def steps(chooser: Chooser, games: int, seed: int) -> Iterator[tuple[Any, np.ndarray]]:
    """Positions of games in which all seats choose alike, before each step, with what is played."""
    states, rng = GAME.new(games, seed), np.random.default_rng(seed)
    while (states["seat"] >= 0).any():
        chosen = chooser(states, GAME.legal_mask(states), rng)
        yield states, chosen
        GAME.step(states, chosen)


def play(chooser: Chooser, games: int, seed: int) -> list[np.ndarray]:
    return moves_of(games, steps(chooser, games, seed))


@pytest.mark.parametrize("chooser", HONEST)
def test_luck_is_0_on_average_whatever_an_honest_player_does(chooser: str) -> None:
    moves = play(HONEST[chooser], 300, 4_000)
    found = luck.of_games(GAME, SEATS, {}, np.arange(4_000, 4_300), moves, worlds=8)
    assert (np.abs(z(found)) < 4).all() and (found.std(axis=0) > 50).all(), z(found)


def test_luck_is_nobodys_where_nobody_draws() -> None:
    moves = play(lambda states, mask, rng: np.where(mask[:, DONE], DONE, at_random(states, mask, rng)), 20, 8)
    against_the_house = luck.of_games(GAME, SEATS, {}, np.arange(8, 28), moves, worlds=8)
    assert np.median(np.abs(against_the_house)) == 0


def trumps_drawn_less_their_mean(pools: Callable[[Any, int], list[np.ndarray]]) -> np.ndarray:
    """(games,) trumps that all seats drew at their exchanges, less what cards from these pools would have
    brought.
    """
    games = 500
    total = np.zeros(games)
    for states, chosen in steps(by_rule, games, 60):
        trumps = trumps_of(states)
        for i in np.flatnonzero(
            (states["phase"] == Phase.EXCHANGE) & (chosen == DONE) & (states["seat"] >= 0)
        ):
            wanted = int(np.bitwise_count(states["thrown"][i, states["seat"][i]]))
            stock = states["stock"][i, : states["left"][i]]
            drawn = stock[::-1][:wanted]
            total[i] += sum(int(trumps[i]) >> int(card) & 1 for card in drawn)
            for pool in pools(states, i):
                take = min(wanted, len(pool))
                share = np.mean([int(trumps[i]) >> int(card) & 1 for card in pool]) if len(pool) else 0.0
                total[i] -= take * share
                wanted -= take
    return total


def apart(states: Any, i: int) -> list[np.ndarray]:
    """Leftovers first, then the pile."""
    pile = 5 * int(np.bitwise_count(states["outs"][i, states["round_no"][i]]))
    stock = states["stock"][i, : states["left"][i]]
    return [stock[pile:], stock[:pile]]


def together(states: Any, i: int) -> list[np.ndarray]:
    """The control: as if leftovers and pile had been shuffled together."""
    return [states["stock"][i, : states["left"][i]]]


def test_a_mean_over_leftovers_and_pile_together_does_not_pass() -> None:
    right, wrong = (z(trumps_drawn_less_their_mean(pools)[:, None])[0] for pools in (apart, together))
    assert abs(right) < 4 and abs(wrong) > 5, (right, wrong)


def test_remixing_keeps_both_stacks_and_all_views() -> None:
    seen = 0
    for at, (states, _) in enumerate(steps(by_rule, 40, 3)):
        if at % 11:
            continue
        other = copy_states(states)
        remixed(room, other, at)
        for i in np.flatnonzero(states["seat"] >= 0):
            exchanging = states["phase"][i] >= Phase.EXCHANGE
            for one, two in (
                zip(apart(states, i), apart(other, i)) if exchanging else [(together(states, i)[0],) * 2]
            ):
                assert sorted(one) == sorted(two)
                seen += len(one) > 4 and (one != two).any()
        for seat in (-1, *range(SEATS)):
            assert (GAME.views(states, seat).view(np.uint8) == GAME.views(other, seat).view(np.uint8)).all()
    assert seen > 20
