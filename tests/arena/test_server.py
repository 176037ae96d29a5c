"""What a server answers to strangers: no sources, logs or open games, nothing without a token, nothing too
large or too often.
"""

import asyncio
import contextlib
import errno
import gzip
import http.client
import json
import os
import resource
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from arena.__main__ import app
from arena.errors import StoreError, TooMany, UsageError
from arena.intake.sent import try_next
from arena.intake.source import MAX_PACKED, read
from arena.jail.outcomes import HostError
from arena.ladder.service import close_season, pause_season
from arena.store import Store
from arena.store.leases import Driver
from arena.store.submissions import PER_HOUR
from arena.web import server
from arena.web.home import home
from arena.web.live_table import WebTable
from arena.web.lobby import LEFT_S, MOST_TABLES, UNOPENED_S, Tables
from engines import registry
from tests.arena.played import BOT, finished, opened, play, season_in, served
from tests.arena.program import Arena, processes_that_know, until
from tests.arena.test_bots import zipped

pytest.importorskip("uvicorn", reason="the extra `web` is not installed")
from starlette.requests import Request
from starlette.responses import Response

from arena.web.operations import COPIES, Backups
from arena.web.site import (
    ALL_PER_MINUTE,
    OTHER_THREADS,
    PER_MINUTE,
    TABLE_THREADS,
    Act,
    Site,
    answering,
    network_of,
)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A finished run with a forfeit and its last words, and one that is being played."""
    path = str(tmp_path_factory.mktemp("server") / "arena.db")
    store = Store(path, create=True)
    finished(store, "flip7", lost="banker", goal=60)
    play(store, opened(store, "flip7", seed=8, goal=60), numbers=range(4))
    return path


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server logs requests."""
    return tmp_path_factory.mktemp("served") / "log"


@pytest.fixture(scope="module")
def address(db: str, logged: Path) -> Iterator[str]:
    with served(db, logged.parent, "--allow-submissions", "--access-log", "log") as found:
        yield found


@pytest.fixture(scope="module")
def tokens(db: str) -> dict[str, str]:
    """Two owners, invited while the server runs."""
    return {name: Store(db, writes=True).owners.invite(name, "test") for name in ("ada", "bob")}


def ask(url: str, data: bytes | None = None, **headers: str) -> tuple[int, Any, Any]:
    """Status, content and headers of an answer."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url, data, named)
    try:
        with urllib.request.urlopen(request, timeout=600) as reply:
            return reply.status, reply.read(), reply.headers
    except urllib.error.HTTPError as error:
        return error.code, error.read(), error.headers


def post(url: str, content: dict[str, Any], key: str = "", **headers: str) -> tuple[int, dict[str, Any]]:
    """Send as the page does: once more, when the server asks for it, while a game is compiled."""
    while True:
        status, body, told = ask(url, json.dumps(content).encode(), X_Arena="1", X_Arena_Key=key, **headers)
        if status != 503 or b" is made ready once" not in body:
            return status, json.loads(body)
        time.sleep(int(told["Retry-After"]))


def sent(address: str, name: str, source: bytes, token: str) -> tuple[int, dict[str, Any]]:
    """Status and content of the answer to a bot."""
    words = {"X_Arena": "1", "Authorization": f"Bearer {token}"}
    status, body, _ = ask(f"{address}/api/bots?name={name}", source, **words)
    return status, json.loads(body)


def answered(site: Site, path: str, act: Act) -> Coroutine[Any, Any, Response]:
    """Answer a request by a function, as the server does."""

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b""}

    asked = {"type": "http", "method": "GET", "path": path, "headers": [], "server": ("localhost", 1)}
    return answering(site, act)(Request(asked, receive))


def test_pages_come_with_a_policy_that_lets_nothing_in(address: str) -> None:
    status, body, headers = ask(f"{address}/report/flip7")
    assert status == 200 and b"<main" in body
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src 'sha256-" in policy and "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy and "require-trusted-types-for 'script'" in policy


def test_another_name_of_the_host_is_not_answered(address: str) -> None:
    for host in ("evil.example", "127.0.0.1.evil.example", "127.0.0.1@evil.example", "2130706433", "[::1"):
        assert ask(f"{address}/api/state", Host=host)[0] == 400, host
    for host in ("localhost:1", "LOCALHOST", "[::1]:8237", "192.0.2.7"):  # an address leads nowhere else
        assert ask(f"{address}/api/state", Host=host)[0] == 200, host


def test_only_named_hosts_and_proxies_count(db: str, address: str, tmp_path: Path, logged: Path) -> None:
    words = ("--host", "0.0.0.0", "--name", "arena.example", "--proxy", "127.0.0.1", "--access-log", "log")
    with served(db, tmp_path, *words) as named:
        near = f"http://127.0.0.1:{named.rpartition(':')[2]}"  # asked from the address of the proxy
        assert ask(f"{near}/api/state", Host="evil.example")[0] == 400
        assert ask(f"{near}/api/state", Host="arena.example", X_Forwarded_For="192.0.2.7")[0] == 200
    assert ask(f"{address}/api/state", X_Forwarded_For="192.0.2.7")[0] == 200
    assert "192.0.2.7" in (tmp_path / "log").read_text() and "192.0.2.7" not in logged.read_text()


def test_an_upload_that_never_ends_does_not_keep_the_server_from_ending(db: str, tmp_path: Path) -> None:
    with contextlib.ExitStack() as opened:
        with served(db, tmp_path) as address:
            name, port = address.removeprefix("http://").split(":")
            sending = opened.enter_context(socket.create_connection((name, int(port))))
            sending.sendall(b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
            assert ask(f"{address}/api/state")[0] == 200
        # `served` has waited for the end of the process; the connection was open all the time
        sending.settimeout(60)
        with contextlib.suppress(ConnectionResetError):
            assert b"200" not in sending.recv(1000)


def test_games_and_secrets_of_an_unfinished_run_are_not_served(address: str, db: str) -> None:
    store = Store(db)
    waiting = store.runs.find("flip7#2")
    assert ask(f"{address}/api/film?game=flip7%231/0")[0] == 200
    status, body, _ = ask(f"{address}/api/film?game=flip7%232/0")
    assert status == 400 and "is not finished" in json.loads(body)["error"]
    secrets = [stage.secret for stage in store.runs.stages(waiting)]
    for path in ("/api/home", "/api/report?subject=flip7%232", "/api/state"):
        status, body, _ = ask(address + path)
        assert status == 200
        for secret in secrets:
            assert secret.encode() not in unpacked(body)


def unpacked(body: bytes) -> bytes:
    """An answer with its packed parts unpacked."""
    import base64
    import zlib

    content = json.loads(body)
    packed = [content[key] for key in ("data", "games") if isinstance(content.get(key), str)]
    return body + b"".join(zlib.decompress(base64.b64decode(text)) for text in packed)


def test_last_words_logs_and_sources_are_not_served(address: str, db: str) -> None:
    store = Store(db)
    run = store.runs.find("flip7#1")
    assert "onerror" in store.matches.forfeits(run)[0].text  # they are stored ...
    paths = "report?subject=flip7%231", "home", "film?game=flip7%231/0"
    bodies = [unpacked(ask(f"{address}/api/{path}")[1]) for path in paths]
    assert b'"kind":"exception"' in bodies[0].replace(b" ", b"")
    for body in bodies:
        assert b"onerror" not in body and b"def act" not in body


def test_unknown_names_are_told_in_a_sentence(address: str) -> None:
    for path in ("report?subject=tarok", "film?game=x", "tables/abc", "film?game=flip7%231/%C2%B2"):
        status, body, _ = ask(f"{address}/api/{path}")
        assert status in (400, 404) and len(json.loads(body)["error"]) > 10, path
    assert ask(f"{address}/../../etc/passwd")[0] == 404


def test_a_page_that_is_not_there_says_so_with_the_sites_header_and_the_way_home(address: str) -> None:
    for path, up in (("/nosuch", "."), ("/season/<b>", ".."), ("/a/b/c", "../.."), ("/learn/nosuch", "..")):
        status, body, headers = ask(address + urllib.parse.quote(path))
        assert status == 404 and headers["Content-Type"].startswith("text/html"), path
        assert f'<a class="brand" href="{up}/">' in body.decode() and b"<b>" not in body
        main = body.decode().partition("<main")[2].partition("</main>")[0]
        assert f'href="{up}/">To the first page' in main and "arena ladder" not in main
    status, body, _ = ask(f"{address}/api/nosuch")
    assert status == 404 and json.loads(body) == {"error": "There is no such page."}


def test_a_page_comes_at_once_with_header_and_says_that_its_content_is_being_made(address: str) -> None:
    body = ask(f"{address}/report/flip7")[1].decode()
    header, _, main = body.partition("</header>")
    assert "Bots compete at five card games" in header and 'href="../submit">Submit a bot' in header
    assert 'role="status">One moment' in main.partition("</main>")[0]


@pytest.mark.parametrize("content", [{}, {"game": "flip7"}, {"game": "flip7", "seats": ["invited", "banker"]},
    {"game": "flip7", "seats": ["person", "../../bots/banker.py"]}, {"game": "flip7", "seats": ["person"] * 99},
    {"game": "no", "seats": ["person"]}, {"game": "flip7", "seats": ["person", "banker"], "options": {"goal": "x"}}])  # fmt: skip
def test_a_table_that_cannot_be_is_refused(address: str, content: dict[str, Any]) -> None:
    status, body = post(f"{address}/api/tables", content)
    assert status == 400 and "error" in body


def test_a_change_needs_our_header(address: str) -> None:
    assert ask(f"{address}/api/tables", b"{}")[0] == 403


def test_two_people_see_their_own_cards_and_play_in_turn(address: str) -> None:
    wanted = {"game": "tzogous37", "seats": ["person", "person"], "options": {"hands": 1}}
    _, made = post(f"{address}/api/tables", wanted)
    table, keys = made["table"], made["keys"]
    assert keys[0] != keys[1]
    views = [json.loads(ask(f"{address}/api/tables/{table}", X_Arena_Key=key)[1]) for key in keys]
    for seat, view in enumerate(views):
        scene = view["frames"][-1]["scene"]
        assert "?" not in scene[f"seat/{seat}/cards/hand"]
        assert set(scene[f"seat/{1 - seat}/cards/hand"]) == {"?", " "}
    to_act = views[0]["frames"][-1]["seat"]
    assert views[to_act]["legal"] and not views[1 - to_act]["legal"]
    move = {"action": views[to_act]["legal"][0], "at": 0, "since": 1}
    status, body = post(f"{address}/api/tables/{table}", move, keys[1 - to_act])
    assert status == 400 and "not your turn" in body["error"]
    status, body = post(f"{address}/api/tables/{table}", move | {"action": "raise 10000"}, keys[to_act])
    assert status == 400
    status, body = post(f"{address}/api/tables/{table}", move, keys[to_act])
    assert status == 200 and len(body["frames"]) == 1
    status, body = post(f"{address}/api/tables/{table}", move, keys[to_act])  # the same once more
    assert status == 400
    for wrong in ("wrong", "", "\xff"):
        assert ask(f"{address}/api/tables/{table}", X_Arena_Key=wrong)[0] == 400
    assert ask(f"{address}/api/tables/{table}?key={keys[0]}")[0] == 400  # proxies keep addresses
    assert ask(f"{address}/api/tables/{table}/film", X_Arena_Key=keys[0])[0] == 400


def test_a_house_bot_gives_a_hint_to_the_person_whose_turn_it_is(address: str) -> None:
    seats = ["person", "person", "banker"]
    _, made = post(f"{address}/api/tables", {"game": "flip7", "seats": seats, "options": {"goal": 60}})
    path, keys = f"{address}/api/tables/{made['table']}", made["keys"]
    views = [json.loads(ask(path, X_Arena_Key=key)[1]) for key in keys[:2]]
    mine = next(seat for seat, view in enumerate(views) if view["legal"])
    status, body = post(f"{path}/hint", {"bot": "banker"}, keys[mine])
    assert status == 200 and body["bot"] in views[mine]["legal"]
    assert {text for text, _, error in body["values"] if error >= 0} == set(views[mine]["legal"])
    for key, bot in ((keys[1 - mine], "banker"), (keys[mine], "../x"), ("", "banker")):
        status, body = post(f"{path}/hint", {"bot": bot}, key)
        assert status == 400 and "error" in body
    assert json.loads(ask(path, X_Arena_Key=keys[mine])[1])["at"] == views[mine]["at"]  # nothing was played


def begun(folder: Path | None, *seats: str) -> tuple[Tables, str, WebTable]:
    """A table of a short game of Flip 7."""
    tables = Tables(folder)
    return tables, *tables.begin("flip7", seats or ["person", "banker"], {"goal": 60})


def to_the_end(tables: Tables, number: str, table: WebTable) -> None:
    """A person plays on; what is not a choice of theirs is played for them."""
    while not table.position.over:
        table.act(table.position.seat, table.position.legal()[0], len(table.moves))
        tables.keep(number, table)


def test_a_table_is_there_again_after_a_restart_and_is_played_to_its_end(tmp_path: Path) -> None:
    tables, number, table = begun(tmp_path, "person", "banker", "person")
    seat = table.position.seat
    table.act(seat, table.position.legal()[0], len(table.moves))
    tables.keep(number, table)
    (path,) = (tmp_path / "open").iterdir()
    assert path.stat().st_mode & 0o077 == 0  # the deal is in it, and the keys
    restarted = Tables(tmp_path)
    again = restarted.find(number)
    assert again is not table and restarted.find(number) is again
    assert again.moves == table.moves and again.scenes == table.scenes and again.keys == table.keys
    assert again.show(0, 0) == table.show(0, 0) and again.seat_of(table.keys[2]) == 2
    to_the_end(restarted, number, again)
    assert not path.exists()
    (record,) = tmp_path.glob("*.jsonl")
    assert record.name == again.kept and json.loads(record.read_text().splitlines()[-1])["scores"]
    with pytest.raises(UsageError, match="no such table"):
        Tables(tmp_path).find(number)


def test_the_same_deal_is_dealt_again_with_everybody_one_seat_further(tmp_path: Path) -> None:
    tables, number, table = begun(tmp_path, "person", "banker", "racer")
    with pytest.raises(UsageError, match="not over"):
        tables.rematch(number, table.keys[0])
    to_the_end(tables, number, table)
    with pytest.raises(UsageError, match="no seat"):
        tables.rematch(number, "another key")
    other, again, key = tables.rematch(number, table.keys[0])
    assert again.names == ["racer", "person", "banker"]
    assert again.keys == ["", key, ""] and key not in ("", *table.keys)
    assert again.seed == table.seed and again.position.options == table.position.options
    restarted = Tables(tmp_path).find(other)
    to_the_end(tables, other, again)
    assert restarted.earlier == again.show(1, 0)["earlier"]
    assert restarted.earlier == [{"seats": table.names, "scores": table.position.scores()}]


def test_several_people_go_on_at_one_table_with_other_cards_one_seat_further() -> None:
    tables, number, table = begun(None, "person", "person", "racer")
    to_the_end(tables, number, table)
    assert table.show(1, 0)["following"] == ""
    other, again, first = tables.rematch(number, table.keys[0])
    assert table.show(1, 0)["following"] == other != number
    assert tables.rematch(number, table.keys[1]) == (other, again, again.keys[2])
    assert again.names == ["racer", "person", "person"] and first == again.keys[1] != again.keys[2]
    assert again.seed != table.seed and again.position.options == table.position.options
    assert not again.earlier


def test_a_game_is_played_on_from_a_position_and_compared_with_what_happened(tmp_path: Path) -> None:
    tables, number, table = begun(tmp_path, "person", "banker", "racer")
    to_the_end(tables, number, table)
    game = table.so_far()
    decision = max(at for at, position in enumerate(game.positions()) if position.seat == 1)
    other, onward = tables.onward(game, decision, ["racer", "person", "banker"])
    assert onward.position.states.tobytes() == game.at(decision).states.tobytes()
    assert onward.show(1, 0)["begun"] == decision and len(onward.show(1, 0)["frames"]) == decision + 1
    restarted = Tables(tmp_path).find(other)
    assert (restarted.origin, restarted.begun) == (onward.origin, decision)
    to_the_end(tables, other, onward)
    assert onward.show(1, 0)["earlier"] == [{"seats": table.names, "scores": table.position.scores()}]
    assert onward.moves[:decision] == table.moves[:decision]
    people = ["person"] * 3
    for at, seats in ((len(game.moves), people), (-1, people), (1, people[1:]), (1, ["racer"] * 3)):
        with pytest.raises(UsageError, match=r"played on|take at least one yourself"):
            tables.onward(game, at, seats)
    with pytest.raises(UsageError, match="no house bot 'nobody' for flip7; there is easy, club, strong, "):
        tables.onward(game, 1, ["person", "nobody", "racer"])
    _, onward = tables.onward(game, 1, ["person", "club", "strongest"])
    levels = registry.home("flip7").words["levels"]
    assert onward.names == ["person", levels["club"], levels["strongest"]]


@pytest.mark.parametrize("damage", ["", "{}", "[]", '{"game": "flip7"}', "\x00"])
def test_a_table_whose_file_is_damaged_is_told_to_be_lost(tmp_path: Path, damage: str) -> None:
    _, number, _ = begun(tmp_path)
    (tmp_path / "open" / f"{number}.json").write_text(damage)
    with pytest.raises(UsageError, match="it is lost"):
        Tables(tmp_path).find(number)


@pytest.mark.parametrize("number", ["../secret", "%2e%2e", "0" * 9, "", "ABCDEF01", "0000000\n"])
def test_only_numbers_of_tables_are_looked_for(tmp_path: Path, number: str) -> None:
    (tmp_path / "secret.json").write_text("{}")
    (tmp_path / "open").mkdir()
    with pytest.raises(UsageError, match="no such table"):
        Tables(tmp_path).find(number)


def test_a_game_that_cannot_be_written_down_is_played_on_and_the_person_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    tables, number, table = begun(tmp_path / "file")
    assert table.show(0, 0)["unkept"] == "Not a directory"
    to_the_end(tables, number, table)
    shown = table.show(0, 0)
    assert shown["scores"] and shown["unkept"] and not shown["record"]
    assert tables.find(number).film()["scores"] == shown["scores"]
    (tmp_path / "file").unlink()
    tables.keep(number, table)  # asked for again when the game is watched
    assert table.show(0, 0)["unkept"] == "" and (tmp_path / "file" / table.kept).is_file()


def test_tables_are_few_those_that_people_left_make_room_and_an_address_has_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.web.lobby.MOST_TABLES", 4)
    monkeypatch.setattr("arena.web.lobby.MOST_OF_ONE", 3)
    tables = Tables(tmp_path)

    def sit(by: str) -> str:
        return tables.begin("flip7", ["person", "banker"], {"goal": 200}, by)[0]

    adas, *eves = sit("ada"), sit("eve"), sit("eve"), sit("eve")
    with pytest.raises(TooMany, match="3 tables of your address are in play, and half of all") as refused:
        sit("eve")
    assert UNOPENED_S < refused.value.wait_s + 2 <= UNOPENED_S + 3  # no page has asked about them
    for full in (tables, Tables(tmp_path)):  # those before a restart count
        with pytest.raises(TooMany, match="all 4 tables are taken"):  # for a minute
            full.begin("flip7", ["person", "banker"], {})
    for number in (adas, *eves):
        tables.open[number].used -= 10 * LEFT_S
        tables.open[number].seat_of(tables.open[number].keys[0])  # looking on keeps nothing
    for number in (adas, eves[0]):
        tables.open[number].show(0, 0)  # a page is open there, and nobody has acted for long
    tables.open[eves[1]].used -= 1
    modules = set(sys.modules)
    fourth = sit("eve")  # takes the place of her own one that was left for the longest time
    assert set(sys.modules) == modules  # a bot is loaded once, however many tables it sits at
    assert set(tables.open) == {adas, eves[0], eves[2], fourth}
    assert "had 3 tables" in tables.open[fourth].show(0, 0)["note"] and not tables.open[adas].note
    with pytest.raises(UsageError, match="cleared: nobody was at it"):
        tables.find(eves[1])
    bobs = sit("bob")
    assert {path.stem for path in (tmp_path / "open").iterdir()} == {adas, eves[0], fourth, bobs}
    tables.open[bobs].used -= UNOPENED_S + 1
    tables.open[bobs].heard = {0: tables.open[bobs].used}  # its page is closed
    with pytest.raises(TooMany, match="all 4 tables are taken"):  # for 5 minutes
        sit("cem")
    tables.open[bobs].heard[0] = tables.open[bobs].used = tables.open[bobs].used - LEFT_S
    assert {sit("cem"), adas, eves[0], fourth} == set(tables.open)


def test_pupils_of_one_address_keep_the_tables_that_their_pages_show(db: str, tmp_path: Path) -> None:
    wanted = {"game": "flip7", "seats": ["person", "banker"]}
    with served(db, tmp_path) as address, ThreadPoolExecutor(4) as pupils:

        def sit(_: int) -> tuple[int, dict[str, Any], str]:
            status, made = post(f"{address}/api/tables", wanted)
            return status, made, f"{address}/api/tables/{made.get('table')}"

        def look(at: tuple[int, dict[str, Any], str]) -> int:
            return ask(at[2], X_Arena_Key=at[1]["keys"][0])[0]

        seated = [*pupils.map(sit, range(MOST_TABLES // 2))]
        assert {*pupils.map(look, seated)} == {200}
        status, said, _ = sit(0)
        assert status == 429 and said["error"].startswith(f"{len(seated)} tables of your address are in play")
        assert {*pupils.map(look, seated)} == {200}


def test_of_two_who_sit_down_at_once_one_gets_the_last_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.web.lobby.MOST_TABLES", 1)
    tables, usual, came = Tables(None), secrets.token_hex, threading.Event()

    class Door(threading.Semaphore):
        def __enter__(self) -> bool:
            came.set()
            return self.acquire()

    def sit() -> None:
        with contextlib.suppress(TooMany):
            tables.begin("flip7", ["person", "banker"], {})
        came.set()

    def number(size: int) -> str:
        """Let the second one come when the first has found room, and is about to take it."""
        if not second.ident:
            came.clear()
            second.start()
            came.wait()
        return usual(size)

    second = threading.Thread(target=sit)
    monkeypatch.setattr(tables, "_lock", Door())
    monkeypatch.setattr(secrets, "token_hex", number)
    sit()
    second.join()
    assert tables.taken() == 1


def test_tables_of_an_address_count_after_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.web.lobby.MOST_OF_ONE", 2)
    monkeypatch.setattr("arena.web.lobby.MOST_TABLES", 8)
    tables = Tables(tmp_path)
    for _ in range(4):  # half of all are free
        tables.begin("flip7", ["person", "banker"], {}, "school")
    with pytest.raises(TooMany, match="4 tables of your address are in play, and half of all are taken"):
        Tables(tmp_path).begin("flip7", ["person", "banker"], {}, "school")
    assert Tables(tmp_path).taken() == 4 and Tables(tmp_path).begin("flip7", ["person", "banker"], {}, "eve")
    left, *others = sorted((tmp_path / "open").iterdir(), key=lambda path: "eve" in path.read_text())
    os.utime(left, (0, 0))  # nobody has looked at it for long: a pupil has left, and another one sits down
    later = Tables(tmp_path)
    with pytest.raises(TooMany, match="4 tables of your address"):  # its page may ask again in a moment
        later.begin("flip7", ["person", "banker"], {}, "school")
    later._begun -= UNOPENED_S + 1
    number, _ = later.begin("flip7", ["person", "banker"], {}, "school")
    assert {path.stem for path in (tmp_path / "open").iterdir()} == {number, *(one.stem for one in others)}


def test_costly_answers_are_few_a_minute_and_ipv6_networks_are_one_address(tmp_path: Path) -> None:
    def asking(host: str) -> Request:
        return Request({"type": "http", "client": (host, 1)})

    site = Site(Store(str(tmp_path / "none.db")), Tables(None))
    for at in range(PER_MINUTE):
        site.check_rate(asking(f"2001:db8::{at + 1:x}"), PER_MINUTE)
    with pytest.raises(TooMany, match=f"{PER_MINUTE} of this kind a minute; go on in") as refused:
        site.check_rate(asking("2001:db8::ffff"), PER_MINUTE)
    assert 0 < refused.value.wait_s <= 60
    site.check_rate(asking("2001:db8:1::1"), PER_MINUTE)
    assert network_of(asking("::ffff:192.0.2.7")) == "192.0.2.7"
    for host in ("::ffff:192.0.2.7", "::ffff:192.0.2.8", "::ffff:192.0.2.9", "192.0.2.1", ""):
        for _ in range(PER_MINUTE // 2):
            site.check_rate(asking(host), PER_MINUTE)
    site.check_rate(asking("2001:db8::ffff"), ALL_PER_MINUTE)  # cheap ones go on


def test_moves_at_a_table_are_not_among_the_costly_changes_of_an_address(address: str) -> None:
    _, made = post(f"{address}/api/tables", {"game": "flip7", "seats": ["person", "banker", "banker"]})
    path, (key, *_) = f"{address}/api/tables/{made['table']}", made["keys"]
    late = {"action": "hit", "at": -1, "since": 0}
    answers = {post(path, late, key)[0] for _ in range(PER_MINUTE + 1)}
    assert answers == {400} and post(f"{path}/rematch", {}, key)[0] == 400  # refused, not as too many


def test_the_newest_games_are_of_finished_runs_and_can_be_watched(address: str) -> None:
    newest = json.loads(ask(f"{address}/api/home")[1])["newest"]
    assert [game["label"] for game in newest] == [f"flip7#1/{number}000" for number in range(11, 3, -1)]
    film = json.loads(ask(f"{address}/api/film?game={newest[0]['label'].replace('#', '%23')}")[1])
    assert newest[0]["seats"] == [list(one) for one in zip(film["seats"], film["scores"], strict=True)]


def test_the_newest_games_are_of_the_newest_runs_in_turn(store: Store) -> None:
    for seed in (5, 6):
        finished(store, "flip7", seed=seed, goal=60)
    newest = home(store, False, False, lambda season: {})["newest"]
    turns = [f"flip7#{run}/{number}000" for number in (11, 10, 9, 8) for run in (2, 1)]
    assert [game["label"] for game in newest] == turns


def test_without_a_token_nothing_is_taken(address: str) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Bearer "}):
        assert ask(f"{address}/api/bots?name=mine.py", BOT, X_Arena="1", **headers)[0] == 401
        assert ask(f"{address}/api/bots", **headers)[0] == 401


def test_a_file_that_cannot_be_a_bot_is_refused_at_once_with_the_rule_and_a_name_that_will_do(
    address: str, tokens: dict[str, str]
) -> None:
    def refused(name: str, source: bytes, token: str = tokens["bob"]) -> tuple[int, str]:
        status, said = sent(address, name, source, token)
        return status, said["error"]

    for name, why, better in (
        ("my-bot.py", "'-' is none of small letters", "call it my_bot.py"),
        ("My%20Bot.zip", "'M' is none of", "call it my_bot.zip"),
        ("2fast.py", "it does not begin with a letter", "call it bot_2fast.py"),
        (f"{'long' * 9}.py", "more than 32 characters", f"call it {'long' * 8}.py"),
        ("racer.py", "'racer' is the name of a house bot", "call it my_racer.py"),
        ("bot.txt", "send one .py file, or a folder as .zip", ""),
        ("", "send one .py file, or a folder as .zip", ""),
    ):
        status, text = refused(name, BOT)
        assert status == 400 and why in text and text.endswith(better), text
    assert refused("x.py", b"def act(view:\n") == (400, "x.py, line 1: syntax error: '(' was never closed")
    assert refused("x.py", b'"""\xae"""')[1].endswith("; save the file as UTF-8")
    assert "is not known: it is mistyped" in refused("x.py", BOT, "wrong")[1]
    status, text = refused("x.py", b"#" * ((1 << 20) + 1))
    assert status == 413 and text == "a .py file is too large: 1048576 bytes at most"


def is_its_owners_alone(address: str, db: str, bob: str, ada: str) -> None:
    """See that a bot which passed its trial is bob's: ada can neither replace, see nor retire it."""
    (bot,) = Store(db).bots.versions("pushed")
    assert (bot.owner, bot.kind, bot.version) == ("bob", "submitted", 1)
    status, said = sent(address, "pushed.py", BOT.replace(b"[0]", b"[-1]"), ada)
    assert status == 400 and "is a bot of bob: rename your file" in said["error"]
    others = json.loads(ask(f"{address}/api/bots", Authorization=f"Bearer {ada}")[1])
    assert others["submissions"] == others["bots"] == []
    for token, retired, status in ((ada, True, 400), (bob, "yes", 400), (bob, True, 200), (bob, True, 200)):
        content = json.dumps({"retired": retired}).encode()
        asked = ask(f"{address}/api/bots/pushed@1", content, X_Arena="1", Authorization=f"Bearer {token}")
        assert asked[0] == status, asked[1]
    assert Store(db).bots.versions("pushed")[0].retired is not None
    own = ask(f"{address}/api/bots/export", Authorization=f"Bearer {bob}")[1]
    kept = json.loads(own)
    assert kept["bots"][0]["files"] == {"pushed.py": BOT.decode()} and kept["bots"][0]["retired"]
    assert [one["what"] for one in kept["acts"]] == ["invite", "token", "retire"]
    assert [one["state"] for one in kept["submissions"]] == ["accepted"]
    assert bob.encode() not in own and b"ada" not in own


def test_push_sends_a_bot_with_the_token_that_login_keeps_and_prints_the_outcome(
    address: str, db: str, tokens: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def arena(*words: str, typed: str = "") -> tuple[int, str]:
        result = CliRunner().invoke(app, words, typed)
        return result.exit_code, result.output

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    (pushed := tmp_path / "pushed.py").write_bytes(BOT)
    nowhere = "arena: which server? arena login URL keeps your token\n"
    assert arena("push", str(pushed)) == (2, nowhere)
    code, said = arena("login", address, typed="wrong\n")
    assert code == 2 and "is not known: it is mistyped" in said
    code, said = arena("login", f"{address}/", typed=f"{tokens['bob']}\n")
    assert code == 0 and "knows you as bob" in said
    kept = tmp_path / "card-arena" / "tokens.json"
    assert kept.stat().st_mode & 0o777 == 0o600 and json.loads(kept.read_text()) == {address: tokens["bob"]}
    code, said = arena("push", str(pushed))
    assert code == 0 and "\npushed.py: accepted: pushed@1 was stored for the next league" in said
    is_its_owners_alone(address, db, tokens["bob"], tokens["ada"])
    pushed.write_bytes(BOT.replace(b"view.legal[0]", b"1 / 0"))
    code, said = arena("push", str(pushed), "--to", address)
    assert code == 1 and "pushed.py was refused: flip7: exception" in said and "ZeroDivisionError" in said
    (folder := tmp_path / "whole_folder").mkdir()
    forks = b"    import os\n    try:\n        os.fork()\n    except OSError:\n        pass\n    return"
    (folder / "__init__.py").write_bytes(BOT.replace(b"    return", forks))
    (folder / "weights.bin").write_bytes(b"\xff\x00")
    code, said = arena("push", str(folder))
    assert code == 0 and "whole_folder@1 was stored for" in said and "tried what no bot may do: fork" in said
    listed = json.loads(CliRunner().invoke(app, ["owner", "list", "--format", "json", "--db", db]).stdout)
    assert {one["owner"]: one["tried"] for one in listed}["bob"] == ["fork"]
    own = json.loads(ask(f"{address}/api/bots/export", Authorization=f"Bearer {tokens['bob']}")[1])
    files = own["bots"][1]["files"]
    assert files["weights.bin"] == {"base64": "/wA="} and "os.fork()" in files["__init__.py"]


def test_a_server_with_a_season_takes_bots_of_its_game_only_and_says_so(tmp_path: Path) -> None:
    store = season_in(tmp_path)
    token = store.owners.invite("ada", "test")
    with served(store.url, tmp_path, "--allow-submissions", "--no-trials") as address:
        (game,) = json.loads(ask(f"{address}/api/entering")[1])["games"]
        assert game["game"] == "flip7" and [one["name"] for one in game["seasons"]] == ["spring"]
        status, said = sent(address, "a.py", BOT.replace(b"flip7", b"taroky"), token)
        assert status == 400 and "plays taroky; this server takes bots for Flip 7 (flip7)" in said["error"]
        pause_season(store, "spring")
        assert json.loads(ask(f"{address}/api/entering")[1])["games"] == [game]
        status, first, _ = ask(f"{address}/api/first_bot?game=flip7")
        assert status == 200 and sent(address, "a.py", first, token)[0] == 202
        assert sent(address, "b.py", first, token)[0] == 202
        status, said = sent(address, "c.py", first, token)  # the season plays two of an owner
        assert status == 429 and "2 bots of yours wait for a trial already" in said["error"]
        assert sent(address, "b.py&note=better", first, token)[0] == 202
        close_season(store, "spring")
        assert json.loads(ask(f"{address}/api/entering")[1])["games"] == []
        for name, content in (("d.py", first), ("d.zip", zipped({"d/__init__.py": first.decode()}))):
            status, said = sent(address, name, content, token)
            assert status == 400 and "no season is open, so no bots are taken" in said["error"]


def test_an_owner_hears_which_bot_a_new_one_displaces(tmp_path: Path) -> None:
    store = season_in(tmp_path)
    store.owners.invite("ada", "test")
    for at, name in enumerate(["old", "mid", "mid", "new"]):
        path, content = tmp_path / f"{name}.py", BOT + b"#" * at
        path.write_bytes(content)
        passes = read(path, own=True), ()
        store.submissions.add("ada", path.name, "", content)
        try_next(store, Driver.this_process(), {}, print, lambda *words, passes=passes: passes)
    old, mid, again, new = [one.text for one, _ in store.submissions.of_owner("ada")]
    assert "stops" not in old + mid + again
    assert new.endswith("; season spring plays 2 bots of an owner, the newest, so old@1 stops")


def test_a_server_answers_while_it_compiles_and_asks_players_to_come_back(
    db: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path))
    (tmp_path / "organiser").write_text("token")
    (tmp_path / "organiser").chmod(0o600)
    with served(db, tmp_path, "--organiser", "organiser") as address:
        assert [ask(f"{address}/{path}")[0] for path in ("", "livez", "readyz", "api/home")] == [200] * 4
        wanted = b'{"game": "julepe", "seats": ["person", "wary", "wary", "wary", "wary"]}'
        for path, sent in (("lesson?game=taroky", None), ("film?game=flip7%231/0", None), ("tables", wanted)):
            status, body, headers = ask(f"{address}/api/{path}", sent, X_Arena="1")
            assert status == 503 and headers["Retry-After"] == "5" and b" is made ready once" in body
        assert json.loads(body)["error"].startswith("Julepe is made") and b" s so far" in body
        seen = json.loads(ask(f"{address}/api/organise", Authorization="Bearer token")[1])
        assert seen["errors"] == []  # how far the compilation is fills no page of troubles


def test_a_second_ctrl_c_ends_a_server_with_a_line_and_with_all_that_it_started(
    db: str, arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes while games are compiled, and while an upload waits for its rest."""
    monkeypatch.setenv("ARENA_CACHE", str(arena.folder))
    process = arena.start("serve", "--port", "0", "--db", db, "--allow-submissions", "--league", "taroky")
    address = next(line.split("/  ")[0] for line in process.stderr if line.startswith("http"))
    later = next(line for line in process.stderr if line.startswith("compiled when somebody asks"))
    assert later.endswith("as no season plays them: flip7, julepe, tzogous37, zoliky\n")
    next(line for line in process.stderr if line.startswith("compiling taroky"))
    with socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2]))) as upload:
        head = b"Host: localhost\r\nX-Arena: 1\r\nContent-Length: 9\r\n\r\n"
        upload.sendall(b"POST /api/bots HTTP/1.1\r\n" + head)
        process.send_signal(signal.SIGINT)
        time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        lines = process.communicate(timeout=600)[1].splitlines()  # all that may write there has ended
    assert process.returncode == 130 and lines[-1] == "arena: stopped"
    assert not any("Traceback" in line for line in lines), lines
    assert not processes_that_know(str(arena.folder))


def test_a_source_that_is_too_large_is_cut_off(address: str, tokens: dict[str, str]) -> None:
    large, bearer = b"#" * (MAX_PACKED + 1), f"Bearer {tokens['ada']}"
    try:
        status, *_ = ask(f"{address}/api/bots?name=big.zip", large, X_Arena="1", Authorization=bearer)
    except OSError:  # the connection was closed while it was sent
        return
    assert status == 413


def test_pages_are_sent_compressed_to_who_takes_them_so(address: str) -> None:
    _, plain, headers = ask(f"{address}/")
    assert "Content-Encoding" not in headers
    _, packed, headers = ask(f"{address}/", Accept_Encoding="gzip")
    assert headers["Content-Encoding"] == "gzip" and gzip.decompress(packed) == plain
    assert len(packed) < len(plain) / 2 and "Content-Security-Policy" in headers


def test_a_server_tells_its_health_figures_and_requests(db: str, tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    with served(db, tmp_path, "--access-log", str(log)) as address:
        assert json.loads(ask(f"{address}/healthz")[1])["state"] == "ok"
        older = log.rename(tmp_path / "older.log")
        assert ask(f"{address}/readyz")[0] == 200
        status, body, headers = ask(f"{address}/metrics")
        assert status == 200 and headers["Content-Type"].startswith("text/plain; version=0.0.4")
        assert ask(f"{address}/api/tables/x?key=secret")[0] == 404
    figures = dict(line.split() for line in body.decode().splitlines() if not line.startswith("#"))
    assert int(figures["arena_games_total"]) == Store(db).whole.facts()["games"] > 0
    assert 'arena_submissions{state="waiting"}' in figures
    lines = [json.loads(line) for line in (older.read_text() + log.read_text()).splitlines()]
    told = [("/healthz", 200), ("/readyz", 200), ("/metrics", 200), ("/api/tables/x", 404)]
    assert [(one["path"], one["status"]) for one in lines] == told
    assert "secret" not in log.read_text()
    site, usual = Site(Store(db), Tables(None), lambda: None), resource.getrlimit(resource.RLIMIT_FSIZE)
    for most, broken in ((usual[0], contextlib.nullcontext()), (0, pytest.raises(StoreError, match="disk"))):
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, usual[1]))  # locks can be had all the same
        with contextlib.ExitStack() as later, broken:
            later.callback(resource.setrlimit, resource.RLIMIT_FSIZE, usual)
            assert server._health(site, Request({"type": "http"}), b"")["state"] == "ok"


def test_a_server_says_how_it_is_while_all_its_threads_wait_for_a_database(tmp_path: Path) -> None:
    paths = ["/readyz"] + ["/api/tables"] * TABLE_THREADS + ["/api/home"] * OTHER_THREADS
    site, busy = Site(Store(str(tmp_path / "none.db")), Tables(None)), threading.Barrier(len(paths) + 1)

    def wait(*_: object) -> None:
        busy.wait()  # all are busy
        busy.wait()  # the database is free again

    async def all_at_once() -> list[Response]:
        async with asyncio.TaskGroup() as group:
            ready, *_ = [group.create_task(answered(site, path, wait)) for path in paths]
            await asyncio.to_thread(busy.wait)
            again, lives = answered(site, "/healthz", wait), answered(site, "/livez", server._alive)
            try:
                return await asyncio.gather(ready, again, lives)
            finally:
                await asyncio.to_thread(busy.wait)

    replies = asyncio.run(all_at_once())
    assert [one.status_code for one in replies] == [503, 503, 200]
    assert bytes(replies[0].body) == b'{"error":"the database has not answered for 3 s"}'


def test_idle_connections_of_one_address_are_few_and_others_are_answered(db: str, tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = 160 + len(list(Path("/proc/self/fd").iterdir()))  # this process has the limit, too, for a moment
    with contextlib.ExitStack() as open_ones:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, before[1]))
        try:
            address = open_ones.enter_context(served(db, tmp_path))
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, before)
        port = int(address.rpartition(":")[2])
        more = (socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(most + 60))
        idle = [open_ones.enter_context(one) for one in more]
        other = http.client.HTTPConnection("127.0.0.1", port, timeout=60, source_address=("127.0.0.2", 0))
        other.request("HEAD", "/healthz")
        reply = other.getresponse()
        assert (reply.status, reply.read()) == (200, b"")
        ended = [_closed(one) for one in idle]  # most at once, the rest after some seconds of silence
    assert all(ended)


@pytest.mark.parametrize("most", [7, 60])
def test_a_server_that_may_open_hardly_any_file_ends_in_a_line(arena: Arena, most: int) -> None:
    command = f"ulimit -n {most}; exec {sys.executable} -m arena serve --port 0 --db new.db"
    done = subprocess.run(["sh", "-c", command], check=False, capture_output=True, text=True, timeout=600)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    line = f"arena: a server needs 64 descriptors and may have {most}: ulimit -n 1024"
    assert done.stderr.splitlines()[-1] == line


def test_a_server_without_descriptors_says_so_once_and_goes_on(db: str, arena: Arena) -> None:
    process = arena.start("serve", "--port", "0", "--db", db)
    address = next(line.split("/  ")[0] for line in process.stderr if line.startswith("http"))
    port = int(address.rpartition(":")[2])
    old = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    old.request("GET", "/readyz")
    assert old.getresponse().read()
    usual = resource.prlimit(process.pid, resource.RLIMIT_NOFILE)
    has = len(list(Path(f"/proc/{process.pid}/fd").iterdir()))
    resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (has, usual[1]))
    with contextlib.ExitStack() as opened:
        more = (socket.create_connection(("127.0.0.1", port), timeout=600) for _ in range(30))
        waiting = [opened.enter_context(one) for one in more]
        lines = [process.stderr.readline()]
        while not lines[-1].startswith("new connections wait"):
            assert lines[-1]
            lines.append(process.stderr.readline())
        old.request("GET", "/api/rules?game=flip7")
        reply = old.getresponse()
        assert (reply.status, reply.headers["Retry-After"]) == (503, "10")
        assert json.loads(reply.read())["error"] == "the server cannot answer now: Too many open files"
        time.sleep(3.0)  # it tries once a second, and says it once
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, usual)
        for one in waiting:
            one.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert one.recv(1000).startswith(b"HTTP/1.1 200 ")
    assert ask(f"{address}/api/rules?game=flip7")[0] == 200
    process.terminate()
    lines += process.stderr.read().splitlines(keepends=True)
    assert lines.count("new connections wait: Too many open files\n") == 1, lines
    assert lines[-1] == "arena: stopped\n" and not any("Traceback" in line for line in lines), lines


@pytest.mark.parametrize(
    "error, words",
    [
        (OSError(errno.EMFILE, "Too many open files", "/srv/secret"), "cannot answer now: Too many open"),
        (MemoryError(), "cannot answer now: it lacks means"),
        (HostError("cannot start /srv/secret/bin/python"), "cannot answer now: it lacks means"),
        (StoreError("/srv/secret/a.db: the database is locked"), "the database is locked"),
        (StoreError("/srv/secret/a.db: the server is away", "host secret"), '"the server is away"'),
    ],
)
def test_whoever_cannot_be_answered_for_a_while_is_asked_to_come_back_and_one_line_says_why(
    tmp_path: Path, error: Exception, words: str
) -> None:
    def act(site: Site, request: Request, body: bytes) -> None:
        raise error

    site, heard = Site(Store(str(tmp_path / "none.db")), Tables(None)), list[str]()
    site.store.name, site.tell = "/srv/secret/a.db", lambda cause, line: heard.append(line)
    reply = asyncio.run(answered(site, "/api/home", act))
    assert reply.status_code == 503 and reply.headers["Retry-After"] == "10"
    assert words in str(reply.body) and "secret" not in str(reply.body)
    assert len(heard) == 1 and heard[0].startswith("requests cannot be answered: ")


def test_a_run_that_begins_while_the_first_page_is_made_is_shown_without_games(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished(store, "flip7")
    counts = store.matches.counts

    def counted() -> Any:
        found = counts()
        opened(store, "flip7", seed=8)
        return found

    monkeypatch.setattr(store.matches, "counts", counted)
    new, old = home(store, False, False, lambda season: {})["runs"]
    assert (new["label"], new["games"], new["matches"]) == ("flip7#2", 0, 0) and old["games"] > 0


def _closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize("put", ["", "another file"])
def test_a_server_whose_file_went_shows_no_path_and_ends_in_a_line(db: str, arena: Arena, put: str) -> None:
    copy, other = arena.folder / "copy.db", arena.folder / "other.db"
    for path in (copy, other):
        Store(db).whole.backup(path)
    process = arena.start("serve", "--port", "0", "--db", str(copy), "--log", "log")
    address = next(line.split("/  ")[0] for line in process.stderr if line.startswith("http"))
    if put:
        other.replace(copy)
    else:
        copy.unlink()
    with contextlib.suppress(urllib.error.URLError, ConnectionError):  # it may have ended
        for path in ("readyz", "report/flip7"):
            status, body, headers = ask(f"{address}/{path}")
            assert status == 503 and headers["Retry-After"] == "10"
            assert b"the file was removed" in body.lower() and str(copy).encode() not in body
        assert b"<h1>Not now</h1><p>The file was removed" in body
    said = [one for one in process.stderr.read().splitlines() if not one.startswith("compiling ")]
    assert process.wait(300) == 1
    assert said[-1].startswith(f"arena: {copy}: the file was removed, replaced or mounted over")
    assert len(said) <= 2
    assert json.loads((arena.folder / "log").read_text().splitlines()[-1])["text"] in said[-1]


def test_a_copy_that_the_server_made_is_served_in_place_of_the_database(db: str, tmp_path: Path) -> None:
    (tmp_path / "copies").mkdir()
    for number in range(COPIES):  # when they were made the clock was wrong
        (late := tmp_path / "copies" / f"arena-2099-{number:02}.db").touch()
        os.utime(late, (1 << 32, 1 << 32))
    with served(db, tmp_path, "--backup", "copies") as address:
        until(lambda: len(list((tmp_path / "copies").glob("arena-2099*.db"))) < COPIES)
        copies = sorted((tmp_path / "copies").glob("arena-*.db"))
        home = json.loads(ask(f"{address}/api/home")[1])
    again = Backups(Store(db), tmp_path / "copies", print)
    assert 86_000 < again.due_s() <= 86_400  # a start alone makes no copy
    with served(str(copies[0]), tmp_path) as address:
        later = json.loads(ask(f"{address}/api/home")[1])
    assert later["runs"] == home["runs"] != [] and later["newest"] == home["newest"]


def test_an_owner_submits_only_so_often_and_hears_when_to_come_back(store: Store) -> None:
    store.owners.invite("ada", "test")
    with pytest.raises(TooMany) as stopped:
        for number in range(PER_HOUR + 1):
            store.submissions.add("ada", f"bot{number}.py", "", b"")
    assert 3500 < stopped.value.wait_s <= 3600
    assert len(store.submissions.of_owner("ada")) == PER_HOUR
