"""House bots: every one plays each game that it names by the rules, under all options; what those of Flip 7 are for."""

from importlib import import_module
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engines
from arena.intake import debug, registry
from arena.match import records
from arena.runs.duelling import play
from engines.flip7 import GAME, state
from engines.flip7.tools import race_won
from engines.position import Position
from tests.engines.built import built
from tests.engines.flip7.positions import facing, opened
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


BOTS = ["banker", "collector", "oddsman", "pacer", "racer"]


def choice(bot: str, position: Position) -> Any:
    return import_module(f"bots.{bot}").act(position.view())


DECISIONS = [  # bot, row of seat 1, draw pile, its total, total of seat 0, which has stayed with 11, choice
    ("banker", "12 11", "0 1 2", 0, 0, "hit"),  # 23 points
    ("banker", "12 10 3", "0 1 2", 0, 0, "stay"),  # 25
    ("banker", "12 10 3 SC", "0 1 2", 0, 0, "hit"),
    ("collector", "12 11 10", "0 1 12", 0, 0, "hit"),  # three cards, whatever they are worth
    ("collector", "0 1 2 3", "5 6 7", 0, 0, "stay"),  # four
    ("oddsman", "12 10 3", "0 1 2", 0, 0, "hit"),  # nothing there can bust it
    ("oddsman", "5", "5 5 5 1", 0, 0, "stay"),  # 1 in 4 to gain 1
    ("oddsman", "5 SC", "5 5 5 1", 0, 0, "hit"),
    ("oddsman", "1 2 3 4 5 6", "6 6 6 6 7", 0, 0, "stay"),  # 1 in 5 to win 22 points, 4 in 5 to lose 21
    ("oddsman", "1 2 3 4 5 6", "6 6 7", 0, 0, "stay"),  # 43 / 3 < 21
    ("oddsman", "1 2 3 4 5 6", "6 7", 0, 0, "hit"),  # 43 / 2 > 21
    ("racer", "5 6", "5 6 8 9", 180, 190, "hit"),  # 191 against 201: to stay loses
    ("oddsman", "5 6", "5 6 0 1", 180, 190, "stay"),  # ... which this one does not look at
    ("racer", "12 9", "0 1 2 12", 180, 150, "stay"),  # 201 against 161: won
    ("pacer", "5 6", "5 6 8 9", 180, 190, "hit"),  # as above
]


@pytest.mark.parametrize(("bot", "row", "pile", "mine", "other", "action"), DECISIONS)
def test_a_house_bot_decides_so(bot: str, row: str, pile: str, mine: int, other: int, action: str) -> None:
    states = facing(row, pile, {})
    states["status"][0, 0] = state.Status.STAYED
    states["total"][0, :2] = other, mine
    assert choice(bot, built(GAME, states)) == action


@pytest.mark.parametrize("bot", BOTS)
def test_a_house_bot_saves_itself_and_freezes_another(bot: str) -> None:
    assert choice(bot, opened("SC 9 7 7", "hit, stay, hit", second_chance="ask")) == "save"
    assert choice(bot, opened("FZ 9", targeting="any")) == "give 0"


def test_the_solved_race_is_won_by_who_is_ahead_and_lost_by_who_is_behind() -> None:
    mine = np.arange(-200, 172)
    for other in (-200, -100, -1):
        won = race_won(mine, other)
        assert (np.diff(won[:200]) > -1e-4).all() and (won[200:] == 1).all()
    assert race_won(np.array([-200]), -200)[0] == pytest.approx(
        0.53, abs=0.01
    )  # the best against one for points
    assert race_won(np.array([4, 5, 6]), 5).tolist() == [0, 0.5, 1]
    assert race_won(np.array([-9, -8]), -8, last=True).tolist() == [0, 0.5]


def test_a_bot_in_its_sandbox_has_the_table_of_the_race() -> None:
    games = play(["pacer", "banker"], "flip7", 2, seed=1, players=2, level="strict")
    assert len(games) == 4 and not games.lost.any()
