"""Game records: the exact format, and that a replay finds every difference."""

import json
import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engines
from arena.match import records
from engines.laws.setups import setups_of
from engines.position import Position
from tests.engines.test_laws import facts


def lowest(position: Position) -> str:
    return position.legal()[0]


def record(name: str, seed: int = 7, legal: bool = True, **options: object) -> list[str]:
    game = engines.load(name)
    players, complete = game.check_options(None, options)
    return [
        records.line(event)
        for event in records.play(game, players, complete, seed, [lowest] * players, legal)
    ]


def test_a_record_has_exactly_the_documented_form() -> None:
    lines = record("flip7", seed=7, goal=5)
    head, deck = json.loads(lines[0]), json.loads(lines[1])
    assert lines[0] == (
        '{"event": "game", "game": "flip7", "players": 4, "options": {"goal": 5, "max_rounds": 50, "first_dealer": 0, '
        '"targeting": "self", "flip_three": "now", "second_chance": "auto", "deck": "keep", "tie": "share"}, "seed": 7}'
    )
    assert list(head) == ["event", "game", "players", "options", "seed"]
    assert list(deck) == ["event", "cards"] and len(deck["cards"]) == 94
    assert list(json.loads(lines[2])) == ["event", "seat", "legal", "action"]
    assert list(json.loads(lines[-1])) == ["event", "scores"]
    assert "legal" not in json.loads(record("flip7", goal=5, legal=False)[2])


@pytest.mark.parametrize("name", engines.names())
def test_every_game_replays_without_a_difference(name: str) -> None:
    assert records.check(record(name) + record(name, seed=8, legal=False)) == 2


@pytest.mark.parametrize("name", engines.names())
@settings(max_examples=10)
@given(data=st.data())
def test_random_games_with_random_options_replay_without_a_difference(name: str, data: st.DataObject) -> None:
    game = engines.load(name)
    rng = random.Random(data.draw(st.integers(0, 2**32)))
    players, options = setups_of(game, facts(game), rng)
    seats = [lambda position: rng.choice(position.legal())] * players
    seed = data.draw(st.integers(0, 2**64 - 1))
    assert (
        records.check(records.line(event) for event in records.play(game, players, options, seed, seats)) == 1
    )


def changed(lines: list[str], at: int, **values: object) -> list[str]:
    return [*lines[:at], records.line(json.loads(lines[at]) | values), *lines[at + 1 :]]


def test_every_kind_of_difference_is_found_with_its_line() -> None:
    lines = record("flip7", goal=5)
    shuffle = json.loads(lines[1])["cards"]
    other = next(i for i, (a, b) in enumerate(pairwise(shuffle)) if a != b)
    swapped = [*shuffle[:other], shuffle[other + 1], shuffle[other], *shuffle[other + 2 :]]
    cases = [
        (changed(lines, 2, seat=9), "line 3: seat 9, the engine has seat"),
        (changed(lines, 2, legal=["hit"]), "line 3: legal is"),
        (changed(lines, 2, action="give 3"), "line 3: illegal action 'give 3'"),
        (changed(lines, 2, action="hop"), "line 3: flip7 has no action 'hop'"),
        (changed(lines, 2, action=None), "line 3: a decision needs 'action'"),
        (
            changed(lines, len(lines) - 1, scores=[0, 0, 0, 0]),
            f"line {len(lines)}: scores [0, 0, 0, 0], the engine has",
        ),
        (changed(lines, 1, cards=shuffle[1:]), "not a permutation"),
        (changed(lines, 1, cards=["ZZ", *shuffle[1:]]), "no card 'ZZ'"),
        (changed(lines, 0, game="chess"), "line 1: no game 'chess'"),
        (changed(lines, 0, options={"goal": 0}), "line 1: flip7: option goal = 0"),
        (changed(lines, 0, players=40), "line 1: flip7 is for 2 to 10 players, not 40"),
        (changed(lines, 2, event="decisoin"), "line 3: unknown event 'decisoin'"),
        (lines[:-1], "the game of line 1 has no end"),
        ([lines[0], *lines[2:]], "shuffle 1 is missing"),
        ([*lines[:2], *lines[1:]], "a shuffle, but the engine needs none here"),
        (lines[1:], "line 1: 'shuffle' before any game"),
        ([*lines[:3], lines[-1]], "the end, but the engine has seat"),
        (["{"], "line 1: not an event"),
        (["[1]"], "line 1: not an event"),
        ([], "no game in it"),
        (lines[:1] + lines, "a new game begins"),
    ]
    assert records.check(lines) == 1
    for wrong, message in cases:
        with pytest.raises(records.RecordError) as error:
            records.check(wrong, "file")
        assert message in str(error.value), (message, str(error.value))
    with pytest.raises(records.RecordError):
        records.check(changed(lines, 1, cards=swapped))
