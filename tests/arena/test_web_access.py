# ruff: noqa: F811
"""Every page under axe-core, light and dark (WCAG 2.2 AA and its best practices), and the card table: every position of
every game and size fits three screens without scrolling, and every card on it is seen.
"""

import random
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

import engines
from arena.intake.debug import house_chooser
from arena.replay.film import Film, film
from arena.store import Store
from arena.web.figures import subject_of
from arena.web.page import pack, page, report_page
from tests.arena.played import finished
from tests.arena.test_server import post
from tests.arena.test_web import Watched, browser  # noqa: F401
from tests.arena.test_web_acting import sat, server  # noqa: F401
from tests.engines.short import SHORT

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


SCREENS = {"desk": (1280, 720), "portrait": (390, 844), "landscape": (844, 390)}
FITS = """() => new Promise(done => requestAnimationFrame(() => setTimeout(() => {
    const root = document.documentElement, felt = document.querySelector('.felt').getBoundingClientRect(), wrong = [];
    if (root.scrollHeight > innerHeight || root.scrollWidth > innerWidth) wrong.push(`the page scrolls: ${root.scrollWidth} x ${root.scrollHeight}`);
    const boxes = [...document.querySelectorAll('.seat, .middle')].map(one => one.getBoundingClientRect());
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach(b => { if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1) wrong.push('places overlap'); }));
    for (const one of document.querySelectorAll('.seat, .middle, .card')) {
        const box = one.getBoundingClientRect(), name = one.dataset.card || one.dataset.place;
        if (box.left < felt.left - 1 || box.top < felt.top - 1 || box.right > felt.right + 1 || box.bottom > felt.bottom + 1) wrong.push(`${name} is cut`);
        if (one.dataset.card && box.height < 9) wrong.push(`${name} is ${box.height} high`);
    }
    for (const one of document.querySelectorAll('.seat [data-name=points]')) if (one.getBoundingClientRect().bottom > one.parentElement.getBoundingClientRect().bottom + 2) wrong.push(`${one.textContent} is hidden`);
    for (const one of document.querySelectorAll('.seat .card')) {
        const card = one.getBoundingClientRect(), seat = one.closest('.seat').getBoundingClientRect();
        if (card.bottom > seat.bottom + 6 || card.top < seat.top) wrong.push(`${one.dataset.card} leaves its seat`);
    }
    done(wrong.join('; '));
}, 0)))"""

ACCOUNT = """() => {
    const number = (cell) => Number(cell.textContent.replace('−', '-')), rows = [...document.querySelectorAll('#account tbody tr:not(.why)')];
    return [...document.querySelectorAll('#account tfoot td')].map((cell, k) => [number(cell), rows.reduce((sum, row) => sum + number(row.cells[k + 1]), 0)]);
}"""


def played(name: str, players: int, **more: int) -> Film:
    """A short game: at random, in Zoliky by a house bot, so that there are melds."""
    game, rng, options = engines.load(name), random.Random(players), SHORT[name] | more
    position, moves = game.position(3, players, **options), []
    melder = house_chooser("melder", name, 1) if name == "zoliky" else None
    while not position.over:
        legal = position.legal_numbers()
        number = melder(position) if melder and len(legal) > 1 else rng.choice(legal)
        number = game.action(number, position.options) if isinstance(number, str) else number
        position.play(number)
        moves.append(number)
    names = [f"bot{seat}" for seat in range(players)]
    return film(game.position(3, players, **options), moves, names, f"{name} of {players}")


def tables(folder: Path, sizes: slice) -> Iterator[tuple[str, int, str]]:
    """A page for every game and some of its sizes, largest first: its name, its last frame, its address."""
    for name in engines.names():
        game = engines.load(name)
        for players in range(game.max_players, game.min_players - 1, -1)[sizes]:
            made, path = played(name, players), folder / f"{name}-{players}.html"
            text = page(made["label"], {"film-0": pack(dict(made))})
            assert len(text) < 150_000, (made["label"], len(text))
            path.write_text(text, encoding="utf-8")
            yield made["label"], made["frames"] - 1, path.as_uri()


@pytest.mark.parametrize(
    "sizes",
    [slice(1), pytest.param(slice(1, None), marks=pytest.mark.soak)],
    ids=["largest tables", "smaller tables"],
)
def test_no_position_scrolls_or_is_cut_on_three_screens(browser: Any, tmp_path: Path, sizes: slice) -> None:
    made = Watched(browser)
    for label, last, address in tables(tmp_path, sizes):
        shown = made.open(address)
        for at in sorted({0, last // 2, last}):
            shown.locator("input[type=range]").fill(str(at))
            shown.keyboard.press("o" if at % 2 else "0")
            for screen, (width, height) in SCREENS.items():
                shown.set_viewport_size({"width": width, "height": height})
                assert shown.evaluate(FITS) == "", (label, at, screen)
        if shown.locator("#why").count():  # else nobody has won anything
            shown.click("#why")
            account = shown.evaluate(ACCOUNT)
            assert account and all(score == parts for score, parts in account), (label, account)
            whys = shown.locator("#account .why").all_inner_texts()
            assert not [why for why in whys if "seat" in why or not re.search(r"bot\d|[Yy]ou", why)], whys
        else:
            assert {one.get_attribute("data-score") for one in shown.locator(".score").all()} == {"0"}, label
    made.context.close()
    assert made.complaints == []


def test_marks_lead_to_rounds_and_tricks_and_one_of_them_is_looped(browser: Any, tmp_path: Path) -> None:
    made, path = played("julepe", 5, rounds=2), tmp_path / "julepe.html"
    path.write_text(page("julepe", {"film-0": pack(dict(made))}), encoding="utf-8")
    watched = Watched(browser)
    watched.page.clock.install()
    shown = watched.open(path.as_uri())
    ticks = [int(one.get_attribute("data-frame")) for one in shown.locator(".tick").all()]
    begins = [int(one.get_attribute("data-frame")) for one in shown.locator(".tick.first").all()]
    assert len(begins) == 2 and len(ticks) > 5
    at = ticks.index(begins[1]) + 1
    shown.locator(".tick").nth(at).click(force=True)
    assert shown.locator(".stage").get_attribute("data-frame") == str(ticks[at])
    shown.keyboard.press("l")
    seen = set()
    for _ in range(2 * (ticks[at + 1] - ticks[at] + 1)):
        shown.clock.run_for(700)
        seen.add(int(shown.locator(".stage").get_attribute("data-frame") or -1))
    assert seen == set(range(ticks[at], ticks[at + 1] + 1))
    watched.context.close()
    assert watched.complaints == []
