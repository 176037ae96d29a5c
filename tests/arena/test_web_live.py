"""Pages that stay open: they keep what the reader does, find the server again, and let people register."""

import socket
from pathlib import Path
from typing import Any

import pytest

from arena.store import Store
from arena.store.leases import Driver

from .played import BOT, finished, opened, play, served
from .test_web import Watched, browser, watched

pytest.importorskip("uvicorn", reason="the extra `web` is not installed")
__all__ = ["browser", "watched"]
FOCUS = "[document.activeElement.type, document.activeElement.selectionStart]"


def test_a_redraw_keeps_search_order_and_focus(watched: Watched, store: Store, tmp_path: Path) -> None:
    finished(store, "flip7", deals=2, seed=9, goal=60)
    run = opened(store, "flip7", deals=2, seed=10, goal=60)
    store.leases.take(run, Driver.this_process())
    play(store, run, numbers=range(1))
    with served(store.url, tmp_path) as address:
        home = watched.open(address)
        home.locator("#now a").first.focus()
        play(store, run, numbers=range(1, 2))
        home.wait_for_selector('progress[value="2"]')
        assert home.evaluate("document.activeElement.textContent") == run.label
        page = watched.open(f"{address}/report/flip7")
        page.get_by_label("order").select_option("high")
        search = page.locator("input[type=search]")
        search.fill("#1/1")
        search.press("ArrowLeft")
        shown = page.locator("#games td.name").all_inner_texts()
        assert shown and all("#1/1" in name for name in shown)
        planned = store.matches.counts()[run.key].planned
        play(store, run, numbers=range(2, planned))
        page.wait_for_selector(f'progress[value="{planned}"]')
        assert page.evaluate(FOCUS) == ["search", 3] and search.input_value() == "#1/1"
        assert page.get_by_label("order").input_value() == "high"
        assert page.locator("#games td.name").all_inner_texts() == shown
        page.goto("about:blank")  # before its server ends


def test_a_click_is_not_lost_when_a_redraw_falls_between_press_and_release(
    watched: Watched, store: Store, tmp_path: Path
) -> None:
    run = opened(store, "flip7", deals=2, seed=9, goal=60)
    play(store, run, numbers=range(1))
    with served(store.url, tmp_path) as address:
        page = watched.open(address)
        play(store, run, numbers=range(1, 2))
        box = page.locator("#runs a").bounding_box()
        page.mouse.move(box["x"] + 5, box["y"] + 5)

        def news(answer: Any) -> bool:
            return answer.url.endswith("/api/home") and answer.json()["runs"][0]["matches"] == 2

        def press(route: Any) -> None:
            page.mouse.down()
            route.continue_()

        with page.expect_response(news):
            page.route("**/api/home", press)
        page.unroute("**/api/home")
        page.evaluate("new Promise((done) => setTimeout(done, 2000))")  # what is drawn is drawn by now
        page.mouse.up()
        page.wait_for_url("**/report/**")
        page.goto("about:blank")  # before its server ends


def test_a_page_without_its_server_says_so_and_goes_on(
    watched: Watched, store: Store, tmp_path: Path
) -> None:
    play(store, opened(store, "flip7", deals=4, seed=9, goal=60), numbers=range(4))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    with served(store.url, tmp_path, "--port", port) as address:
        page = watched.open(address)
        full = {"status": 503, "headers": {"Retry-After": "1"}, "body": '{"error": "the disk is full"}'}
        for answer, line in (
            (lambda route: route.fulfill(**full), "The disk is full; this page asks again in 1 s."),
            (lambda route: route.abort(), "The server does not answer. Reconnecting"),
        ):
            page.route("**/api/home", answer)
            page.reload(wait_until="commit")
            page.get_by_text(line).wait_for()
            assert not page.get_by_text("One moment").is_visible()  # the true line alone
            page.unroute("**/api/home")
            page.locator("#runs a").wait_for()
    page.wait_for_selector("#lost", state="attached")
    assert "Reconnecting" in page.locator("#lost").inner_text()
    assert page.locator("#runs a").count() == 1
    with served(store.url, tmp_path, "--port", port):
        page.wait_for_selector("#lost", state="detached")
        assert page.locator("#runs a").count() == 1
        page.goto("about:blank")
    assert all("ERR_" in line or "503" in line for line in watched.complaints)  # the browser's own words
    watched.complaints.clear()


def test_a_person_registers_submits_and_changes_token(watched: Watched, store: Store, tmp_path: Path) -> None:
    words = ("--allow-submissions", "--no-trials", "--registration")
    (tmp_path / "my_bot.py").write_bytes(BOT)
    with served(store.url, tmp_path, *words) as address:
        page = watched.open(f"{address}/submit")
        page.get_by_label("your name").fill("ada")
        page.get_by_role("button", name="Register").click()
        token = page.locator("#token").inner_text()
        owner = store.owners.of_token(token)
        assert owner is not None and owner.name == "ada"
        page.locator("input[type=file]").set_input_files(str(tmp_path / "my_bot.py"))
        page.get_by_role("button", name="Submit").click()
        page.wait_for_selector("text=place 1 in the queue")
        page.get_by_role("button", name="Change my token").click()
        page.wait_for_function(
            "old => !['', old].includes(document.querySelector('#token')?.textContent || '')", arg=token
        )
        new = page.locator("#token").first.inner_text()
        for _ in range(200):  # the old one ends right after the new one is shown
            if store.owners.of_token(token) is None:
                break
            page.wait_for_timeout(50)
        assert store.owners.of_token(token) is None
        found = store.owners.of_token(new)
        assert found is not None and found.name == "ada"
        page.get_by_role("button", name="Show mine").click()
        page.wait_for_selector("text=place 1 in the queue")
        page.get_by_label("your name").fill("Ada")
        page.get_by_role("button", name="Register").click()
        page.wait_for_selector("[role=alert]")
        assert "looks like ada" in page.locator("[role=alert]").first.inner_text()
        page.goto("about:blank")  # before its server ends
    watched.complaints.clear()  # of the browser, about the answer 400
    assert [one.file for one in store.submissions.queue()] == ["my_bot.py"]
