"""Jolly Zoliky: random worlds have the right chances.

The judge is a plain model: the places of the cards that matter are drawn at random, never through the engine,
and kept if every card that was played was there in time.
"""

from __future__ import annotations

import random
from itertools import islice

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import kstest

from engines import core
from engines.position import Position
from engines.zoliky import GAME
from engines.zoliky.state import CARDS
from engines.zoliky.text import hand_of
from engines.zoliky.worlds import FEW
from tests.engines.test_uniform import DOUBT, p_value
from tests.engines.zoliky.endings import after_reshuffles

WORLDS = 20_000 if core.JIT else 300
HAND, JOKERS = 13, 4


def discards_of_the_leader(turns: int, seed: int) -> tuple[Position, list[str]]:
    """Two seats; the leader, who cut and kept no joker, has discarded `turns` naturals whose equals seat 1
    has not seen.
    """
    while True:
        seed += 1
        pos, rng, played = GAME.position(seed=seed, players=2), random.Random(seed), []
        while len(played) < turns or pos.seat == 0:
            text = rng.choice(pos.legal())
            if pos.seat == 0 and text != "draw stock":
                played.append(text.split()[1])
            pos.play(text)
        if pos.view().phase == "drawing" and pos.view().kept == 0 and fitting(pos, played):
            return pos, played


def fitting(pos: Position, played: list[str]) -> bool:
    """Whether the discards are different naturals, and their equals are nowhere to be seen for seat 1."""
    view = pos.view(1)
    seen = [*view.hand, *view.pile, view.jolly]
    return "JK" not in played and all(seen.count(card) == 1 for card in played)


def model(turns: int, stock: int, samples: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """How often the leader holds the equal of no discard, the first, the second, both, ... (as bits), of
    those samples in which each discard was in hand in time.

    Hidden places: 13 cards of the hand, then the stock in order, without what seat 1 drew of it: of the first
    two draws the first is the other seat's. In the two lowest places of the stock is no joker. Places of the
    jokers, then of two cards a discard.
    """
    places = rng.integers(0, HAND + stock, (samples, JOKERS + 2 * turns))
    ordered = np.sort(places, axis=1)
    places = places[(ordered[:, 1:] != ordered[:, :-1]).all(axis=1)]
    good = (places[:, :JOKERS] < HAND + stock - 2).all(axis=1)
    held = np.zeros(len(places), np.int64)
    for turn in range(turns):
        equal = places[:, JOKERS + 2 * turn : JOKERS + 2 * turn + 2]
        good &= (equal < HAND + turn).any(axis=1)  # before its discard number k the leader has drawn k cards
        held |= (equal < HAND + turns - 1).all(axis=1).astype(np.int64) << turn
    return np.bincount(held[good], minlength=1 << turns)


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_before_a_reshuffle_all_deals_that_could_have_happened_are_equally_likely(turns: int) -> None:
    """Compared are the equals of the discards: a card that was played tells most of its hand."""
    pos, played = discards_of_the_leader(turns, 10 * turns)
    view = pos.view(1)
    worlds = GAME.determinize(np.repeat(view.state, WORLDS), seed=turns)
    counts = np.zeros(1 << turns, np.int64)
    for world in core.plain(worlds):
        hand = hand_of(world, 0)
        counts[sum(1 << i for i, card in enumerate(played) if card in hand)] += 1
    unseen = view.stock_size + turns - 1
    exact = model(turns, unseen, 3_000_000, np.random.default_rng(turns))
    assert exact.sum() > 5_000
    both = counts + exact
    expected = both * (counts.sum() / both.sum())
    used = both > 20
    chi_square = ((counts - expected) ** 2 / expected / (1 - counts.sum() / both.sum()))[used].sum()
    assert chi_square < 2 * used.sum() + 16, (counts / counts.sum(), exact / exact.sum())


def test_cards_that_lay_in_the_pool_go_only_to_those_who_drew_since_the_reshuffle() -> None:
    checked = 0
    for seed in range(60):
        pos, rng = GAME.position(seed=seed, players=4, max_rounds=40), random.Random(seed)
        while not pos.over and not (
            pos.view(-1).reshuffles == 1 and pos.seat is not None and len(drawers(pos)) < 3
        ):
            pos.play(rng.choice(pos.legal()))
        if pos.over or (seat := pos.seat) is None:
            continue
        pool = pos.view(-1).pool
        view = pos.view(seat)
        seen = [
            *view.hand,
            *view.pile,
            view.jolly,
            *(card for meld in view.table for card in meld if "JK" not in card),
        ]
        in_pool_alone = {card for card in pool if card != "JK" and pool.count(card) + seen.count(card) == 2}
        in_pool_alone -= {
            card for card in in_pool_alone if pool.count(card) + seen.count(card) != 2 or card in seen
        }
        for world in core.plain(GAME.determinize(np.repeat(view.state, 20), seed=seed)):
            for p in set(range(4)) - drawers(pos) - {seat}:
                assert not in_pool_alone & set(hand_of(world, p)), (seed, p)
                checked += 1
        if checked > 500:
            return
    assert checked > 50


def drawers(pos: Position) -> set[int]:
    """The seats that have drawn from this stock."""
    s = core.plain(pos.states)[0]
    return {s.drawer[i] for i in range(s.n_drawn)}


def test_the_cards_seen_at_the_cut_are_where_they_went() -> None:
    """Also in the worlds of the other seats: no card is there three times, and the lowest natural is the
    Jolly card.
    """
    for seed in range(40):
        pos, rng = GAME.position(seed=seed, players=6, max_rounds=12), random.Random(seed)
        while not pos.over and not (pos.view(-1).stock_size < 3 and pos.view(-1).reshuffles == 0):
            pos.play(rng.choice(pos.legal()))
        if pos.over:
            continue
        for seat in range(6):
            for world in core.plain(GAME.determinize(np.repeat(pos.view(seat).state, 5), seed=seed)):
                stock = [world.drawn[i] for i in range(world.n_drawn)]
                stock += [world.stock[i] for i in range(world.n_stock - 1, -1, -1)]
                naturals = [
                    kind
                    for kind in (world.seen[2], world.seen[1], world.seen[0])
                    if kind != CARDS.index("JK")
                ]
                assert len(naturals) == 3 - world.kept
                assert naturals == [world.jolly, *stock[::-1][: 2 - world.kept]][: 3 - world.kept]


def test_after_a_reshuffle_whoever_drew_a_card_seen_at_the_cut_has_it_until_it_is_played() -> None:
    """The cutter knows the lowest cards of the first stock, and by the turns who drew them."""
    checked, seed = 0, 0
    while checked < 40:
        seed += 1
        checked += bottoms_checked(seed)


def bottoms_checked(seed: int) -> int:
    """Play a random game of six; how many worlds of the cutter were asked for such a card."""
    pos, rng, checked = GAME.position(seed=seed, players=6, max_rounds=40), random.Random(seed), 0
    drawers_of_first: list[int] = []
    while not pos.over:
        s, onlooker = core.plain(pos.states)[0], pos.view(-1)
        if onlooker.reshuffles == 0:
            drawers_of_first = [s.drawer[i] for i in range(s.n_drawn)]
        elif pos.seat == onlooker.cutter:
            view = pos.view()
            bottom = [card for card in reversed(view.seen) if card != "JK"][1:]
            worlds = core.plain(GAME.determinize(np.repeat(view.state, 3), seed=seed))
            draws = [i for i, (_, text) in enumerate(view.history) if text == "draw stock"]
            for j, card in enumerate(bottom):
                drawer, at = drawers_of_first[-1 - j], draws[len(drawers_of_first) - 1 - j]
                since = [text.split() for p, text in view.history[at + 1 :] if p == drawer]
                played = any(card in words[1:] for words in since if words[0] != "draw")
                if drawer != pos.seat and not played:
                    checked += len(worlds)
                    assert all(card in hand_of(world, drawer) for world in worlds)
        pos.play(rng.choice(pos.legal()))
    return checked


def after_many(endings: int, seed: int) -> list[float]:
    """P values of worlds after a reshuffle since which a seat has played more cards than are put one by one."""
    found = islice(after_reshuffles(seed, FEW + 1), endings)
    return [p_value(GAME, *ending, seed + i) for i, ending in enumerate(found)]


def test_after_a_reshuffle_since_which_many_cards_were_played_all_worlds_are_equally_likely() -> None:
    """They come from a walk of swaps (`worlds.walk`); the judge lists all hands that there can be."""
    assert min(after_many(3, 1)) > DOUBT


@pytest.mark.soak
def test_many_walks_after_a_reshuffle_have_the_chances_of_the_listed_hands() -> None:
    found = after_many(100, 1_000_000)
    assert min(found) > DOUBT / len(found) and kstest(found, "uniform").pvalue > DOUBT


def test_a_seat_that_went_out_still_knows_what_it_drew() -> None:
    states = GAME.new(20, seed=1, players=2)
    GAME.playout(states, seed=1)
    out = [int(np.argmin(held)) for held in states["held"][:, :2]]
    views = GAME.views(states, out)
    worlds = GAME.determinize(views, seed=1)
    assert (views["drawn"] != -1).any()
    assert (GAME.views(worlds, out) == views).all()
