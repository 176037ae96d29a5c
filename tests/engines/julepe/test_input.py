"""Julepe: bad options, actions and shuffles are refused, and nothing changes."""

from __future__ import annotations

from typing import Any

import pytest

import engines
from tests.models.julepe import D0

from .positions import GAME, GAMES, pile, play_all

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
