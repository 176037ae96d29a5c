"""End-games that are solved: exploitability by hand, and the solution as a bot of ours."""

from __future__ import annotations

from importlib import util
from pathlib import Path
from random import Random
from typing import Any

import pytest

import engines
from engines.adapters.policies import from_openspiel
from engines.position import Position

WITHOUT = "needs the extra openspiel: pip install 'card-arena[openspiel]'"
adapter = pytest.importorskip("engines.adapters.openspiel", reason=WITHOUT)
policies = pytest.importorskip("open_spiel.python.policy", reason=WITHOUT)
best_response = pytest.importorskip("open_spiel.python.algorithms.exploitability", reason=WITHOUT)
EXAMPLE = Path(__file__).parents[3] / "examples" / "exact_tzogous37.py"


@pytest.fixture(scope="module")
def example() -> Any:
    spec = util.spec_from_file_location("exact_tzogous37", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def game(example: Any) -> Any:
    """Three live cards: six deals."""
    return adapter.DealtGame(engines.load("tzogous37"), example.positions(3))


class Fold:
    """A bot that folds whenever it may."""

    @staticmethod
    def act(view: Any) -> str:
        return view.texts[0]


def test_positions_differ_in_the_live_cards_alone_and_each_seat_knows_its_own(game: Any) -> None:
    rows = game.rows
    rules = game.rules
    held = [(int(row["hand"][0]), int(row["hand"][1])) for row in rows]
    assert len(rows) == 6 and len(set(held)) == 6
    for seat in range(2):
        views = rules.views(rows, seat)
        assert len({view.tobytes() for view in views}) == 3  # its own card; the two others are not told apart
    assert [Position.of(rules, rows[:1]).view(-1).round] == [4]


def test_who_always_folds_loses_the_ante_to_an_opponent_who_waits(example: Any, game: Any) -> None:
    """The first to act folds its ante of 5. An opponent in its place checks and wins 5 instead: 10 more, so that
    the mean over both seats is 5.
    """
    fold = example.HousePolicy(game, Fold)
    assert best_response.exploitability(game, fold) == pytest.approx(5)


def test_cfr_is_exploited_less_than_chance_and_plays_as_a_bot(example: Any, game: Any) -> None:
    best = example.solved(game, 4)
    loss = best_response.exploitability(game, best)
    assert 0 <= loss < best_response.exploitability(game, policies.UniformRandomPolicy(game))
    position = Position.of(game.rules, game.rows[2:3])
    bots = [from_openspiel(best)(seat, 0) for seat in range(2)]
    while not position.over:
        view = position.view()
        view._rng = Random(3)
        position.play(int(view.legal[0]) if len(view.legal) == 1 else bots[view.seat].act(view))
    assert sum(position.scores()) == 0
