# ruff: noqa: F401, F811
"""People at one table: on one device, by invitation, and those who look on."""

import json
from pathlib import Path
from typing import Any

import pytest

from arena.errors import UsageError
from arena.replay.scenes import deal_of
from arena.web.lobby import Tables
from tests.arena.test_server import ask, post
from tests.arena.test_web import SHOWN, Watched, browser, watched
from tests.arena.test_web_acting import TURN, Server, server, to_the_end

pytestmark = pytest.mark.xdist_group("web")  # one browser


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


@pytest.mark.parametrize(
    "name, players, options",
    [
        ("tzogous37", 3, {"hands": 2}),
        ("zoliky", 2, {"max_rounds": 4, "deals": 2}),
        ("julepe", 5, {"rounds": 2}),
    ],
)
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
    for choice in page.locator(".seat-choice").all():
        choice.select_option("racer")
    page.click("#sit")  # there are bots alone, which play on while they are looked at
    page.wait_for_selector("#scores", timeout=120_000)
    for one in (guest, onlooker):
        one.context.close()
        assert one.complaints == []
    status, body, _ = ask(f"{server[0]}/api/home")
    assert status == 200 and invitation.encode() not in body


def test_two_people_and_one_who_looks_on_go_to_the_next_game_together(
    watched: Watched, server: Server, browser: Any
) -> None:
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
