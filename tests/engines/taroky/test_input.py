"""Taroky: bad options, shuffles and actions are refused with what is wrong, and nothing changes."""

from __future__ import annotations

from typing import Any

import pytest

import engines
from tests.engines.taroky.positions import CARDS, GAME, deck, until

BAD_OPTIONS = [
    {"rounds": 0},
    {"rounds": 65},
    {"rounds": True},
    {"first_dealer": 4},
    {"ace_high": 1},
    {"pagat_fail": 3},
    {"no_such": 1},
]


@pytest.mark.parametrize("options", BAD_OPTIONS)
def test_bad_options_are_refused_by_name(options: dict[str, Any]) -> None:
    with pytest.raises(engines.OptionError, match=next(iter(options))):
        GAME.position(**options)


@pytest.mark.parametrize("players", [0, 3, 5])
def test_only_four_can_play(players: int) -> None:
    with pytest.raises(engines.OptionError, match="4 players"):
        GAME.new(1, players=players)


BAD_SHUFFLES = [[CARDS[:53]], [[*CARDS[:53], CARDS[0]]], [[*CARDS, "Sk"]], []]


@pytest.mark.parametrize("shuffles", BAD_SHUFFLES)
def test_a_shuffle_must_hold_the_54_cards_once_each(shuffles: list[list[str]]) -> None:
    with pytest.raises(engines.ShuffleError):
        GAME.position(shuffles=shuffles)


def test_when_the_shuffles_run_out_the_last_card_is_not_played() -> None:
    pos = GAME.position(shuffles=[CARDS])
    with pytest.raises(engines.ShuffleError, match="missing"):
        while True:
            before, legal = pos.states.tobytes(), pos.legal()
            pos.play(legal[0])
    assert pos.states.tobytes() == before and pos.legal() == legal


def test_a_text_that_is_not_legal_is_refused_with_the_legal_ones_and_changes_nothing() -> None:
    pos = until("call", deck(5, 0))
    before = pos.states.tobytes()
    with pytest.raises(engines.IllegalAction, match=r"call XIX.*call XVIII"):
        pos.play("call XV")
    with pytest.raises(engines.TextError, match="call XX"):
        pos.play("call XX")
    assert pos.states.tobytes() == before
