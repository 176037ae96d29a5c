# ruff: noqa: F401, F811
"""The viewer on a server: bots that are asked, own logs, the same deal beside, rules, lessons."""

import json
import re
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engines
from arena.intake import source
from arena.intake.registry import house_bots
from arena.replay.analysis import analyse, costliest, keep, made_by
from arena.replay.listing import same_deal
from arena.replay.losses import choices
from arena.replay.recorded import stored
from arena.store import Store
from arena.store.models import Bot, Log
from arena.store.packing import pack_log
from engines import registry
from tests.arena.played import finished, served, submitted
from tests.arena.test_server import ask, post
from tests.arena.test_web import Watched, arena, browser, watched

Served = tuple[str, Store, str]
GAME = "flip7#1/0"
MINE = '''"""Stays."""
GAMES = ["flip7"]


def act(view):
    return view.legal[-1]
'''


@pytest.fixture(scope="module")
def served_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with a finished run, its store, and the token of ada, whose bot `mine` it has."""
    pytest.importorskip("uvicorn", reason="the extra `web` is not installed")
    folder = tmp_path_factory.mktemp("viewer")
    store = Store(str(folder / "arena.db"), create=True)
    run = finished(store, "flip7", goal=60)
    submitted(store, folder / "mine.py", MINE, "ada")
    match, entries = store.matches.one(run, 0), store.runs.entries(run)
    with store.writing() as session:
        for place, entrant in enumerate(match.line_up):
            words = pack_log([(0, decision, f"thought {decision}\n") for decision in range(12)])
            session.add(Log(run_id=run.key, match=0, place=place, entrant=entrant, lines=words))
        racer = next(entry.bot for entry in entries if entry.bot.name == "racer")
        racer.owner, racer.kind = "ada", "submitted"
        session.merge(racer)
    token = store.owners.invite("ada", "test")
    with served(str(folder / "arena.db"), folder, "--allow-submissions") as address:
        yield address, store, token


def opened(shown: Watched, address: str, **parts: Any) -> Any:
    words = "&".join(f"{name}={value}" for name, value in {"game": "flip7%231%2F0", **parts}.items())
    page = shown.open(f"{address}/report/flip7#{words}")
    page.wait_for_selector(".stage .felt")
    return page


def test_where_a_house_bot_decides_otherwise_is_marked(watched: Watched, served_store: Served) -> None:
    address, store, _ = served_store
    game = stored(store, GAME)
    first = next(at for at, position in enumerate(game.positions()) if len(position.legal_numbers()) > 1)
    seat = game.at(first).seat
    expected = list(choices(game, "oddsman", seat))
    page = opened(watched, address, decision=first)
    page.get_by_label("what would this bot play").select_option("oddsman")
    page.wait_for_selector(".advice b")
    assert page.locator(".advice b").inner_text() == expected[0].other
    differ = [one.decision for one in expected if not one.same]
    marked = [int(tick.get_attribute("data-frame")) for tick in page.locator(".tick.differs").all()]
    assert differ and marked == differ
    page.keyboard.press("d")
    assert page.locator(".stage").get_attribute("data-frame") == str(next(at for at in differ if at > first))
    page.keyboard.press("v")
    page.wait_for_selector(".worth b")
    assert page.locator(".worth span").count() == page.locator(".legal span").count()


def test_costs_are_asked_for_or_shown_and_lead_to_a_decision(watched: Watched, served_store: Served) -> None:
    address, store, _ = served_store
    game = stored(store, GAME)
    every = list(analyse(game))
    costly = costliest(every)[0]
    page = opened(watched, address, decision=0, seat=costly.seat)
    page.click("#price")
    page.wait_for_selector("#costs li")
    mine = [one.decision for one in costliest(every) if one.seat == costly.seat]
    marks = page.locator("#costline circle").all()
    assert [int(mark.get_attribute("data-frame")) for mark in marks] == mine
    assert page.locator("#costs li").count() == min(3, len(mine))
    listed = page.locator("#costs li").all_inner_texts()
    assert f"better: {costly.best}" in "".join(listed) and all(", round " in one for one in listed)
    assert listed == sorted(listed, key=lambda one: -float(one.split(" cost ")[1].split()[0]))
    marks[0].click(force=True)
    assert page.locator(".stage").get_attribute("data-frame") == str(costly.decision)
    keep(store, GAME, [costly.seat], every)
    page = opened(watched, address, decision=1)
    page.wait_for_selector("#costline")  # as saved, and nothing was asked
    assert page.locator("#costline polyline").count() == 1
    assert page.locator("#costs .dim").first.get_attribute("title") == made_by("flip7").by
    with store.writing() as session:
        session.connection().exec_driver_sql("UPDATE analysis SET decisions = ''")
    page = opened(watched, address, decision=2)
    assert f"{GAME}: the saved analysis of seat {costly.seat} is damaged" in page.inner_text(".side .lost")


def test_an_owner_asks_a_bot_in_the_sandbox_and_reads_its_log(watched: Watched, served_store: Served) -> None:
    address, _, token = served_store
    wish, bearer = {"game": GAME, "bot": "mine@1", "seat": 0}, {"Authorization": f"Bearer {token}"}
    for headers in ({}, {"Authorization": "Bearer another"}):
        status, body = post(f"{address}/api/asked", wish, **headers)
        assert status == 400 and "no house bot" in body["error"]
        assert json.loads(ask(f"{address}/api/film?game=flip7%231/0", **headers)[1])["log"] == {}
    status, body = post(f"{address}/api/asked", wish, **bearer)
    assert status == 200 and body["failed"] == "" and {text for _, text in body["choices"]} == {"stay"}
    film = json.loads(ask(f"{address}/api/film?game=flip7%231/0", **bearer)[1])
    said = [line for text in film["log"].values() for line in text.splitlines()]
    assert said and all(line.startswith("racer@1: thought") for line in said)  # nobody else's
    page = opened(watched, address)
    page.get_by_label("what would this bot play").select_option("mine…")
    page.get_by_label("token").fill(token)
    page.get_by_role("button", name="Show my bots").click()
    page.wait_for_selector('.bots option[value="mine@1"]', state="attached")
    page.get_by_label("what would this bot play").select_option("mine@1")
    page.wait_for_selector(".advice b")
    assert page.locator(".advice b").inner_text() == "stay"
    at = next(iter(film["log"]))
    page.reload()  # the token stays in the window
    opened(watched, address, decision=at)
    page.wait_for_selector("pre.log")
    assert "racer@1: thought" in page.locator("pre.log").inner_text()


def test_a_seat_that_is_not_there_and_a_run_that_is_played_are_refused(served_store: Served) -> None:
    address, _, _ = served_store
    for wish, told in (
        ({"bot": "racer", "seat": 9}, "seats are 0 to 3"),
        ({"bot": "../x", "seat": 0}, "no house bot"),
        ({"bot": "racer"}, "a whole number"),
        ({"decision": 9999}, "has decisions"),
    ):
        status, body = post(f"{address}/api/asked", {"game": GAME} | wish)
        assert status == 400 and told in body["error"], wish


def test_the_same_deal_lies_beside_from_where_they_part(watched: Watched, served_store: Served) -> None:
    address, store, _ = served_store
    other = same_deal(store, GAME)[-1]
    label = other["label"]
    page = opened(watched, address)
    page.keyboard.press("b")
    row = page.locator(f'#dealbox tr:has([data-game="{label}"])')
    assert all(f"{name} " in row.inner_text() for name in other["seats"])
    page.locator(f'#dealbox [data-game="{label}"]').click()
    page.wait_for_selector(".pair")
    assert page.locator(".stage").get_attribute("data-frame") == str(other["parted"])
    assert page.locator(".whose").all_inner_texts()[1].startswith(f"{label}, parts here: ")
    cards = page.locator(".half").evaluate_all(
        "halves => halves.map(half => [...half.querySelectorAll('.seat')].map(seat =>"
        " [seat.dataset.place, ...[...seat.querySelectorAll('.card')].map(card => card.dataset.card)].join()).sort())"
    )
    assert cards[0] == cards[1]  # the same cards so far
    page.wait_for_url(re.compile("beside="))
    page.reload()
    page.wait_for_selector(".pair")
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_selector(".pair.high")
    assert page.locator(".felt").count() == 1  # one at a time
    page.keyboard.press("b")
    assert page.locator(".pair").count() == 0


@pytest.mark.parametrize("name", engines.names())
def test_a_lesson_steps_through_a_game(watched: Watched, served_store: Served, name: str) -> None:
    page = watched.open(f"{served_store[0]}/learn/{name}")
    page.wait_for_selector("#note")
    notes = {page.locator("#note").inner_text()}
    while not page.locator("#scores").count():
        page.keyboard.press("n")
        notes.add(page.locator("#note").inner_text())
    assert len(notes) >= 10
    seen, heard = (page.locator(f".taken {one}").all_inner_texts() for one in ("[aria-hidden]", ".unseen"))
    for shown, told in zip(seen, heard, strict=True):
        assert ("you win it" in shown) == told.startswith("You win") and "you wins" not in shown
    assert any("you win it" in shown for shown in seen) == (name in ("julepe", "taroky"))
    page.keyboard.press("Home")
    page.keyboard.press("r")
    title = page.locator("#rulesbox h2").inner_text()
    game = engines.load(name)
    assert title.split()[0] in game.sections.values() and page.locator("#rulesbox .scroll p").count() > 0
    page.get_by_label("section of the rules").select_option("Words of this game")
    assert page.locator("#rulesbox td").count() == 2 * len(registry.home(name).words["terms"])
    page.get_by_label("section of the rules").select_option(index=0)
    assert page.locator("#rulesbox h2").inner_text().startswith("1 ")


def test_no_page_is_shown_inside_somebody_elses(browser: Any, served_store: Served, tmp_path: Path) -> None:
    address, _, _ = served_store
    (tmp_path / "blog.html").write_text(f'<iframe src="{address}/play"></iframe>')
    blog = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(tmp_path)))
    threading.Thread(target=blog.serve_forever, daemon=True).start()
    shown = Watched(browser)
    shown.page.goto(f"http://127.0.0.1:{blog.server_port}/blog.html", wait_until="networkidle")
    assert shown.page.frame_locator("iframe").locator("main").count() == 0
    assert any("frame-ancestors 'none'" in complaint for complaint in shown.complaints)
    shown.context.close()
    blog.shutdown()
    blog.server_close()


def test_a_position_is_played_on_by_all_seats_with_open_cards(watched: Watched, served_store: Served) -> None:
    address, store, _ = served_store
    game = stored(store, GAME)
    page = opened(watched, address, decision=5)
    page.keyboard.press("p")
    page.wait_for_selector("#onwardbox[open]")
    seats = page.locator("#onwardbox .seat-choice")
    assert [one.input_value() for one in seats.all()].count("person") == 1
    assert seats.nth(game.at(5).seat or 0).input_value() == "person"
    for seat in seats.all():
        seat.select_option("person")
    page.click("#goon")
    page.wait_for_url("**/play/*")
    page.wait_for_selector(".actions button")
    assert page.locator("#uncover, #handover").count() == 0
    assert page.locator(".stage").get_attribute("data-frame") == "5"
    page.locator(".actions button").first.click()
    page.wait_for_selector('#scores, .stage:not([data-frame="5"])')
    page.wait_for_selector("#scores, .actions button")
    assert page.locator("#uncover, #handover").count() == 0
