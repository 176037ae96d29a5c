"""Seasons: epochs are runs that go on after a stop, find new bots, and can be verified."""

import contextlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from arena.api import PlayOptions, open_store, ready_cluster
from arena.errors import UsageError
from arena.ladder import service
from arena.ladder.epochs import FASTER, Chosen, begin, blocks_of, field_of, prepared, season_pool
from arena.ladder.status import driver_line, season_status
from arena.replay.listing import games_of
from arena.store import Store, leases
from arena.store.leases import Driver
from arena.store.models import Entrant, Epoch, LeagueRun, SeasonDriver, Stage, Submission, now
from leagues.pairing import pair

from .played import BOT, SEASON, play, submitted
from .program import Arena, Head, until

SLOW = "sum(range(150_000))"  # some milliseconds a decision
PAIRS = SEASON.partition("= 2\n")[2].replace("players = 3", "players = 2")


def opened(arena: Arena, text: str = SEASON) -> Store:
    """A new season, spring, in the store of this folder."""
    (arena.folder / "spring.toml").write_text(text)
    arena.run("ladder", "new", "spring.toml")
    return open_store()


def test_epochs_are_runs_with_promised_secrets_and_all_of_them_verify(arena: Arena, ray_head: Head) -> None:
    store = opened(arena, SEASON + PAIRS)
    promised = [one["next_secret_hash"] for one in arena.json("ladder", "status", "spring")["leagues"]]
    _, said = arena.run("ladder", "run", "spring", "--epochs", "2", *ray_head)
    assert all(f"blake2b-256 is {one}" in said for one in promised)
    assert "epoch 1 is over; its secret was" in said and f"seal is {store.runs.all()[0].seal}" in said
    assert "epoch 2 is spring-flip7-2#1: 2 bots, 8 blocks" in said
    arena.write("late", "def act(view):\n    return view.legal[0]\n")
    arena.run("bot", "submit", "./late.py", "--owner", "ann")
    arena.run("ladder", "run", "spring", "--epochs", "1", *ray_head)
    found, _ = arena.json("ladder", "status", "spring")["leagues"]
    first, second = found["epochs"]
    assert first["secret_hash"] == promised[0] and first["secret"] != second["secret"] != ""
    labels = [
        {entry.bot.name for entry in store.runs.entries(one.run)} for one in store.seasons.epochs("spring", 0)
    ]
    assert labels == [{"banker", "collector"}, {"banker", "collector", "late"}]
    rows = {row["bot"]: row for row in found["table"]["rows"]}
    assert set(rows) == labels[1] and rows["banker"]["blocks"] > rows["late"]["blocks"]
    assert "spring-flip7-2#N, spring-flip7-3#N" in arena.run("league", "verify", "spring#1", code=2)[1]
    verified = arena.run("league", "verify", "spring", "--workers", "1")[0]  # every epoch, in their order
    assert verified.count("no difference") == 3
    assert arena.run("ladder", "status", "spring", "--format", "csv")[0].count("league,owner,") == 1
    assert [in_minutes(store, minutes) for minutes in (1, 1440)] == [FASTER * 8, FASTER * 8]


def in_minutes(store: Store, minutes: int) -> int:
    """Blocks of the next epoch of spring, if epochs were given in minutes."""
    season = store.seasons.find("spring")
    file = season.definition.model_copy(update={"epoch": f"{minutes} minutes"})
    return blocks_of(store, Chosen(season, file, 0), workers=1)


@contextmanager
def stopped_after(store: Store, matches: int) -> Iterator[PlayOptions]:
    """Options with which a season is paused by somebody else when so many matches are stored."""
    left = matches

    @contextmanager
    def watch(total: int, done: int, unit: str) -> Iterator[object]:
        def add(*count: int, **facts: int) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                assert store.leases.season_drivers()["spring"].does == "it plays"
                service.pause_season(store, "spring")

        yield add

    yield PlayOptions(watch=watch)  # type: ignore[arg-type]


def test_a_pause_stops_an_epoch_in_the_middle_and_run_goes_on_with_the_same_deals(
    arena: Arena, ray_head: Head, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "LOOK_S", 0.0)
    monkeypatch.setattr(leases, "HEARTBEAT_S", 3600.0)  # what a driver does is said at once
    store = opened(arena, SEASON.replace("8 blocks", "48 blocks"))
    with stopped_after(store, 2) as options:
        season = service.run_season(store, "spring", replace(options, address=ray_head[1]))
    assert season.state == "paused"
    (one,) = store.seasons.epochs("spring")
    far = store.matches.counts()[one.run.key]
    assert one.run.state == "playing" and 2 <= far.stored < far.planned
    before = store.runs.stages(one.run)[0].secret_hash
    out, said = arena.run("ladder", "run", "spring", "--epochs", "1", *ray_head)
    assert "season spring is open" in out and f"blake2b-256 is {before}" in said
    assert [two.run.state for two in store.seasons.epochs("spring")] == ["finished"]


def test_a_season_paused_while_an_epoch_begins_waits_for_no_bots(arena: Arena, ray_head: Head) -> None:
    store, said = opened(arena), list[str]()
    submitted(store, arena.folder / "new.py", BOT, "ada", conditions={})

    def say(line: str) -> None:
        said.append(line)
        if line.startswith("trial: "):
            service.pause_season(store, "spring")

    service.run_season(store, "spring", PlayOptions(address=ray_head[1], say=say))
    assert said[-1].startswith("trial: ") and not store.seasons.epochs("spring")


def test_a_copy_of_the_database_goes_on_with_secrets_that_the_original_has_not_published(
    arena: Arena, ray_head: Head, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "LOOK_S", 0.0)
    store, said = opened(arena, SEASON.replace("8 blocks", "48 blocks")), list[str]()
    with stopped_after(store, 2) as options:
        service.run_season(store, "spring", replace(options, address=ray_head[1]))
    store.whole.backup(arena.folder / "copy.db")
    (waiting,) = store.runs.commitments()
    copy = Store(str(arena.folder / "copy.db"))
    service.run_season(copy, "spring", PlayOptions(address=ray_head[1], say=said.append), epochs=1)
    begun, new = copy.seasons.epochs("spring")
    assert begun.run.state == "aborted" and new.run.state == "finished"
    assert any("spring#1 cannot go on" in line and "as in a copy" in line for line in said)
    published = {waiting.secret_hash, copy.runs.stages(begun.run)[0].secret_hash}
    (promised,) = copy.runs.commitments()
    assert not published & {copy.runs.stages(new.run)[0].secret_hash, promised.secret_hash}
    assert season_status(copy, copy.seasons.find("spring"))[0]["table"].rows


def test_two_drivers_that_begin_the_same_epoch_get_one_run_and_one_secret(arena: Arena) -> None:
    store = opened(arena)
    begun = [store.seasons.add_epoch(*made(store)) for _ in range(2)]
    assert begun[0].run.label == begun[1].run.label == "spring#1" and len(store.runs.all()) == 1
    assert store.runs.commitments()[0].secret_hash != store.runs.stages(begun[0].run)[0].secret_hash


def made(store: Store, blocks: int = 8, number: int = 1) -> tuple[Epoch, LeagueRun, Stage, list[Entrant]]:
    """An epoch, as a driver prepares it that sees those that were played."""
    season = store.seasons.find("spring")
    chosen = Chosen(season, season.definition, 0)
    field, rules = field_of(store, chosen, season_pool(store, chosen)), chosen.file.rules(0)
    tables = pair(field.players, field.roles, field.ratings, rules, blocks, np.random.default_rng(0))
    epoch = Epoch(season="spring", number=number, league=0, run_id=0, blocks=blocks, newcomer_blocks=0)
    return epoch, *prepared(store, chosen, number, field, tables)


def test_closing_ends_an_epoch_that_nobody_plays_shows_its_secret_and_nothing_plays_on(arena: Arena) -> None:
    store = opened(arena)
    begun = store.seasons.add_epoch(*made(store))
    secret = store.runs.stages(begun.run)[0].secret
    store.owners.invite("ada", "test")
    sent, driver = store.submissions.add("ada", "mine.py", "", b""), Driver.this_process()
    store.submissions.take(driver)
    store.submissions.release(sent, driver, "KeyError: 'random'")
    told = "".join(arena.run("ladder", "status", "spring"))
    assert secret not in told and "1 epoch so far; 2 newcomers" in told
    assert "mine.py of ada waits: its trial failed 1 time on this server" in told
    assert "Confirm with --yes" in arena.run("ladder", "close", "spring", code=2)[1]
    assert "has begun epoch 1" in arena.run("ladder", "close", "spring", "--delete", code=2)[1]
    _, said = arena.run("ladder", "close", "spring", "--yes")
    assert said == "season spring is closed: arena ladder status spring shows the secret of every epoch\n"
    said = arena.run("ladder", "status", "spring")[1].partition("newcomers, next first")
    assert f"spring#1 aborted, 0 of 3 matches, 8 blocks; secret {secret}" in said[0] and not said[1]
    assert "; opened 20" in said[0] and ", closed 20" in said[0]
    assert store.seasons.add_epoch(*made(store, number=2)) is None
    for word in ("run", "pause"):
        assert "season spring was closed" in arena.run("ladder", word, "spring", code=2)[1]
    assert [*arena.json("ladder", "status")[0].values()] == ["spring", "closed", "never", "none"]
    assert "an epoch of season spring" in arena.run("league", "abort", "spring#1", "--delete", "--yes")[1]
    (arena.folder / "old.toml").write_text("ends = 2020-01-02" + SEASON)
    assert "ends = 2020-01-02 is over" in arena.run("ladder", "new", "old.toml", code=2)[1]


def test_a_driver_that_was_not_heard_of_for_more_than_a_minute_is_not_called_alive() -> None:
    heard = now() - timedelta(seconds=90)
    driver = SeasonDriver(season="spring", driver="d", who="ada", waits="", heartbeat=heard)
    assert driver_line(driver).startswith("ada, silent for 90 s")
    driver.heartbeat = now() - timedelta(seconds=50)
    assert driver_line(driver) == "ada, alive 50 s ago: it plays"


def test_a_driver_that_stays_waits_while_its_season_is_paused_or_closed_and_its_log_has_the_end(
    arena: Arena, ray_head: Head
) -> None:
    store, log = opened(arena), arena.folder / "log"
    assert "spring is paused: arena ladder run spring goes on" in arena.run("ladder", "pause", "spring")[0]
    driver = arena.start("ladder", "run", "spring", "--stay", "--log", "log", *ray_head)

    def until_it_says(words: str) -> None:
        until(lambda: log.exists() and words in log.read_text(), driver)

    until_it_says("season spring is paused; arena ladder pause spring --undo goes on")
    assert "played by" in arena.run("ladder", "run", "spring", "--stay", code=1)[1]
    assert store.seasons.find("spring").state == "paused" and not store.seasons.epochs("spring")
    while "s ago: season spring is paused; arena l" not in arena.run("ladder", "status", "spring")[1]:
        assert store.leases.season_drivers().keys() == {"spring"}
    arena.run("ladder", "pause", "spring", "--undo")
    until_it_says("epoch 1 is over")
    assert "paused: arena ladder pause spring --undo goes on" in arena.run("ladder", "pause", "spring")[0]
    assert "open: its driver goes on" in arena.run("ladder", "pause", "spring", "--undo")[0]
    arena.run("ladder", "close", "spring", "--yes")
    until_it_says("season spring is closed; there is nothing to play")
    driver.terminate()
    driver.communicate(timeout=300)
    assert json.loads(log.read_text().splitlines()[-1])["text"] == "stopped"
    assert "driver: none" in arena.run("ladder", "status", "spring")[1]
    assert all(one.run.state != "playing" for one in store.seasons.epochs("spring"))


def test_a_log_has_the_error_with_which_a_command_ends(arena: Arena) -> None:
    opened(arena)
    said = arena.run("ladder", "run", "autumn", "--log", "log", code=2)[1].splitlines()
    assert said[-1] == f"arena: {json.loads((arena.folder / 'log').read_text())['text']}"


def test_a_bot_that_cannot_be_loaded_is_noted_and_the_others_play(arena: Arena, ray_head: Head) -> None:
    """It was submitted when other code was played, so nobody knows whether it passes a trial."""
    store = opened(arena, SEASON + '[[leagues]]\ngame = "julepe"\n')
    submitted(store, arena.folder / "gone.py", BOT + b"raise OSError('not here')\n", "ada", conditions={})
    assert "gone@1 is left out" in arena.run("ladder", "run", "spring", "--epochs", "1", *ray_head)[1]
    (one,) = store.seasons.epochs("spring")
    assert {entry.bot.name for entry in store.runs.entries(one.run)} == {"banker", "collector"}
    assert [(missed.bot.name, missed.kind) for missed in store.runs.left_out(one.run)] == [("gone", "import")]
    assert "julepe, 5 players: 0 epochs so far; no bots" in arena.run("ladder", "status", "spring")[1]


def test_a_season_is_rated_without_a_bot_that_was_excluded_and_it_plays_no_more(arena: Arena) -> None:
    store = opened(arena, SEASON.replace('"banker"', '"banker", "racer"').replace("= 3", "= 2"))
    begun = store.seasons.add_epoch(*made(store, 96))
    play(store, begun.run)
    store.runs.close(begun.run)

    def games() -> dict[str, int]:
        (league,) = season_status(store, store.seasons.find("spring"))
        return {row.bot: row.games for row in league["table"].rows}

    before = games()
    without = [one.names for one in games_of(store, begun.run) if "racer@1" not in one.names]
    assert set(before) == {"collector", "banker", "racer"} and 0 < len(without) < max(before.values())
    assert "say why racer@1 is" in arena.run("ladder", "exclude", "spring", "racer@1", code=2)[1]
    lost = f"{(sum(before.values()) - 2 * len(without)) // 2} of {sum(before.values()) // 2} games"
    told = arena.run("ladder", "exclude", "spring", "racer@1", "--reason", "a copy")[0]
    assert f"counts {lost}" in told and "games of racer@1 count no more in spring" in told
    left = {name: sum(f"{name}@1" in names for names in without) for name in before if name != "racer"}
    assert games() == left and "leaves their games out: racer@1" in arena.run("ratings", "flip7")[1]
    assert arena.run("db", "export", "spring")[0] == arena.run("db", "export", begun.run.label)[0]
    assert "racer" not in {entry.bot.name for entry in made(store)[3]}
    table, said = arena.run("ladder", "status", "spring", "--format", "csv")
    assert "racer@1 does not play: it was excluded by the organiser: a copy" in said
    assert table.startswith("league,owner,") and "\nspring: flip7 with 2 players,," in table
    arena.run("ladder", "exclude", "spring", "racer@1", "--undo")
    assert games() == before
    assert "no bot 'racer'" in arena.run("ladder", "exclude", "spring", "racer", code=2)[1]


@pytest.fixture
def ended(arena: Arena) -> tuple[Store, LeagueRun, str]:
    """A season with an epoch that has ended, and one of its games."""
    store = opened(arena)
    begun = store.seasons.add_epoch(*made(store))
    play(store, begun.run)
    store.runs.close(begun.run)
    return store, begun.run, games_of(store, begun.run)[0].game


def test_submissions_are_tried_by_the_workers_that_play_the_season_and_wait_again_when_it_stops(
    arena: Arena, ray_head: Head
) -> None:
    store, said = opened(arena), list[str]()
    store.owners.invite("ann", "test")
    bot = 'GAMES = ["flip7"]\n\n\ndef act(view):\n    {}\n    return view.legal[0]\n'
    lines = {"wrong": "assert view.players == 4", "good": "assert view.options['goal'] == 60", "slow": SLOW}
    for name, line in lines.items():
        store.submissions.add("ann", f"{name}.py", "", bot.format(line).encode())
    file = store.seasons.find("spring").definition

    def rows() -> list[Submission]:
        return [one for one, _ in store.submissions.of_owner("ann")]

    cluster = ready_cluster(["flip7"], PlayOptions(address=ray_head[1]))
    with cluster, contextlib.closing(service.trials(store, file, said.append)):
        until(lambda: rows()[-1].state == "trying")
    assert [one.state for one in rows()] == ["refused", "accepted", "waiting"]
    assert rows()[0].text.startswith("flip7: exception") and rows()[2].tries == 0


def test_a_name_is_taken_once_and_unknown_seasons_are_told_with_those_that_there_are(arena: Arena) -> None:
    store = opened(arena)
    assert "there is a season spring already" in arena.run("ladder", "new", "spring.toml", code=2)[1]
    (arena.folder / "spring.toml").write_text("ends = 2090-01-31" + SEASON.replace("60", "61"))
    told = arena.run("ladder", "new", "spring.toml", code=2)[1]
    assert "of season spring only `ends` can be changed, not options of league 1" in told
    (arena.folder / "spring.toml").write_text("ends = 2090-01-31" + SEASON)
    assert "spring.toml was edited (ends)" in "".join(service.unread(store.seasons.find("spring")))
    assert "spring now runs until the end of 2090-01-31" in arena.run("ladder", "new", "spring.toml")[0]
    assert "UTC, until the end of 2090-01-31 (UTC)" in arena.run("ladder", "status", "spring")[1]
    assert "no season 'sprint'; seasons: spring" in arena.run("ladder", "status", "sprint", code=2)[1]
    assert [season.name for season in store.seasons.all()] == ["spring"]
    (waiting,) = store.runs.commitments()
    assert store.runs.commit("spring", "at noon") == store.runs.commit("spring") == waiting.secret_hash
    season = store.seasons.find("spring")
    with pytest.raises(UsageError, match="spring was closed for a beacon"):
        begin(store, Chosen(season, season.definition, 0), None, print)  # type: ignore[arg-type]
    assert arena.run("ladder", "close", "spring", "--delete")[0] == "season spring is deleted\n"
    assert store.seasons.all() == [] and store.runs.commitment("spring") is None
