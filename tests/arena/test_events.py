"""What happened is told: to addresses that want to hear, in the feed, and to all by the organiser."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from arena.errors import TooMany, UsageError
from arena.ladder.service import new_season
from arena.store import Store
from arena.store.events import PER_OWNER
from arena.store.leases import Driver
from arena.store.models import Event, Hook
from arena.store.owners import PER_NETWORK
from arena.web import hooks
from tests.arena.test_ladder import SEASON
from tests.arena.test_owners import plain_bot, send


@pytest.fixture
def store(url: str) -> Store:
    """A store in SQLite, and one in PostgreSQL."""
    return Store(url, create=True)


@contextmanager
def listening(statuses: list[int]) -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    """The address of a server, and what it hears; it answers by these, then by 204."""
    heard: list[tuple[str, bytes]] = []

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status = statuses.pop(0) if statuses else 204
            self.send_response(status)
            self.send_header("Location", "/elsewhere")
            self.end_headers()
            heard.append((self.path if status != 204 else self.headers["X-Arena-Signature"], body))

        def log_message(self, *words: Any) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/hook", heard
        finally:
            server.shutdown()
            thread.join()


def test_an_address_hears_of_every_event_in_order_signed_and_again_after_a_failure(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooks, "LOOK_S", 0.05)
    store.add_event("first", "nobody hears of what was before", "spring")
    said: list[str] = []
    with listening([500, 302]) as (url, heard):
        hook = store.add_hook(url)
        (one,) = send(store, "ada")
        store.take_submission(driver := Driver.this_process())
        store.refuse_submission(one, driver, "no")
        store.add_event("first", "x@1 is first", "spring")
        store.add_event("first", "x@1 is first", "spring")
        thread = hooks.Hooks(store, said.append)
        deadline = time.monotonic() + 120
        while store.hooks()[0].told < store.events()[-1].key:
            assert time.monotonic() < deadline, (heard, said)
            time.sleep(0.05)
        thread.stop()
    told = [(where, json.loads(body)) for where, body in heard]
    assert [where for where, _ in told[:2]] == ["/hook", "/hook"] and len(said) == 2  # and no redirect
    texts = [body["text"] for _, body in told]
    assert texts == ["ada0.py was refused: no"] * 3 + ["x@1 is first"]
    assert heard[-1][0] == hooks.signature(hook.secret, heard[-1][1])
    assert store.hooks()[0].failed == 0
    store.remove_hook(hook.id or 0)
    assert store.hooks() == []
    for wrong in ("file:///etc/passwd", "chat.example"):
        with pytest.raises(UsageError, match="begins with https"):
            store.add_hook(wrong)


def test_an_owners_address_hears_of_own_submissions_and_of_what_concerns_all(store: Store) -> None:
    for name in ("ada", "bob"):
        send(store, name)
    urls = [f"https://ada.example/{at}" for at in range(PER_OWNER)]
    mine = [store.add_hook(url, "ada") for url in urls]
    store.add_hook(urls[0], "bob")
    with pytest.raises(UsageError, match="already: remove one"):
        store.add_hook("https://ada.example/more", "ada")
    driver = Driver.this_process()
    while (one := store.take_submission(driver)) is not None:
        store.refuse_submission(one, driver, "no")
    store.add_event("first", "x@1 is first", "spring")
    texts = ["ada0.py was refused: no", "x@1 is first"]
    assert [one.text for one in store.untold(mine[0])] == texts
    store.note_told(mine[0], store.untold(mine[0])[0])
    assert [one.text for one in store.untold(store.hooks("ada")[0])] == texts[1:]
    with pytest.raises(UsageError, match="no hook"):
        store.remove_hook(mine[0].id or 0, "bob")
    store.remove_hook(mine[0].id or 0, "ada")
    assert store.remove_hook(mine[1].id or 0, by="organiser").owner == "ada"
    assert [(one.who, one.what, one.text) for one in store.acts("ada")][-2:] == [
        ("ada", "unhook", urls[0]),
        ("organiser", "unhook", urls[1]),
    ]
    store.ban("ada", "", "test")
    assert [one.owner for one in store.hooks()] == ["bob"]


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "10.0.0.7", "169.254.169.254", "[::1]", "[fc00::1]"]
)
def test_an_owner_sends_the_server_to_no_address_of_its_neighbours(host: str) -> None:
    hook, event = Hook(owner="ada", url=f"http://{host}:9/", secret="s"), Event(id=1, kind="first", text="")
    assert "is not a public address" in hooks.post(hook, event)


def test_an_address_that_answers_a_letter_at_a_time_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks, "TIMEOUT_S", 0.5)
    over = threading.Event()

    def drip(listening: socket.socket) -> None:
        there, _ = listening.accept()
        with there, contextlib.suppress(OSError):
            while not over.wait(0.05):
                there.send(b"H")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=drip, args=(listening,))
        thread.start()
        hook = Hook(url=f"http://127.0.0.1:{listening.getsockname()[1]}/", secret="s")
        try:
            assert hooks.post(hook, Event(id=1, kind="first", text=""))
        finally:
            over.set()
            thread.join()


def test_a_season_that_closes_and_its_new_leader_are_events(store: Store, tmp_path: Path) -> None:
    (tmp_path / "spring.toml").write_text(SEASON)
    new_season(store, tmp_path / "spring.toml")
    before = store.season_mark("spring")
    store.add_event("first", "a@1 is first", "spring")
    assert store.season_mark("spring") != before
    store.add_event("first", "b@1 is first", "spring")
    store.add_event("first", "a@1 is first", "spring")
    store.set_season("spring", "closed")
    assert [(one.kind, one.text[:3]) for one in store.events("spring")] == [
        ("first", "a@1"), ("first", "b@1"), ("first", "a@1"), ("closed", "sea"),
    ]  # fmt: skip


def test_anybody_may_register_but_few_of_one_network_and_none_by_anothers_name(store: Store) -> None:
    tokens = [store.register(f"new{at}", "192.0.2.7") for at in range(PER_NETWORK)]
    assert [(owner := store.owner_of(token)) and owner.name for token in tokens] == ["new0", "new1", "new2"]
    with pytest.raises(TooMany) as raised:
        store.register("more", "192.0.2.7")
    assert 0 < raised.value.wait_s <= 86_400
    with pytest.raises(UsageError, match="looks like new0"):
        store.register("NEWO", "192.0.2.8")
    store.invite("ada", "test")
    with pytest.raises(UsageError, match="already"):
        store.register("ada", "192.0.2.8")
    assert store.register("bob", "192.0.2.8")


def test_deleting_an_owner_leaves_games_and_nothing_that_was_sent(store: Store) -> None:
    send(store, "ada", "bob")
    token = store.new_token("ada", "test")
    mine = store.add_bot(plain_bot("x", "ada"), b"mine").bot
    twin = plain_bot("y", "bob")
    twin.hash = "shared"
    store.add_bot(twin, b"shared")
    shared = plain_bot("z", "ada")
    shared.hash = "shared"
    store.add_bot(shared, b"shared")
    assert store.delete_owner("ada", "test") == ["x@1", "z@1"]
    assert store.owner_of(token) is None and store.source("shared") == b"shared"
    with pytest.raises(Exception, match="were deleted"):
        store.source("x")
    with pytest.raises(UsageError, match="were deleted"):
        store.restore(next(bot for bot in store.bots(newest=False) if bot.id == mine.id))
    ((one, _),) = store.submissions_of("ada")
    assert (one.state, one.source, one.note) == ("refused", b"", "")
    assert [one.owner for one in store.queue()] == ["bob"]
    assert store.acts("ada")[-1].what == "delete"


def test_words_for_all_are_kept_until_they_are_removed(store: Store) -> None:
    for words in ("Sunday", "Monday", ""):
        store.set_words("message", words)
        assert store.words("message") == words
