"""Every house bot plays every game that it names, under all options, without breaking a rule."""

from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engines
from arena.intake import debug, registry
from arena.match import records
from tests.engines.test_laws import setups

LONGEST = {"ismcts": 30, "montecarlo": 30}
"""Events of a game that are played: bots that search take milliseconds each."""
PLAYERS = [(name, game) for name, source in registry.house_bots().items() for game in source.games]


@pytest.mark.parametrize("name, game", PLAYERS)
@settings(max_examples=6)
@given(data=st.data())
def test_a_house_bot_answers_legally_under_all_options(name: str, game: str, data: st.DataObject) -> None:
    loaded = engines.load(game)
    players, options = data.draw(setups(loaded))
    seed = data.draw(st.integers(0, 2**32))
    mine = data.draw(st.integers(0, players - 1))
    names = ["random"] * players
    names[mine] = name
    with debug.choosers(names, game, seed) as seats:
        events = list(records.play(loaded, players, options, seed, seats))
    for _, event in zip(range(LONGEST.get(name, 3000)), events, strict=False):
        last = event
    assert last["event"] in ("end", "decision", "shuffle")


@pytest.mark.parametrize("name, game", {name: (name, game) for name, game in PLAYERS}.values())
def test_a_house_bot_plays_the_same_game_twice_from_the_same_seed(name: str, game: str) -> None:
    loaded = engines.load(game)
    players = loaded.players
    games = []
    for _ in range(2):
        with debug.choosers([name] * players, game, 5) as seats:
            events = records.play(loaded, players, {}, 3, seats, legal=False)
            games.append(list(islice(events, LONGEST.get(name))))
    assert games[0] == games[1] and (name in LONGEST or games[0][-1]["event"] == "end")
