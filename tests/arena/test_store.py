"""The store on a real SQLite file."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from arena.errors import StoreError
from arena.store import Bot, LeagueRun, Match, Store, pack_moves, unpack_moves


def bot(name: str = "mine", digest: str = "a", kind: str = "submitted") -> Bot:
    return Bot(name=name, version=0, kind=kind, games=["flip7"], title="A bot.", hash=digest, source=b"zip")


def run(name: str = "flip7") -> LeagueRun:
    facts = {"level": "strict"}
    return LeagueRun(
        name=name, number=0, game="flip7", definition=facts, fingerprint="f", secret="00", secret_hash="h", matches=2
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "arena.db"


@pytest.fixture
def store(path: Path) -> Store:
    return Store(str(path), create=True)


def test_versions_count_up_with_the_source_and_a_guest_has_version_0(store: Store) -> None:
    assert [store.add_bot(bot(digest=digest))[0].version for digest in ("a", "a", "b", "a")] == [1, 1, 2, 3]
    assert store.add_bot(bot(digest="a"))[1] is False
    guest, new = store.add_bot(bot(digest="z", kind="guest"))
    assert new and guest.version == 0 and guest.label == "mine (guest)"
    assert store.add_bot(bot(digest="z", kind="guest")) == (guest, False)
    assert [found.label for found in store.bots()] == ["mine@3"]
    assert [found.label for found in store.bots(newest=False)] == ["mine@1", "mine@2", "mine@3"]
    assert store.bots(game="taroky") == []


def test_runs_of_a_league_are_numbered_and_keep_their_entrants_in_order(store: Store) -> None:
    bots = [store.add_bot(bot(name))[0] for name in ("b", "a")]
    runs = [store.add_run(run(), bots) for _ in range(2)]
    assert [one.label for one in runs] == ["flip7#1", "flip7#2"]
    assert [entrant.name for entrant in store.entrants(runs[1])] == ["b", "a"]
    assert [one.label for one in store.runs(name="flip7")] == ["flip7#1", "flip7#2"]


def match(number: int) -> tuple[Match, list[dict[str, object]], list[dict[str, object]]]:
    row = Match(run_id=1, number=number, line_up=[0, 1], turn=0, cpu_s=[0.1, 0.2], decisions=[3, 4], wall_s=1.0, host={})
    moves = pack_moves(np.array([0, 1, 822], np.int16))
    game = {"run_id": 1, "number": number * 1000, "match": number, "block": 0, "entrants": [0, 1], "places": [0, 1]}
    forfeit = {"run_id": 1, "game": number * 1000, "seat": 1, "entrant": 1, "decision": 2, "kind": "cpu", "text": "slow"}
    return row, [game | {"scores": [1, -1], "moves": moves}], [forfeit]


def test_a_match_is_written_once_whole_however_often_it_is_written(store: Store) -> None:
    one = store.add_run(run(), [store.add_bot(bot())[0]])
    assert store.add_match(*match(0)) is True
    assert store.add_match(*match(0)) is False
    assert store.finished_matches(one) == {0}
    assert store.results(one) == [(0, 0, 0, [0, 1], [1, -1])]
    assert [(lost.kind, lost.text) for lost in store.forfeits(one)] == [("cpu", "slow")]
    stored = store.game(one, 0)
    assert stored is not None and unpack_moves(stored.moves) == [0, 1, 822]


def test_a_match_whose_games_cannot_be_written_is_not_written_at_all(store: Store) -> None:
    one = store.add_run(run(), [store.add_bot(bot())[0]])
    row, games, forfeits = match(0)
    with pytest.raises(StoreError):
        store.add_match(row, games * 2, forfeits)  # the same game twice: refused by the database
    assert store.finished_matches(one) == set() and store.results(one) == []


def test_a_finished_run_keeps_its_table(store: Store, path: Path) -> None:
    one = store.add_run(run(), [store.add_bot(bot())[0]])
    assert store.standing(one) is None
    store.finish_run(one, {"rows": [{"bot": "mine"}]})
    again = Store(str(path)).runs()[0]
    assert again.finished is not None
    assert Store(str(path)).standing(again) == {"rows": [{"bot": "mine"}]}


def test_reading_where_no_database_is_finds_nothing_and_makes_no_file(path: Path) -> None:
    assert Store(str(path)).runs() == []
    assert not path.exists()


def test_a_file_that_is_no_database_is_told_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "text.db"
    path.write_text("no database at all, but long enough to be looked at" * 50)
    before = path.read_bytes()
    with pytest.raises(StoreError, match="not a database"):
        Store(str(path), create=True)
    assert path.read_bytes() == before


def test_a_database_of_something_else_or_of_another_schema_is_told(tmp_path: Path, path: Path) -> None:
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE cooking (recipe TEXT)")
    with pytest.raises(StoreError, match="something else"):
        Store(str(other), create=True)
    Store(str(path), create=True).engine.dispose()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE arena_schema SET version = 99")
    with pytest.raises(StoreError, match="schema version 99"):
        Store(str(path))


def test_a_locked_database_is_told(store: Store, path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        with store.engine.connect() as mine:
            mine.exec_driver_sql("PRAGMA busy_timeout=10")
        with pytest.raises(StoreError, match="locked"):
            store.add_bot(bot())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere; the case as root is in test_cli")
def test_a_read_only_folder_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "shut"
    folder.mkdir(mode=0o500)
    with pytest.raises(StoreError, match="read-only"):
        Store(str(folder / "arena.db"), create=True)
