# ruff: noqa: F401, F811
"""Acting at a web table in a real browser: each game is played to its end by mouse and by keyboard, cards are
marked, amounts are set. People at one table: on one device, by invitation, and those who look on.
"""

import json
import random
import re
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import engines
from arena.errors import UsageError
from arena.people.terminal import pretty
from arena.replay.scenes import deal_of
from arena.store import Store
from arena.web.lobby import Tables
from tests.arena.played import served
from tests.arena.test_server import ask, post
from tests.arena.test_web import SHOWN, Watched, browser, watched
from tests.engines.short import SHORT

CODE = re.compile(r"\b(\d+[ocb]|[2-9TJQKRA][shdc]|JK|FZ|F3|SC|X2)\b|\?")
Server = tuple[str, Path]  # its address, and the folder with its open tables
TURN = "#scores, .stage[data-last=yes] ~ .side .actions button"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server without leagues."""
    folder = tmp_path_factory.mktemp("acting")
    pytest.importorskip("uvicorn", reason="the extra `web` is not installed")
    Store(str(folder / "arena.db"), create=True)
    with served(str(folder / "arena.db"), folder) as address:
        yield address, folder / "played" / "open"


def sat(
    shown: Watched,
    server: Server,
    name: str,
    wanted: Callable[[list[str]], bool],
    ask: bool | None = False,
    only: bool = False,
    **options: int,
) -> Any:
    """The page of a person in seat 0, at the first turn whose legal actions are wanted. What is played before
    is played at random; the server reads the table as one of before its start.
    """
    address, folder = server
    game = engines.load(name)
    players = max(game.min_players, 3 if name == "zoliky" else 2)
    for seed in range(200):
        position = game.position(seed, players, None, False, **SHORT[name] | options)
        moves, rng = [], random.Random(seed)
        while not position.over and not (position.seat == 0 and wanted(position.legal())):
            moves.append(rng.choice(position.legal_numbers()))
            position.play(moves[-1])
        if not position.over:
            break
    else:
        raise AssertionError("no such position")
    number, key = secrets.token_hex(4), secrets.token_urlsafe(12)
    plain = {"game": name, "options": position.options, "seed": seed, "moves": moves}
    plain |= {"seats": ["person"] + ["random"] * (players - 1), "keys": [key] + [""] * (players - 1)}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{number}.json").write_text(json.dumps(plain), encoding="utf-8")
    kept = json.dumps({"speed": 0, "only": only} | ({} if ask is None else {"ask": ask}))
    shown.context.add_init_script(f"localStorage.setItem('arena-table', {json.dumps(kept)})")
    return shown.open(f"{address}/play/{number}#key={key}")


COVERED = """() => {
    const card = [...document.querySelectorAll('.card.playable')].at(-1), {left, top, width, height} = card.getBoundingClientRect();
    const [x, y] = [left + 0.8 * width, top + height / 2];
    return [card.dataset.card, x, y, document.elementFromPoint(x, y).closest('.card').dataset.card];
}"""
FREE = """() => [...document.querySelectorAll('.card.playable')].map((card) => {
    const {left, right, top, height} = card.getBoundingClientRect(), y = top + height / 2, xs = [];
    for (let x = Math.ceil(left); x < right; x++) if (document.elementFromPoint(x, y) === card) xs.push(x);
    return [card.dataset.card, xs, y];
})"""
GREY = """async (node) => {
    await Promise.all(node.getAnimations().map((one) => one.finished));
    return getComputedStyle(node).opacity;
}"""


def to_the_end(page: Any, act: Callable[[], None]) -> None:
    while True:
        page.wait_for_selector(TURN)
        if page.locator("#scores").count():
            break
        frame = page.locator(".stage").get_attribute("data-frame")
        act()
        page.wait_for_selector(f'#scores, .stage:not([data-frame="{frame}"])')
    assert page.locator("#scores .score").count() == page.locator(".seat").count()


def test_an_action_that_comes_too_soon_is_sent_again_after_a_wait(watched: Watched, server: Server) -> None:
    page, sent = sat(watched, server, "flip7", lambda legal: "hit" in legal), []

    def too_many(route: Any) -> None:
        """As the server answers who sends too much, for the first action."""
        if route.request.method != "POST" or sent:
            route.continue_()
            return
        sent.append(json.loads(route.request.post_data)["action"])
        body = json.dumps({"error": "too many requests"})
        route.fulfill(status=429, headers={"Retry-After": "12"}, content_type="application/json", body=body)

    page.wait_for_selector(".actions button")
    frame = page.locator(".stage").get_attribute("data-frame")
    page.route("**/api/tables/*", too_many)
    page.click('.actions button[data-action="hit"]')
    assert page.locator("#waiting").inner_text() == "Too many requests; this page asks again in 12 s."
    assert page.locator(".decision").get_attribute("aria-busy") == "true"
    assert page.locator(".actions").evaluate(GREY) == "0.5"
    page.wait_for_selector(f'#scores, .stage:not([data-frame="{frame}"])')
    assert sent == ["hit"] and page.locator("#waiting").count() == 0 and page.locator(".lost").count() == 0
    assert page.locator(".decision").get_attribute("aria-busy") == "false"
    assert all("429" in complaint for complaint in watched.complaints)  # the browser's own word
    watched.complaints.clear()


@pytest.fixture
def phone(browser: Any) -> Iterator[Watched]:
    """A page on a phone, which is touched."""
    made = Watched(browser, has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844})
    yield made
    made.context.close()
    assert made.complaints == []


def by_cards(page: Any, choose: Callable[[Any], None]) -> None:
    """Play to the end by choosing raised cards where there are some, else by the first button."""

    def act() -> None:
        stage, cards = page.locator(".stage"), page.locator(".card.playable:not(.marked)")
        if cards.count():
            frame = stage.get_attribute("data-frame")
            choose(cards.last)
            if stage.get_attribute("data-frame") != frame or not page.locator(".marks").count():
                return
        choose(page.locator(".actions button").first)

    to_the_end(page, act)


EVERY_GAME = [
    pytest.param("julepe", {"rounds": 1}, id="a short game"),
    *(pytest.param(name, {}, id=name, marks=pytest.mark.soak) for name in engines.names()),
]


@pytest.mark.parametrize("name, options", EVERY_GAME)
def test_a_game_is_played_to_its_end_by_mouse(
    watched: Watched, server: Server, name: str, options: dict[str, int]
) -> None:
    by_cards(sat(watched, server, name, bool, **options), lambda one: one.click())


@pytest.mark.parametrize("name, options", EVERY_GAME)
def test_a_game_is_played_to_its_end_by_touch(
    phone: Watched, server: Server, name: str, options: dict[str, int]
) -> None:
    edge: Any = {"x": 10, "y": 12}  # on the card where it is turned; the rest may lie below the next one
    by_cards(sat(phone, server, name, bool, **options), lambda one: one.tap(position=edge))


def test_a_tap_on_a_card_that_may_not_be_played_reaches_the_one_below(phone: Watched, server: Server) -> None:
    page = sat(phone, server, "taroky", lambda legal: legal[0][:4] == "play" and legal[-1][-1] in "shdc")
    page.wait_for_selector(".card.playable")
    card, x, y, name = page.evaluate(COVERED)
    assert name != card  # another one lies over it there, and may not be played
    page.touchscreen.tap(x, y)
    said = pretty(f"play {card}", "taroky", True, False)
    page.locator("[role=log] .what").get_by_text(said, exact=True).first.wait_for()


def test_a_narrow_seat_shows_all_that_it_is_and_what_it_did(phone: Watched, server: Server) -> None:
    page = sat(phone, server, "taroky", lambda legal: legal[0][:4] == "play")
    assert page.locator(".seat .facts .did").count()
    low = "one.getBoundingClientRect().bottom > one.parentElement.getBoundingClientRect().bottom + 2"
    cut = f"all => all.filter(one => {low} || one.scrollWidth > one.clientWidth).map(one => one.innerText)"
    assert page.locator(".seat .facts span").evaluate_all(cut) == []


def test_each_card_of_a_full_hand_on_a_phone_has_a_free_place(phone: Watched, server: Server) -> None:
    plays = lambda legal: legal[0][:4] == "play" and len(legal) > 10
    page = sat(phone, server, "taroky", plays, ask=None)  # a touch screen asks first
    page.wait_for_selector(".card.playable")
    free = page.evaluate(FREE)
    assert len(free) > 10 and all(len(xs) >= 24 for _, xs, _ in free), free
    card, xs, y = min(free, key=lambda one: len(one[1]))
    page.touchscreen.tap(xs[len(xs) // 2], y)
    said = pretty(f"play {card}", "taroky", True, False)
    page.locator(".actions").get_by_text(f"Play it: {said}").wait_for()
    page.locator(f'.card.marked[data-card="{card}"]').tap(position={"x": 10, "y": 12})
    page.locator("[role=log] .what").get_by_text(said, exact=True).first.wait_for()


@pytest.mark.parametrize("name, options", [("julepe", {"rounds": 1}), ("flip7", {"goal": 20})])
def test_a_game_is_heard_in_sentences_without_codes_of_cards(
    watched: Watched, server: Server, name: str, options: dict[str, int]
) -> None:
    page = sat(watched, server, name, bool, **options)
    to_the_end(page, lambda: page.keyboard.press("Enter"))
    log = page.locator("[role=log] .unseen").all_text_contents()
    assert log and all(re.fullmatch(r"\S.*[.]", line) for line in log), log
    assert not [line for line in log if CODE.search(line)]
    assert any(line.startswith("You ") for line in log)
    assert sum(" is over. " in line for line in log) >= 1
    tricks = [line for line in log if re.search(r"wins? trick \d", line)]
    assert len(tricks) == (5 if name == "julepe" else 0), tricks  # the last one, too


def test_an_amount_is_set_by_slider_field_and_parts_of_the_pot(watched: Watched, server: Server) -> None:
    page = sat(watched, server, "tzogous37", lambda legal: sum(one.startswith("raise") for one in legal) > 9)
    assert page.locator(".actions button").count() < 4  # fold or check, call, one to raise
    button, field, slider = map(page.locator, (".amount", ".amounts [type=number]", ".amounts [type=range]"))
    low, high = int(slider.get_attribute("min")), int(slider.get_attribute("max"))
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert button.inner_text() == f"2raise {low + 1}" and field.input_value() == str(low + 1)
    page.get_by_role("button", name="most").click()
    assert button.inner_text() == f"2raise {high}"
    field.fill(str(high + 99))
    field.press("Tab")
    assert button.inner_text() == f"2raise {high}"
    field.fill(str(low + 2))
    frame = page.locator(".stage").get_attribute("data-frame")
    played = page.locator("[role=log] .what").get_by_text(f"raise {low + 2}", exact=True)
    before = played.count()
    field.press("Enter")
    page.wait_for_selector(f'.stage:not([data-frame="{frame}"])')
    assert played.count() > before


def test_marked_cards_show_what_they_make(watched: Watched, server: Server) -> None:
    watched.page.set_viewport_size({"width": 390, "height": 800})
    page = sat(watched, server, "zoliky", lambda legal: any(one.startswith("run") for one in legal))
    texts = page.locator(".actions button").evaluate_all("all => all.map(one => one.dataset.action)")
    run = next(one for one in texts if one.startswith("run") and len({*one.split()}) == 4)
    assert "♠" in (said := page.locator("body").inner_text()) and not re.search(r"\b[\dAJKQT][shdc]\b", said)
    for card in run.split()[1:]:
        page.mouse.click(*next((xs[0], y) for name, xs, y in page.evaluate(FREE) if name == card and xs))
    left = page.locator(".actions button").evaluate_all("all => all.map(one => one.dataset.action)")
    inside = "node => node.getBoundingClientRect().bottom <= node.closest('.decision').getBoundingClientRect().bottom"
    assert page.locator(f'.actions button[data-action="{run}"]').evaluate(inside)
    assert run in left and len(left) < len(texts) and not any(one.startswith("discard") for one in left)
    page.keyboard.press("Escape")
    assert page.locator(".marked, .marks").count() == 0
    assert page.locator(".actions button").count() == len(texts)


def test_an_only_legal_action_is_played_for_who_wants_that(watched: Watched, server: Server) -> None:
    page = sat(watched, server, "julepe", lambda legal: len(legal) == 1, only=True)
    page.wait_for_selector("#scores, .actions button:nth-child(2)")  # one action was legal at first
    assert page.locator("#only").is_checked()
    page = sat(watched, server, "julepe", lambda legal: len(legal) == 1, ask=True)
    frame = page.locator(".stage").get_attribute("data-frame")
    page.keyboard.press("1")  # and nobody is asked about it
    page.wait_for_selector(f'#scores, .stage:not([data-frame="{frame}"])')


def test_an_action_is_taken_back_with_what_the_bots_did_after_it(watched: Watched, server: Server) -> None:
    page = sat(watched, server, "zoliky", lambda legal: any(one.startswith("discard") for one in legal))
    frame, log = page.locator(".stage").get_attribute("data-frame"), page.locator("[role=log] li")
    before, discard = log.all_inner_texts(), page.locator('.actions button[data-action^="discard"]').first
    discard.click()
    page.wait_for_selector(f'.stage[data-last=yes]:not([data-frame="{frame}"])')
    page.keyboard.press("u")
    page.wait_for_selector(f'.stage[data-frame="{frame}"]')
    assert log.all_inner_texts() == before and discard.is_visible()


def test_a_question_mark_lists_the_keys(watched: Watched, server: Server) -> None:
    page = sat(watched, server, "flip7", bool)
    page.click("#ask")  # a ticked box does not keep the keys to itself
    page.keyboard.press("?")
    assert page.get_by_role("dialog", name="keys").get_by_text("skip to my turn").count() > 0
    assert page.get_by_role("rowheader", name="SC Second Chance").is_visible()
    page.keyboard.press("Escape")
    assert page.get_by_role("dialog").count() == 0


def test_no_link_takes_the_seat_and_the_address_follows_a_position(watched: Watched, server: Server) -> None:
    page = sat(watched, server, "flip7", bool)

    def click_all(shown: str) -> None:
        for at in range(page.locator("a[href]").count()):
            page.locator("a[href]").nth(at).click()
            if "/play/" not in page.url:
                page.go_back()
            page.wait_for_selector(shown)

    click_all(".seat.you")
    page.reload()
    to_the_end(page, lambda: page.keyboard.press("Enter"))
    page.locator("#again").click()
    page.wait_for_selector(".toolbar")
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "1"):
        page.keyboard.press(key)
    page.wait_for_url("**decision=3&seat=1")
    page.reload()
    page.wait_for_selector('.stage[data-frame="3"] .seat.you[data-place="seat/1"]')
    click_all(".toolbar, #scores")
    page.reload()
    page.wait_for_selector(".toolbar, #scores")
    page.locator("h1 a").click()
    page.wait_for_selector("#again")
    assert page.locator(".seat.you").count() == 1


def test_a_card_is_dragged_to_the_middle_and_a_choice_is_taken_back(watched: Watched, server: Server) -> None:
    plays = lambda legal: len(legal) > 1 and legal[0].startswith("play")
    page = sat(watched, server, "julepe", plays, ask=True)
    frame, card = page.locator(".stage").get_attribute("data-frame"), page.locator(".card.playable").first
    name, middle = card.get_attribute("data-card"), page.locator(".middle").bounding_box()

    def drag(x: float, y: float) -> None:
        card.hover()
        page.mouse.down()
        page.mouse.move(x, y, steps=3)
        page.mouse.up()

    drag(20, 20)  # not the middle
    assert page.locator("#back").count() == 0
    for _ in range(2):
        drag(middle["x"] + middle["width"] / 2, middle["y"] + middle["height"] / 2)
        assert page.locator(".actions button").first.get_attribute("data-action") == f"play {name}"
        page.keyboard.press("Escape")
        assert page.locator("#back").count() == 0
    card.click()
    assert page.locator(".stage").get_attribute("data-frame") == frame
    page.keyboard.press("Enter")
    page.wait_for_selector(f'.stage:not([data-frame="{frame}"])')
    page.locator("[role=log] .what").get_by_text(f"play {name}", exact=True).first.wait_for()


def test_the_same_deal_is_played_in_the_next_seat_and_compared(watched: Watched, server: Server) -> None:
    page = sat(watched, server, "flip7", bool)

    def ended() -> list[int]:
        to_the_end(page, lambda: page.keyboard.press("Enter"))
        board = page.locator("#board .score").all()
        scores = {one.get_attribute("data-seat"): int(one.get_attribute("data-score")) for one in board}
        return [scores[str(seat)] for seat in range(len(scores))]

    first, address = ended(), page.url
    page.click("#rematch")
    page.wait_for_url(lambda url: url != address)
    page.wait_for_selector('.seat.you[data-place="seat/1"]')
    more = (ended())[1] - first[1]
    said = page.locator(".compared").inner_text()
    assert ("as much as" if not more else f"{abs(more)} {'more' if more > 0 else 'less'} than") in said
    address, sent = page.url, list[str]()
    page.on("request", lambda one: sent.append(f"{one.method} {one.url}"))
    page.evaluate("for (const _ of '12') document.body.dispatchEvent(new KeyboardEvent('keydown', "
                  "{key: 'n', bubbles: true}))")  # fmt: skip
    page.wait_for_url(lambda url: url != address)
    assert sum(one.startswith("POST") and one.endswith("/api/tables") for one in sent) == 1


def test_an_invitation_is_good_once_also_after_a_restart(tmp_path: Path, monkeypatch: Any) -> None:
    tables = Tables(tmp_path)
    number, table = tables.begin("flip7", ["person", "invited", "banker"], {"goal": 60})
    code = table.invitations[1]
    assert (table.names, table.invitations) == (["person", "person", "banker"], ["", code, ""])
    for wrong in ("", "another", "é"):
        with pytest.raises(UsageError, match="was used already"):
            table.join(wrong)
    restarted = Tables(tmp_path).find(number)
    assert restarted.seat_of(restarted.join(code)) == 1
    with pytest.raises(UsageError, match="was used already"):
        restarted.join(code)
    with pytest.raises(UsageError, match="nobody is away"):
        restarted.stand_in()
    monkeypatch.setattr("arena.web.live_table.AWAY_S", -1.0)
    left = restarted.away
    restarted.stand_in()
    assert left >= 0 and (restarted.names[left], restarted.keys[left]) == ("trained", "")


LOOKED_ON = [("tzogous37", 3, {"hands": 2}), ("zoliky", 2, {"max_rounds": 4, "deals": 2})]


@pytest.mark.parametrize("name, players, options", [*LOOKED_ON, ("julepe", 5, {"rounds": 2})])
def test_who_looks_on_sees_no_hand_before_the_deal_is_over_and_all_afterwards(
    name: str, players: int, options: dict[str, int]
) -> None:
    _, table = Tables(None).begin(name, ["person"] * players, options, watched=True)
    known, opened, hidden = 0, 0, 0
    frames: list[dict[str, Any]] = []

    def hands(frame: dict[str, Any]) -> set[str]:
        texts = [text for key, text in frame["scene"].items() if key.endswith("/cards/hand")]
        return {*" ".join(texts).split()}

    while True:
        seen = table.show_onlooker(table.watch, known, opened)
        frames += seen["frames"]
        frames[opened : opened + len(seen["open"])] = seen["open"]
        known, opened = len(frames), opened + len(seen["open"])
        assert known == len(table.moves) + 1
        if table.position.over:
            break
        now = deal_of(frames[-1]["scene"])
        for frame in frames:
            if deal_of(frame["scene"]) == now:
                assert hands(frame) <= {"?"}
                hidden += "?" in hands(frame)
            else:
                assert "?" not in hands(frame)
        table.act(table.position.seat, table.position.legal()[-1], len(table.moves))
        with pytest.raises(UsageError, match="nothing to take back"):
            table.undo(0)
    assert hidden and opened == known and all("?" not in hands(frame) for frame in frames)
    assert seen["scores"] == table.position.scores()
    for code in ("", "another"):
        with pytest.raises(UsageError, match="nobody may look on"):
            table.show_onlooker(code, 0, 0)
    with pytest.raises(UsageError, match="nobody may look on"):
        Tables(None).begin(name, ["person"] * players, {})[1].show_onlooker("", 0, 0)


def test_points_have_their_names_on_a_phone(watched: Watched, server: Server) -> None:
    seats = ["person", "racer", "banker", "pacer"]
    _, made = post(f"{server[0]}/api/tables", {"game": "flip7", "seats": seats, "options": {}})
    watched.page.set_viewport_size({"width": 390, "height": 844})
    page = watched.open(f"{server[0]}/play/{made['table']}#key={made['keys'][0]}")
    page.wait_for_selector(TURN)
    names = page.locator(".felt .money").evaluate_all("all => all.map(one => one.innerText.split(' ')[0])")
    assert names.count("total") == 4 and {*names} == {"total", "bust"}


def test_two_on_one_device_never_see_the_cards_of_both(watched: Watched, server: Server) -> None:
    seats = ["person", "person", "rock37"]
    _, made = post(f"{server[0]}/api/tables", {"game": "tzogous37", "seats": seats, "options": {"hands": 1}})
    watched.context.add_init_script("localStorage.setItem('arena-table', '{\"speed\": 0}')")
    page = watched.open(f"{server[0]}/play/{made['table']}#key={'.'.join(made['keys'][:2])}")
    covered, acted = set(), set()
    while True:
        page.wait_for_selector("#scores, .actions button")
        if page.locator("#scores").count():
            break
        button = page.locator(".actions button").first
        if page.locator("#uncover").count():
            covered.add(button.inner_text())
            assert page.locator(".card").count() == 0 and page.locator("[role=log] li").count() == 0
        elif not page.locator("#handover").count():
            you = page.locator(".seat.you").get_attribute("data-place")
            acted.add(you)
            shown: dict[str, list[str]] = page.evaluate(SHOWN, "hand")
            assert all(set(cards) <= {"?"} for seat, cards in shown.items() if seat != you)
        before = page.locator(".decision").inner_text(), page.locator(".stage").get_attribute("data-frame")
        button.click()
        page.wait_for_function(
            "([said, frame]) => document.querySelector('#scores') || document.querySelector('.actions button') && "
            "(document.querySelector('.decision').innerText !== said || document.querySelector('.stage').dataset.frame !== frame)",
            arg=list(before),
        )
    assert acted == {"seat/0", "seat/1"} and covered


def test_a_guest_and_one_who_looks_on_come_by_links(watched: Watched, server: Server, browser: Any) -> None:
    page = watched.open(f"{server[0]}/play#game=tzogous37&hands=1")
    page.locator(".seat-choice").nth(1).select_option("invited")
    page.locator("summary").click()
    hands = page.get_by_label("hands")
    assert hands.input_value() == "1" and hands.get_attribute("max") == "1000"
    assert "usually 4" in page.locator("label", has=hands).inner_text()
    page.check("#watched")
    page.click("#sit")
    page.wait_for_selector(".invitations")
    invitation, looking = (a.evaluate("a => a.href") for a in page.locator(".invitations a").all())
    page.locator(".invitations button").first.click()
    assert page.evaluate("getSelection().toString()") == invitation
    page.locator(".invitations").get_by_role("button", name="copied").wait_for()
    page.click("#mine")
    page.wait_for_selector('.seat.you[data-place="seat/0"]')
    page.locator(".actions button").first.click()
    page.get_by_text("Seat 1 waits for whoever gets this link").wait_for()
    assert page.locator(".decision a").evaluate("a => a.href") == invitation
    page = watched.open(f"{server[0]}/play")
    page.locator("#own-tables td", has_text="waits for a guest").wait_for()
    page.locator("#own-tables").get_by_role("link", name="Tzogous 37").click()
    page.get_by_text("Seat 1 waits for whoever gets this link").wait_for()
    guest, onlooker = (Watched(browser) for _ in range(2))
    seat = guest.open(invitation)
    page.get_by_text("Seat 1, person 2, is thinking").wait_for()
    seat.on("dialog", lambda box: box.accept("<b>Ada"))
    seat.click("#name")
    page.locator('[data-place="seat/1"] .name', has_text="1 · <b>Ada").wait_for()
    seat.wait_for_selector('.seat.you[data-place="seat/1"]')
    assert "key=" in seat.url and "invitation" not in seat.url
    again = guest.context.new_page()
    again.goto(invitation)
    again.wait_for_selector('.seat.you[data-place="seat/1"]')
    table = onlooker.open(looking)
    table.wait_for_selector(".stage .felt")
    assert table.title() == "Tzogous 37, looked on · arena"
    assert set(table.evaluate(SHOWN, "hand")["seat/0"]) == {"?"}
    table.wait_for_selector("nav.happened li:not(.part) button")
    assert "?" in table.locator(".happened").inner_text()  # a card that was laid face down
    page = watched.open(f"{server[0]}/play")
    row = page.locator("#own-tables tbody tr")
    row.wait_for()
    assert row.count() == 1 and page.locator("#game").input_value() == "tzogous37"
    row.get_by_role("link", name="Tzogous 37").click()
    page.wait_for_selector('.seat.you[data-place="seat/0"]')
    page = watched.open(f"{server[0]}/play?game=flip7#goal=1")
    page.locator("#many").select_option("2")
    for choice in page.locator(".seat-choice").all():
        choice.select_option("racer")
    page.click("#sit")  # there are bots alone, which play on while they are looked at
    page.wait_for_selector("#scores", timeout=120_000)
    for one in (guest, onlooker):
        one.context.close()
        assert one.complaints == []
    status, body, _ = ask(f"{server[0]}/api/home")
    assert status == 200 and invitation.encode() not in body


def test_people_and_an_onlooker_go_to_the_next_game(watched: Watched, server: Server, browser: Any) -> None:
    wanted = {"game": "flip7", "seats": ["person", "person"], "options": {"goal": 20}, "watched": True}
    _, made = post(f"{server[0]}/api/tables", wanted)
    address, (one, two) = f"{server[0]}/play/{made['table']}", made["keys"]
    other, onlooker = (Watched(browser) for _ in range(2))
    pages = [watched.open(f"{address}#key={one}"), other.open(f"{address}#key={two}")]
    looking = onlooker.open(f"{address}#watch={made['watch']}")
    while True:
        seat = to_act(f"{server[0]}/api/tables/{made['table']}", one)
        if seat < 0:
            break
        pages[seat].wait_for_selector(".actions button")
        frame = pages[seat].locator(".stage").get_attribute("data-frame")
        pages[seat].locator(".actions button").last.click()
        pages[seat].wait_for_selector(f'#scores, .stage:not([data-frame="{frame}"])')
    for page in pages:
        page.wait_for_selector("#rematch")
    pages[0].click("#rematch")
    pages[0].wait_for_selector('.seat.you[data-place="seat/1"]')
    pages[1].get_by_text("The others go to a new table.").wait_for()
    pages[1].click("#rematch")
    pages[1].wait_for_selector('.seat.you[data-place="seat/0"]')
    assert pages[0].url.split("#")[0] == pages[1].url.split("#")[0] != address
    looking.click("#following")
    looking.wait_for_selector(".stage[data-frame]")
    assert looking.url.split("#")[0] == pages[0].url.split("#")[0]
    for guest in (other, onlooker):
        guest.context.close()
        assert guest.complaints == []


def to_act(table: str, key: str) -> int:
    """The seat to act at a table; -1 at the end."""
    return int(json.loads(ask(table, X_Arena_Key=key)[1])["frames"][-1]["seat"])
