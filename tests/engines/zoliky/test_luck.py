"""Jolly Zoliky: luck has the expectation 0 for honest players of every kind, and shows who peeks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from engines import luck
from engines.core import copy_states
from engines.zoliky import GAME
from engines.zoliky import luck as room
from engines.zoliky.state import JOKER, N_KINDS, PLACE, Action, Phase
from engines.zoliky.steps import COST, JOKERS

from ..lucky import moves_of, remixed, z

Chooser = Callable[[Any, np.ndarray, np.random.Generator], np.ndarray]
WORTH = np.asarray(COST) - 2 * np.asarray(JOKERS)
SUIT, RANK = np.divmod(np.arange(JOKER), 13)
STEPS = np.abs(RANK[:, None] - RANK)
NEAR = np.zeros((N_KINDS, N_KINDS), np.int64)  # which kinds could lie in one meld: 9h 8h, 9h 7h, 9h 9d
NEAR[:JOKER, :JOKER] = np.where(SUIT[:, None] == SUIT, np.minimum(STEPS, 13 - STEPS) <= 2, STEPS == 0)
NEAR[JOKER] = 9


def at_random(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.asarray((rng.random(mask.shape) * mask).argmax(axis=1))


def by_rule(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draws what can be used at once, lays out what it can, parts with the card that has least company."""
    return keeping(mask, mask[:, Action.DISCARD : Action.RUN].astype(np.int64))


def keeping(mask: np.ndarray, held: np.ndarray) -> np.ndarray:
    """`by_rule`, with the cards to which company is kept."""
    parts_with = mask[:, Action.DISCARD : Action.RUN]
    company = np.where(parts_with, held @ NEAR.T, 1 << 20)
    discard = Action.DISCARD + company.argmin(axis=1)
    lay_out = Action.RUN + np.where(mask, WORTH, -99)[:, Action.RUN :].argmax(axis=1)
    draw = np.where(mask[:, Action.DRAW_JOLLY], 2, np.where(mask[:, Action.DRAW_DISCARD], 1, 0))
    turn = np.where(mask[:, Action.RUN :].any(axis=1), lay_out, discard)
    return np.asarray(np.where(mask[:, : Action.DISCARD].any(axis=1), draw, turn))


def gives_up_after_a_bad_card(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """While the last card that it drew has no company it plays what is played for a seat that lost its game."""
    rows, seat = np.arange(len(states)), states["seat"]
    mine = np.where(states["drawer"] == seat[:, None], states["drawn"], -1)
    last = mine.shape[1] - 1 - (mine[:, ::-1] >= 0).argmax(axis=1)
    drawn = np.where((mine >= 0).any(axis=1), mine[rows, last], JOKER)
    bad = (NEAR[drawn] * mask[:, Action.DISCARD : Action.RUN]).sum(axis=1) <= 1
    return np.where(bad & (drawn != JOKER), draws_blindly(states, mask, rng), by_rule(states, mask, rng))


def stops_when_ahead(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Lays nothing out while nobody has fewer cards."""
    seat = states["seat"]
    held = np.where(np.arange(states["held"].shape[1]) < states["players"][:, None], states["held"], 99)
    ahead = held[np.arange(len(states)), seat] <= held.min(axis=1)
    return np.where(ahead, draws_blindly(states, mask, rng), by_rule(states, mask, rng))


def cuts_and_remembers(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """As cutter, keeps company to the lowest cards of the stock, and hoards until they come."""
    held = mask[:, Action.DISCARD : Action.RUN].astype(np.int64)
    known = np.where(states["seen"] >= 0, states["seen"], JOKER)
    for k in range(known.shape[1]):
        held[np.arange(len(states)), known[:, k]] += 2
    close = states["n_stock"] <= 4
    return np.where(close, keeping(mask, held), np.where(mask[:, 0], 0, keeping(mask, held)))


def peeks(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Keeps company to the cards that it is to draw in its next six turns, if all draw from the stock."""
    rows, held = np.arange(len(states)), mask[:, Action.DISCARD : Action.RUN].astype(np.int64)
    for turn in range(1, 7):
        at = states["n_stock"] - states["players"] * turn
        coming = np.where(at >= 0, states["stock"][rows, np.maximum(at, 0)], JOKER)
        held[rows, coming] += 3
    return keeping(mask, held)


def draws_blindly(states: Any, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draws from the stock and discards its first card."""
    return np.asarray(mask.argmax(axis=1))


HONEST = {
    chooser.__name__: chooser
    for chooser in (at_random, by_rule, gives_up_after_a_bad_card, stops_when_ahead, cuts_and_remembers)
}


def steps(choosers: list[Chooser], games: int, seed: int, **options: Any) -> Iterator[tuple[Any, np.ndarray]]:
    """Positions of games in which each seat follows its chooser, before each step, with what is played."""
    states, rng = GAME.new(games, seed, len(choosers), **options), np.random.default_rng(seed)
    while (states["seat"] >= 0).any():
        mask, chosen = GAME.legal_mask(states), np.zeros(games, np.int64)
        for seat, chooser in enumerate(choosers):
            mine = np.flatnonzero(states["seat"] == seat)
            if len(mine):
                rows = copy_states(states[mine])
                chosen[mine] = chooser(rows if chooser is peeks else GAME.views(rows, seat), mask[mine], rng)
        yield states, chosen
        GAME.step(states, chosen)


def play(choosers: list[Chooser], games: int, seed: int, **options: Any) -> list[np.ndarray]:
    return moves_of(games, steps(choosers, games, seed, **options))


@pytest.mark.parametrize("chooser", HONEST)
def test_luck_is_0_on_average_whatever_an_honest_player_does(chooser: str) -> None:
    """The cutter of the one deal is seat 2."""
    moves = play([by_rule, at_random, HONEST[chooser], HONEST[chooser]], 300, 4_000)
    found = luck.of_games(GAME, 4, {}, np.arange(4_000, 4_300), moves, worlds=8)
    assert (np.abs(z(found)) < 4).all() and (found.std(axis=0) > 2).all(), z(found)


def test_luck_is_0_over_deals_and_reshuffles() -> None:
    options = {"deals": 3, "max_rounds": 50, "cut_jokers": "extra"}
    moves = play([at_random, draws_blindly], 150, 7_000, **options)
    assert min(map(len, moves)) >= 300  # draws and discards: more draws than the stock has cards
    found = luck.of_games(GAME, 2, options, np.arange(7_000, 7_150), moves, worlds=4)
    assert (np.abs(z(found)) < 4).all() and (found.std(axis=0) > 2).all(), z(found)


@pytest.mark.soak
def test_luck_of_rule_bots_is_0_in_thousands_of_games() -> None:
    moves = play([by_rule, by_rule, stops_when_ahead, cuts_and_remembers], 6_000, 90_000)
    found = luck.of_games(GAME, 4, {}, np.arange(90_000, 96_000), moves)
    assert (np.abs(z(found)) < 4).all() and abs(z(found.sum(axis=1, keepdims=True))[0]) < 4, z(found)


def test_a_player_that_knows_the_cards_to_come_is_luckier_than_chance_allows() -> None:
    moves = play([peeks, draws_blindly, draws_blindly, draws_blindly], 500, 3)
    found = z(luck.of_games(GAME, 4, {}, np.arange(3, 503), moves, worlds=8))
    assert found[0] > 5 and (np.abs(found[1:]) < 4).all(), found


def test_a_mean_over_what_the_public_has_not_seen_does_not_pass() -> None:
    """The control: all part with their lowest kinds, so that hidden hands are full of high ones."""
    right, wrong = [], []
    for states, _ in steps([draws_blindly] * 4, 40, 60, max_rounds=10):
        for i in np.flatnonzero((states["phase"] == Phase.DRAWING) & (states["seat"] >= 0)):
            known, size = int(room.lowest_cards(states[i])), int(states["n_stock"][i])
            stock = states["stock"][i, known:size].astype(np.int64)
            hands = np.concatenate([cards_of(states[i], seat) for seat in range(4)])
            right.append(stock[-1] - stock.mean())
            wrong.append(stock[-1] - np.r_[stock, hands].mean())
    assert len(right) == 40 * 39  # turns of ten rounds but for the first
    fair, unfair = (abs(z(np.array(found)[:, None])[0]) for found in (right, wrong))
    assert fair < 4 and unfair > 6, (fair, unfair)


def cards_of(state: Any, seat: int) -> np.ndarray:
    """The kinds in a hand."""
    lanes = [int(state[mask][seat]) >> PLACE[:JOKER] & 1 for mask in ("hand", "twice")]
    return np.r_[np.flatnonzero(lanes[0]), np.flatnonzero(lanes[1]), [JOKER] * int(state["jokers"][seat])]


def test_a_mean_over_the_cards_that_the_cutter_knows_does_not_pass() -> None:
    """The control: all know that the lowest cards are no jokers, so those above them hold more."""
    states = GAME.new(20_000, 5, 4)
    jokers = states["stock"] == JOKER
    known = np.array([int(room.lowest_cards(s)) for s in states[:200]])
    assert set(known) > {1, 2} and (states["kept"][:200] == 2 - known).all()
    top = jokers[np.arange(len(states)), states["n_stock"] - 1]
    two = states["kept"] == 0
    size, inside = states["n_stock"][two], jokers[two].sum(axis=1)
    right, wrong = top[two] - inside / (size - 2), top[two] - inside / size
    assert abs(z(right[:, None])[0]) < 4 and right.mean() < wrong.mean()
    assert not jokers[two][:, :2].any()


def test_remixing_moves_only_what_nobody_has_seen() -> None:
    moved, reshuffled = 0, 0
    for at, (states, _) in enumerate(steps([draws_blindly, at_random, at_random], 30, 9)):
        if at % 17:
            continue
        other = copy_states(states)
        remixed(room, other, at)
        for one, two in zip(states, other):
            size, known = int(one["n_stock"]), int(room.lowest_cards(one))
            assert sorted(one["stock"][:size]) == sorted(two["stock"][:size])
            assert (one["stock"][:known] == two["stock"][:known]).all()
            moved += (one["stock"] != two["stock"]).any()
            reshuffled += one["pool"] != 0
        for seat in (-1, 0, 1, 2):
            assert (GAME.views(states, seat).view(np.uint8) == GAME.views(other, seat).view(np.uint8)).all()
    assert moved > 50 and reshuffled > 10


@pytest.mark.parametrize("kept, known", [(0, 2), (1, 1), (2, 0), (3, 1)])
def test_every_order_above_the_known_cards_is_as_likely_as_the_others(kept: int, known: int) -> None:
    states = np.repeat(GAME.new(1, 9, 2), 24_000)
    states["kept"], states["n_stock"] = kept, 4 + known
    states["stock"][:, : 4 + known] = np.arange(4 + known)
    remixed(room, states, 8)
    assert (states["stock"][:, :known] == np.arange(known)).all()
    counts = Counter(map(tuple, states["stock"][:, known : known + 4].tolist()))
    chi2 = sum((n - 1_000) ** 2 / 1_000 for n in counts.values())
    assert len(counts) == 24 and chi2 < 49.7  # 23 degrees of freedom, 0.1 %


def test_the_cards_that_the_cutter_knows_stay_also_when_they_are_the_last() -> None:
    states = GAME.new(2, 9, 2).copy()
    states["kept"], states["n_stock"] = 0, [1, 0]
    before = states["stock"].copy()
    remixed(room, states, 8)
    assert (states["stock"] == before).all()
