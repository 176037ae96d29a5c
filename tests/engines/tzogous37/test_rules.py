"""Tzogous 37 against its rules page: the worked examples, reshuffles, texts and options."""

from typing import Any

import numpy as np
import pytest

import engines
from engines import core
from engines.core import copy_states
from engines.errors import GameError
from engines.position import Position
from engines.tzogous37 import GAME
from engines.tzogous37.state import CARDS, Phase, pair_score
from tests.engines.built import built

from .facts import conserved

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


# --- 5.1 ----------------------------------------------------------------------------------------------------

SCORES = [
    ("Th Qh", 25), ("Jc Qd", 28), ("Jh Qh", 33), ("9d Kc", 22), ("Qs Qh", 31), ("Ah Kh", 37), ("As Ah", 35), ("As 2d", 21),
    ("As 2s", 26), ("As Kd", 32), ("As 3s", 20), ("Ks 2s", 18), ("2c 3c", 15), ("2c 3d", 10), ("2s 4d", 6), ("JK Ah", 14),
    ("JK JK", 0), ("As As", 40), ("2s 2s", 16),
]  # fmt: skip


@pytest.mark.parametrize("cards, points", SCORES)
def test_two_cards_score_their_values_and_the_highest_bonus(cards: str, points: int) -> None:
    a, b = (CARDS.index(card) for card in cards.split())
    assert pair_score(a, b) == pair_score(b, a) == points


# --- worked examples: set-up, actions so far, what is then seen ---------------------------------------------
# `seat`, `legal` (in any order), `score`, or a field of the view of the seat to act; `hand2` is the hand of
# seat 2, and so on.

E1 = "place 9d, place Qs, raise 10, call, place Kc, place Qh, raise 30, call"
E2 = f"{E1}, place 2h, place 2s, check, check, place 3h, place 3s, check, check"
E2B = f"{E2}, place 4s, place 4h, raise 5, fold, place 5h, place 5s"
E4 = "place 7d, place As, place Ah, check, fold, place Kh, raise 15"
E5 = "place 7d, place As, place Ah, joker 2 1, place 3s"
E8 = (
    "place 2s, place 2h, check, check, place 3s, place 4h, check, check, place 5h, place 4s, check, check, "
    "place 6h, place 5s,"
    "check, check, place 6s, place 7h, check, check, place 7s, place 8h, check, check, place Kd, place Ks, "
    "check, check"
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
        {"seat": 1, "totals": (-45, 45), "round": 2, "first": 1, "chips": (95, 95), "pot": 10,
         "earlier": ((("9d", "Kc"), ("Qs", "Qh")),), "discard_size": 4},
    ),
    # E2: a whole game
    (P, {}, E2, {"seat": 0, "round": 3, "first": 0, "totals": (-40, 40)}),
    (P, {}, f"{E2}, place 4s, place 4h, raise 5, fold", {"seat": 1, "phase": "discard", "legal": "place 5h, place 6h"}),
    (P, {}, f"{E2}, place 4s, place 4h, raise 5, fold, place 5h", {"seat": 0, "legal": "place 5s, place 6s"}),
    (P, {}, E2B, {"seat": 1, "round": 4, "first": 1, "totals": (-35, 35)}),
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
        {"totals": (5, -5), "hand_sizes": (5, 5), "round": 2, "earlier": ((("?", "2s"), ("Qs", "2h")),)},
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
        {"totals": (-20, -5, 25), "earlier": ((("7d", "8d"), ("As", "2s"), ("Ah", "9h")),)},
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
        f"{TIES} 7s 7h 8c 8d Td JK", {}, "place 9s, place 9h, check, check, place Ks, place Kh, raise 5, "
        "call",
        {"totals": (10, -10), "discard_size": 10},
    ),
    (
        f"{TIES} 7s 7h 8c 8d Td JK", {"sudden_death": True},
        "place 9s, place 9h, check, check, place Ks, place Kh, raise 5, call", {"totals": (0, 0), "discard_size": 6},
    ),
    (
        f"{TIES} 2d 3d 4d 5d 6d 7d 8d 7s 7h", {"players": 3, "sudden_death": True},
        "place 9s, place 9h, place 2d, check, check, fold, place 3d, place Ks, place Kh, check, check", {"totals": (3, 2, -5)},
    ),
    # E8: round 4
    (f"{LAST} Kh", {}, E8, {"seat": 0, "totals": (-5, 5), "community": "Kh", "legal": "check, fold, raise 5..10"}),
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
        {"round": 2, "totals": (-100, 100)},
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
        "place As, place Ah, check, check, place As, place Kh, raise 10, call", {"totals": (15, -15)},
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
        TWO_JOKERS, {}, "place JK, place 4s, check, check, place JK, place 5s, raise 10, call", {"totals": (-15, 15)},
    ),
    # E13: side pot, short raise
    (SIDE, H, E13, {"totals": (25, -20, -5), "round": 2, "first": 1, "chips": (120, 75, 90)}),
    (SIDE, H, f"{E13}, place Qh, place Jd, place Ts", {"seat": 1, "legal": "fold, check, raise 5..15"}),
    (SIDE, H, f"{E13}, place Qh, place Jd, place Ts, raise 15", {"seat": 2, "legal": "fold, call, raise 15..30"}),
    (SIDE, H, E13B, {"seat": 0, "legal": "fold, call, raise 30..45"}),
    (SIDE, H, f"{E13B}, raise 40", {"seat": 1, "chips": (35, 60, 45), "to_call": 70, "legal": "fold, call"}),
    (SIDE, H, f"{E13B}, raise 40, call", {"seat": 2, "legal": "fold, call, raise 5"}),
    (SIDE, H, E13C, {"seat": 0, "legal": "fold, call"}),
    (SIDE, H, f"{E13C}, call", {"put": (95, 80, 95), "all_in": (1, 2)}),
    (SIDE, H, f"{E13C}, call, place Kh, place Kd, place 8s", {"round": 3, "totals": (-70, 140, -70)}),
    # E14: broke seats
    (
        P, {"hands": 2, "stack": 20, "stacks": "hand"}, "place 9d, place Qs, raise 10, raise 5, call, place Kc, place Qh",
        {"seat": 1, "hand_number": 1, "first": 1, "round": 1, "totals": (-20, 20), "chips": (15, 15)},
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
    told = [text for *_, text in position.view().history if text.startswith("win")]
    assert told == ["win 45", "win 240", "win 30"]


def test_the_log_tells_each_seat_the_cards_that_it_knows() -> None:
    position = play(game(JOKERS, players=3), E5)
    tail = {seat: [text for _, _, _, text in position.view(seat).history][-4:] for seat in (-1, 0, 1, 2)}
    assert tail[0] == ["joker 2 1", "give 3s", "take Ah", "draw Qc"]
    assert tail[2] == ["joker 2 1", "give 3s", "take Ah", "draw ?"]
    assert tail[1] == tail[-1] == ["joker 2 1", "give ?", "take ?", "draw ?"]


def test_a_laid_joker_does_not_show_the_card_it_replaced() -> None:
    position = play(game(JOKERS, players=3, joker_use="lay"), "place 7d, place As, place Ah, joker 2 1")
    tail = {seat: [text for _, _, _, text in position.view(seat).history][-2] for seat in (-1, 0, 1, 2)}
    assert tail == {-1: "lose ?", 0: "lose ?", 1: "lose ?", 2: "lose Ah"}


ALIKE = "7s 7h 7d 7c 8s 8h 8d 8c 9d 9c Ts Th Td Tc Js Jh Jd Jc Qs Qh Qd Qc Kd Kc As Ah Ad Ac 2d 2c 3d 3c 4d 4c 5d 5c 6d 6c JK JK"
TIED = "place 9s, place 9h, check, check, place Ks, place Kh, check, check"


def test_twenty_tied_draws_split_the_pot_and_use_up_the_deck() -> None:
    view = play(game(f"{TIES} {ALIKE}"), TIED).view()
    assert (view.totals, view.deck_size, view.round, view.discard_size) == ((0, 0), 0, 2, 44)


def test_a_reshuffle_takes_the_discards_when_a_card_must_be_drawn_from_an_empty_deck() -> None:
    """Round 2 is tied as well, 2h 3h and 2s 3s: the 44 discards are shuffled, then seat 1 draws Ks and seat 0
    9s.
    """
    shuffles = [full_deck(f"{TIES} {ALIKE}"), ["Ks", "9s", *ALIKE.split(), "9h", "Kh"]]
    again = f"{TIED}, place 2h, place 2s, check, check, place 3h, place 3s, check"
    position = play(GAME.position(shuffles=shuffles, hands=1), f"{again}, check")
    view = position.view()
    assert (view.totals, view.deck_size, view.discard_size) == ((-5, 5), 42, 6)
    assert [text for _, _, _, text in view.history][-4:] == ["reshuffle", "tie Ks", "tie 9s", "win 10"]
    with pytest.raises(engines.ShuffleError, match="44 cards"):
        play(GAME.position(shuffles=shuffles[:1], hands=1), f"{again}, check")
    views = GAME.views(position.states.repeat(20))
    back = {CARDS.index(card) for card in ("9h", "Kh", "7s", "Ac")}  # in the deck again, as everybody knows
    for world in map(core.PlainRow, GAME.determinize(views, seed=3)):
        conserved(world)
        assert back <= set(world.deck_cards.tolist()[: world.left])


def test_a_reshuffle_in_the_middle_of_a_draw_leaves_the_drawn_card_out() -> None:
    """39 cards in the deck: at the 20th draw seat 0 takes the joker, the last one; seat 1 draws from 38
    shuffled discards.
    """
    given = ALIKE.split()[:38]
    first = [*TIES.split(), *given, "JK"]
    with pytest.raises(engines.ShuffleError, match="38 cards"):
        play(GAME.position(shuffles=[first], hands=1, jokers=1), TIED)
    view = play(GAME.position(shuffles=[first, given], hands=1, jokers=1), TIED).view()
    assert [text for _, _, _, text in view.history][-4:] == ["reshuffle", "tie JK", "tie 7s", "win 10"]
    assert (view.totals, view.deck_size, view.discard_size) == ((-5, 5), 37, 6)


def test_raise_max_is_offered_beyond_a_hundred_steps() -> None:
    """Six stacks of 100 in one game, of which two seats hold 250 each:
    the pot of 60 allows 60, then 180, ...
    """
    position = game(SIDE, players=6, stacks="game")
    while position.view().phase == "place 1":
        position.play(position.legal_numbers()[0])
    states = copy_states(position.states)
    states["chips"][0], states["paid"][0] = (230, 230, 0, 0, 0, 0), (25, 25, 25, 25, 20, 20)
    states["alive"] = states["due"] = states["rich"] = 3
    states["pot"] = 140
    position = play(built(GAME, states), "raise 70")
    assert position.legal_numbers()[:3] == [0, 2, 72] and position.legal()[-2:] == ["raise 100", "raise max"]
    assert position.legal_numbers()[-1] == 103
    position.play("raise max")
    view = position.view()
    assert view.bets[:2] == (70, 230) and view.chips[:2] == (160, 0)
    assert view.history[-1] == (1, 1, 1, "raise 160")
    assert position.legal() == ["fold", "call"]


# --- 7, 9: text and options ---------------------------------------------------------------------------------

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


BAD_OPTIONS = [
    ({"ante": 7, "step": 5}, "ante"), ({"stack": 102, "step": 5}, "stack"), ({"stack": 19}, "stack"),
    ({"stack": 101}, "stack"), ({"ante": 26}, "stack"), ({"step": 10}, "ante"),
]  # fmt: skip


@pytest.mark.parametrize("options, named", BAD_OPTIONS)
def test_stack_ante_and_step_have_to_fit_each_other(options: dict[str, Any], named: str) -> None:
    with pytest.raises(engines.OptionError, match=named):
        GAME.new(1, **options)


def test_a_row_that_says_all_have_folded_is_refused() -> None:
    """Whoever folds discards, and the pot goes to a seat that is left."""
    states = GAME.new(200, seed=1, players=3)
    rng = np.random.default_rng(1)
    while not (discards := states["phase"] == Phase.DISCARD).any():
        mask = GAME.legal_mask(states)
        GAME.step(states, (mask * rng.random(mask.shape)).argmax(1))
    row = states[discards][:1].copy()
    GAME.views(row, 0)
    row["alive"] = row["due"] = 0
    with pytest.raises(GameError, match="damaged"):
        GAME.views(row, 0)
