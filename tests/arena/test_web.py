"""The web pages in a real browser: what they show is what the store and the engines say, and they load and
run nothing but themselves.

One browser, one database with a short run of every game; everything is skipped where there is no Chromium.
"""

import json
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

import engines
from arena.people.terminal import pretty
from arena.replay.recorded import stored
from arena.runs.open import enter, open_run, prepare
from arena.store import Store
from arena.store.models import Log
from arena.store.packing import pack_log
from arena.web import figures
from arena.web.page import asset
from leagues import definition
from tests.arena.played import BOT, EVIL, finished, opened, play, served, submitted
from tests.arena.program import cli as arena
from tests.engines.short import SHORT

PATIENCE_MS = 300_000
# a page asks its server, steps and waits four times as often as for people
HURRY = """for (const name of ['setTimeout', 'setInterval']) {
    const real = window[name];
    window[name] = (act, ms, ...more) => real(act, ms / 4, ...more);
}"""


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database with a finished run of every game; in Flip 7 a bot forfeits with hostile last words, and one
    has a hostile description.
    """
    path = str(tmp_path_factory.mktemp("web") / "arena.db")
    store = Store(path, create=True)
    for name, options in SHORT.items():
        finished(store, name, lost="banker" if name == "flip7" else "", **options)
    with store.writing() as session:
        for bot in store.bots.all("flip7"):
            bot.title, bot.owner, bot.note = EVIL, EVIL, EVIL
            session.merge(bot)
    return path


def copied(db: str, path: Path) -> str:
    """The same database, for a test that writes: the others' must stay as it is."""
    with closing(sqlite3.connect(db)) as old, closing(sqlite3.connect(path)) as new:
        old.backup(new)
    return str(path)


@contextmanager
def browser_of() -> Iterator[Any]:
    """Headless Chromium."""
    sync = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: extra `dev`")
    path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    with sync.sync_playwright() as playwright:
        if path is None and not Path(playwright.chromium.executable_path).exists():
            pytest.skip("no Chromium on this machine: its Debian package is `chromium-headless-shell`")
        found = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"], timeout=PATIENCE_MS)
        yield found
        found.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for the tests of a module."""
    with browser_of() as found:
        yield found


class Watched:
    """A page, what it said to the console and what it asked the network for."""

    def __init__(self, browser: Any, **more: Any) -> None:
        self.context = browser.new_context(**more)
        self.context.set_default_timeout(PATIENCE_MS)
        self.context.add_init_script(HURRY)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda said: self.complaints.append(said.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda asked: self.requests.append(asked.url))

    def open(self, url: str) -> Any:
        self.page.goto(url)
        return self.ready()

    def ready(self) -> Any:
        self.page.wait_for_selector("main[data-ready]")
        return self.page


@pytest.fixture
def watched(browser: Any) -> Iterator[Watched]:
    """A fresh page; it must not complain, and not ask for anything beyond this machine."""
    made = Watched(browser)
    yield made
    made.context.close()
    assert made.complaints == []
    assert [url for url in made.requests if not url.startswith(("file:", "data:", "http://127.0.0.1"))] == []


@pytest.fixture(scope="module")
def reports(db: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The address of a report of every game, with four games to watch."""
    folder = tmp_path_factory.mktemp("reports")
    for name in SHORT:
        arena("report", name, "--db", db, "--out", str(folder / f"{name}.html"), "--limit", "4")
    return {name: (folder / f"{name}.html").as_uri() for name in SHORT}


def test_standings_are_those_of_the_ratings(watched: Watched, reports: dict[str, str], db: str) -> None:
    rows = json.loads(arena("ratings", "flip7", "--db", db, "--format", "json").stdout)
    page = watched.open(reports["flip7"])
    shown = page.locator("#table tbody tr")
    heads = page.locator("#table thead th").all_inner_texts()
    cells = [dict(zip(heads, row.locator("td").all_inner_texts())) for row in shown.all()]
    assert len(cells) == len(rows) == 3
    for cell, row in zip(cells, rows, strict=True):
        assert cell["bot"].splitlines()[0].removesuffix("provisional") == f"{row['bot']}@{row['version']}"
        assert cell["Elo"].strip("<>") == f"{row['elo']:.0f}"
        assert abs(float(cell["points"].strip(" ~").replace("−", "-")) - row["score"]) <= 0.0051
        assert cell["games"] == str(row["games"]) and cell["forfeits"] == str(row["forfeits"])
        assert cell["CPU µs"] == f"{row['cpu_us']:.0f}" and cell["p99"] == f"{row['cpu_p99_us']:.0f}"
        assert 0.9 * 1100 <= row["cpu_p99_us"] == row["cpu_worst_us"] <= 1.1 * 1100 and row["cpu_us"] == 200
        assert cell["ranks"] in (f"{row['rank_low']}–{row['rank_high']}", str(row["rank_low"]))
    assert "Ranks are by Elo: who finishes before whom." in page.content()
    assert page.locator("#cross tbody td.heat").count() == 6
    for heading in ("Who beats whom", "Scores", "CPU against the clock", "Forfeits"):
        assert page.get_by_role("heading", name=heading, exact=True).count() == 1


def test_numbers_are_rounded_as_the_command_rounds_them(browser: Any) -> None:
    values = [k / 8 for k in range(-24, 25)] + [1.005, 1.255, 10.235, 8.345, 1e6 + 0.5, -1499.5]
    page = browser.new_page()
    for digits in (0, 1, 2):
        shown = page.evaluate(
            f"([values, digits]) => {{ {asset('dom.js')}; return values.map((v) => fixed(v, digits)); }}",
            [values, digits],
        )
        printed = [f"{value:z.{digits}f}".replace("-", "−") for value in values]
        assert shown == printed
    page.close()


def test_a_seat_called_you_is_spoken_to_as_a_person_at_the_table_is(browser: Any) -> None:
    page = browser.new_page()
    said = page.evaluate(
        f"""() => {{ {asset("dom.js")}; {asset("words.js")};
            return [called(['you', 'rule'], 0, -1), ended(['you', 'rule'], [3, 1], -1), ended(['rule', 'you'], [3, 1], -1)]; }}"""
    )
    assert said == ["You", "The end: you win.", "The end: rule wins."]
    page.close()


def test_a_bots_page_has_its_opponents_and_its_deals(watched: Watched, reports: dict[str, str]) -> None:
    page = watched.open(reports["flip7"])
    page.locator("#table a", has_text="racer@1").click()
    page.wait_for_selector("h2.botname")
    assert page.locator("h2.botname").inner_text() == "racer@1" and "bot=racer%401" in page.url
    assert page.locator("#opponents g.mark").count() == 2
    assert page.locator("#best tbody tr").count() == page.locator("#worst tbody tr").count() == 5


def test_versions_are_those_of_the_ratings_command(watched: Watched, tmp_path: Path) -> None:
    path, store = str(tmp_path / "arena.db"), Store(str(tmp_path / "arena.db"), create=True)
    for version in (1, 2):
        submitted(store, tmp_path / "mine.py", BOT + b"#" * version)
        league = definition.load("flip7", deals=3, seed=version)
        league.options["goal"] = 60
        entries = enter(store, league, ["mine", "racer", "oddsman"])
        run = open_run(store, prepare(store, league, entries))[0]
        play(store, run)
        store.runs.close(run)
    store.bots.retire(store.bots.versions("mine")[0])
    arena("report", "flip7", "--db", path, "--out", str(tmp_path / "x.html"), "--limit", "0")
    page = watched.open((tmp_path / "x.html").as_uri())

    def rows(*words: str) -> list[dict[str, Any]]:
        return list(json.loads(arena("ratings", "flip7", *words, "--db", path, "--format", "json").stdout))

    assert page.locator("#table tr", has_text="retired").locator("a").all_inner_texts() == ["mine@1"]
    page.locator("#table a", has_text="mine@2").click()
    page.wait_for_selector("#versions")
    shown = page.locator("#versions tbody tr").all()
    mine = [row for row in rows("--view", "versions") if row["bot"] == "mine"]
    for row, cells in zip(mine, shown, strict=True):
        version, elo, gain, *_, games = cells.locator("td").all_inner_texts()
        assert (int(version), int(games)) == (row["version"], row["games"])
        assert abs(float(elo) - row["elo"]) <= 0.5
        assert gain == "–" if row["gain"] is None else abs(float(gain.replace("−", "-")) - row["gain"]) <= 0.5


def test_a_run_without_games_says_so_and_leagues_apart_are_named(watched: Watched, tmp_path: Path) -> None:
    path, store = str(tmp_path / "arena.db"), Store(str(tmp_path / "arena.db"), create=True)
    opened(store, "flip7", goal=60)
    arena("report", "flip7#1", "--db", path, "--out", str(tmp_path / "empty.html"))
    page = watched.open((tmp_path / "empty.html").as_uri())
    assert page.locator("section").count() == 1
    assert page.get_by_role("heading", name="No games yet").count() == 1
    finished(store, "flip7", goal=60, seed=6)
    finished(store, "flip7", goal=80, seed=7)
    arena("report", "flip7", "--db", path, "--out", str(tmp_path / "two.html"), "--limit", "0")
    page = watched.open((tmp_path / "two.html").as_uri())
    (note,) = [text for text in page.locator(".note").all_inner_texts() if "other conditions" in text]
    assert ("flip7#2" in note) != ("flip7#3" in note)


def test_a_report_tells_its_games_and_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "arena.db")
    run = finished(Store(path, create=True), "flip7", goal=30)
    games = Store(path).matches.counts()[run.key].games
    words = ("report", "flip7#1", "--db", path, "--out", str(tmp_path / "x.html"), "--limit", "3")
    said = arena(*words).stderr
    assert f"flip7#1: a page of {games} games\n" in said and "3 of 3 games to watch" in said
    monkeypatch.setattr(figures, "MANY_GAMES", games)
    assert "a million take about" in arena(*words).stderr


def test_a_printed_page_is_not_wider_than_its_paper(browser: Any, reports: dict[str, str]) -> None:
    made = Watched(browser, viewport={"width": 703, "height": 1000})  # A4 less 12 mm at each side
    page = made.open(reports["flip7"])
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 703
    made.context.close()


@pytest.mark.parametrize("button", [False, True])
def test_a_dark_page_is_printed_black_on_white(browser: Any, reports: dict[str, str], button: bool) -> None:
    made = Watched(browser, color_scheme="light" if button else "dark")
    page = made.open(reports["flip7"])
    if button:
        page.click("button.theme")
    colours = "(style => [style.color, style.backgroundColor])(getComputedStyle(document.body))"
    on_screen = page.evaluate(colours)
    page.emulate_media(media="print")
    assert page.evaluate(colours) == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
    assert on_screen == ["rgb(231, 233, 236)", "rgb(20, 23, 27)"]
    made.context.close()


def test_the_clock_is_drawn_with_mean_percentile_and_worst(watched: Watched, reports: dict[str, str]) -> None:
    marks = watched.open(reports["flip7"]).locator("#clock g.mark title").all_text_contents()
    assert len(marks) == 3
    for text in marks:
        assert re.search(r"mean 200 µs, 99 % of its decisions at most 1\.\d+ ms, worst 1\.\d+ ms", text), text


def test_texts_of_strangers_are_shown_as_text(watched: Watched, reports: dict[str, str]) -> None:
    page = watched.open(reports["flip7"])
    assert page.title() == "Flip 7 · arena" and page.locator("img").count() == 0
    page.locator("#faults summary").first.click()
    assert EVIL in page.locator("#faults pre").first.inner_text()
    page.goto(reports["flip7"] + "#bot=banker%401")
    page.wait_for_selector("h2.botname")
    assert EVIL in page.locator(".lead").inner_text() and page.locator("img").count() == 0


def test_a_script_from_elsewhere_does_not_run(browser: Any, reports: dict[str, str], tmp_path: Path) -> None:
    path = Path(reports["flip7"].removeprefix("file://"))
    evil = tmp_path / "evil.html"
    script = '<img src="x" onerror="document.title=1"><script>document.title=2</script>'
    text = path.read_text(encoding="utf-8").replace("<noscript>", f"{script}<noscript>")
    evil.write_text(text, encoding="utf-8")
    made = Watched(browser)
    page = made.open(evil.as_uri())
    assert page.title() == "Flip 7 · arena"
    assert sum("Content Security Policy" in text for text in made.complaints) >= 2
    made.complaints.clear()
    with pytest.raises(Exception, match="Trusted"):
        page.evaluate("document.body.innerHTML = '<b>markup</b>'")
    made.context.close()


@pytest.mark.parametrize("name", engines.names())
def test_a_replay_shows_what_the_engine_shows_until_the_stored_scores(
    watched: Watched, reports: dict[str, str], db: str, name: str
) -> None:
    page = watched.open(reports[name])
    page.locator("#games a", has_text="▶").first.click()
    page.wait_for_selector(".stage")
    label = page.title().removesuffix(" · arena")
    game = stored(Store(db), label)
    position = game.start()
    place = "row" if name == "flip7" else "hand"
    for frame, move in enumerate(game.moves):
        assert page.locator(".stage").get_attribute("data-frame") == str(frame)
        viewer = position.seat
        page.keyboard.press(str(viewer))
        shown: dict[str, list[str]] = page.evaluate(SHOWN, place)
        assert shown[f"seat/{viewer}"] == list(getattr(position.view(), place)), (label, frame)
        for other, cards in shown.items():
            if name != "flip7" and other != f"seat/{viewer}":
                assert set(cards) <= {"?"}, (label, frame, other)
        texts = [pretty(text, name, True, False) for text in (position.texts[move], *position.legal())]
        assert [page.locator("#played").inner_text(), *page.locator(".legal span").all_inner_texts()] == texts
        position.play(move)
        page.keyboard.press("ArrowRight")
    scores = [int(one.get_attribute("data-score")) for one in page.locator("#scores .score").all()]
    assert scores == position.scores() == list(game.scores)


@pytest.mark.parametrize("name", ["taroky", "zoliky"])
def test_stepping_through_a_game_moves_nothing(watched: Watched, reports: dict[str, str], name: str) -> None:
    page = watched.open(reports[name])
    page.locator("#games a", has_text="▶").first.click()
    page.wait_for_selector(".stage .felt")
    tops = set()
    while page.locator("#scores").count() == 0:
        tops.add(page.evaluate("[...document.querySelectorAll('.seat')].map(one => one.offsetTop).join()"))
        for _ in range(7):
            page.keyboard.press("ArrowRight")
    assert len(tops) == 1


SHOWN = """place => Object.fromEntries([...document.querySelectorAll('.seat')].map(seat => [seat.dataset.place,
    [...seat.querySelectorAll(`.zone[data-zone="${place}"] .card`)].map(card => card.dataset.card)]))"""


def test_one_game_is_written_as_a_page_with_a_bots_log(watched: Watched, db: str, tmp_path: Path) -> None:
    db = copied(db, tmp_path / "arena.db")
    store = Store(db)
    run = store.runs.find("flip7#1")
    entrants = [entry.bot.name for entry in store.runs.entries(run)]
    match = next(one for one in store.matches.all(run) if entrants.index("racer") in one.line_up)
    place = match.line_up.index(entrants.index("racer"))
    with store.writing() as session:
        session.add(Log(run_id=run.key, match=match.number, place=place, entrant=match.line_up[place],
                        lines=pack_log([(0, 2, f"I think {EVIL}\n")])))  # fmt: skip
    path, label = tmp_path / "game.html", f"flip7#1/{match.number * 1000}"
    arena("replay", label, "--db", db, "--format", "html", "--out", str(path), "--logs", "racer@1")
    page = watched.open(path.as_uri() + "#decision=2")
    assert EVIL in page.locator("pre.log").inner_text() and page.title() == f"{label} · arena"
    arena("replay", label, "--db", db, "--format", "html", "--out", str(path))
    assert watched.open(path.as_uri() + "?#decision=2").locator("pre.log").count() == 0


def test_a_link_leads_to_a_position_and_a_seat(watched: Watched, reports: dict[str, str]) -> None:
    page = watched.open(reports["taroky"])
    href = page.locator("#games a", has_text="▶").first.get_attribute("href")
    page.goto(reports["taroky"] + href + "&decision=7&seat=2")
    page.wait_for_selector(".stage")
    assert page.locator(".stage").get_attribute("data-frame") == "7"
    assert page.locator(".seat.you").get_attribute("data-place") == "seat/2"
    page.keyboard.press("End")
    assert page.locator("#scores").count() == 1
    page.keyboard.press("Home")
    page.keyboard.press("o")
    assert page.locator(".stage").get_attribute("data-frame") == "0"
    assert page.locator(".seat.you").count() == 0
    assert "decision=0" in page.locator("a.deep").get_attribute("href")


def test_the_page_fits_a_phone_and_both_themes(browser: Any, reports: dict[str, str]) -> None:
    papers = set()
    for theme in ("light", "dark"):
        made = Watched(browser, color_scheme=theme, viewport={"width": 360, "height": 740})
        for hash_ in ("", "#bot=racer%401"):
            page = made.open(reports["flip7"] + hash_)
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, hash_
        papers.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        made.context.close()
        assert made.complaints == []
    assert len(papers) == 2


@pytest.fixture(scope="module")
def server(db: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A server of a copy of the database, and the folder in which both are."""
    pytest.importorskip("uvicorn", reason="the extra `web` is not installed")
    folder = tmp_path_factory.mktemp("served")
    with served(copied(db, folder / "arena.db"), folder) as address:
        yield address, folder


def test_a_person_plays_a_whole_game_by_keyboard_alone(watched: Watched, server: tuple[str, Path]) -> None:
    address, folder = server
    page = watched.open(f"{address}/play#game=julepe&rounds=1")
    page.keyboard.press("Tab")
    for _ in range(30):  # to the button, past links and boxes
        if page.evaluate("document.activeElement.id") == "sit":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector(".stage[data-last=yes] , .decision")
    seen, hinted = 0, ""
    while True:
        page.wait_for_selector("#scores, .stage[data-last=no], .stage[data-last=yes] ~ p, .actions button")
        if page.locator("#scores").count():
            break
        frame = page.locator(".stage").get_attribute("data-frame")
        if page.locator(".actions button").count():
            hidden: dict[str, list[str]] = page.evaluate(SHOWN, "hand")
            assert all(set(cards) <= {"?"} for seat, cards in hidden.items() if seat != "seat/0")
            seen += 1
            if not hinted and page.locator("#hint").count():  # nothing is played, its action has the focus
                page.keyboard.press("h")
                page.locator("#hinted", has_text="best: ").wait_for()
                hinted = page.locator("#hinted").evaluate("box => box.value.slice(6).split(';')[0]")
                assert page.evaluate("document.activeElement.dataset.action") == hinted
                assert page.locator(".actions button:focus .value").count() == 1  # what it is worth
                assert "400 " in page.locator("#unit").inner_text()
                assert page.locator(".stage").get_attribute("data-frame") == frame
        page.keyboard.press("Enter")
        page.wait_for_selector(f'#scores, .stage:not([data-frame="{frame}"])')
    assert hinted
    shown = page.locator("[role=log] .what").all_inner_texts()
    seated = page.locator("#scores .score").all()
    board = [tuple(int(one.get_attribute(f"data-{what}")) for what in ("seat", "score")) for one in seated]
    scores = [score for _, score in sorted(board)]
    assert [score for _, score in board] == sorted(scores, reverse=True)
    assert page.evaluate("document.activeElement.id") == "won"
    paid = page.locator("[role=log] .settled b").all_inner_texts()  # the first stake, too
    assert [int(one.replace("−", "-")) for one in paid] == scores
    page.keyboard.press("Enter")  # one too many: the board is still to be read
    assert page.locator("#board").is_visible()
    assert sum(url.endswith("/api/tables") for url in watched.requests) == 1
    (kept,) = (folder / "played").glob("julepe-*.jsonl")
    events = [json.loads(line) for line in kept.read_text().splitlines()]
    assert events[-1] == {"event": "end", "scores": scores}
    played = [(event["seat"], event["action"]) for event in events if event["event"] == "decision"]
    assert shown == ["discard ?" if seat and text.startswith("discard") else text for seat, text in played]
    unasked = (0, "in") not in played and (0, "out") not in played  # the dealer is in if somebody is
    for said in ("you: in (not asked)", "; you are in (not asked)."):
        assert page.locator("[role=log] li", has_text=said).count() == unasked
    assert page.locator("[role=log] .taken").count() > 0
    assert seen == sum(event["event"] == "decision" and event["seat"] == 0 for event in events)
    assert "no difference" in arena("trace", "--check", str(kept)).stdout
    page.locator("#again").click()
    page.wait_for_selector(".toolbar")
    page.keyboard.press("End")
    assert [int(one.get_attribute("data-score")) for one in page.locator("#scores .score").all()] == scores
