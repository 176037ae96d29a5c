"""Julepe: the worked examples of its rules, what each seat may know, bad input, a second implementation."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engines
from engines import core
from engines.julepe import house, state
from engines.position import Position
from tests.engines.julepe.facts import bits, setups
from tests.engines.julepe.model import D0, Model

GAME = engines.load("julepe")
HOUSE = state.HOUSE


def cards(text: str) -> list[int]:
    return [GAME.card(card) for card in text.split()]


def mask(text: str) -> int:
    return sum(1 << card for card in cards(text))


def texts(card_mask: int) -> list[str]:
    return [GAME.cards[card] for card in bits(int(card_mask))]


def play_all(position: Position, moves: str) -> Position:
    """Play `out in done`, `discard 2o 4o` (two discards), `play 1b 4b` (two plays); `;` is for the eye."""
    word = ""
    for token in moves.replace(";", " ").split():
        if token in ("discard", "play"):
            word = token + " "
        else:
            position.play(token if token in ("out", "in", "done") else word + token)
    return position


def hand_of(seat: int, dealt: list[str] = D0, dealer: int = 0) -> list[str]:
    k = (seat - dealer - 1) % 5
    return dealt[5 * k : 5 * k + 5]


def pile(*seats: int, dealt: list[str] = D0, dealer: int = 0) -> list[str]:
    """P(1, 3, 4): the hands of these seats, one after the other."""
    return [card for seat in seats for card in hand_of(seat, dealt, dealer)]


# --- tricks -------------------------------------------------------------------------------------------------

SEED_TRICKS = ["10b 12b 2c", "3b 2c 5c", "3b 2b 1b"]  # trump c; the third card wins

LEGAL = [  # trump c: trick so far, hand, legal, legal with overtrump
    ("10b", "12b 4b 1c", "12b", "12b"),
    ("10b 12b", "2c 5c 1o", "2c 5c", "2c 5c"),
    ("3b", "2b 4b 1c", "2b 4b", "2b 4b"),
    ("3b 2b", "1b 5b 2c", "1b", "1b"),
    ("3b 2c", "5c 12c 1o", "5c 12c", "5c 12c"),
    ("3b 7c", "4c 12c 1o", "4c 12c", "12c"),
    ("3b 7c", "2c 4c 1o", "2c 4c", "2c 4c"),
    ("6b 2c", "7b 4b 1o", "7b 4b", "7b 4b"),
    ("6b 2o", "7b 4b 1o", "7b", "7b"),
    ("6c", "7c 1c 4c 1o", "7c 1c", "7c 1c"),
    ("12c 3c", "7c 4c 1o", "7c 4c", "7c 4c"),
    ("12b", "7o 4o", "7o 4o", "7o 4o"),
]


def in_trick(trick: str, hand: str, overtrump: bool = False) -> Position:
    """Seats 1, 2, ... have played `trick`, the next one holds `hand`; dealer 0, all in, trump c."""
    states = GAME.blank(1, overtrump=overtrump)
    core.start_row(core.rows(states), 0)
    s = core.plain(states)[0]
    s.phase, s.ins[0], s.upcard[0], s.leaders[0, 0] = state.Phase.TRICKS, 31, GAME.card("12c"), 1
    for k, card in enumerate(cards(trick)):
        s.played[0, k + 1, 0] = card
    s.seat = len(cards(trick)) + 1
    s.hand[s.seat] = mask(hand)
    return Position.of(GAME, states)


@pytest.mark.parametrize("trick", SEED_TRICKS)
def test_the_third_card_wins_these_tricks(trick: str) -> None:
    position = in_trick(trick, "4o")
    assert state.winner(core.rows(position.states)[0]) == 3
    assert position.view().winning == trick.rsplit(maxsplit=1)[-1]


@pytest.mark.parametrize("trick, hand, legal, overtrumping", LEGAL)
def test_a_follower_must_head_the_trick_in_suit_else_trump(
    trick: str, hand: str, legal: str, overtrumping: str
) -> None:
    assert in_trick(trick, hand).legal() == [f"play {GAME.cards[card]}" for card in sorted(cards(legal))]
    assert in_trick(trick, hand, True).legal() == [
        f"play {GAME.cards[card]}" for card in sorted(cards(overtrumping))
    ]


def test_a_leader_may_play_any_card() -> None:
    assert in_trick("", "2o 1o 3c").legal() == ["play 2o", "play 1o", "play 3c"]


# --- the house, trump b -------------------------------------------------------------------------------------

TRUMP_B = 2
THROWN = [("2o 4o 11b 12b 3b 1b", "2o"), ("5c 5o 11b", "5o"), ("4b 2b 11b", "2b")]
LED = [("4o 12o 12c 1b", "12o"), ("4b 12b 10b", "12b")]
FOLLOWED = [
    ("6b", "4b 12b 10b", "10b"),
    ("3o", "4o 12o 1b", "4o"),
    ("3o", "4c 1c 6b 2b", "2b"),
    ("3b", "4c 4o", "4o"),
]


@pytest.mark.parametrize("hand, thrown", THROWN)
def test_the_house_throws_its_weakest_card_away(hand: str, thrown: str) -> None:
    assert house.weakest(mask(hand), TRUMP_B) == GAME.card(thrown)


@pytest.mark.parametrize("hand, led", LED)
def test_the_house_leads_its_highest_side_card_or_highest_trump(hand: str, led: str) -> None:
    assert house.choice(mask(hand), TRUMP_B, -1) == GAME.card(led)


@pytest.mark.parametrize("led, hand, played", FOLLOWED)
def test_the_house_wins_as_cheaply_as_it_can_or_plays_its_weakest(led: str, hand: str, played: str) -> None:
    assert house.choice(mask(hand), TRUMP_B, GAME.card(led)) == GAME.card(played)


# --- money --------------------------------------------------------------------------------------------------

ALL, NEXT = "all five", "next dealer"
MONEY = [  # pot, tricks of those in, gains, new pot, who pays before the next round, options
    (300, "3 2", "+150 +150", 0, ALL, {}),
    (350, "3 2", "+150 +150", 50, ALL, {}),
    (250, "3 2", "+100 +100", 50, ALL, {}),
    (250, "4 1", "+250 -250", 250, NEXT, {}),
    (350, "0 5", "-350 +350", 350, NEXT, {}),
    (250, "2 2 1", "+100 +100 -250", 300, NEXT, {}),
    (250, "3 2 0", "+100 +100 -250", 300, NEXT, {}),
    (300, "2 2 1", "+150 +150 -300", 300, NEXT, {}),
    (250, "3 1 1", "+500 -250 -250", 250, NEXT, {}),
    (250, "4 1 0", "+500 -250 -250", 250, NEXT, {}),
    (250, "5 0 0", "+500 -250 -250", 250, NEXT, {}),
    (250, "2 2 1 0", "+200 +200 -250 -250", 350, NEXT, {}),
    (250, "2 1 1 1", "+750 -250 -250 -250", 250, NEXT, {}),
    (250, "2 2 1 0 0", "+300 +300 -250 -250 -250", 400, NEXT, {}),
    (250, "1 1 1 1 1", "0 0 0 0 0", 250, NEXT, {"nobody_safe": "carry"}),
    (250, "1 1 1 1 1", "-250 -250 -250 -250 -250", 1500, NEXT, {"nobody_safe": "pay"}),
]
HOUSE_MONEY = [  # pot, tricks of the dealer, gain, new pot, who pays
    (250, 5, 250, 0, ALL),
    (250, 4, 250, 0, ALL),
    (250, 3, 100, 150, ALL),
    (300, 2, 150, 150, ALL),
    (250, 1, -250, 500, NEXT),
    (250, 0, -250, 500, NEXT),
]


def before_the_last_card(pot: int, won: dict[int, int], **options: Any) -> Position:
    """Round 0 of 2, dealer 0, one card each is left; then these (seats or the house) have `won` tricks."""
    states = GAME.blank(1, rounds=2, **options)
    core.start_row(core.rows(states), 0)
    s = core.plain(states)[0]
    s.phase, s.trick, s.upcard[0], s.pot = state.Phase.TRICKS, 4, GAME.card("1b"), pot
    seats = [who for who in won if who != HOUSE]
    s.ins[0] = sum(1 << p for p in seats)
    s.outs[0] = 31 & ~s.ins[0]
    last = next(who for who, n in won.items() if n)
    earlier = [who for who, n in won.items() for _ in range(n - (who == last))]
    for t, who in enumerate([earlier[-1], *earlier]):
        s.leaders[0, t] = who
    for who, card in zip(won, cards("2o 4o 5o 6o 7o")):
        s.hand[who] = 1 << (GAME.card("3b") if who == last else card)
    s.seat = earlier[-1]
    if s.seat == HOUSE:  # its lead is played already
        s.played[0, HOUSE, 4] = bits(s.hand[HOUSE])[0]
        s.hand[HOUSE], s.seat = 0, 0
    return Position.of(GAME, states)


def check_money(position: Position, gains: dict[int, int], pot: int, payers: str) -> None:
    before = position.states["net"][0].tolist()
    while position.states["round_no"][0] == 0:
        position.play(position.legal()[0])
    paying = range(5) if payers == ALL else [1]
    nets = [before[p] + gains.get(p, 0) - 50 * (p in paying) for p in range(5)]
    assert position.states["net"][0].tolist() == nets
    assert position.states["pot"][0] == pot + 50 * len(paying)


@pytest.mark.parametrize("turn", [0, 1])
@pytest.mark.parametrize("pot, tricks, gains, new_pot, payers, options", MONEY)
def test_a_round_between_players_is_settled(
    pot: int, tricks: str, gains: str, new_pot: int, payers: str, options: dict[str, Any], turn: int
) -> None:
    order = {2: [0, 3], 3: [0, 1, 4], 4: [4, 2, 0, 1], 5: [3, 1, 0, 4, 2]}[len(tricks.split())]
    seats = order[turn:] + order[:turn]
    won = dict(zip(seats, map(int, tricks.split())))
    check_money(
        before_the_last_card(pot, won, **options), dict(zip(seats, map(int, gains.split()))), new_pot, payers
    )


@pytest.mark.parametrize("pot, tricks, gain, new_pot, payers", HOUSE_MONEY)
def test_a_round_against_the_house_is_settled(
    pot: int, tricks: int, gain: int, new_pot: int, payers: str
) -> None:
    check_money(before_the_last_card(pot, {0: tricks, HOUSE: 5 - tricks}), {0: gain}, new_pot, payers)


def test_a_payment_stops_growing_far_out_of_reach_so_that_money_stays_whole() -> None:
    pot = 50 * 2**50
    position = before_the_last_card(pot, {0: 1, HOUSE: 4})
    while position.states["round_no"][0] == 0:
        position.play(position.legal()[0])
    assert position.states["pot"][0] == pot + 2**52 // 50 * 50 + 50


# --- whole games --------------------------------------------------------------------------------------------

G_DEAL = """5c 12b 1b 3b 6b 6o 12o 1c 5o 4b 1o 11o 7c 5b 10b 11c 12c 7o 4c 4o
            7b 3c 6c 2b 2o 10c 3o 10o 2c 11b"""
I_DEAL = [*D0[:20], *["2b", "12b", "5b", "6b", "1b", "10b", "11b", "4b", "3b", "7b"]]
BACKWARDS = D0[::-1]
B_MOVES = "out in out out; discard 10o 11o 12o; done; done; discard 2b; play 3b 4b 12b 5b 11b 6b 1o 7b 10b 3o"
VOID = "out out out out out"

GAMES = {
    "A, julepe 4-1": (
        {"rounds": 1},
        [D0, pile(1, 3, 4)],
        "out in out out; discard 10o 11o 12o 3o; done; done; discard 2b; "
        "play 1b 4b 3b 5b 12b 6b 11b 7b 1o 10b",
        [-250, 0, 250, 0, 0],
    ),
    "B, split of 2.50": ({"rounds": 1}, [D0, pile(1, 3, 4)], B_MOVES, [60, -40, 60, -40, -40]),
    "C, split of 3.00": (
        {"rounds": 2},
        [D0, D0, pile(2, 4, 0, dealer=1)],
        f"{VOID}; {B_MOVES}",
        [-50, 50, -50, 100, -50],
    ),
    "D, split of 3.50": (
        {"rounds": 3},
        [D0, D0, D0, pile(3, 0, 1, dealer=2)],
        f"{VOID}; {VOID}; {B_MOVES}",
        [-40, -90, 60, -40, 110],
    ),
    "E, three players 2-2-1": (
        {"rounds": 1},
        [D0, pile(1, 3)],
        """out in out in; discard 10o 11o 12o; done; discard 10c; done; done; discard 2b
           play 3b 1b 4b; 1c 5b 11b; 12b 3c 6b; 1o 12c 7b; 10b 3o 11c""",
        [110, 10, 110, 10, -240],
    ),
    "F, two losers, then a void round": (
        {"rounds": 2},
        [D0, pile(1, 3), D0],
        """out in out in; done done done; discard 2b
           play 10o 10c 4b; 5b 11o 11c; 6b 12o 12c; 7b 3o 3c; 10b 1o 1c;"""
        + VOID,
        [510, -40, -240, 10, -240],
    ),
    "H, lost to the house": (
        {"rounds": 1},
        [D0, pile(1, 2, 3, 4)],
        "out out out out in; done; discard 2b; play 4b 10b 5b 6b 7b",
        [-200, 50, 50, 50, 50],
    ),
    "I, half the pot": (
        {"rounds": 1},
        [I_DEAL, pile(1, 2, 3, 4)],
        "out out out out in; done; discard 1b; play 5b 12b 6b 10b 2b",
        [80, -20, -20, -20, -20],
    ),
    "J, the whole pot": (
        {"rounds": 2},
        [BACKWARDS, BACKWARDS[:20], D0],
        f"out out out out in; done; discard 7o; play 10o 1o 3o 12o 11o; {VOID}",
        [200, -50, -50, -50, -50],
    ),
}


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game_ends_with_these_scores(name: str) -> None:
    options, shuffles, moves, scores = GAMES[name]
    position = play_all(GAME.position(shuffles=shuffles, **options), moves)
    assert position.over and position.scores() == scores


@pytest.mark.parametrize(
    "name, won", [("A, julepe 4-1", {2: 4, 0: 1}), ("E, three players 2-2-1", {2: 2, 4: 1, 0: 2})]
)
def test_the_record_of_a_finished_game_names_the_winners_of_its_tricks(
    name: str, won: dict[int, int]
) -> None:
    options, shuffles, moves, _ = GAMES[name]
    (last,) = play_all(GAME.position(shuffles=shuffles, **options), moves).view(-1).history
    assert {who: last["winners"].count(who) for who in won} == won and last["pot"] == 250


def test_example_a_draws_the_leftovers_in_their_order() -> None:
    position = play_all(
        GAME.position(shuffles=[D0, pile(1, 3, 4)], rounds=1), "out in out out discard 10o 11o 12o 3o done"
    )
    assert position.view(2).hand == ("1o", "11b", "12b", "3b", "1b")


@pytest.mark.parametrize("nobody_safe, pot", [("carry", 250), ("pay", 1500)])
def test_example_g_the_ace_of_trumps_forces_and_nobody_is_safe(nobody_safe: str, pot: int) -> None:
    for rounds in (1, 2):
        shuffles = [G_DEAL.split(), D0][:rounds]
        position = GAME.position(shuffles=shuffles, rounds=rounds, nobody_safe=nobody_safe)
        assert position.legal() == ["out", "in"]
        position.play("in")
        assert position.seat == 2 and position.legal() == ["in"]
        play_all(
            position, "in in in; done done done done done; discard 6c; play 5c 1c 7c 12c 3c; 6o 11o 7o 2o 3b"
        )
        play_all(position, "play 5b 11c 2b 12b 4b; 4c 10c 6b 5o 1o; 7b 1b 12o 10b 4o")
        if rounds == 1:
            assert position.scores() == [0, 0, 0, 0, 0]
        else:
            assert position.view().pot == pot + 50


H_TRICKS = (
    (("house", "4o"), (0, "4b")),
    ((0, "10b"), ("house", "11b")),
    (("house", "1b"), (0, "5b")),
    (("house", "3b"), (0, "6b")),
    (("house", "12b"), (0, "7b")),
)
I_TRICKS = (
    (("house", "4o"), (0, "5b")),
    ((0, "12b"), ("house", "3b")),
    (("house", "11b"), (0, "6b")),
    (("house", "7b"), (0, "10b")),
    ((0, "2b"), ("house", "4b")),
)


@pytest.mark.parametrize("name, tricks", [("H, lost to the house", H_TRICKS), ("I, half the pot", I_TRICKS)])
def test_the_house_plays_these_tricks(name: str, tricks: Any) -> None:
    options, shuffles, moves, _ = GAMES[name]
    position = play_all(GAME.position(shuffles=shuffles, **options), moves)
    assert position.view(-1).history[0]["tricks"] == tricks


def test_example_h_the_house_takes_leftovers_and_two_of_the_pile() -> None:
    position = play_all(GAME.position(shuffles=[D0, pile(1, 2, 3, 4)], rounds=1), "out out out out in")
    s = core.plain(position.states)[0]
    assert texts(s.hand[HOUSE]) == ["4o", "11b", "12b", "3b", "1b"] and texts(s.thrown[HOUSE]) == ["2o"]
    assert (position.view().leftovers, position.view().pile, position.view().house_round) == (0, 18, True)


def test_example_i_the_villages_differ_in_what_the_dealer_knows() -> None:
    urones = play_all(GAME.position(shuffles=[I_DEAL]), "out out out out")
    assert urones.legal() == ["in"] and len(urones.view().hand) == 6
    vilalba = play_all(
        GAME.position(shuffles=[I_DEAL, pile(1, 2, 3, 4)], village="vilalba"), "out out out out"
    )
    assert vilalba.legal() == ["out", "in"] and vilalba.view().hand == ("10b",)
    vilalba.play("in")
    assert len(vilalba.view(0).hand) == 6


def test_example_j_the_holder_of_the_ace_of_trumps_must_play_the_house() -> None:
    position = play_all(GAME.position(shuffles=[BACKWARDS]), "out out out out")
    assert position.view().face_up == "7o" and position.legal() == ["in"]


def test_example_k_a_blind_dealer_is_bound_by_the_face_up_ace() -> None:
    swapped = [{"10b": "1b", "1b": "10b"}.get(card, card) for card in D0]
    position = play_all(GAME.position(shuffles=[swapped], village="vilalba"), "out out out out")
    assert position.legal() == ["in"]


def test_example_l_an_exchange_draws_from_the_leftovers_and_then_the_pile() -> None:
    position = GAME.position(shuffles=[D0, ["2c", "7o", "4c", "6o", "5c", "5o", "6c", "4o", "7c", "2o"]])
    play_all(position, "out in out in; discard 10o 11o 12o; done")
    assert set(position.view(2).hand) == {"3o", "1o", "11b", "12b", "3b"}
    play_all(position, "discard 10c 11c 12c; done")
    assert set(position.view(4).hand) == {"3c", "1c", "1b", "2c", "7o"}
    assert set(position.view(4).drawn) == {"1b", "2c", "7o"} and position.view(0).drawn == ()
    play_all(position, "discard 10b 2b; done")
    assert set(position.legal()) == {f"discard {card}" for card in ["4b", "5b", "6b", "7b", "4c", "6o"]}
    position.play("discard 6o")
    assert position.seat == 2 and position.view().exchanged == (2, -1, 3, -1, 3)


def test_example_m_nobody_can_exchange_when_the_stock_is_short() -> None:
    position = play_all(GAME.position(shuffles=[D0]), "in in in in; discard 2o 4o 5o 6o")
    assert position.legal() == ["done"]
    for seat in (1, 2, 3, 4, 0):
        assert position.seat == seat and position.legal() == ["done"]
        position.play("done")
    assert position.seat == 0 and len(position.legal()) == 6
    assert set(position.view(1).hand) == {"7o", "11b", "12b", "3b", "1b"}


# --- the second implementation ------------------------------------------------------------------------------


def weighted(rng: random.Random, moves: list[str], eager: float) -> str:
    """Mostly `in` or mostly `out`, so that full tables and house rounds both come up."""
    if moves[-1] == "in" and len(moves) == 2:
        return "in" if rng.random() < eager else "out"
    return rng.choice(moves)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_engine_plays_as_a_plain_model_does(data: st.DataObject) -> None:
    _, options = data.draw(setups())
    options["rounds"] = min(options["rounds"], 12)
    eager = data.draw(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.9, 1.0]))
    rng = random.Random(data.draw(st.integers(0, 2**32)))
    recorded = GAME.position(seed=data.draw(st.integers(0, 2**40)), record=True, **options)
    moves, seen = [], []
    while not recorded.over:
        moves.append(weighted(rng, recorded.legal(), eager))
        view = recorded.view(-1)
        seen.append((recorded.seat, sorted(recorded.legal()), view.pot, view.totals))
        recorded.play(moves[-1])
    model = Model(recorded.shuffles or [], **options)
    for move, (seat, legal, pot, nets) in zip(moves, seen):
        assert (model.seat, sorted(model.moves()), model.pot, tuple(model.money.values())) == (
            seat,
            legal,
            pot,
            nets,
        )
        model.play(move)
    assert model.over and list(model.money.values()) == recorded.scores()


# --- what a seat may know -----------------------------------------------------------------------------------


def test_no_view_shows_the_stock_the_house_or_other_hands() -> None:
    position = play_all(
        GAME.position(shuffles=[D0, pile(1, 2, 3, 4)]), "out out out out in; discard 4b; done; discard 2b"
    )
    for seat in range(-1, 5):
        s = core.plain(position.view(seat).state)[0]
        assert s.hand[HOUSE] == s.thrown[HOUSE] == 0 and set(s.stock.tolist()) == {-1} and s.left == 17
        assert all(s.hand[p] == s.thrown[p] == s.drawn[p] == 0 for p in range(5) if p != seat)
    assert position.view(0).thrown == ("2b", "4b") and len(position.view(0).drawn) == 1
    assert position.view(1).given_up == tuple(hand_of(1)) and position.view(1).hand == ()
    assert position.view(3).tricks == ((("house", "4o"),),)


def test_the_number_of_exchanged_cards_is_public_at_done_and_not_before() -> None:
    position = play_all(GAME.position(shuffles=[D0, pile(1, 3, 4)]), "out in out out")
    before = position.view(0).state
    position.play("discard 10o")
    assert position.view(0).state.tobytes() == before.tobytes()
    position.play("done")
    assert position.view(0).exchanged == (-1, -1, 1, -1, -1) and position.view(0).leftovers == 3


def test_a_blind_dealer_sees_his_cards_only_after_all_statements() -> None:
    position = GAME.position(shuffles=[D0, pile(1, 3, 4)], village="vilalba")
    for word in ["out", "in", "out"]:
        assert position.view(0).hand == ("10b",)
        position.play(word)
    position.play("out")
    assert position.view(0).hand == ("2b", "4b", "5b", "6b", "7b", "10b")


def test_the_hands_of_a_void_round_are_never_seen() -> None:
    position = play_all(GAME.position(seed=11, rounds=3), "")
    while position.view(-1).round == 1:
        position.play("out" if "out" in position.legal() else position.legal()[0])
    record = position.view(-1).history[0]
    assert set(record) == {
        "round",
        "dealer",
        "face_up",
        "pot",
        "statements",
        "exchanged",
        "tricks",
        "winners",
    }


def test_the_records_of_the_last_20_rounds_stay_public() -> None:
    position = play_all(GAME.position(shuffles=[D0] * 23, rounds=23), f"{VOID} " * 19)
    for first, last in ((1, 19), (2, 20), (3, 21), (4, 22), (4, 23)):  # 19 and the one in play; at the end 20
        history = position.view(-1).history
        assert [record["round"] for record in history] == list(range(first, last + 1))
        assert [record["dealer"] for record in history] == [(r - 1) % 5 for r in range(first, last + 1)]
        assert [record["pot"] for record in history] == [200 + 50 * r for r in range(first, last + 1)]
        if not position.over:
            play_all(position, VOID)


def worlds_of(position: Position, seat: int, n: int = 60) -> list[Any]:
    view = GAME.views(np.repeat(position.states, n), seat)
    return [core.PlainRow(row) for row in GAME.determinize(view, seed=5)]


def test_in_a_random_world_nobody_who_is_out_has_the_ace_of_trumps_and_the_dealer_has_the_face_up_card() -> (
    None
):
    places = set()
    position = play_all(GAME.position(shuffles=[D0]), "out out in")
    for s in worlds_of(position, 4):
        assert s.hand[0] >> GAME.card("10b") & 1
        assert not (s.hand[1] | s.hand[2]) >> GAME.card("1b") & 1
        places.add(next((p for p in (0, 3) if s.hand[p] >> GAME.card("1b") & 1), None))
    assert places == {0, 3, None}  # None: a leftover


def test_in_a_random_world_against_the_house_the_house_has_the_ace_that_the_dealer_lacks() -> None:
    position = play_all(
        GAME.position(shuffles=[D0, pile(1, 2, 3, 4)]), "out out out out in; done; discard 2b"
    )
    for s in worlds_of(position, 0):
        assert s.hand[HOUSE] >> GAME.card("1b") & 1 and not s.thrown[HOUSE] >> GAME.card("1b") & 1


# --- bad input ----------------------------------------------------------------------------------------------

BAD_OPTIONS = [
    ({"rounds": 0}, "rounds"),
    ({"rounds": 101}, "rounds"),
    ({"rounds": True}, "rounds"),
    ({"stake": 55}, "stake"),
    ({"stake": 0}, "stake"),
    ({"stake": 1010}, "stake"),
    ({"village": "madrid"}, "village"),
    ({"nobody_safe": 1}, "nobody_safe"),
    ({"overtrump": 1}, "overtrump"),
    ({"purse": 5}, "purse"),
]


@pytest.mark.parametrize("options, name", BAD_OPTIONS)
def test_a_bad_option_is_refused_by_name(options: dict[str, Any], name: str) -> None:
    with pytest.raises(engines.OptionError, match=name):
        GAME.new(1, **options)


@pytest.mark.parametrize("players", [1, 4, 6])
def test_julepe_is_for_five(players: int) -> None:
    with pytest.raises(engines.OptionError, match="5 players"):
        GAME.new(1, players=players)


@pytest.mark.parametrize("action", ["done", "discard 2o", "play 2o", 2, 62])
def test_an_action_out_of_place_is_refused_and_nothing_changes(action: str | int) -> None:
    position = GAME.position(shuffles=[D0])
    before = position.states.tobytes()
    with pytest.raises(engines.IllegalAction, match="seat 1"):
        position.play(action)
    assert position.states.tobytes() == before


@pytest.mark.parametrize(
    "shuffles, message",
    [
        ([], "missing"),
        ([D0[:-1]], "permutation"),
        ([[*D0[:-1], "2o"]], "permutation"),
        ([D0], "missing"),
        ([D0, D0], "permutation"),
        ([D0, pile(1, 3)], "permutation"),
    ],
)
def test_a_missing_or_wrong_shuffle_is_refused(shuffles: list[list[str]], message: str) -> None:
    with pytest.raises(engines.ShuffleError, match=message):
        play_all(GAME.position(shuffles=shuffles), "out in out out")


def test_scores_before_the_end_and_actions_after_it_are_refused() -> None:
    options, shuffles, moves, _ = GAMES["B, split of 2.50"]
    position = GAME.position(shuffles=shuffles, **options)
    with pytest.raises(engines.GameError, match="not over"):
        position.scores()
    play_all(position, moves)
    with pytest.raises(engines.IllegalAction, match="after the end"):
        position.play("in")


# --- chance -------------------------------------------------------------------------------------------------


def test_a_pile_more_or_less_does_not_change_the_later_deals() -> None:
    void, played = GAME.position(seed=9, record=True), GAME.position(seed=9, record=True)
    for position, word in ((void, "out"), (played, "in")):
        while position.view(-1).round == 1:
            position.play(word if word in position.legal() else position.legal()[0])
    assert void.view(-1).face_up == played.view(-1).face_up
    assert (void.shuffles or [])[-1] == (played.shuffles or [])[-1] and len((void.shuffles or [])[-1]) == 30


def test_random_play_of_the_default_game_takes_about_159_decisions() -> None:
    states = GAME.new(400 if core.JIT else 40, seed=1)
    assert GAME.playout(states, seed=2) / len(states) == pytest.approx(159, rel=0.06)
