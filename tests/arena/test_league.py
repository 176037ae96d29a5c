"""From stored games to the rating table: what counts, what does not, and which run a command goes on with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from arena.errors import UsageError
from arena.league.open import enter, open_run, plans, setup_of
from arena.league.play import store_match
from arena.league.table import rating_table, run_table
from arena.match.setup import Forfeited, MatchResult
from arena.store import Bot, LeagueRun, Store
from leagues import definition
from leagues.definition import League

BOTS = ("random", "banker", "oddsman", "racer")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "arena.db"), create=True)


def flip7(**changes: int | str) -> League:
    return definition.load("flip7").with_changes(deals=6, **changes)  # type: ignore[arg-type]


def opened(store: Store, defined: League | None = None, bots: tuple[str, ...] = BOTS) -> LeagueRun:
    defined = defined or flip7(seed=1)
    return open_run(store, defined, enter(store, defined, bots))[0]


def play_match(store: Store, run: LeagueRun, number: int, scores: dict[str, int], lost: str = "") -> None:
    """Store a match in which every bot always has this score; `lost` forfeits all its games."""
    plan = plans(run)[number]
    setup = setup_of(run, plan)
    names = [bot.name for bot in store.entrants(run)]
    seated = [[names[plan.line_up[place]] for place in game.places] for game in setup.games]
    faults = [
        Forfeited(i, seat, game.places[seat], 3, "cpu", "too slow")
        for i, game in enumerate(setup.games)
        for seat in range(4)
        if seated[i][seat] == lost
    ]
    result = MatchResult(
        scores=np.array([[scores[name] for name in row] for row in seated]),
        moves=[np.array([1], np.int16)] * len(setup.games),
        forfeits=faults,
        cpu_s=[0.001] * 4,
        decisions=[10] * 4,
        wall_s=1.0,
        host={},
    )
    store_match(store, run, plan, setup, result)


SCORES = {"random": 10, "banker": 50, "oddsman": 100, "racer": 200}


def rows_of(store: Store, *runs: LeagueRun) -> list[dict[str, object]]:
    return [row.plain() for row in rating_table(store, runs).rows]


def play_all(store: Store, run: LeagueRun, lost: str = "") -> list[dict[str, object]]:
    for plan in plans(run):
        play_match(store, run, plan.number, SCORES, lost)
    return rows_of(store, run)


def test_the_table_has_mean_scores_games_and_cpu_time(store: Store) -> None:
    rows = play_all(store, opened(store))
    assert [row["bot"] for row in rows] == ["racer", "oddsman", "banker", "random"]
    assert [row["score"] for row in rows] == [200, 100, 50, 10]
    assert {row["games"] for row in rows} == {24} and {row["cpu_us"] for row in rows} == {100.0}
    assert [row["perfect"] for row in rows] == [1, 0, 0, -1]
    assert sum(row["elo"] for row in rows) / 4 == pytest.approx(1500, abs=0.1)


def test_a_seat_that_forfeited_is_last_and_scores_the_lowest_at_its_table(store: Store) -> None:
    rows = play_all(store, opened(store), lost="racer")
    assert [row["bot"] for row in rows] == ["oddsman", "banker", "random", "racer"]
    assert rows[-1]["score"] == 10 and rows[-1]["forfeits"] == 24
    assert [row["score"] for row in rows[:3]] == [100, 50, 10]


def test_blocks_that_are_not_complete_do_not_count(store: Store) -> None:
    run = opened(store)
    for number in range(3):  # three of four rotations
        play_match(store, run, number, SCORES)
    assert rows_of(store, run) == []
    play_match(store, run, 3, SCORES)
    assert {row["games"] for row in rows_of(store, run)} == {24}


def test_runs_of_trusted_bots_are_never_rated(store: Store) -> None:
    run = opened(store, flip7(seed=1, level="trusted"))
    assert play_all(store, run) == []
    shown = run_table(store, run).rows
    assert [row.mean for row in shown] == [200, 100, 50, 10]
    assert {row.elo for row in shown} == {row.rank for row in shown} == {None}


def test_all_runs_of_a_game_are_rated_together(store: Store) -> None:
    one, two = opened(store), opened(store, flip7(seed=2), BOTS[:3])
    play_all(store, one)
    for plan in plans(two):
        play_match(store, two, plan.number, SCORES)
    rows = {str(row["bot"]): row for row in rows_of(store, one, two)}
    assert rows["racer"]["games"] == 24 and int(str(rows["banker"]["games"])) > 24


def test_the_unfinished_run_of_the_same_definition_goes_on_and_others_start_anew(store: Store) -> None:
    fresh = flip7()
    first = opened(store, fresh)
    assert opened(store, fresh).label == first.label == "flip7#1"
    assert opened(store, fresh, BOTS[:3]).label == "flip7#2"
    assert opened(store, fresh).label == "flip7#1"
    store.finish_run(first, {})
    again = opened(store, fresh)
    assert again.label == "flip7#3" and again.secret != first.secret
    seeded = opened(store, flip7(seed=9))
    store.finish_run(seeded, {})
    assert opened(store, flip7(seed=9)).label == seeded.label


def test_submitted_bots_enter_unless_the_entrants_are_named(store: Store) -> None:
    mine = Bot(name="mine", version=0, kind="submitted", games=["flip7"], title="", hash="a", source=b"")
    other = Bot(name="other", version=0, kind="submitted", games=["taroky"], title="", hash="b", source=b"")
    store.add_bot(mine)
    store.add_bot(other)
    assert [bot.name for bot in enter(store, flip7())] == ["random", "banker", "oddsman", "racer", "mine"]
    assert [bot.name for bot in enter(store, flip7(), ("racer", "racer", "random"))] == ["racer", "random"]
    with pytest.raises(UsageError, match="two are needed"):
        enter(store, flip7(), ("racer",))


def test_nothing_that_a_worker_gets_leads_to_the_secret(store: Store) -> None:
    run = opened(store, flip7())
    for plan in plans(run):
        setup = setup_of(run, plan)
        assert run.secret not in repr(setup) and bytes.fromhex(run.secret) not in repr(setup).encode()
        assert len({game.seed for game in setup.games} | set(setup.bot_seeds)) == len(setup.games) + 4
