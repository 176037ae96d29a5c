"""Which runs are rated together, and which pool a person gets."""

from pathlib import Path

import pytest
from sqlalchemy import event

from arena.errors import UsageError
from arena.runs.pools import choose, pools
from arena.runs.standings import pool_table
from arena.store import Store
from leagues import definition

from .test_league import BOTS, RULES_FILE, edit, finished, flip7, variant


def test_runs_are_rated_together_only_with_equal_options_players_limits_level_and_secrecy(
    store: Store, tmp_path: Path
) -> None:
    leagues = [
        flip7(),
        flip7(level="strict+ns"),
        variant(tmp_path, "players = 3"),
        variant(tmp_path, '[options]\ndeck = "fresh"'),
        variant(tmp_path, "[limits]\ncpu_ms_per_decision = 5.0"),
        flip7(seed=1),
    ]
    runs = [finished(store, league, BOTS[:2]) for league in leagues]
    again = finished(store, flip7(), BOTS)
    found = pools(store, [*runs, again])
    assert [run.label for run in found[0].runs] == ["flip7#1", again.label]
    assert {pool.title for pool in found} == {
        "4 players",
        "4 players, level strict+ns",
        "3 players",
        "4 players, deck = fresh",
        "4 players, cpu_ms_per_decision = 5.0",
        "4 players, known seeds",
    }
    # whatever its size: who knows the seed knows the cards
    assert found[-1].title == "4 players, known seeds"
    assert len({pool.mark for pool in found}) == 6


def test_games_under_other_rules_are_another_pool(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    one = finished(store, flip7())
    edit(monkeypatch, RULES_FILE)
    two = finished(store, flip7())
    assert [pool.runs for pool in pools(store, [one])] != [pool.runs for pool in pools(store, [two])]
    assert len(pools(store, [one, two])) == 2


def test_equal_deals_of_runs_with_one_known_seed_count_once(store: Store) -> None:
    one = finished(store, flip7(seed=7))
    two = finished(store, definition.load("flip7", deals=7, seed=7))
    (pool,) = pools(store, [one, two])
    table = pool_table(store, pool)
    assert {row.games for row in table.rows} == {7 * 4}  # six of the seven deals are the same games
    assert {row.blocks for row in table.rows} == {7}


def test_runs_with_secrets_are_added_up(store: Store) -> None:
    runs = [finished(store, flip7()), finished(store, flip7(), BOTS[:3])]
    (pool,) = pools(store, runs)
    rows = {row.bot: row for row in pool_table(store, pool).rows}
    assert rows["racer"].games == 24 and rows["banker"].games > 24


def test_a_pool_of_more_runs_takes_no_more_queries(store: Store) -> None:
    runs = [finished(store, flip7(), BOTS[:2]) for _ in range(6)]
    numbers = []
    for some in (runs[:2], runs):
        fresh, asked = Store(store.url), list[str]()
        event.listen(
            fresh.engine, "before_cursor_execute", lambda *given, asked=asked: asked.append(given[2])
        )
        (pool,) = pools(fresh, some)
        assert len(pool_table(fresh, pool).rows) == 2
        numbers.append(len(asked))
    assert numbers[0] == numbers[1] > 5


def test_bots_that_never_met_are_told_as_groups(store: Store) -> None:
    runs = [finished(store, flip7(), BOTS[:2]), finished(store, flip7(), BOTS[2:])]
    (pool,) = pools(store, runs)
    rows = pool_table(store, pool).rows
    assert [row.group for row in rows] == [1, 1, 2, 2] and [row.rank for row in rows] == [1, 2, 1, 2]


def test_the_pool_with_most_games_is_the_main_one(store: Store, tmp_path: Path) -> None:
    runs = [
        finished(store, flip7(), BOTS[:2]),
        *(finished(store, variant(tmp_path, "players = 3")) for _ in range(2)),
    ]
    assert [pool.title for pool in pools(store, runs)] == ["3 players", "4 players"]


def test_runs_are_chosen_by_name_table_size_and_options(store: Store, tmp_path: Path) -> None:
    finished(store, flip7(), BOTS[:2])
    finished(store, variant(tmp_path, 'players = 3\n[options]\ndeck = "fresh"'), BOTS[:2])
    labels = [run.label for run in store.runs.all()]
    assert labels == ["flip7#1", "spring#1"]
    for words in (
        {"labels": ["spring#1"]},
        {"labels": ["spring"], "players": 3},
        {"options": {"deck": "fresh"}},
    ):
        assert [run.label for pool in choose(store, "flip7", **words) for run in pool.runs] == ["spring#1"]
    assert choose(store, "flip7", players=9) == []
    with pytest.raises(UsageError, match="no run 'flip8'; runs: flip7#1, spring#1"):
        choose(store, "flip7", ["flip8"])
