# ruff: noqa: F401, F811
"""Pages of a season: they change with its epochs, and say no secret of a running one."""

import json
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from arena.cell.log import TRIED
from arena.intake.registry import as_row
from arena.intake.sent import attempts_of
from arena.intake.source import read
from arena.ladder.service import new_season
from arena.ladder.status import season_status
from arena.match.records import check_record
from arena.replay.listing import games_of
from arena.runs.open import list_leagues
from arena.store import Store
from arena.store.leases import Driver
from arena.store.submissions import PER_HOUR
from tests.arena.played import BOT, SEASON, opened, play, season_in, served, submitted
from tests.arena.program import until
from tests.arena.test_ladder import made
from tests.arena.test_server import ask, post
from tests.arena.test_web import Watched, browser, watched
from tests.arena.test_web_access import violations

TOKEN: list[str] = []  # of the organiser of the server


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The season spring, whose first epoch was begun and not played."""
    folder = tmp_path_factory.mktemp("season")
    store = season_in(folder)
    assert store.seasons.add_epoch(*made(store)) is not None
    return store


@pytest.fixture(scope="module")
def address(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("served")
    words = f"--prefix arena --organiser {folder}/organiser --allow-submissions --no-trials".split()
    with served(store.url, folder, *words) as found:
        assert (folder / "organiser").stat().st_mode & 0o777 == 0o600
        TOKEN.append((folder / "organiser").read_text().strip())
        yield f"{found}/arena"


def test_a_season_shows_secrets_of_ended_epochs_and_changes_with_them(store: Store, address: str) -> None:
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
    until(lambda: ask(url, If_None_Match=headers["ETag"])[0] == 200)
    (league,) = json.loads(ask(url)[1])["leagues"]
    assert league["epochs"][0]["secret"] == secret
    assert {row["bot"] for row in league["table"]["rows"]} == {"banker", "collector"}
    assert b"no season" in ask(url.replace("spring", "nosuch"))[1]


def test_the_first_page_leads_to_a_season_its_bots_their_games_and_records(
    watched: Watched, store: Store, address: str, tmp_path: Path
) -> None:
    page = watched.open(address)
    first = [text.split()[0] for text in page.locator("#seasons li").all_inner_texts()]
    table = season_status(store, store.seasons.find("spring"))[0]["table"]
    assert first == [f"{row.bot}@{row.version}" for row in table.rows]
    page.locator("#runs", has_text="Season spring; newest epoch: spring#1, finished.").wait_for()
    page.locator("#seasons a", has_text="spring").click()
    page.wait_for_selector("#league-0 tbody")
    assert page.locator("#league-0 a", has_text="spring#1").get_attribute("href") == "../report/spring%231"
    page.locator("#league-0 a", has_text="banker@1").first.click()
    page.wait_for_selector("#opponents")
    page.locator("#opponents a", has_text="collector@1").click()
    page.get_by_role("heading", name="Newest games with collector@1").wait_for()
    (epoch,) = store.seasons.epochs("spring")
    met = {one.game for one in games_of(store, epoch.run, "banker@1") if "collector@1" in one.names}
    shown = page.locator("#games td.name").all_inner_texts()
    assert {text.removeprefix("▶ ") for text in shown} == met
    saved = page.locator("#games a", has_text="save").first.evaluate("link => link.href")
    status, body, headers = ask(saved)
    assert status == 200 and headers["Content-Disposition"].startswith('attachment; filename="spring-1-')
    (tmp_path / "game.jsonl").write_bytes(body)
    assert check_record(tmp_path / "game.jsonl") == 1
    status, body, _ = ask(f"{address}/api/season/games?name=spring&bot=nobody@1")
    assert status == 404 and b"no bot 'nobody@1'" in body


def test_a_run_is_called_playing_while_a_driver_lives(watched: Watched, store: Store, address: str) -> None:
    run = opened(store, "flip7", deals=2, seed=9, goal=60)
    play(store, run, numbers=range(1))
    planned = store.matches.counts()[run.key].planned
    page = watched.open(f"{address}/report/{run.label.replace('#', '%23')}")
    assert f"stopped at 1 of {planned} matches" in page.locator(".runs").inner_text()
    states = {one["league"]: one["state"] for one in list_leagues(store)}
    assert states[run.label] == f"stopped (1 of {planned} matches)"
    play(store, run, numbers=range(1, planned))
    page.locator(".runs", has_text="being rated").wait_for()
    assert {one["league"]: one["state"] for one in list_leagues(store)}[run.label].startswith("being rated (")
    store.leases.take(run, Driver.this_process())
    page.wait_for_selector(".runs progress")
    assert f"playing {planned} of {planned} matches" in " ".join(page.locator(".runs").inner_text().split())
    home = watched.open(address)
    home.wait_for_selector("#now a")
    assert home.locator("#now a").all_inner_texts() == [run.label]


def organising(watched: Watched, address: str, token: str = "") -> Any:
    """The organiser's page, opened with the token."""
    page = watched.open(f"{address}/organise")
    page.get_by_label("token").fill(token or TOKEN[-1])
    page.get_by_role("button", name="Open").click()
    page.wait_for_selector("#owners")
    return page


def test_the_organiser_invites_bans_and_pauses_from_a_page_with_the_words_of_the_commands(
    watched: Watched, store: Store, address: str
) -> None:
    page = watched.open(f"{address}/organise")
    page.get_by_label("token").fill("wrong")
    page.get_by_role("button", name="Open").click()
    page.get_by_role("alert").get_by_text("This is not the organiser's token").wait_for()
    with store.leases.driving("spring"):
        page, driver = organising(watched, address), store.leases.season_drivers()["spring"]
        does = page.locator("#drivers tr", has_text=driver.who).locator("td").nth(2)
        assert does.inner_text() == "it begins"
    page.get_by_label("name").fill("eve")
    held = list[Any]()
    hold = lambda route: held.append(route) or route.request.method == "POST" or route.continue_()
    page.route("**/api/organise", hold)
    page.get_by_role("button", name="Invite").click()
    page.get_by_text("Working …").wait_for()
    next(route for route in held if route.request.method == "POST").continue_()
    page.unroute("**/api/organise")
    owner = store.owners.of_token(page.locator("#token").inner_text())
    assert owner is not None and owner.name == "eve"
    said = page.locator("#ruled").inner_text()
    assert said.startswith("Token for eve, shown this once: ")
    assert f"eve pastes it on the page Submit a bot, or runs arena login {address}/" in said
    page.on("dialog", lambda box: box.accept("copies" if box.type == "prompt" else ""))
    row = page.locator("#owners tr", has_text="eve")
    row.get_by_role("button", name="Ban").click()
    page.get_by_text("banned eve; retired no bot; refused 0 submissions").wait_for()
    (banned,) = [one for one in store.owners.all() if one.owner == "eve"]
    assert banned.banned and banned.reason == "copies"
    row.get_by_role("button", name="End the ban").click()
    page.get_by_text("eve may submit again").wait_for()
    page.get_by_label("version of a bot").fill("banker@1")
    with page.expect_event("dialog", lambda box: box.message.startswith("without banker@1, spring counts ")):
        page.get_by_role("button", name="Exclude").click()
    page.get_by_text("games of banker@1 count no more in spring").wait_for()
    page.get_by_role("button", name="Pause").click()
    page.get_by_text("season spring is paused: arena ladder run spring goes on").wait_for()
    assert store.seasons.find("spring").state == "paused"
    assert [act.who for act in store.owners.acts("eve")] == ["organiser (page)"] * 4
    assert (store.owners.acts()[-1].what, store.owners.acts()[-1].text) == ("pause", "spring")
    watched.complaints.clear()  # of the browser, about the answer 401
    for content, why in (({"do": "nothing"}, "do: one of"), ({"do": "ban"}, "missing a required argument")):
        told = post(f"{address}/api/organise", content, Authorization=f"Bearer {TOKEN[-1]}")
        assert told[0] == 400 and why in told[1]["error"]
    assert post(f"{address}/api/organise", {"do": "invite", "name": "mallory"})[0] == 401


def test_a_ban_and_another_field_are_marked_in_table_and_curve(watched: Watched, tmp_path: Path) -> None:
    store = season_in(tmp_path)
    for number in (1, 2, 3, 4):
        if number == 3:
            store.owners.invite("eve", "test")
            submitted(store, tmp_path / "late.py", owner="eve")
        assert store.seasons.add_epoch(*made(store, number=number)) is not None
        run = store.seasons.epochs("spring")[-1].run
        play(store, run)
        store.runs.close(run)
    store.owners.ban("eve", "copies", "test")
    fields = [{one.bot.label for one in store.runs.entries(run)} for _, run in store.seasons.epochs("spring")]
    played = [(at, field) for at, field in enumerate(fields, 1) if "collector@1" in field]
    wanted = ["1"]
    for (_, old), (at, new) in pairwise(played):
        moved = {"came": new - old, "went": old - new}
        told = "; ".join(f"{way}: {', '.join(sorted(bots))}" for way, bots in moved.items() if bots)
        wanted.append(f"{at}*{told}" if told else str(at))
    assert any("came: late@1" in one for one in wanted)
    with served(store.url, tmp_path, "--allow-submissions", "--no-trials") as address:
        page = watched.open(f"{address}/season/spring")
        for row in ("late", "collector"):
            badges = page.locator("#league-0 tr", has_text=row).first.locator(".badge").all_inner_texts()
            assert ("banned" in badges) == (row == "late")
        assert page.get_by_text("late@1 of eve").count() == 1
        assert page.locator("#league-0 summary").first.inner_text() == "1 bot out of play"
        page = watched.open(f"{address}/season/spring#bot=collector@1")
        page.wait_for_selector("#history .mark")
        assert page.locator("#history text.tick[text-anchor=middle]").all_text_contents()[:-1] == wanted
        runs = [run for _, run in store.seasons.epochs("spring")]
        games = {one.game for run in runs for one in games_of(store, run, "collector@1")}
        assert page.locator("#opponents .say").inner_text().startswith(f"In its newest {len(games)} games;")


def test_an_owner_sees_how_bots_stand_and_why_they_lose(watched: Watched, tmp_path: Path) -> None:
    store = season_in(tmp_path, SEASON.replace("epoch =", "ends = 2090-01-31\nepoch ="))
    token = store.owners.invite("ada", "test")
    submitted(store, tmp_path / "mine.py", owner="ada")
    assert store.seasons.add_epoch(*made(store)) is not None
    run = store.seasons.epochs("spring")[-1].run
    play(store, run, lost="mine")
    store.runs.close(run)
    driver = Driver.this_process()
    store.submissions.add("ada", "broken.py", "", BOT)
    taken = store.submissions.take(driver)
    store.submissions.refuse(taken, driver, f"flip7: {TRIED}exec\n{TRIED}fork, socket (")
    assert attempts_of(store, "ada") == ["exec", "fork", "socket"]
    (league,) = season_status(store, store.seasons.find("spring"))
    (games,) = [games_of(store, run, "mine@1")]
    worst = min(one.margin for one in games if one.margin is not None)
    with served(store.url, tmp_path, "--allow-submissions", "--no-trials", "--organiser", "token") as address:
        row = organising(watched, address, (tmp_path / "token").read_text().strip()).locator("#sent tbody tr")
        assert row.locator(".badge").inner_text() == "tried what is forbidden"
        assert not row.locator("button").count()
        page = watched.open(f"{address}/submit")
        assert "until the end of 2090-01-31" in page.locator("#taken").inner_text()
        page.get_by_label("token").fill(token)
        page.get_by_role("button", name="Show mine").click()
        row = page.locator("#own tr", has_text="mine@1")
        row.locator("a", has_text="spring").wait_for()
        place = league["queue"].index("mine@1") + 1
        assert f"spring: new: number {place} of {len(league['queue'])} in turn" in row.inner_text()
        assert "refused" in page.locator("#outcomes").inner_text()
        assert f"flip7: {TRIED}exec" in page.locator("#outcomes pre").inner_text()
        left = page.locator("#outcomes .say").inner_text()
        assert left == f"Of {PER_HOUR} submissions an hour you have {PER_HOUR - 1} left."
        row.get_by_role("button", name="Why mine@1 loses").click()
        page.wait_for_selector("#losses table")
        lost = sum(bool(one.kind) for one in games)
        cells = page.locator("#losses table").first.locator("tbody td").all_inner_texts()
        assert cells[:2] == ["exception", str(lost)] and cells[3].startswith("ValueError")
        shown = page.locator("#losses table").last.locator("tbody tr").first.inner_text()
        assert shown.split()[-1] == f"{worst:+.1f}".replace("-", "\N{MINUS SIGN}")


@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing_on_pages_of_a_season_its_bots_and_its_organiser(
    browser: Any, store: Store, address: str, width: int
) -> None:
    shown = Watched(browser, bypass_csp=True, viewport={"width": width, "height": 844})
    found = {}
    paths = "/ /season/spring /season/spring#bot=banker%401 /submit /queue /nosuch /organise"
    for path in paths.split():
        page = shown.open(f"{address}{path}") if path != "/organise" else organising(shown, address)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        found[path] = violations(page)
    shown.context.close()
    assert not any(found.values()), found


def test_the_queue_shows_owners_in_turn(watched: Watched, store: Store, address: str) -> None:
    for name in ("ann", "bob"):
        store.owners.invite(name, "test")
        store.submissions.add(name, f"of_{name}.py", "", b"")
    store.submissions.take(driver := Driver.this_process())
    store.submissions.release(store.submissions.queue()[0], driver, "KeyError: 'random'")
    page = watched.open(f"{address}/queue")
    so_far = page.locator("#queue .say").inner_text()
    assert so_far == "So far 0 submissions passed the trial, and 0 did not or were withdrawn."
    rows = page.locator("#queue tbody tr").all_inner_texts()
    assert [row.split()[:2] for row in rows] == [["1", "bob"], ["2", "ann"]]
    assert [row.split()[-1] for row in rows] == ["0", "1"]
    page = organising(watched, address)
    heard = page.locator("#errors li").all_inner_texts()
    assert heard == [f"of_ann.py of ann: {store.submissions.failing()[0].text}"]
    page.get_by_role("button", name="Try again").click()
    page.get_by_text("1 submission will be tried again").wait_for()
    assert store.submissions.failing() == []


def test_figures_tell_what_was_stored_lately_and_which_seasons_are_played(tmp_path: Path) -> None:
    from arena.web.operations import Answers, metrics

    store = season_in(tmp_path)
    assert store.seasons.add_epoch(*made(store)) is not None
    (epoch,) = store.seasons.epochs("spring")

    def figures() -> dict[str, float]:
        lines = metrics(store, 0, None, Answers()).splitlines()
        told = (line.split() for line in lines if not line.startswith("#"))
        return {name: float(value) for name, value in told}

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
