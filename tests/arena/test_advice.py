"""Questions to bots on a server: one after another, few of one address, and an end for what takes too long."""

import threading
from pathlib import Path
from typing import Any

import pytest

from arena.errors import UsageError
from arena.replay.analysis import values
from arena.replay.recorded import Recorded, stored
from arena.store import Store
from arena.store.submissions import TooMany
from arena.web.advice import MOST_OF_ONE, MOST_WAITING, Advisers
from tests.arena.played import finished


@pytest.fixture
def game(tmp_path: Path) -> tuple[Store, Recorded]:
    store = Store(str(tmp_path / "arena.db"), create=True)
    finished(store, "flip7", goal=30)
    return store, stored(store, "flip7#1/0")


def test_few_questions_of_one_address_and_few_of_all_wait(
    game: tuple[Store, Recorded], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, played = game
    advisers, gate, asked = Advisers(store), threading.Event(), threading.Barrier(MOST_WAITING + 1)
    monkeypatch.setattr(advisers, "_asked", lambda *_: gate.wait(60) and {"choices": []})
    found: list[Any] = []

    def question(who: str) -> None:
        asked.wait(60)
        found.append(advisers.ask(played, "racer", 0, who))

    everybody = [f"192.0.2.{at // MOST_OF_ONE}" for at in range(MOST_WAITING)]
    threads = [threading.Thread(target=question, args=(who,)) for who in everybody]
    for thread in threads:
        thread.start()
    asked.wait(60)
    while len(advisers._waiting) < MOST_WAITING:
        assert not gate.wait(0.01)
    for who in ("192.0.2.0", "198.51.100.1"):
        with pytest.raises(TooMany, match="wait a moment"):
            advisers.ask(played, "racer", 0, who)
    gate.set()
    for thread in threads:
        thread.join(60)
    assert len(found) == MOST_WAITING and advisers.ask(played, "racer", 0, "192.0.2.0")


def test_a_bot_that_takes_too_long_is_shown_as_far_as_it_was_asked(
    game: tuple[Store, Recorded], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, played = game
    monkeypatch.setattr("arena.web.advice.PATIENCE_S", 0.0)
    said = Advisers(store).ask(played, "racer", 0, "")
    assert len(said["choices"]) == 1 and said["until"] == said["choices"][0][0]
    assert said["failed"].startswith("it was asked for")


def test_what_is_not_there_is_refused(game: tuple[Store, Recorded]) -> None:
    store, played = game
    with pytest.raises(UsageError, match="seats are 0 to"):
        Advisers(store).ask(played, "racer", played.players, "")
    with pytest.raises(UsageError, match="nothing to decide"):
        values(played, len(played.moves))
    with pytest.raises(UsageError, match="of yours plays flip7"):
        Advisers(store).bot("nobody@1", "flip7", "ada")
