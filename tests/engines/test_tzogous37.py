"""Tzogous 37: the worked examples, what each seat knows, bad input, and slow models of the pots, the raises and the knowledge."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import engines
from engines import core
from engines.core import copy_states
from engines.position import Position
from engines.tzogous37 import GAME
from engines.tzogous37.state import CARDS, pair_score
from tests.engines.facts_tzogous37 import conserved

SLOW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))

P = "9d Kc 2s 3s 4s 5s 6s Qs Qh 2h 3h 4h 5h 6h"
JOKERS = "JK 2s 3s 7d 8d 9d Td As Kh 4s 5s 6s 7s 8s Ah 4h 5h 6h 7h 8h 9h Qc"
TIES = "9s Ks 2s 3s 4s 5s 6s 9h Kh 2h 3h 4h 5h 6h"
LAST = "2s 3s 4s 5s 6s 7s Ks 2h 4h 5h 6h 7h 8h Kd"
TWO_JOKERS = "JK JK 2s 3s 7d 8d 9d As Kh 4s 5s 6s 7s 8s"
SIDE = "As Ks Qs Js Ts 9s 8s 2h 4h 6h 8h Th Qh Kh 3d 5d 7d 9d Jd Kd Ad"


def full_deck(prefix: str, decks: int = 1, jokers: int = 2) -> list[str]:
    """The listed cards, then all others in reference order, jokers last."""
    rest = sorted([*CARDS[:-1] * decks, *["JK"] * jokers * decks], key=CARDS.index)
    for card in prefix.split():
        rest.remove(card)
    return prefix.split() + rest


def game(prefix: str, players: int = 2, **options: Any) -> Position:
    options = {"hands": 1, **options}
    hands = [full_deck(prefix, options.get("decks", 1)) for _ in range(options["hands"])]
    return GAME.position(players=players, shuffles=hands, **options)


def play(position: Position, actions: str) -> Position:
    for action in filter(None, (a.strip() for a in actions.split(","))):
        position.play(action)
    return position


def spread(texts: str) -> list[str]:
    """`fold, raise 5..7` -> fold, raise 5, raise 6, raise 7."""
    out = []
    for text in texts.split(", "):
        if ".." not in text:
            out.append(text)
            continue
        low, high = text.removeprefix("raise ").split("..")
        out += [f"raise {n}" for n in range(int(low), int(high) + 1)]
    return out


# --- 5.1 ------------------------------------------------------------------------------------------------------------------

SCORES = [
    ("Th Qh", 25), ("Jc Qd", 28), ("Jh Qh", 33), ("9d Kc", 22), ("Qs Qh", 31), ("Ah Kh", 37), ("As Ah", 35), ("As 2d", 21),
    ("As 2s", 26), ("As Kd", 32), ("As 3s", 20), ("Ks 2s", 18), ("2c 3c", 15), ("2c 3d", 10), ("2s 4d", 6), ("JK Ah", 14),
    ("JK JK", 0), ("As As", 40), ("2s 2s", 16),
]  # fmt: skip


@pytest.mark.parametrize("cards, points", SCORES)
def test_two_cards_score_their_values_and_the_highest_bonus(cards: str, points: int) -> None:
    a, b = (CARDS.index(card) for card in cards.split())
    assert pair_score(a, b) == pair_score(b, a) == points


# --- worked examples: set-up, actions so far, what is then seen -----------------------------------------------------------
# `seat`, `legal` (in any order), `score`, or a field of the view of the seat to act; `hand2` is the hand of seat 2, and so on.

E1 = "place 9d, place Qs, raise 10, call, place Kc, place Qh, raise 30, call"
E2 = f"{E1}, place 2h, place 2s, check, check, place 3h, place 3s, check, check"
E2B = f"{E2}, place 4s, place 4h, raise 5, fold, place 5h, place 5s"
E4 = "place 7d, place As, place Ah, check, fold, place Kh, raise 15"
E5 = "place 7d, place As, place Ah, joker 2 1, place 3s"
E8 = (
    "place 2s, place 2h, check, check, place 3s, place 4h, check, check, place 5h, place 4s, check, check, place 6h, place 5s,"
    "check, check, place 6s, place 7h, check, check, place 7s, place 8h, check, check, place Kd, place Ks, check, check"
)
E13 = "place As, place 2h, place 3d, raise 15, call, fold, place 5d, place Ks, place 4h, check, check"
E13B = f"{E13}, place Qh, place Jd, place Ts, raise 15, raise 30"
E13C = f"{E13B}, raise 40, call, raise 5"
H = {"stacks": "hand", "players": 3}

EXAMPLES: list[tuple[str, dict[str, Any], str, dict[str, Any]]] = [
    # E1: a round
    (P, {}, "place 9d, place Qs", {"seat": 0, "pot": 10, "legal": "check, fold, raise 5..10"}),
    (P, {}, "place 9d, place Qs, raise 10", {"seat": 1, "pot": 20, "legal": "call, fold, raise 10..20"}),
    (
        P, {}, "place 9d, place Qs, raise 10, call",
        {"pot": 30, "legal": "place 2s, place 3s, place 4s, place 5s, place 6s, place Kc"},
    ),
    (P, {}, "place 9d, place Qs, raise 10, call, place Kc", {"seat": 1, "table": (("?", "?"), ("Qs", ""))}),
    (
        P, {}, "place 9d, place Qs, raise 10, call, place Kc, place Qh",
        {"seat": 1, "table": (("?", "Kc"), ("Qs", "Qh")), "legal": "check, fold, raise 5..30"},
    ),
    (
        P, {}, "place 9d, place Qs, raise 10, call, place Kc, place Qh, raise 30",
        {"seat": 0, "pot": 60, "chips": (85, 55), "legal": "call, fold, raise 30..55"},
    ),
    (
        P, {}, E1,
        {"seat": 1, "net": (-45, 45), "round": 2, "first": 1, "chips": (95, 95), "pot": 10,
         "earlier": ((("9d", "Kc"), ("Qs", "Qh")),), "discard_size": 4},
    ),
    # E2: a whole game
    (P, {}, E2, {"seat": 0, "round": 3, "first": 0, "net": (-40, 40)}),
    (P, {}, f"{E2}, place 4s, place 4h, raise 5, fold", {"seat": 1, "phase": "discard", "legal": "place 5h, place 6h"}),
    (P, {}, f"{E2}, place 4s, place 4h, raise 5, fold, place 5h", {"seat": 0, "legal": "place 5s, place 6s"}),
    (P, {}, E2B, {"seat": 1, "round": 4, "first": 1, "net": (-35, 35)}),
    (P, {}, f"{E2B}, place 6h, place 6s, check, check", {"seat": 0, "community": "9s", "phase": "bet 2"}),
    (P, {}, f"{E2B}, place 6h, place 6s, check, check, check, raise 10, fold", {"seat": None, "score": [-40, 40]}),
    # E3: fold after one card
    (
        P, {}, "place 9d, place Qs, raise 10, fold",
        {"seat": 1, "legal": "place 2h, place 3h, place 4h, place 5h, place 6h, place Qh"},
    ),
    (
        P, {}, "place 9d, place Qs, raise 10, fold, place 2h",
        {"seat": 0, "table": (("9d", ""), ("?", "2h")), "legal": "place 2s, place 3s, place 4s, place 5s, place 6s, place Kc"},
    ),
    (
        P, {}, "place 9d, place Qs, raise 10, fold, place 2h, place 2s",
        {"net": (5, -5), "hand_sizes": (5, 5), "round": 2, "earlier": ((("?", "2s"), ("Qs", "2h")),)},
    ),
    # E4: a joker on a folded seat's card
    (JOKERS, {"players": 3}, E4, {"seat": 0, "legal": "call, fold, raise 15..30, joker 1 1, joker 1 2, joker 2 1"}),
    (
        JOKERS, {"players": 3}, f"{E4}, joker 1 2",
        {"seat": 0, "phase": "give", "target": (1, 2), "legal": "place 2s, place 3s, place 8d, place 9d, place Td"},
    ),
    (
        JOKERS, {"players": 3}, f"{E4}, joker 1 2, place 2s",
        {
            "seat": 0, "hand": ("Kh", "3s", "8d", "9d", "Td", "Qc"), "table": (("7d", ""), ("?", "2s"), ("?", "")),
            "discard_size": 1,
            "legal": "call, fold, raise 15..30", "joker_uses": (1, 0, 0),
        },
    ),
    (JOKERS, {"players": 3}, f"{E4}, joker 1 2, place 2s, call", {"pot": 45}),
    (JOKERS, {"players": 3}, f"{E4}, joker 1 2, place 2s, call, place 8d, place 9h", {"seat": 2, "phase": "bet 2"}),
    (
        JOKERS, {"players": 3}, f"{E4}, joker 1 2, place 2s, call, place 8d, place 9h, check, check",
        {"net": (-20, -5, 25), "earlier": ((("7d", "8d"), ("As", "2s"), ("Ah", "9h")),)},
    ),
    # E5: a joker on a face-down card
    (
        JOKERS, {"players": 3}, E5,
        {"seat": 0, "hand": ("2s", "Ah", "8d", "9d", "Td", "Qc"), "table": (("7d", ""), ("?", ""), ("3s", ""))},
    ),
    (JOKERS, {"players": 3}, f"{E5}, check", {"seat": 1, "table": (("?", ""), ("As", ""), ("?", ""))}),
    (JOKERS, {"players": 3}, f"{E5}, check, check", {"seat": 2, "table": (("?", ""), ("?", ""), ("3s", ""))}),
    # E6: the joker is laid
    (
        JOKERS, {"players": 3, "joker_use": "lay"}, "place 7d, place As, place Ah, joker 2 1",
        {"seat": 0, "hand": ("2s", "3s", "8d", "9d", "Td", "Qc"), "table": (("7d", ""), ("?", ""), ("JK", "")), "discard_size": 1,
             "legal": "fold, check, raise 5..15"},
    ),
    (
        JOKERS, {"players": 3, "joker_use": "lay"}, "place 7d, place As, place Ah, joker 2 1, check",
        {"seat": 1, "table": (("?", ""), ("As", ""), ("JK", ""))},
    ),
    # E7: ties
    (
        f"{TIES} 7s 7h 8c 8d Td JK", {}, "place 9s, place 9h, check, check, place Ks, place Kh, raise 5, call",
        {"net": (10, -10), "discard_size": 10},
    ),
    (
        f"{TIES} 7s 7h 8c 8d Td JK", {"sudden_death": True},
        "place 9s, place 9h, check, check, place Ks, place Kh, raise 5, call", {"net": (0, 0), "discard_size": 6},
    ),
    (
        f"{TIES} 2d 3d 4d 5d 6d 7d 8d 7s 7h", {"players": 3, "sudden_death": True},
        "place 9s, place 9h, place 2d, check, check, fold, place 3d, place Ks, place Kh, check, check", {"net": (3, 2, -5)},
    ),
    # E8: round 4
    (f"{LAST} Kh", {}, E8, {"seat": 0, "net": (-5, 5), "community": "Kh", "legal": "check, fold, raise 5..10"}),
    (f"{LAST} Kh", {}, f"{E8}, check, check", {"score": [0, 0]}),
    (f"{LAST} JK 3c 2c", {}, E8, {"community": "JK"}),
    (f"{LAST} JK 3c 2c", {}, f"{E8}, check, check", {"score": [-10, 10]}),
    # E9: the call counts
    (P, {"pot_counts_call": True}, "place 9d, place Qs, raise 10", {"seat": 1, "legal": "call, fold, raise 10..30"}),
    (
        P, {"pot_counts_call": True}, "place 9d, place Qs, raise 10, raise 30",
        {"pot": 60, "chips": (85, 55), "legal": "call, fold, raise 30..55"},
    ),
    (
        P, {"pot_counts_call": True}, "place 9d, place Qs, raise 10, raise 30, raise 55",
        {"pot": 145, "legal": "call, fold"},
    ),
    (
        P, {"pot_counts_call": True}, "place 9d, place Qs, raise 10, raise 30, raise 55, call, place Kc, place Qh",
        {"round": 2, "net": (-100, 100)},
    ),
    # E10: steps
    (P, {"step": 5}, "place 9d, place Qs", {"legal": "fold, check, raise 5, raise 10"}),
    (
        P, {"step": 5, "stack": 500}, "place 9d, place Qs, raise 10",
        {"legal": "fold, call, raise 10, raise 15, raise 20", "numbers": [0, 2, 4, 5, 6]},
    ),
    # E11: two decks
    (
        "As As 2s 3s 4s 5s 6s Ah Kh 2h 3h 4h 5h 6h", {"decks": 2},
        "place As, place Ah, check, check, place As, place Kh, raise 10, call", {"net": (15, -15)},
    ),
    # E12: two jokers
    (
        TWO_JOKERS, {}, "place 9d, place As, joker 1 1, place 2s, check, check, place 8d, place Kh, check",
        {"seat": 0, "legal": "fold, check, raise 5..10, joker 1 1, joker 1 2"},
    ),
    (
        TWO_JOKERS, {"joker_limit": True}, "place 9d, place As, joker 1 1, place 2s, check, check, place 8d, place Kh, check",
        {"seat": 0, "legal": "fold, check, raise 5..10"},
    ),
    (TWO_JOKERS, {}, "place 9d, place As, joker 1 1, place JK", {"seat": 0, "hand": ("2s", "3s", "9s", "As", "7d", "8d")}),
    (
        TWO_JOKERS, {}, "place JK, place 4s, check, check, place JK, place 5s, raise 10, call", {"net": (-15, 15)},
    ),
    # E13: side pot, short raise
    (SIDE, H, E13, {"net": (25, -20, -5), "round": 2, "first": 1, "chips": (120, 75, 90)}),
    (SIDE, H, f"{E13}, place Qh, place Jd, place Ts", {"seat": 1, "legal": "fold, check, raise 5..15"}),
    (SIDE, H, f"{E13}, place Qh, place Jd, place Ts, raise 15", {"seat": 2, "legal": "fold, call, raise 15..30"}),
    (SIDE, H, E13B, {"seat": 0, "legal": "fold, call, raise 30..45"}),
    (SIDE, H, f"{E13B}, raise 40", {"seat": 1, "chips": (35, 60, 45), "to_call": 70, "legal": "fold, call"}),
    (SIDE, H, f"{E13B}, raise 40, call", {"seat": 2, "legal": "fold, call, raise 5"}),
    (SIDE, H, E13C, {"seat": 0, "legal": "fold, call"}),
    (SIDE, H, f"{E13C}, call", {"put": (95, 80, 95), "all_in": (1, 2)}),
    (SIDE, H, f"{E13C}, call, place Kh, place Kd, place 8s", {"round": 3, "net": (-70, 140, -70)}),
    # E14: broke seats
    (
        P, {"hands": 2, "stack": 20, "stacks": "hand"}, "place 9d, place Qs, raise 10, raise 5, call, place Kc, place Qh",
        {"seat": 1, "hand_number": 1, "first": 1, "round": 1, "net": (-20, 20), "chips": (15, 15)},
    ),
    (
        P, {"hands": 2, "stack": 20, "stacks": "game"}, "place 9d, place Qs, raise 10, raise 5, call, place Kc, place Qh",
        {"score": [-20, 20]},
    ),
]  # fmt: skip


@pytest.mark.parametrize("prefix, setup, actions, seen", EXAMPLES)
def test_worked_examples(prefix: str, setup: dict[str, Any], actions: str, seen: dict[str, Any]) -> None:
    position = play(game(prefix, **setup), actions)
    view = position.view(position.seat if position.seat is not None else -1)
    for name, value in seen.items():
        if name == "legal":
            assert sorted(position.legal()) == sorted(spread(value))
        elif name == "numbers":
            assert position.legal_numbers() == value
        elif name == "seat":
            assert position.seat == value
        elif name == "score":
            assert position.scores() == value
        elif name == "hand":
            assert sorted(view.hand) == sorted(value)
        else:
            assert getattr(view, name) == value, name


def test_the_scores_of_the_side_pot_example_are_seen_at_the_showdown() -> None:
    position = play(game(SIDE, **H), f"{E13C}, call, place Kh, place Kd, place 8s")
    assert position.view().earlier[1] == (("Ts", "8s"), ("Qh", "Kh"), ("Jd", "Kd"))
    assert [text for _, _, seat, text in position.view().events if text.startswith("win")] == ["win 45", "win 240", "win 30"]


def test_a_folded_seat_ahead_of_the_lead_is_skipped_and_the_seat_after_it_opens_betting_2() -> None:
    position = play(game(JOKERS, players=3), "place 7d, place As, place Ah, fold, place 2s, check, check")
    assert (position.seat, position.view().phase, position.view().first) == (1, "place 2", 0)
    play(position, "place Kh, place 9h")
    assert (position.seat, position.view().phase) == (1, "bet 2")


ALIKE = "7s 7h 7d 7c 8s 8h 8d 8c 9d 9c Ts Th Td Tc Js Jh Jd Jc Qs Qh Qd Qc Kd Kc As Ah Ad Ac 2d 2c 3d 3c 4d 4c 5d 5c 6d 6c JK JK"
TIED = "place 9s, place 9h, check, check, place Ks, place Kh, check, check"


def test_twenty_tied_draws_split_the_pot_and_use_up_the_deck() -> None:
    view = play(game(f"{TIES} {ALIKE}"), TIED).view()
    assert (view.net, view.deck_size, view.round, view.discard_size) == ((0, 0), 0, 2, 44)


def test_a_reshuffle_takes_the_discards_when_a_card_must_be_drawn_from_an_empty_deck() -> None:
    """Round 2 is tied as well, 2h 3h and 2s 3s: the 44 discards are shuffled, then seat 1 draws Ks and seat 0 9s."""
    shuffles = [full_deck(f"{TIES} {ALIKE}"), ["Ks", "9s", *ALIKE.split(), "9h", "Kh"]]
    again = f"{TIED}, place 2h, place 2s, check, check, place 3h, place 3s, check"
    position = play(GAME.position(shuffles=shuffles, hands=1), f"{again}, check")
    view = position.view()
    assert (view.net, view.deck_size, view.discard_size) == ((-5, 5), 42, 6)
    texts = [text for _, _, _, text in view.events]
    assert texts[-4:] == ["reshuffle", "tie Ks", "tie 9s", "win 10"]
    with pytest.raises(engines.ShuffleError, match="44 cards"):
        play(GAME.position(shuffles=shuffles[:1], hands=1), f"{again}, check")
    views = GAME.views(position.states.repeat(20))
    back = {CARDS.index(card) for card in ("9h", "Kh", "7s", "Ac")}  # in the deck again, as everybody knows
    for world in map(core.PlainRow, GAME.determinize(views, seed=3)):
        conserved(world)
        assert back <= set(world.deck_cards.tolist()[: world.left])


def test_a_reshuffle_in_the_middle_of_a_draw_leaves_the_drawn_card_out() -> None:
    """39 cards in the deck: at the 20th draw seat 0 takes the joker, the last one; seat 1 draws from 38 shuffled discards."""
    given = ALIKE.split()[:38]
    first = [*TIES.split(), *given, "JK"]
    with pytest.raises(engines.ShuffleError, match="38 cards"):
        play(GAME.position(shuffles=[first], hands=1, jokers=1), TIED)
    view = play(GAME.position(shuffles=[first, given], hands=1, jokers=1), TIED).view()
    assert [text for _, _, _, text in view.events][-4:] == ["reshuffle", "tie JK", "tie 7s", "win 10"]
    assert (view.net, view.deck_size, view.discard_size) == ((-5, 5), 37, 6)


def test_a_deal_begins_with_the_hand_shuffle_and_gives_blocks_of_seven() -> None:
    position = game(SIDE, players=3)
    assert [position.view(p).hand_sizes for p in range(3)] == [(7, 7, 7)] * 3
    assert [set(position.view(p).hand) for p in range(3)] == [set(SIDE.split()[7 * p : 7 * p + 7]) for p in range(3)]


SHORT = [  # chips behind after the antes of 5, actions, what seat 0 (75 behind, bet 20) may then do
    ((95, 32, 95, 95), "raise 20, raise 12, call, call", "fold, call"),
    ((95, 32, 44, 95), "raise 20, raise 12, raise 12, call", "fold, call, raise 20..51"),
    ((95, 40, 95, 95), "raise 20, raise 20, call, call", "fold, call, raise 20..55"),
]


@pytest.mark.parametrize("chips, actions, then", SHORT)
def test_short_raises_reopen_the_betting_only_if_they_add_up_to_a_full_one(chips: Any, actions: str, then: str) -> None:
    position = game(SIDE, players=4, stacks="game")
    while position.view().phase == "place 1":
        position.play(position.legal_numbers()[0])
    states = copy_states(position.states)
    states["chips"][0, :4] = chips
    position = play(Position.of(GAME, states), actions)
    assert position.seat == 0 and position.legal() == spread(then)


def test_raise_max_is_offered_beyond_a_hundred_steps() -> None:
    """Six stacks of 100 in one game, of which two seats hold 250 each: the pot of 60 allows 60, then 180, ..."""
    position = game(SIDE, players=6, stacks="game")
    while position.view().phase == "place 1":
        position.play(position.legal_numbers()[0])
    states = copy_states(position.states)
    states["chips"][0], states["paid"][0], states["alive"], states["due"] = (230, 230, 0, 0, 0, 0), (25, 25, 25, 25, 20, 20), 3, 3
    position = play(Position.of(GAME, states), "raise 70")
    assert position.legal_numbers()[:3] == [0, 2, 72] and position.legal()[-2:] == ["raise 100", "raise max"]
    assert position.legal_numbers()[-1] == 103
    position.play("raise max")
    view = position.view()
    assert view.bets[:2] == (70, 230) and view.chips[:2] == (160, 0) and view.events[-1] == (1, 1, 1, "raise 160")
    assert position.legal() == ["fold", "call"]


# --- 6: who knows what ----------------------------------------------------------------------------------------------------


def test_the_log_tells_each_seat_the_cards_that_it_knows() -> None:
    position = play(game(JOKERS, players=3), E5)
    tail = {seat: [text for _, _, _, text in position.view(seat).events][-3:] for seat in (-1, 0, 1, 2)}
    assert tail[0] == ["joker 2 1", "take Ah", "draw Qc"]
    assert tail[2] == ["joker 2 1", "take Ah", "draw ?"]
    assert tail[1] == tail[-1] == ["joker 2 1", "take ?", "draw ?"]


def test_a_laid_joker_does_not_show_the_card_it_replaced() -> None:
    position = play(game(JOKERS, players=3, joker_use="lay"), "place 7d, place As, place Ah, joker 2 1")
    tail = {seat: [text for _, _, _, text in position.view(seat).events][-2] for seat in (-1, 0, 1, 2)}
    assert tail == {-1: "lose ?", 0: "lose ?", 1: "lose ?", 2: "lose Ah"}


def test_a_world_gives_a_card_that_was_seen_taken_to_its_taker() -> None:
    """E5: seat 2 knows that seat 0 took its Ah and has placed nothing since."""
    position = play(game(JOKERS, players=3), f"{E5}, check, check")
    views = GAME.views(position.states.repeat(50), 2)
    for world in GAME.determinize(views, seed=4):
        assert core.PlainRow(world).hand[0] >> CARDS.index("Ah") & 1
    views = GAME.views(position.states.repeat(50), 1)
    assert 0 < sum(core.PlainRow(w).hand[0] >> CARDS.index("Ah") & 1 for w in GAME.determinize(views, seed=4)) < 50


def test_a_world_leaves_the_cards_that_were_seen_out_of_the_other_hand() -> None:
    position = play(game(P), E1)
    shown = sum(1 << CARDS.index(card) for card in ("9d", "Kc", "Qs", "Qh"))
    views = GAME.views(position.states.repeat(50), 1)
    for world in map(core.PlainRow, GAME.determinize(views, seed=1)):
        assert world.hand[0].bit_count() == 5 and not world.hand[0] & (shown | world.hand[1])


class Knowledge:
    """Who knows which table card, kept by reading the rules as a person at the table would."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.slots: dict[tuple[int, int, int], tuple[str, set[int]]] = {}  # (round, seat, slot) -> card, who knows it

    def play(self, text: str) -> None:
        position = self.position
        view, seat = position.view(), position.seat
        everybody = set(range(-1, position.players))
        where = (view.hand_number, view.round)
        assert seat is not None
        word, *rest = text.split()
        if word == "place":
            self.place(view, seat, rest[0], everybody)
        elif word == "joker" and view.options["joker_use"] == "lay":
            self.slots[view.round, int(rest[0]), int(rest[1])] = ("JK", everybody)
        position.play(text)
        self.after(where, everybody)

    def place(self, view: Any, seat: int, card: str, everybody: set[int]) -> None:
        up = {(1, 2), (3, 1)}
        if view.phase == "give":
            owner, slot = view.target
            self.slots[view.round, owner, slot] = (card, everybody if (view.round, slot) in up else {seat, owner})
            return
        slot = 1 if view.phase == "place 1" else 2
        at_once = view.phase in {"discard", "survivor"} and (view.round, slot) in up
        self.slots[view.round, seat, slot] = (card, everybody if at_once else {seat})

    def after(self, where: tuple[int, int], everybody: set[int]) -> None:
        """What all see together: face-up cards when the last has placed, and the cards of a showdown."""
        view = self.position.view(-1)
        if self.position.over or (view.hand_number, view.round) != where:
            self.showdown(where, everybody)
            if self.position.over or view.hand_number != where[0]:
                self.slots.clear()
        else:
            self.turn_up(view, view.alive, everybody)

    def turn_up(self, view: Any, seats: tuple[int, ...], everybody: set[int]) -> None:
        """Round 1: slot 2, seen in betting 2. Round 3: slot 1, seen as soon as all have placed it."""
        if (view.round, view.phase) == (1, "bet 2") or (view.round == 3 and view.phase != "place 1"):
            self.reveal([(view.round, p, 2 if view.round == 1 else 1) for p in seats], everybody)

    def showdown(self, where: tuple[int, int], everybody: set[int]) -> None:
        """The round has ended: two alive seats or more show all they have, one alone what lies face-up."""
        keys = [key for key in self.slots if key[0] == where[1] and key[1] in self.alive]
        self.reveal([key for key in keys if len(self.alive) > 1 or (key[0], key[2]) == (3, 1)], everybody)

    def reveal(self, keys: list[tuple[int, int, int]], everybody: set[int]) -> None:
        for key in keys:
            self.slots[key] = (self.slots[key][0], everybody)

    alive: tuple[int, ...] = ()

    def check(self) -> None:
        for seat in range(-1, self.position.players):
            view = self.position.view(seat)
            for r, table in enumerate([*view.earlier, view.table], 1):
                for p, cards in enumerate(table):
                    for k, card in enumerate(cards, 1):
                        real, knowers = self.slots.get((r, p, k), ("", {seat}))
                        assert card == (real if seat in knowers else "?"), (r, p, k, seat)


@SLOW
@given(seed=st.integers(0, 2**40), players=st.integers(2, 5), use=st.sampled_from(("swap", "lay")), decks=st.integers(1, 2))
def test_views_show_the_table_cards_that_a_slow_model_says_the_seat_knows(seed: int, players: int, use: str, decks: int) -> None:
    rng = random.Random(seed)
    position = GAME.position(seed=seed, players=players, hands=2, jokers=4, joker_use=use, decks=decks, stacks="hand")
    model = Knowledge(position)
    for _ in range(60):
        if position.over:
            break
        kinds = sorted({text.split()[0] for text in position.legal()})
        kind = (
            "joker"
            if "joker" in kinds and rng.random() < 0.7
            else rng.choice([k for k in kinds if k != "fold" or rng.random() < 0.3] or kinds)
        )
        text = rng.choice([text for text in position.legal() if text.split()[0] == kind])
        alive = set(position.view(-1).alive) - ({position.seat} if text == "fold" else set())
        model.alive = tuple(alive)
        model.play(text)
        if not position.over:
            model.check()


# --- slow models ----------------------------------------------------------------------------------------------------------


def pots_chip_by_chip(
    paid: list[int], alive: list[int], scores: dict[int, int], first: int, deck: list[int], draws: int
) -> list[int]:
    """What every seat wins: each layer of single chips belongs to the pot of those alive seats that have paid it."""
    pots: dict[tuple[int, ...], int] = {}
    for chip in range(1, max(paid) + 1):
        owners = tuple(p for p in alive if paid[p] >= chip) or tuple(p for p in alive if paid[p] == max(paid[q] for q in alive))
        pots[owners] = pots.get(owners, 0) + sum(1 for amount in paid if amount >= chip)
    won = [0] * len(paid)
    order = [(first + i) % len(paid) for i in range(len(paid))]
    for owners in sorted(pots, key=len, reverse=True):
        best = [p for p in order if p in owners and scores[p] == max(scores[q] for q in owners)]
        for _ in range(draws):
            if len(best) == 1:
                break
            cards = {p: deck.pop(0) for p in best}
            worth = {p: 0 if c == 52 else c % 13 + 2 for p, c in cards.items()}
            best = [p for p in best if worth[p] == max(worth.values())]
        for chip in range(pots[owners]):
            won[best[chip % len(best)]] += 1
    return won


@SLOW
@given(data=st.data())
def test_pots_agree_with_a_model_that_goes_chip_by_chip(data: st.DataObject) -> None:
    players = data.draw(st.integers(2, 6))
    sudden = data.draw(st.booleans())
    paid = [data.draw(st.integers(1, 40)) for _ in range(players)]
    alive = data.draw(st.lists(st.integers(0, players - 1), min_size=2, max_size=players, unique=True).map(sorted))
    cards = list(range(53))
    random.Random(data.draw(st.integers(0, 2**32))).shuffle(cards)
    if data.draw(st.booleans()):  # few ranks: many ties
        cards.sort(key=lambda c: c % 13 > 3)
    states = GAME.new(1, players=players, stacks="game", sudden_death=sudden, hands=1)
    row = core.plain(states)[0]
    scores = {}
    for p in range(players):
        row.table[1, 2 * p], row.table[1, 2 * p + 1] = cards[2 * p], cards[2 * p + 1]
        row.knows[1, 2 * p] = row.knows[1, 2 * p + 1] = 127
        scores[p] = int(pair_score(cards[2 * p], cards[2 * p + 1]))
        row.paid[p], row.bet[p], row.chips[p], row.hand[p], row.held[p] = paid[p], 0, 100 - paid[p], 0, 0
    deck = cards[2 * players :]
    for i in range(112):
        row.deck_cards[i] = deck[len(deck) - 1 - i] if i < len(deck) else -1
    row.left, row.round_no, row.phase, row.last_raise = len(deck), 2, 5, 5
    row.alive, row.seat = sum(1 << p for p in alive), alive[0]
    row.due = 1 << alive[0]
    position = Position.of(GAME, states)
    position.play("check")
    won = pots_chip_by_chip(paid, alive, scores, 1 % players, deck, 1 if sudden else 20)
    assert position.view(-1).net == tuple(w - p for w, p in zip(won, paid))


def raises_by_the_rule(view: Any, seat: int) -> list[int]:
    """Rule 4.3, from what the view shows, trying every amount."""
    o, chips, bets = view.options, view.chips, view.bets
    call = max(bets) - bets[seat]
    limit = sum(view.put) + (call if o["pot_counts_call"] else 0)
    others = [p for p in view.alive if p != seat]

    def allowed(n: int) -> bool:
        payable = call + n <= chips[seat] and any(chips[p] + bets[p] >= max(bets) + n for p in others)
        return n <= limit and payable and not 0 < call < view.last_raise

    possible = [n for n in range(o["step"], 601 * o["step"], o["step"]) if allowed(n)]
    full = [n for n in possible if n >= view.last_raise]
    return full or possible[-1:]


@SLOW
@given(
    seed=st.integers(0, 2**40), players=st.integers(2, 6), stacks=st.sampled_from(("round", "hand", "game")), counts=st.booleans()
)
def test_betting_actions_agree_with_the_rule_tried_amount_by_amount(seed: int, players: int, stacks: str, counts: bool) -> None:
    rng = random.Random(seed)
    chip = rng.choice((1, 5))
    options = {"stacks": stacks, "pot_counts_call": counts, "step": chip, "stack": 20 * 5, "ante": 5, "hands": 2}
    position = GAME.position(seed=seed, players=players, **options)
    for _ in range(150):
        if position.over:
            break
        legal = position.legal()
        if legal[0] == "fold":
            view, seat = position.view(), position.seat
            raises = raises_by_the_rule(view, seat)
            expected = ["fold", "check" if view.to_call == 0 else "call"]
            expected += [f"raise {n}" for n in raises if n <= 100 * chip] + (
                ["raise max"] if raises and raises[-1] > 100 * chip else []
            )
            assert [text for text in legal if not text.startswith("joker")] == expected
        kinds = sorted({text.split()[0] for text in legal} - {"fold"}) if rng.random() < 0.9 else ["fold"]
        position.play(rng.choice([text for text in legal if text.split()[0] == rng.choice(kinds)] or legal))


# --- 8: reference figures, exactly ----------------------------------------------------------------------------------------


def bonus(a: int, b: int) -> int:
    worth = [0 if c == 52 else c % 13 + 2 for c in (a, b)]
    return int(pair_score(a, b)) - sum(worth)


def test_two_cards_have_the_bonuses_of_the_table() -> None:
    counts: dict[int, int] = {}
    for a, b in combinations(range(52), 2):
        counts[bonus(a, b)] = counts.get(bonus(a, b), 0) + 1
    assert counts == {7: 78, 3: 260, 5: 156, 10: 52, 0: 780}
    assert comb(54, 2) - comb(52, 2) == 105


def best_bonus_shares(jokers: int) -> dict[str, float]:
    """Exact share of seven-card hands by their highest bonus, in per cent, from 52 cards and some jokers.

    Which ranks are neighbours is asked of the engine; the rest is counting: suits are independent as long as ranks do not
    matter, and with all ranks different a run of neighbouring ranks without a straight flush has 4 * 3**(n-1) colourings.
    """
    near = [[bonus(a, 13 + b) == 5 for b in range(13)] for a in range(13)]
    free = [0] * 14  # sets of ranks without neighbours, by size
    distinct = [0] * 14  # hands of so many different ranks without a straight flush
    for ranks in range(1 << 13):
        chosen = [r for r in range(13) if ranks >> r & 1]
        links = sum(near[a][b] for a, b in combinations(chosen, 2))
        free[len(chosen)] += links == 0
        distinct[len(chosen)] += 4 ** (len(chosen) - links) * 3**links if len(chosen) < 13 else 0
    suits = [1]
    for _ in range(4):
        suits = [sum(suits[i] * free[n - i] for i in range(min(n, len(suits) - 1) + 1) if n - i < 14) for n in range(8)]
    total = comb(52 + jokers, 7)
    hands = [(comb(jokers, j), 7 - j) for j in range(jokers + 1)]
    no_flush = sum(ways * suits[n] for ways, n in hands)
    no_pair = sum(ways * distinct[n] for ways, n in hands)
    nothing = sum(ways * free[n] * 4**n for ways, n in hands)
    parts = {"straight flush": total - no_flush, "pair": no_flush - no_pair, "straight": no_pair - nothing, "less": nothing}
    return {name: round(100 * float(Fraction(part, total)), 2) for name, part in parts.items()}


def test_seven_cards_have_the_best_bonuses_of_the_table() -> None:
    assert best_bonus_shares(0) == {"straight flush": 60.80, "pair": 31.26, "straight": 7.93, "less": 0.0}
    assert best_bonus_shares(2) == {"straight flush": 57.47, "pair": 32.06, "straight": 10.35, "less": 0.11}


def test_with_straights_above_pairs_the_shares_are_those_of_the_table() -> None:
    """Without neighbouring ranks seven cards hold a flush (four suits) and no straight flush: that is the third figure."""
    circle = [[bonus(a, 13 + b) == 5 for b in range(13)] for a in range(13)]
    no_straight = 0
    for m in range(2, 8):
        for ranks in combinations(range(13), m):
            if not any(circle[a][b] for a, b in combinations(ranks, 2)):
                no_straight += sum((-1) ** i * comb(m, i) * comb(4 * (m - i), 7) for i in range(m + 1))
    share = round(100 * no_straight / comb(52, 7), 2)
    assert share == 3.50 and round(100 - 60.80 - share, 2) == 35.70


def test_a_37_is_in_one_hand_of_sixteen() -> None:
    hands = sum((-1) ** (i + 1) * comb(4, i) * comb(52 - 2 * i, 7 - 2 * i) for i in (1, 2, 3))
    assert round(100 * hands / comb(52, 7), 2) == 6.26
    assert [(a, b) for a, b in combinations(range(53), 2) if pair_score(a, b) == 37] == [
        (13 * k + 11, 13 * k + 12) for k in range(4)
    ]


# --- 7, 9: text and bad input ---------------------------------------------------------------------------------------------

NUMBERS = [("fold", 0), ("check", 1), ("call", 2), ("raise 1", 3), ("raise 10", 12), ("raise 100", 102), ("raise max", 103),
           ("joker 0 1", 104), ("joker 1 2", 107), ("joker 5 2", 115), ("place 2s", 116), ("place As", 128), ("place 2h", 129),
           ("place JK", 168)]  # fmt: skip


@pytest.mark.parametrize("text, number", NUMBERS)
def test_actions_have_the_numbers_of_the_table(text: str, number: int) -> None:
    assert GAME.action(text) == number and GAME.actions()[number] == text


@pytest.mark.parametrize("chip", [1, 5, 1000])
def test_texts_of_raises_are_in_chips_and_unique_for_every_step(chip: int) -> None:
    texts = GAME.actions({**GAME.check_options()[1], "step": chip})
    assert len(set(texts)) == 169 and texts[4] == f"raise {2 * chip}" and texts[102] == f"raise {100 * chip}"


@pytest.mark.parametrize(
    "text", ["raise 010", "raise +10", "raise", "place 1s", "place", "joker 6 1", "joker 0 3", "Fold", "", "raise 101"]
)
def test_malformed_text_is_refused_and_nothing_changes(text: str) -> None:
    position = play(game(P), "place 9d, place Qs")
    before = position.states.tobytes()
    with pytest.raises(engines.TextError, match="no action"):
        position.play(text)
    assert position.states.tobytes() == before


@pytest.mark.parametrize("action", ["call", "raise 4", "raise 11", "place 2s", "joker 1 1", "raise max", 169, -1])
def test_an_illegal_action_is_refused_with_seat_and_legal_actions(action: str | int) -> None:
    position = play(game(P), "place 9d, place Qs")
    before = position.states.tobytes()
    with pytest.raises(engines.IllegalAction, match=r"seat 0 .*'check'"):
        position.play(action)
    assert position.states.tobytes() == before


BAD_OPTIONS = [({"ante": 7, "step": 5}, "ante"), ({"stack": 102, "step": 5}, "stack"), ({"stack": 19}, "stack"),
               ({"stack": 101}, "stack"),
               ({"ante": 26}, "stack"), ({"stacks": "never"}, "stacks"), ({"decks": True}, "decks"),
               ({"joker_limit": 1}, "joker_limit"),
               ({"jokers": 5}, "jokers"), ({"hands": 0}, "hands"), ({"step": 10}, "ante"), ({"blinds": 5}, "blinds")]  # fmt: skip


@pytest.mark.parametrize("options, named", BAD_OPTIONS)
def test_bad_options_are_named(options: dict[str, Any], named: str) -> None:
    with pytest.raises(engines.OptionError, match=named):
        GAME.new(1, **options)


def test_a_shuffle_that_is_not_the_pack_is_refused() -> None:
    with pytest.raises(engines.ShuffleError, match="54 cards"):
        GAME.position(shuffles=[full_deck(P)[:-1]])
    with pytest.raises(engines.ShuffleError, match="missing"):
        GAME.position(shuffles=[])
