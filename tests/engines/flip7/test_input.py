"""Flip 7: bad options, actions and shuffles are refused, and nothing changes."""

from __future__ import annotations

from typing import Any

import pytest

import engines
from engines.flip7 import GAME
from tests.models.flip7 import DECK

from .positions import opened

BAD_SETUPS = [
    ({"players": 1}, "2 to 10"),
    ({"players": 11}, "2 to 10"),
    ({"players": 4.0}, "2 to 10"),
    ({"players": True}, "2 to 10"),
    ({"goals": 5}, "did you mean goal"),
    ({"goal": 0}, "1 to 10000"),
    ({"goal": 10_001}, "1 to 10000"),
    ({"goal": True}, "1 to 10000"),
    ({"max_rounds": 1_001}, "1 to 1000"),
    ({"first_dealer": -1}, "first_dealer"),
    ({"first_dealer": 4}, "0 to 3"),
    ({"first_dealer": 2, "players": 2}, "0 to 1"),
    ({"targeting": "other"}, "self or any"),
    ({"flip_three": 1}, "now or after"),
    ({"second_chance": None}, "auto or ask"),
    ({"deck": "new"}, "keep or fresh"),
    ({"tie": "replay"}, "share or play_on"),
]


@pytest.mark.parametrize(("setup", "says"), BAD_SETUPS)
def test_a_bad_number_of_players_or_option_is_refused_and_the_allowed_is_named(
    setup: dict[str, Any], says: str
) -> None:
    with pytest.raises(engines.OptionError, match=says):
        GAME.position(**setup)
    with pytest.raises(engines.OptionError, match=says):
        GAME.new(1, **setup)


ANY = {"targeting": "any"}
BAD_ACTIONS = [  # first shuffle, options, actions before, bad action, error
    ("5 9", {}, "", "HIT", engines.TextError),
    ("5 9", {}, "", " hit", engines.TextError),
    ("5 9", {}, "", "give 10", engines.TextError),
    ("5 9", {}, "", "", engines.TextError),
    ("5 9", {}, "", None, engines.TextError),
    ("5 9", {}, "", 14, engines.IllegalAction),
    ("5 9", {}, "", -1, engines.IllegalAction),
    ("5 9", {}, "", True, engines.TextError),
    ("5 9", {}, "", "save", engines.IllegalAction),
    ("5 9", {}, "", "bust", engines.IllegalAction),
    ("5 9", {}, "", "give 0", engines.IllegalAction),
    ("SC 9 7 7", {"second_chance": "ask"}, "hit, stay, hit", "hit", engines.IllegalAction),
    ("FZ 9", ANY, "", "hit", engines.IllegalAction),
    ("FZ 9", ANY, "", "give 2", engines.IllegalAction),
    ("FZ 9", ANY, "give 0", "stay", engines.IllegalAction),  # an empty row must hit
    ("SC 9 SC", ANY, "hit", "give 1", engines.IllegalAction),  # not to itself
    ("5 5", {"goal": 5}, "stay, stay", "stay", engines.IllegalAction),  # the game is over
]


@pytest.mark.parametrize(("first", "options", "actions", "bad", "error"), BAD_ACTIONS)
def test_a_bad_action_is_refused_and_changes_nothing(
    first: str, options: dict, actions: str, bad: Any, error: type
) -> None:
    position = opened(first, actions, **options)
    before = position.states.tobytes(), position.legal()
    with pytest.raises(error, match="after the end" if position.over else None):
        position.play(bad)
    assert (position.states.tobytes(), position.legal()) == before


def test_final_scores_before_the_end_are_refused() -> None:
    with pytest.raises(engines.GameError, match="not over"):
        opened("5 9").scores()


BAD_SHUFFLES = [
    ([], engines.ShuffleError, "missing"),
    ([DECK[:-1]], engines.ShuffleError, "not a permutation of the 94"),
    ([[*DECK[:-1], "0"]], engines.ShuffleError, "not a permutation"),
    ([[*DECK[:-1], "13"]], engines.TextError, "no card '13'"),
]


@pytest.mark.parametrize(("shuffles", "error", "says"), BAD_SHUFFLES)
def test_a_first_shuffle_that_is_missing_or_no_permutation_is_refused(
    shuffles: list, error: type, says: str
) -> None:
    with pytest.raises(error, match=says):
        GAME.position(shuffles=shuffles)


def test_an_action_whose_reshuffle_is_missing_is_refused_and_changes_nothing() -> None:
    position = GAME.position(players=2, shuffles=[DECK], goal=10_000)
    with pytest.raises(engines.ShuffleError, match=r"shuffle 2 is missing"):
        while True:
            before = position.states.tobytes(), position.legal()
            position.play("stay")
    assert (position.states.tobytes(), position.legal()) == before
