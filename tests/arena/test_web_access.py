# ruff: noqa: F811
"""Every page under axe-core, light and dark: WCAG 2.2 AA and its best practices, no violation."""

from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from arena.store import Store
from arena.web.figures import subject_of
from arena.web.page import report_page
from tests.arena.played import finished
from tests.arena.test_server import post
from tests.arena.test_web import Watched, browser  # noqa: F401
from tests.arena.test_web_acting import sat, server  # noqa: F401

pytestmark = pytest.mark.xdist_group("web")  # one browser
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
FOUND = """rules => axe.run(document, {runOnly: {type: 'tag', values: rules}}).then(done => done.violations.map(one =>
    `${one.id}: ` + one.nodes.map(node => node.target.join(' ') + ' ' + node.failureSummary).join('; ')))"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a report with a forfeit and a game to watch."""
    folder = tmp_path_factory.mktemp("access")
    store = Store(str(folder / "arena.db"), create=True)
    finished(store, "flip7", lost="banker", goal=60)
    path = folder / "report.html"
    path.write_text(report_page(store, subject_of(store, "flip7"), 2), encoding="utf-8")
    return path.as_uri()


def pages(made: Watched, report: str, server: tuple[str, Path]) -> Iterator[tuple[str, Any]]:
    """Every kind of page, by name."""
    for path in ("/", "/play", "/submit", "/play/00000000#key=none"):
        yield path, made.open(server[0] + path)
    for name in ("tzogous37", "taroky"):
        yield f"table of {name}", sat(made, server, name, lambda legal: len(legal) > 4)
    made.page.keyboard.press("?")
    yield "keys", made.page
    seats = {"game": "tzogous37", "seats": ["person", "person"], "options": {"hands": 1}, "watched": True}
    _, table = post(f"{server[0]}/api/tables", seats)
    path = f"{server[0]}/play/{table['table']}"
    yield "onlookers", made.open(f"{path}#watch={table['watch']}")
    shared = made.open(f"{path}#key={'.'.join(table['keys'])}")
    yield "a seat of several on this device", shared
    while not shared.locator("#handover").count():
        shared.locator(".actions button").first.click()
        shared.wait_for_selector("#handover, .actions button")
    yield "hand over", shared
    shared.click("#handover")
    shared.wait_for_selector("#uncover")
    yield "covered", shared
    yield "lesson", made.open(server[0] + "/learn/tzogous37")
    made.page.keyboard.press("r")
    yield "rules", made.page
    yield "report", made.open(report)
    watch = made.page.locator("#games a", has_text="▶").first.get_attribute("href")
    yield "bot", made.open(f"{report}?#bot=racer%401")
    yield "viewer", made.open(f"{report}??{watch}&decision=3")
    made.page.keyboard.press("End")
    made.page.click("#why")
    yield "account", made.page


def violations(page: Any) -> dict[str, list[str]]:
    """What axe finds on a page as it is, light and dark."""
    pytest.importorskip("axe_playwright_python", reason="axe is not installed: extra `dev`")
    page.evaluate((resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    found = {}
    for theme in ("dark", "light"):
        page.emulate_media(color_scheme=theme)
        found[theme] = page.evaluate(FOUND, RULES)
    return {theme: said for theme, said in found.items() if said}


def test_axe_finds_nothing_on_any_page(browser: Any, report: str, server: tuple[str, Path]) -> None:
    made = Watched(browser, bypass_csp=True, viewport={"width": 1280, "height": 720})
    found = {name: violations(page) for name, page in pages(made, report, server)}
    made.context.close()
    assert len(found) == 17 and not any(found.values()), found
