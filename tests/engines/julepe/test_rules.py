"""Julepe against its rules page: the worked examples and shuffles.

Tricks and payments in general: the law on models (`tests/models/julepe.py`).
"""

import pytest

from engines import core
from engines.julepe import house
from tests.engines.built import built
from tests.models.julepe import D0

from .positions import BACKWARDS, G_DEAL, GAME, GAMES, HOUSE, I_DEAL, mask, pile, play_all, texts

# --- the house, trump b -----------------------------------------------------------------------------------------

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


# --- whole games ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game_ends_with_these_scores(name: str) -> None:
    options, shuffles, moves, scores = GAMES[name]
    position = play_all(GAME.position(shuffles=shuffles, **options), moves)
    assert position.over and position.scores() == scores


def test_a_payment_stops_growing_far_out_of_reach_so_that_money_stays_whole() -> None:
    options, shuffles, moves, _ = GAMES["H, lost to the house"]
    before, last = moves.rsplit(maxsplit=1)
    states = play_all(GAME.position(shuffles=shuffles, **options), before).states
    states["pot"] = 50 * 2**50
    scores = play_all(built(GAME, states), f"play {last}").scores()
    assert scores[1] - scores[0] == 2**52 // 50 * 50


@pytest.mark.parametrize(
    "name, won", [("A, julepe 4-1", {2: 4, 0: 1}), ("E, three players 2-2-1", {2: 2, 4: 1, 0: 2})]
)
def test_the_record_of_a_game_names_the_winners_of_its_tricks(name: str, won: dict[int, int]) -> None:
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


TRICKS = [  # tricks of the dealer, seat 0, against the house
    (
        "H, lost to the house",
        "house 4o, 0 4b; 0 10b, house 11b; house 1b, 0 5b; house 3b, 0 6b; house 12b, 0 7b",
    ),
    ("I, half the pot", "house 4o, 0 5b; 0 12b, house 3b; house 11b, 0 6b; house 7b, 0 10b; 0 2b, house 4b"),
]


@pytest.mark.parametrize("name, tricks", TRICKS)
def test_the_house_plays_these_tricks(name: str, tricks: str) -> None:
    options, shuffles, moves, _ = GAMES[name]
    position = play_all(GAME.position(shuffles=shuffles, **options), moves)
    played = position.view(-1).history[0]["tricks"]
    assert tricks == "; ".join(", ".join(f"{who} {card}" for who, card in trick) for trick in played)


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


# --- chance -----------------------------------------------------------------------------------------------------


def test_a_pile_more_or_less_does_not_change_the_later_deals() -> None:
    void, played = GAME.position(seed=9, record=True), GAME.position(seed=9, record=True)
    for position, word in ((void, "out"), (played, "in")):
        while position.view(-1).round == 1:
            position.play(word if word in position.legal() else position.legal()[0])
    assert void.view(-1).face_up == played.view(-1).face_up
    assert (void.shuffles or [])[-1] == (played.shuffles or [])[-1] and len((void.shuffles or [])[-1]) == 30
