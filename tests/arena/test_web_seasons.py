"""Pages of a season without a script: they change with its epochs, and say no secret of a running one."""

from __future__ import annotations

import html
import re
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena.ladder.service import close_season, new_season
from arena.ladder.status import season_status
from arena.records import check_record
from arena.replay.listing import games_of
from arena.store import Store
from arena.store.leases import Driver
from arena.web.seasons import SeasonPages
from tests.arena.played import play, served
from tests.arena.test_ladder import SEASON, made
from tests.arena.test_server import ask

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The season spring, whose first epoch was begun and not played."""
    folder = tmp_path_factory.mktemp("season")
    (folder / "spring.toml").write_text(SEASON)
    store = Store(str(folder / "arena.db"), create=True)
    new_season(store, folder / "spring.toml")
    assert store.add_epoch(*made(store)) is not None
    return store


@pytest.fixture(scope="module")
def address(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(store.url, tmp_path_factory.mktemp("served")) as found:
        yield found + "/season/spring"


def changed(url: str, etag: str) -> tuple[bytes, str]:
    """What is there, with its mark, as soon as it is another than the one with this mark."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        status, body, headers = ask(url, If_None_Match=etag)
        if status == 200:
            return body, headers["ETag"]
        time.sleep(0.1)
    raise AssertionError(f"{url} stays as it was")


def test_a_season_is_read_without_a_script_and_shows_secrets_of_ended_epochs_only(
    store: Store, address: str
) -> None:
    (epoch,) = store.epochs("spring")
    secret = store.stages(epoch.run)[0].secret
    status, body, headers = ask(address)
    page = body.decode()
    assert status == 200 and "<script" not in page and "No games yet." in page and secret not in page
    assert store.stages(epoch.run)[0].secret_hash in page
    assert "script-src" not in headers["Content-Security-Policy"]
    assert ask(address, If_None_Match=headers["ETag"])[0] == 304
    play(store, epoch.run)
    store.close_run(epoch.run)
    body, later = changed(address, headers["ETag"])
    page = body.decode()
    assert later != headers["ETag"]
    assert secret in page and "banker@1" in page and "collector@1" in page
    assert '<a href="/report/spring%231">spring#1</a>' in page


def test_a_new_server_has_the_pages_that_the_last_one_kept(store: Store, address: str) -> None:
    body = ask(address)[1].decode()
    with ThreadPoolExecutor(1) as worker:
        pages = SeasonPages(store, worker)
        found = pages._last("spring")
        assert found is not None and found.html == body
        assert found.leagues[0]["table"] == season_status(store, store.season("spring"))[0]["table"]


def test_a_feed_has_an_entry_for_every_ended_epoch_and_for_the_end_of_the_season(
    store: Store, address: str
) -> None:
    _, body, headers = ask(address + "/feed")
    feed = ET.fromstring(body)
    assert [entry.findtext(ATOM + "title") for entry in feed.findall(ATOM + "entry")] == ["Epoch 1 finished"]
    close_season(store, "spring")
    feed = ET.fromstring(changed(address + "/feed", headers["ETag"])[0])
    titles = [entry.findtext(ATOM + "title") or "" for entry in feed.findall(ATOM + "entry")]
    assert titles[0].startswith("Season spring is closed.") and titles[1:] == ["Epoch 1 finished"]


def test_a_badge_says_the_place_of_a_bot_and_an_unknown_one_has_none(address: str) -> None:
    status, body, headers = ask(address + "/badge/banker.svg")
    assert status == 200 and headers["Content-Type"].startswith("image/svg+xml")
    said = ET.fromstring(body).get("aria-label") or ""
    assert said.startswith("banker: place ") and said.endswith(" of 2 in spring")
    status, body, _ = ask(address + "/badge/%3Cb%3E.svg")
    assert status == 400 and b"has no place in season spring" in body
    status, body, _ = ask(address.replace("spring", "nosuch"))
    assert status == 400 and b"no season" in body


def test_the_first_page_leads_to_seasons(address: str, tmp_path: Path) -> None:
    _, body, _ = ask(address.replace("/season/spring", "/api/home"))
    assert b'"seasons":[{"name":"spring","state":"closed"}]' in body


def test_a_bot_has_a_page_that_leads_to_pairs_deals_and_games_that_can_be_saved(
    store: Store, address: str, tmp_path: Path
) -> None:
    def page(where: str) -> str:
        status, body, headers = ask(address.removesuffix("/season/spring") + where)
        assert status == 200 and b"<script" not in body, body
        assert "script-src" not in headers["Content-Security-Policy"]
        return html.unescape(body.decode())

    def link(text: str, part: str) -> str:
        found = re.findall(rf'href="([^"]*{part}[^"]*)"', text)
        assert found, text
        return str(found[0])

    mine = page(link(page("/season/spring"), "/bot/banker"))
    pair = page(link(mine, "/pair/banker%401/collector"))
    (epoch,) = store.epochs("spring")
    games = games_of(store, epoch.run, "banker@1")
    assert f"in {len({game.game for game in games})} games: " in pair
    deal = page(link(mine, "/deal/"))
    number = int(link(mine, "/deal/").rpartition("/")[2])
    assert {one.game for one in games if one.deal == number} <= set(re.findall(r"spring#1/\d+", deal))
    status, body, headers = ask(address.removesuffix("/season/spring") + link(mine, "/api/game"))
    assert status == 200 and headers["Content-Disposition"].startswith('attachment; filename="spring-1-')
    (tmp_path / "game.jsonl").write_bytes(body)
    assert check_record(tmp_path / "game.jsonl") == 1
    for wrong in ("/bot/nobody@1", "/pair/banker@1/nobody@1", "/owner/ann", "/deal/spring%231/99999"):
        assert ask(address + wrong)[0] == 400
    status, body, _ = ask(f"{address}/bot/%3Cscript%3E")
    assert status == 400


def test_the_queue_shows_owners_in_turn(store: Store, address: str) -> None:
    for name in ("ann", "bob"):
        store.invite(name, "test")
        store.add_submission(name, f"of_{name}.py", "", b"")
    _, body, _ = ask(address.removesuffix("/season/spring") + "/queue")
    rows = re.findall(r"<td>(\d+)</td><td>(\w+)</td>", body.decode())
    assert rows == [("1", "ann"), ("2", "bob")]


def test_figures_tell_what_was_stored_lately_and_which_seasons_are_played(tmp_path: Path) -> None:
    from arena.web.operations import metrics

    (tmp_path / "spring.toml").write_text(SEASON)
    store = Store(str(tmp_path / "arena.db"), create=True)
    new_season(store, tmp_path / "spring.toml")
    assert store.add_epoch(*made(store)) is not None
    (epoch,) = store.epochs("spring")

    def figures() -> dict[str, float]:
        lines = (line.split() for line in metrics(store, 0).splitlines() if not line.startswith("#"))
        return {name: float(value) for name, value in lines}

    found = figures()
    assert found["arena_recent_games"] == found["arena_seasons_playing"] == 0
    assert "arena_newest_match_age_seconds" not in found
    store.take_lease(epoch.run, Driver.this_process(), shares=False)
    play(store, epoch.run)
    found = figures()
    assert found["arena_recent_games"] == store.counts()[epoch.run.key].games > 0
    assert found["arena_newest_match_age_seconds"] < 300 and found["arena_seasons_playing"] == 1
    store.close_run(epoch.run)
    assert store.lately(0).games == 0 and store.lately(0).newest is not None
    assert figures()["arena_seasons_playing"] == 0
