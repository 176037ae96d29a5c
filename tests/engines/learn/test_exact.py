"""End-games that are solved: exploitability by hand, and the solution as a bot of ours."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import engines
from arena.cell.frames import Decisions
from arena.intake.conditions import Conditions
from arena.runs import exploiting
from engines.position import Position

WITHOUT = "needs the extra openspiel: pip install '.[openspiel]'"
adapter = pytest.importorskip("engines.adapters.openspiel", reason=WITHOUT)
policies = pytest.importorskip("open_spiel.python.policy", reason=WITHOUT)
best_response = pytest.importorskip("open_spiel.python.algorithms.exploitability", reason=WITHOUT)
expected = pytest.importorskip("open_spiel.python.algorithms.expected_game_score", reason=WITHOUT)
EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture(scope="module", autouse=True)
def among_the_examples() -> Iterator[None]:
    """The examples import each other, as programs of one folder do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXAMPLES))
        yield


@pytest.fixture(scope="module")
def exact(among_the_examples: None) -> Any:
    return import_module("exact")


@pytest.fixture(scope="module")
def game(among_the_examples: None) -> Any:
    """Tzogous 37, three live cards: six deals."""
    return adapter.DealtGame(engines.load("tzogous37"), import_module("exact_tzogous37").positions(3))


@pytest.fixture(scope="module")
def julepe(among_the_examples: None) -> Any:
    """Julepe, six live cards: both hands, and so both seats know all; 20 deals."""
    rows = import_module("exact_julepe").positions(6)
    return adapter.DealtGame(engines.load("julepe"), rows, between=(0, 1))


def test_positions_differ_in_the_live_cards_alone_and_each_seat_knows_its_own(game: Any) -> None:
    rows = game.rows
    rules = game.rules
    held = [(int(row["hand"][0]), int(row["hand"][1])) for row in rows]
    assert len(rows) == 6 and len(set(held)) == 6
    for seat in range(2):
        views = rules.views(rows, seat)
        assert len({view.tobytes() for view in views}) == 3  # its own card; the two others are not told apart
    assert [Position.of(rules, rows[:1]).view(-1).round] == [4]


def test_who_always_folds_loses_the_ante_to_an_opponent_who_waits(exact: Any, game: Any) -> None:
    """The first to act folds its ante of 5. An opponent in its place checks and wins 5 instead: 10 more, so that
    the mean over both seats is 5.
    """
    fold = exact.HousePolicy(game, SimpleNamespace(act=lambda view: view.texts[0]))
    assert best_response.exploitability(game, fold) == pytest.approx(5)


def test_cfr_is_exploited_less_than_chance(exact: Any, game: Any) -> None:
    best = exact.solved(game, 4)
    loss = best_response.exploitability(game, best)
    assert 0 <= loss < best_response.exploitability(game, policies.UniformRandomPolicy(game))


def best_by_hand(position: Position) -> float:
    """What seat 0 is ahead of seat 1 by half, if both know all cards and play their best: plain minimax."""
    if position.over:
        scores = position.scores()
        return (scores[0] - scores[1]) / 2
    values = []
    for action in position.legal_numbers():
        after = position.copy()
        after.play(action)
        values.append(best_by_hand(after))
    return max(values) if position.seat == 0 else min(values)


def test_the_last_tricks_of_julepe_with_open_cards_are_solved_as_by_minimax(exact: Any, julepe: Any) -> None:
    """The dealer pays the pot of 250 to seat 1 or both get their halves: 250 or 0."""
    rules = julepe.rules
    values = [best_by_hand(Position.of(rules, julepe.rows[i : i + 1])) for i in range(len(julepe.rows))]
    assert set(values) == {-250, 0}
    best = exact.solved(julepe, 30)
    assert exact.against(julepe, best, best) == pytest.approx(0)  # both seats in turn: the same on average
    value = expected.policy_value(julepe.new_initial_state(), [best, best])
    assert value[0] == -value[1] == pytest.approx(sum(values) / len(values), abs=1)
    assert best_response.exploitability(julepe, best) == pytest.approx(0, abs=1)


def test_a_third_seat_that_has_to_decide_is_told(julepe: Any) -> None:
    rules = julepe.rules
    state = adapter.DealtGame(rules, rules.new(1, 1, rounds=1), between=(3, 4)).new_initial_state()
    with pytest.raises(engines.GameError, match=r"seat 1 is to act, and the players are the seats \(3, 4\)"):
        state.apply_action(0)


class EndGame(exploiting.Table):
    """A table at which every deal is one of the positions of a solved end-game."""

    rows: Any

    def play(self, deals: Any, places: Any, deviator: Any) -> Any:
        states = self.rows[np.repeat(deals % len(self.rows), len(places))]
        who = np.tile(places, (len(deals), 1))
        while len(waiting := np.flatnonzero(~self.game.over(states))):
            some, actions = states[waiting], np.zeros(len(waiting), np.int16)
            for place, one in enumerate((deviator, self.bot)):
                own = np.flatnonzero(who[waiting, some["seat"]] == place)
                if len(own):
                    asked = Decisions.of(self.game, some[own], waiting[own].tolist())
                    actions[own] = one.ask(asked).actions
            self.game.step(some, actions)
            states[waiting] = some
        scores = self.game.scores(states).reshape(len(deals), len(places), -1)[..., :2]
        return (scores - scores[..., ::-1]) / 2  # what one is ahead of the other, by half


@pytest.mark.parametrize(
    "name", ["rock37", *(pytest.param(name, marks=pytest.mark.soak) for name in ("odds37", "reckoner"))]
)
def test_exploit_finds_nine_tenths_of_what_a_best_response_wins_in_an_end_game(
    exact: Any, game: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "reckoner":  # seven live cards of Julepe: 140 deals
        rows = import_module("exact_julepe").positions(7)
        game = adapter.DealtGame(engines.load("julepe"), rows, between=(0, 1))
    monkeypatch.setattr(exact, "ASKED", 60 if name == "odds37" else 1)  # it bluffs at random
    truth = best_response.exploitability(game, exact.HousePolicy(game, import_module(f"bots.{name}")))
    bot = exploiting.House(name, game.rules, 1)._bot
    table = EndGame(bot, Conditions.usual(game.rules.name, int(game.rows["players"][0])), 1)
    table.rows, table.places = game.rows, table.places[:2]  # two seats decide
    deals = 300 if name == "rock37" else 3000  # it always answers alike: the mean has no error
    pupil = exploiting.taught(table, 3)
    assert pupil is not None
    gains = table.gains(pupil, exploiting.FRESH, deals)
    error = float(gains.std()) / deals**0.5
    assert 0.9 * truth - 2 * error <= gains.mean() <= 1.01 * truth + 3 * error
