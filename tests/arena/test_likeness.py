"""Which bots decide alike, from stored games."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from arena.match.played import Forfeited, PlayedMatch
from arena.match.setup import MatchSetup
from arena.runs.likeness import AlikeRow, _rows, alike_rows
from arena.runs.open import enter, open_run, prepare
from arena.runs.plans import setups
from arena.runs.standings import load_pool
from arena.store import Store
from leagues import definition

from .test_clerk import Chooser, lowest, result_of


def highest(legal: list[int]) -> int:
    return legal[-1]


def by_number(legal: list[int]) -> int:
    return legal[sum(legal) % len(legal)]


CHOOSERS: list[Chooser] = [lowest, highest, lowest, by_number]


def rows_of(folder: Path, deals: int, change: Callable[[PlayedMatch], PlayedMatch]) -> list[AlikeRow]:
    store = Store(str(folder / "arena.db"), create=True)
    league = definition.load(
        "tzogous37", deals=deals, players=4, seed=3, entrants=["odds37", "rock37", "steady37", "station37"]
    )
    run = open_run(store, prepare(store, league, enter(store, league, list(league.entrants)))).run

    def played(setup: MatchSetup) -> PlayedMatch:
        return change(result_of(setup, [CHOOSERS[entrant] for entrant in setup.plan.line_up]))

    store.matches.add(run, [played(setup) for setup in setups(store, run)])
    return alike_rows(store, [run], load_pool(store, [run]))


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[AlikeRow]:
    return rows_of(tmp_path_factory.mktemp("alike"), 160, lambda match: match)


def test_bots_that_never_act_differently_on_one_view_may_be_one(rows: list[AlikeRow]) -> None:
    first = rows[0]
    assert (first.bot, first.against, first.verdict) == ("odds37@1", "station37@1", "may be one bot")
    assert first.differ == 0 and first.decisions >= 150 and (first.usual or 0) > 0.5


def test_bots_that_act_differently_are_not_called_one(rows: list[AlikeRow]) -> None:
    assert len(rows) == 6 and {row.verdict for row in rows[1:]} <= {"", "not tested"}
    assert all(row.differ and row.share == round(row.differ / row.decisions, 4) for row in rows[1:])


def test_few_common_decisions_tell_nothing(tmp_path: Path) -> None:
    assert {row.verdict for row in rows_of(tmp_path, 8, lambda match: match)} == {"not tested"}


def test_actions_that_were_played_for_a_bot_after_a_forfeit_do_not_count(tmp_path: Path) -> None:
    def lost(match: PlayedMatch) -> PlayedMatch:
        place = match.line_up.index(0)
        faults = [
            Forfeited(game, list(seats).index(place), place, 0, "exception", "it broke")
            for game, seats in enumerate(match.places.tolist())
        ]
        return replace(match, forfeits=faults)

    bots = {name for row in rows_of(tmp_path, 8, lost) for name in (row.bot, row.against)}
    assert bots == {"rock37@1", "station37@1", "steady37@1"}


def verdicts(asked: list[list[int]], differ: list[list[int]]) -> dict[tuple[str, str], str]:
    names = [f"b{i}" for i in range(len(asked))]
    rows = _rows(names, np.array(asked, np.int64), np.array(differ, np.int64))
    return {(row.bot, row.against): row.verdict for row in rows}


def test_a_flood_of_copies_does_not_make_it_usual_that_nothing_differs() -> None:
    copies, bots = 8, 10
    asked, differ = np.full((2, bots, bots), 10)  # with others soon something differs, and a game ends
    asked[:copies, :copies], differ[:copies, :copies] = 448, 0
    found = verdicts(asked.tolist(), differ.tolist())
    called = {pair for pair, verdict in found.items() if verdict == "may be one bot"}
    assert called == {(f"b{i}", f"b{j}") for i in range(copies) for j in range(i + 1, copies)}


def test_bots_that_differ_little_from_all_others_are_not_called_one() -> None:
    asked, differ = np.full((2, 4, 4), 2000)
    differ[:] = 60
    differ[0, 3] = differ[3, 0] = asked[0, 3] = asked[3, 0] = 1  # one decision says nothing of what is usual
    assert "may be one bot" not in verdicts(asked.tolist(), differ.tolist()).values()
