# ruff: noqa: F401, F811
"""Pages of a season: they change with its epochs, and say no secret of a running one."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.ladder.service import close_season, new_season
from arena.match.records import check_record
from arena.replay.listing import games_of
from arena.store import Store
from arena.store.leases import Driver
from tests.arena.played import play, served
from tests.arena.test_ladder import SEASON, made
from tests.arena.test_server import ask
from tests.arena.test_web import Watched, browser, watched

pytestmark = pytest.mark.xdist_group("web")  # one browser


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The season spring, whose first epoch was begun and not played."""
    folder = tmp_path_factory.mktemp("season")
    (folder / "spring.toml").write_text(SEASON)
    store = Store(str(folder / "arena.db"), create=True)
    new_season(store, folder / "spring.toml")
    assert store.seasons.add_epoch(*made(store)) is not None
    return store


@pytest.fixture(scope="module")
def address(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(store.url, tmp_path_factory.mktemp("served")) as found:
        yield found


def test_a_season_shows_secrets_of_ended_epochs_only_and_changes_with_them(
    store: Store, address: str
) -> None:
    url = f"{address}/api/season?name=spring"
    (epoch,) = store.seasons.epochs("spring")
    secret = store.runs.stages(epoch.run)[0].secret
    status, body, headers = ask(url)
    (league,) = json.loads(body)["leagues"]
    assert status == 200 and league["table"]["rows"] == [] and secret not in body.decode()
    assert league["epochs"][0]["secret_hash"] == store.runs.stages(epoch.run)[0].secret_hash
    assert ask(url, If_None_Match=headers["ETag"])[0] == 304
    play(store, epoch.run)
    store.runs.close(epoch.run)
    end = time.monotonic() + 60
    while (found := ask(url, If_None_Match=headers["ETag"]))[0] != 200:
        assert time.monotonic() < end, "it stays as it was"
        time.sleep(0.1)
    (league,) = json.loads(found[1])["leagues"]
    assert league["epochs"][0]["secret"] == secret
    assert {row["bot"] for row in league["table"]["rows"]} == {"banker", "collector"}
    assert b"no season" in ask(url.replace("spring", "nosuch"))[1]


def test_the_first_page_leads_to_a_season_its_bots_their_games_and_records(
    watched: Watched, store: Store, address: str, tmp_path: Path
) -> None:
    page = watched.open(address)
    page.locator("#seasons a", has_text="spring").click()
    page.wait_for_selector("#league-0 tbody")
    assert page.locator("#league-0 a", has_text="spring#1").get_attribute("href") == "/report/spring%231"
    page.locator("#league-0 a", has_text="banker@1").click()
    page.wait_for_selector("#opponents")
    page.locator("#opponents a", has_text="collector@1").click()
    page.get_by_role("heading", name="Newest games with collector@1").wait_for()
    (epoch,) = store.seasons.epochs("spring")
    met = {one.game for one in games_of(store, epoch.run, "banker@1") if "collector@1" in one.names}
    shown = page.locator("#games td.name").all_inner_texts()
    assert {text.removeprefix("▶ ") for text in shown} == met
    saved = page.locator("#games a", has_text="save").first.get_attribute("href")
    status, body, headers = ask(address + saved)
    assert status == 200 and headers["Content-Disposition"].startswith('attachment; filename="spring-1-')
    (tmp_path / "game.jsonl").write_bytes(body)
    assert check_record(tmp_path / "game.jsonl") == 1
    status, body, _ = ask(f"{address}/api/season/games?name=spring&bot=nobody@1")
    assert status == 400 and b"no bot 'nobody@1'" in body


def test_the_queue_shows_owners_in_turn(watched: Watched, store: Store, address: str) -> None:
    for name in ("ann", "bob"):
        store.owners.invite(name, "test")
        store.submissions.add(name, f"of_{name}.py", "", b"")
    rows = watched.open(f"{address}/queue").locator("#queue tbody tr").all_inner_texts()
    assert [row.split()[:2] for row in rows] == [["1", "ann"], ["2", "bob"]]


def test_figures_tell_what_was_stored_lately_and_which_seasons_are_played(tmp_path: Path) -> None:
    from arena.web.operations import Answers, metrics

    (tmp_path / "spring.toml").write_text(SEASON)
    store = Store(str(tmp_path / "arena.db"), create=True)
    new_season(store, tmp_path / "spring.toml")
    assert store.seasons.add_epoch(*made(store)) is not None
    (epoch,) = store.seasons.epochs("spring")

    def figures() -> dict[str, float]:
        lines = (
            line.split()
            for line in metrics(store, 0, None, Answers()).splitlines()
            if not line.startswith("#")
        )
        return {name: float(value) for name, value in lines}

    found = figures()
    assert found["arena_recent_games"] == found["arena_seasons_playing"] == 0
    assert "arena_newest_match_age_seconds" not in found
    store.leases.take(epoch.run, Driver.this_process())
    play(store, epoch.run)
    found = figures()
    assert found["arena_recent_games"] == store.matches.counts()[epoch.run.key].games > 0
    assert found["arena_newest_match_age_seconds"] < 300 and found["arena_seasons_playing"] == 1
    store.runs.close(epoch.run)
    assert store.whole.lately(0).games == 0 and store.whole.lately(0).newest is not None
    assert figures()["arena_seasons_playing"] == 0
