"""Jolly Zoliky: random worlds after a reshuffle. Those before it are judged in `test_uniform` and by the laws.

The quick player of the search goes out when it can, and its worth of a card is that of a count by hand.
"""

import random
from itertools import islice
from typing import Any

import numpy as np
import pytest
from scipy.stats import kstest

from engines import core
from engines.core import States
from engines.position import Position
from engines.zoliky import GAME, policy
from engines.zoliky.state import CARDS, N_ACTIONS
from engines.zoliky.text import hand_of
from engines.zoliky.tools import worth_parting
from engines.zoliky.worlds import FEW
from tests.engines.test_search import candidates_of, policy_of
from tests.engines.test_uniform import DOUBT, p_value
from tests.engines.zoliky.endings import after_reshuffles
from tests.engines.zoliky.positions import position


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
        laid = [card for meld in view.table for card in meld if "JK" not in card]
        seen = {*view.hand, *view.pile, view.jolly, *laid}
        in_pool_alone = {card for card in pool if card != "JK" and pool.count(card) == 2} - seen
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


RUN_OF_HEARTS = "4h 5h 6h"


@core.entry
def worth_of(states: Any, kind: int) -> int:
    return policy.worth(states[0], kind, policy.gifts_of(states[0]))


def said(states: States) -> str:
    return GAME.actions()[policy_of(core.rows(states), core.work(N_ACTIONS), np.zeros(1, np.uint64))]


def tried(states: States) -> list[str]:
    out = core.work(N_ACTIONS)
    n = candidates_of(core.rows(states), out, np.zeros(1, np.uint64))
    return [GAME.actions()[int(action)] for action in out[:n]]


def worth(states: States, card: str) -> int:
    return worth_of(core.rows(states), CARDS.index(card))


def test_it_goes_out_where_the_first_set_of_its_cards_would_spoil_that() -> None:
    """The sevens of hearts, diamonds and clubs come first among the sets, but then 8h stays: 7h and 8h belong
    to the run.
    """
    states = position("7h 8h 7s 7d 7c 2c", (RUN_OF_HEARTS,), opened=(0,))
    played = []
    while states["seat"][0] == 0:
        played.append(said(states))
        GAME.step(states, np.array([GAME.action(played[-1])]))
    assert states["held"][0, 0] == 0 and played[-1] == "discard 2c"
    assert set(played) == {"set 7s 7d 7c", "lay 7h hi", "lay 8h hi", "discard 2c"}


def test_before_it_is_open_it_only_melds_what_can_open() -> None:
    low, high = "3s 4s 5s 9h 9d Kc", "Js Qs Ks 9h 9d Kc"
    assert said(position(low)) == "discard Kc"
    assert said(position(f"{high} 9c")) == "run Js Qs Ks"  # with three nines 57 points


def test_it_draws_a_card_of_the_pile_that_it_can_lay_off() -> None:
    assert said(position("2c 9d", (RUN_OF_HEARTS,), opened=(0,), draw=True, pile="7h")) == "draw discard"
    assert said(position("2c 9d", (RUN_OF_HEARTS,), opened=(0,), draw=True, pile="9h")) == "draw stock"


COMPANY = [
    ("5h 6h 7h 9h", "5h", 3 + 2), ("5h 6h 7h 9h", "7h", 3 + 2 + 2),
    ("5h 5s 5d 6h", "5h", 3 + 2 * 2), ("5h 5h 6h", "5h", 3 - 3),
    ("Ah 2h 3h Kh Qh", "Ah", 2 * (3 + 2)),  # it is low and high
    ("Ks As 2s", "Ks", 3),  # but the king is no neighbour of the two
    ("Kd 2s 2h", "2s", 2), ("Ks Ah 2h", "Ks", 0), ("2c 9d JK", "JK", 1 << 16),
]  # fmt: skip


@pytest.mark.parametrize("hand, card, value", COMPANY)
def test_worth_of_a_card_is_its_company(hand: str, card: str, value: int) -> None:
    assert worth(position(hand), card) == value


def test_what_the_next_seat_could_lay_off_is_worth_more_if_that_seat_is_open() -> None:
    hand = "7h 9c Jc Kd"
    assert said(position(hand, (RUN_OF_HEARTS,), rounds=2, pile="2s")) == "discard 7h"
    assert said(position(hand, (RUN_OF_HEARTS,), rounds=2, pile="2s", opened=(1,))) == "discard Kd"


def test_six_discards_are_searched_those_of_least_worth_and_all_melds() -> None:
    """8s, 4d, Qd and 6c have no company, 2s, 2h and Kc two points of it: of equal ones the first."""
    hand = "2s 2h 4d 6c 8s Th Qd Js Jh Jc Kc"
    states = position(hand, opened=(0,))
    assert tried(states) == [
        *(f"discard {card}" for card in ("2s", "8s", "2h", "4d", "Qd", "6c")),
        "set Js Jh Jc",
    ]


def test_it_beats_random_play_and_every_game_of_it_comes_to_an_end() -> None:
    """Four of them: somebody goes out in nearly every deal."""
    won = 0
    for seed in range(20):
        states = GAME.new(1, seed=seed)
        for _ in range(2000):
            if states["seat"][0] < 0:
                break
            GAME.step(states, np.array([GAME.action(said(states))]))
        assert states["seat"][0] == -1
        won += int(GAME.scores(states).max() == 0)
    assert won >= 15


def test_who_counts_cards_to_come_draws_no_more_than_are_left() -> None:
    hand, left = "Tc Jc Qc Kc Ac 2d 3d 5d 7d 9h Jd Kd 4h", list(CARDS[:52] * 2 + CARDS[52:] * 4)
    for card in [*hand.split(), "Ks", "Qs", "As", "2s"]:
        left.remove(card)
    states = position(hand, others=("Ks",), stock="Qs 2s", jolly="As", pile=" ".join(left))
    assert worth_parting(GAME.views(states, 0), [CARDS.index("2d"), CARDS.index("Qc")], 5, 24, 1) == [24, 0]
