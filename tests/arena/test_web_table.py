"""The card table in a real browser: every position of every game and size fits three screens without scrolling,
and every card on it is seen.
"""

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import engines
from arena.intake.debug import house_chooser
from arena.replay.film import Film, film
from arena.web.page import pack, page
from tests.arena.test_web import Watched, browser  # noqa: F401
from tests.engines.short import SHORT

pytestmark = pytest.mark.xdist_group("web")  # one browser
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


def pages(folder: Path, sizes: slice) -> Iterator[tuple[str, int, str]]:
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
def test_no_position_of_any_game_and_size_scrolls_or_is_cut_on_three_screens(
    browser: Any,  # noqa: F811
    tmp_path: Path,
    sizes: slice,
) -> None:
    made = Watched(browser)
    for label, last, address in pages(tmp_path, sizes):
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


def test_marks_lead_to_rounds_and_tricks_and_one_of_them_is_looped(
    browser: Any,  # noqa: F811
    tmp_path: Path,
) -> None:
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
