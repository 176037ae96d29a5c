"""The store on a real SQLite file and on a real PostgreSQL server."""

import gc
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest

from arena.errors import RunError, StoreError, UsageError
from arena.intake.source import pack
from arena.match.played import REQUEST, Forfeited, PlayedMatch, Recheck
from arena.store import Store, database, leases, models
from arena.store.leases import Driver
from arena.store.models import Bot, Entrant, LeagueRun, Lease, Stage
from arena.store.packing import BUCKETS, histograms, pack_schedule
from leagues.definition import League


def bot(name: str = "mine", digest: str = "a", kind: str = "submitted") -> Bot:
    return Bot(name=name, version=0, kind=kind, games=["flip7"], title="A bot.", hash=digest)


def run(name: str = "flip7") -> LeagueRun:
    return LeagueRun(name=name, number=0, game="flip7", definition=League.of(game="flip7"))


def stage(fingerprint: str = "f", number: int = 0) -> Stage:
    return Stage(
        run_id=0, number=number, kind="start", deals=2, fingerprint=fingerprint, secret="00", matches=1,
        secret_hash=uuid4().hex, commitment="c", mixed=True, schedule=pack_schedule([[0, 4, 2, 0, 1]] * 2),
        code={"files": {}, "versions": {"card-arena": "0"}},
    )  # fmt: skip


def opened(store: Store, fingerprint: str = "f", bots: tuple[str, ...] = ("mine",)) -> LeagueRun:
    entries = [Entrant.of(store.bots.add(bot(name), b"zip")[0], "content") for name in bots]
    return store.runs.add(run(), stage(fingerprint), entries)[0]


def match(number: int) -> PlayedMatch:
    return PlayedMatch(
        number=number, stage=0, rotation=0, line_up=(0, 1), wall_s=1.0,
        blocks=np.array([4, 5], np.int32), places=np.array([[0, 1], [1, 0]], np.uint8),
        scores=np.array([[1, -1], [2**31 - 1, -(2**31)]], np.int32),
        moves=[np.array([0, 1, 822], np.int16), np.array([], np.int16)], cpu_s=[0.1, 0.2], decisions=[3, 4],
        requests=np.array([(0, 1, 270e-6), (0, 2, 540e-6), (1, 4, 320e-6)], REQUEST),
        host={"level": "strict", "node": "one"}, repeated=["the worker was lost"],
        recheck=Recheck("one", "two", False) if number == 3 else None,
        forfeits=[Forfeited(0, 1, 1, 2, "cpu", "slow"), Forfeited(1, 0, 1, 0, "cpu", "slow")],
    )  # fmt: skip


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    store = Store(url, create=True)
    yield store
    store.engine.dispose()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "arena.db"


def test_versions_count_up_with_the_source_and_a_guest_has_version_0(store: Store) -> None:
    versions = [store.bots.add(bot(digest=digest), b"")[0].version for digest in "aaba"]
    assert versions == [1, 1, 2, 3]
    assert store.bots.add(bot(digest="a"), b"")[1] is False
    guest, new = store.bots.add(bot(digest="zzzzzzzz", kind="guest"), b"")
    assert new and guest.version == 0 and guest.label == "mine (guest zzzzzz)"
    again, new = store.bots.add(bot(digest="zzzzzzzz", kind="guest"), b"")
    assert again.id == guest.id and not new
    assert [found.label for found in store.bots.all()] == ["mine@3"]
    assert [found.label for found in store.bots.all(newest=False)] == ["mine@1", "mine@2", "mine@3"]
    assert store.bots.all(game="taroky") == []


def test_a_submitted_bot_keeps_its_place_when_a_house_bot_of_its_name_appears(store: Store) -> None:
    mine = store.bots.add(bot(), b"")[0]
    house = store.bots.add(bot(digest="b", kind="house"), b"")[0]
    assert (mine.label, house.label) == ("mine@1", "mine@2")
    found = [(one.label, one.kind) for one in store.bots.all()]
    assert found == [("mine@1", "submitted"), ("mine@2", "house")]
    assert store.bots.add(bot(digest="a"), b"")[1] is False


def test_a_retired_bot_enters_no_more_until_a_new_version_comes(store: Store) -> None:
    mine = store.bots.add(bot(), b"")[0]
    store.bots.retire(mine)
    assert store.bots.all() == [] and store.bots.all(newest=False)[0].retired is not None
    assert store.bots.add(bot(), b"")[0].label == "mine@2"
    assert [found.label for found in store.bots.all()] == ["mine@2"]


def test_sources_are_stored_once_and_loaded_by_hash(store: Store) -> None:
    packed = pack({"one.py": b""})
    for name in ("one", "two"):
        store.bots.add(bot(name, "same"), packed)
    assert store.bots.source("same") == packed
    with pytest.raises(StoreError, match="is not in it"):
        store.bots.source("other")


def test_runs_of_a_league_are_numbered_and_keep_their_entrants_in_order(store: Store) -> None:
    runs = [opened(store, fingerprint, ("b", "a")) for fingerprint in ("f", "g")]
    assert [one.label for one in runs] == ["flip7#1", "flip7#2"]
    entries = [(entry.bot.name, entry.content) for entry in store.runs.entries(runs[1])]
    assert entries == [("b", "content"), ("a", "content")]
    assert [one.label for one in store.runs.all(name="flip7")] == ["flip7#1", "flip7#2"]
    assert store.runs.find("flip7").label == "flip7#2" and store.runs.find("flip7#1").label == "flip7#1"
    with pytest.raises(UsageError, match="no run 'flip7#3'; runs: flip7#1, flip7#2"):
        store.runs.find("flip7#3")


def test_the_same_run_is_not_begun_twice_as_long_as_it_is_played(store: Store) -> None:
    one = opened(store)
    assert opened(store).id == one.id
    store.runs.close(one)
    assert opened(store).label == "flip7#2"
    known, new = store.runs.add(run(), stage(), [], again=False)
    assert not new and known.label == "flip7#2"


def test_two_who_store_the_same_matches_at_the_same_time_store_each_once(store: Store, url: str) -> None:
    one, stored = opened(store), list[int]()

    def add(first: int) -> None:
        other = Store(url, writes=True)
        stored.append(other.matches.add(one, [match(number) for number in range(first, first + 20)]))
        other.engine.dispose()

    threads = [threading.Thread(target=add, args=(first,)) for first in (0, 10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(stored) == [10, 20] and store.matches.stored(one) == set(range(30))
    assert [len(found.forfeits) for found in store.matches.all(one)] == [2] * 30


def test_a_match_is_written_once_whole_and_read_as_it_was(store: Store) -> None:
    one = opened(store, bots=("a", "b"))
    number = 2**40  # beyond 32 bits
    assert store.matches.add(one, [match(number)]) == 1
    assert store.matches.add(one, [match(number)]) == 0
    assert store.matches.stored(one) == {number}
    back, given = store.matches.one(one, number), match(number)
    assert back is not None
    for name in ("line_up", "repeated", "host", "forfeits"):
        assert getattr(back, name) == getattr(given, name)
    for name in ("blocks", "places", "scores"):
        assert getattr(back, name).tolist() == getattr(given, name).tolist()
    assert back.requests[["place", "decisions"]].tolist() == [(0, 3), (1, 4)]
    kept, wanted = histograms([back.requests, given.requests])
    assert np.array_equal(kept, wanted)
    assert [moves.tolist() for moves in back.moves] == [[0, 1, 822], []]
    # what a clock says is no result
    assert back.digest == replace(given, requests=back.requests[:0]).digest_now()


def test_what_a_second_node_made_of_a_match_is_found(store: Store) -> None:
    run = opened(store)
    store.matches.add(run, [match(2), match(3)])
    back = store.matches.one(run, 3)
    assert back is not None and back.recheck == match(3).recheck and back.digest_now() == back.digest
    assert store.matches.rechecked(run) == {3: back.recheck}


def test_all_games_come_back_as_arrays_with_who_sat_where_and_who_forfeited(store: Store) -> None:
    one = opened(store, bots=("a", "b"))
    for number in (1, 0):
        store.matches.add(one, [match(number)])
    games = store.games.of_runs([one])[0]
    assert games.match.tolist() == [0, 0, 1, 1] and games.block.tolist() == [4, 5, 4, 5]
    assert games.stretch.tolist() == [4] * 4 and games.complete.all()
    assert games.faults == [{}, {"cpu": 4}] and games.labels == ["a@1", "b@1"]
    assert games.entrant.tolist() == [[0, 1], [1, 0]] * 2
    assert games.score.tolist() == [[1, -1], [2**31 - 1, -(2**31)]] * 2
    assert games.lost.tolist() == [[False, True], [True, False]] * 2
    assert games.cpu_s.tolist() == [0.2, 0.4] and games.decisions.tolist() == [6, 8]
    assert games.cpu.shape == (2, BUCKETS) and games.cpu[0, 40] == 6 and games.cpu[1, 33] == 8
    assert games.cpu.sum() == 14
    (lost,) = store.matches.forfeits(one)
    assert (lost.entrant, lost.kind, lost.seats, lost.matches) == (1, "cpu", 4, 2)
    assert store.matches.repeated(one) == {"the worker was lost": 2}
    count = store.matches.counts()[one.key]
    assert (count.stored, count.games, count.planned) == (2, 4, 1)


def test_a_number_that_does_not_fit_is_refused_and_nothing_is_written(store: Store) -> None:
    one = opened(store, bots=("a", "b"))
    large = match(0)
    large.scores.setflags(write=True)
    object.__setattr__(large, "scores", np.array([[2**31, 0], [0, 0]]))
    with pytest.raises(StoreError, match="cannot be stored as int32"):
        store.matches.add(one, [large])
    assert store.matches.stored(one) == set()


def test_a_deleted_run_leaves_nothing_but_its_bots(store: Store) -> None:
    one, other = opened(store, bots=("a", "b")), opened(store, "other", ("a",))
    store.matches.add(one, [match(0)])
    store.runs.keep_standing(f"run {one.id}", "now", {"rows": []})
    store.runs.delete(one)
    assert [left.label for left in store.runs.all()] == [other.label]
    assert store.matches.counts().keys() == {other.key}
    assert store.runs.standings([f"run {one.id}"], "now", dict) == {}
    assert len(store.bots.all()) == 2


def test_a_table_is_kept_until_the_state_changes(store: Store) -> None:
    for state, other, rows in (("now", "later", [1]), ("later", "now", [2])):
        store.runs.keep_standing("run 1", state, {"rows": rows})
        assert store.runs.standings(["run 1"], state, dict) == {"run 1": {"rows": rows}}
        assert store.runs.standings(["run 1"], other, dict) == {}


TOGETHER = """
import sys, time
from pathlib import Path
sys.path.insert(0, {root!r})
from arena.store import Store
from tests.arena.test_store import bot, opened
number, folder = int(sys.argv[1]), Path(sys.argv[2])
for at, url in enumerate(sys.argv[3:]):
    (folder / f"ready{{at}}-{{number}}").touch()
    while not (folder / f"ready{{at}}-{{1 - number}}").exists():
        time.sleep(0.001)
    store = Store(url, create=True)
    print(store.bots.add(bot(digest="house", kind="house"), b"h")[0].label, end=" ")
    print(store.bots.add(bot("rival", f"source {{number}}"), b"r")[0].label, end=" ")
    print(opened(store).label)
"""


def test_two_processes_at_once_share_new_tables_bots_versions_and_runs(url: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", TOGETHER.format(root=str(Path(__file__).parents[2]))]
    urls = [url] if url.startswith("postgres") else [str(tmp_path / f"{n}.db") for n in range(3)]
    pipe = subprocess.PIPE
    both = [subprocess.Popen([*command, n, str(tmp_path), *urls], stdout=pipe, text=True) for n in "01"]
    told = [one.communicate(timeout=600)[0].splitlines() for one in both]
    assert [one.returncode for one in both] == [0, 0] and len(told[0]) == len(told[1]) == len(urls)
    for words in zip(*[[line.split() for line in lines] for lines in told], strict=True):
        assert words[0][0] == words[1][0] == "mine@1"
        assert {words[0][1], words[1][1]} == {"rival@1", "rival@2"}
        assert words[0][2] == words[1][2] == "flip7#1"


def test_one_driver_at_a_time_plays_a_run(store: Store) -> None:
    one = opened(store, bots=("a", "b"))
    first, second = Driver.this_process(), Driver.this_process()
    assert store.leases.take(one, first) is None and store.leases.player(one) == first.who
    assert store.leases.take(one, second) == first.who
    store.leases.release(one, second)
    assert store.leases.player(one) == first.who
    store.leases.release(one, first)
    assert store.leases.player(one) is None and store.leases.take(one, second) is None


def test_a_run_that_is_played_is_not_added_to_aborted_or_deleted(store: Store) -> None:
    one = opened(store, bots=("a", "b"))
    driver = Driver.this_process()
    store.leases.take(one, driver)
    ways = (
        lambda: store.runs.add_stage(one, stage("g", 1), []),
        lambda: store.runs.close(one, aborted=True),
        lambda: store.runs.delete(one),
    )
    for change in ways:
        with pytest.raises(RunError, match="flip7#1 is being played by"):
            change()
    assert len(store.runs.stages(one)) == 1 and store.runs.find("flip7").state == "playing"
    store.leases.release(one, driver)
    store.runs.add_stage(one, stage("g", 1), [])
    with pytest.raises(RunError, match="just been added to by somebody else"):
        store.runs.add_stage(one, stage("h", 1), [])


def test_a_run_is_finished_when_all_matches_are_stored_also_those_added_meanwhile(store: Store) -> None:
    one = opened(store, bots=("a", "b"))
    store.matches.add(one, [match(0)])
    store.runs.add_stage(one, stage("g", 1), [])
    assert store.runs.finish(one) is False and store.runs.find("flip7").state == "playing"
    store.matches.add(one, [match(1)])
    assert store.runs.finish(one) is True and store.runs.find("flip7").state == "finished"


def test_a_secret_that_was_drawn_before_is_for_one_run_only(store: Store) -> None:
    other = stage("g")
    other.secret_hash = store.runs.stages(opened(store, "f"))[0].secret_hash
    with pytest.raises(RunError, match="has just been taken"):
        store.runs.add(run(), other, [])
    other.mixed = False  # a known seed is no secret
    assert store.runs.add(run(), other, [])[1] is True


def test_a_driver_that_is_gone_gives_its_run_back_and_hears_of_it_if_it_comes_again(store: Store) -> None:
    one = opened(store)
    # on this machine, and there is no such process
    dead = Driver(f"{leases._machine()}/{2**22 + 1}/1/x", "dead")
    far = Driver("elsewhere/1/1/x", "far")
    assert store.leases.take(one, dead) is None and store.leases.player(one) is None
    assert store.leases.take(one, far) is None and store.leases.player(one) == "far"
    for silence in (1, -1):  # no heartbeat for too long, or one from a clock that was ahead
        mine = Driver.this_process()
        assert store.leases.take(one, mine) == "far"
        with store.writing() as session:
            lease = session.get(Lease, one.id)
            lease.heartbeat -= silence * timedelta(seconds=leases.LEASE_S + 5)
        assert store.leases.take(one, mine) is None
        with pytest.raises(RunError, match="its lease has ended"):
            store.leases.heartbeat(one, far)
        store.leases.heartbeat(one, mine)
        store.leases.release(one, mine)
        assert store.leases.take(one, far) is None


def test_heartbeats_go_by_the_clock_of_a_server(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(postgres_url, create=True)
    one, far = opened(store), Driver("elsewhere/1/1/x", "far")
    assert store.leases.take(one, far) is None
    monkeypatch.setattr(models, "now", lambda: datetime.now(UTC) + timedelta(hours=1))  # this machine's clock
    assert store.leases.take(one, Driver.this_process()) == "far"
    store.engine.dispose()


def test_as_many_may_read_at_once_as_a_server_has_threads(store: Store) -> None:
    with ExitStack() as all_at_once:
        for _ in range(48):
            all_at_once.enter_context(store.reading()).connection()


def test_a_database_that_nobody_uses_any_more_holds_no_file(path: Path) -> None:
    Store(str(path), create=True).whole.facts()
    gc.collect()
    held = [Path(os.path.realpath(one)) for one in Path("/proc/self/fd").iterdir()]
    assert path in [one.absolute() for one in path.parent.iterdir()] and path not in held


def test_a_writer_that_holds_the_file_delays_another_one_and_does_not_end_it(path: Path) -> None:
    store = Store(str(path), create=True)
    held = threading.Event()

    def hold() -> None:
        with sqlite3.connect(path, isolation_level=None) as other:
            other.execute("BEGIN IMMEDIATE")
            held.set()
            time.sleep(5.5)  # longer than SQLite's drivers wait when nobody says how long
            other.execute("COMMIT")

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(600)
    assert store.bots.add(bot(), b"")[1] is True
    thread.join()


def test_a_database_that_stays_locked_is_told(path: Path) -> None:
    Store(str(path), create=True)
    store = Store(str(path), patience_s=0.01)
    with sqlite3.connect(path) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="locked by another program"):
            store.bots.add(bot(), b"")


def test_what_was_announced_survives_a_power_cut(path: Path) -> None:
    store = Store(str(path), create=True)
    with store.writing() as session:
        # FULL: fsync at every commit
        assert session.connection().exec_driver_sql("PRAGMA synchronous").scalar() == 2
        assert session.connection().exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


def test_a_database_of_something_else_or_of_a_newer_schema_is_told(tmp_path: Path, path: Path) -> None:
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE cooking (recipe TEXT)")
    with pytest.raises(StoreError, match="is not a result store"):
        Store(str(other), create=True)
    Store(str(path), create=True).engine.dispose()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match=r"schema 9999, newer than this arena's \d{4};"):
        Store(str(path))


PASSWORDS = [
    "postgresql://arena:s3cret@127.0.0.1:9/none",
    "postgresql://arena@127.0.0.1:9/none?password=s3cret&sslpassword=s3cret",
    "postgresql+none://arena:s3cret@127.0.0.1/none",
    "mysql://arena:s3cret@127.0.0.1/none",
    "postgresql://arena:s3cret@127.0.0.1:s3cret/none",
    "s3cret://",
]


@pytest.mark.parametrize("url", PASSWORDS)
def test_a_url_that_cannot_be_used_is_told_without_its_password(url: str) -> None:
    with pytest.raises(StoreError) as error:
        Store(url, create=True)
    assert "s3cret" not in str(error.value).replace("s3cret://", "") or url == "s3cret://"
    assert "\n" not in str(error.value)
    assert ("mysql cannot be used; results are kept in SQLite (" in str(error.value)) == ("mysql" in url)


def test_errors_of_an_open_database_do_not_show_its_password(postgres_url: str) -> None:
    store = Store(postgres_url, create=True)
    assert "s3cret" not in store.name and "***" in store.name
    with pytest.raises(StoreError) as error, store.writing() as session:
        session.connection().exec_driver_sql("SELECT 's3cret' FROM nowhere")
    assert "s3cret" not in str(error.value)
    with pytest.raises(UsageError, match="no NUL character"):  # of who asks, not of the database
        store.seasons.find("a\0")


@pytest.mark.parametrize(("more", "longest"), [("", "30000"), ("&tcp_user_timeout=5000", "5000")])
def test_a_server_whose_machine_is_gone_is_not_waited_for_for_hours(
    postgres_url: str, more: str, longest: str
) -> None:
    with Store(postgres_url + more, create=True).reading() as session:
        connection = session.connection().connection.driver_connection
    given = connection.info.get_parameters()
    assert (given["tcp_user_timeout"], given["keepalives_idle"]) == (longest, "15")


def test_a_server_that_is_started_again_delays_a_writer_and_does_not_end_it(
    postgres: str, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    store = Store(postgres_url, create=True)
    one, (place,) = opened(store), Path(postgres).glob(".s.PGSQL.*[0-9]")
    kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
    with pytest.raises(psycopg.OperationalError), psycopg.connect(postgres_url) as connection:
        connection.execute(kill)
    away = place.rename(place.with_name("away"))
    threading.Timer(1.0, away.rename, [place]).start()
    assert store.matches.add(one, [match(0)]) == 1
    monkeypatch.setattr(database, "AGAIN_S", 0.05)
    store = Store(postgres_url)
    store.reconnect_s = 0.2  # as servers say, whose pages do not wait
    store.engine.dispose()
    away = place.rename(place.with_name("away"))
    plain = "the server cannot be reached; what was stored before is safe"
    with pytest.raises(StoreError, match=f"{plain}; .*{place}") as away_now:
        store.runs.find("flip7")
    assert away_now.value.text == f"{store.name}: {plain}"  # what strangers get
    away.rename(place)
    assert store.runs.find("flip7").id == one.id
    store.engine.dispose()
