"""Jolly Zoliky: random worlds after a reshuffle. Those before it are judged in `test_uniform` and by the laws."""

import random
from itertools import islice

import numpy as np
import pytest
from scipy.stats import kstest

from engines import core
from engines.position import Position
from engines.zoliky import GAME
from engines.zoliky.text import hand_of
from engines.zoliky.worlds import FEW
from tests.engines.test_uniform import DOUBT, p_value
from tests.engines.zoliky.endings import after_reshuffles


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
