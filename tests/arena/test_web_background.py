"""Reports are made by one thread, bots are asked one after another, and nobody waits for what is there already."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from arena.errors import UsageError
from arena.replay.analysis import values
from arena.replay.recorded import Recorded, stored
from arena.store import Store
from arena.store.submissions import TooMany
from arena.web import background
from arena.web.advice import MOST_OF_ONE, MOST_WAITING, Advisers
from arena.web.background import KEPT, Background, Coming, Marks
from tests.arena.played import finished


def test_only_a_first_answer_is_waited_for_and_it_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "FRESH_S", 0.0)
    begun, go_on, made = threading.Semaphore(0), threading.Semaphore(0), list[str]()

    def make(name: str, state: str) -> str:
        begun.release()
        assert go_on.acquire(timeout=60)
        made.append(state)
        return f"{name} {state}"

    with ThreadPoolExecutor(1) as worker, ThreadPoolExecutor(8) as people:
        answers = Background(worker, make)
        first = [people.submit(answers.of, "flip7", "a") for _ in range(8)]
        assert begun.acquire(timeout=60)
        go_on.release()
        assert {one.result(60) for one in first} == {"flip7 a"} and made == ["a"]
        assert answers.of("flip7", "a") == "flip7 a" and made == ["a"]
        assert [answers.of("flip7", "b") for _ in range(8)] == ["flip7 a"] * 8  # at once: it is being made
        assert begun.acquire(timeout=60)
        go_on.release()
        worker.submit(lambda: None).result(60)
        assert answers.of("flip7", "b") == "flip7 b" and made == ["a", "b"]


def test_who_asks_for_a_long_answer_is_told_to_ask_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "WAIT_S", 0.0)
    go_on = threading.Event()

    def make(name: str, state: str) -> str:
        assert go_on.wait(60)
        return name

    with ThreadPoolExecutor(1) as worker:
        answers = Background(worker, make)
        for _ in range(2):
            with pytest.raises(Coming, match="ask again"):
                answers.of("flip7", "a")
        go_on.set()
        worker.submit(lambda: None).result(60)
        assert answers.of("flip7", "a") == "flip7"


def test_an_old_answer_is_not_given_when_it_holds_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "FRESH_S", 0.0)
    with ThreadPoolExecutor(1) as worker:
        answers = Background(worker, lambda name, state: state)
        assert answers.of("spring", "a") == "a"
        monkeypatch.setattr(background, "STALE_S", 0.0)
        assert answers.of("spring", "a") == "a"
        assert answers.of("spring", "b") == "b"


def test_a_mark_is_looked_up_once_in_a_while_and_nobody_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on, looks = threading.Event(), threading.Event(), list[str]()

    def look(name: str) -> str:
        looks.append(name)
        if len(looks) > 1:
            begun.set()
            assert go_on.wait(60)
        return f"{name} {len(looks)}"

    marks = Marks(look)
    assert [marks.of("spring"), marks.of("spring")] == ["spring 1"] * 2 and len(looks) == 1
    monkeypatch.setattr(background, "LOOK_S", 0.0)
    with ThreadPoolExecutor(1) as people:
        second = people.submit(marks.of, "spring")
        assert begun.wait(60)
        assert marks.of("spring") == "spring 1" and len(looks) == 2
        go_on.set()
        assert second.result(60) == "spring 2"


def test_a_failure_is_told_and_tried_again_and_few_answers_are_kept() -> None:
    asked: list[str] = []

    def make(name: str, state: str) -> str:
        asked.append(name)
        if name == "none":
            raise UsageError("no run 'none'")
        return name

    with ThreadPoolExecutor(1) as worker:
        answers = Background(worker, make)
        for _ in range(2):
            with pytest.raises(UsageError, match="no run"):
                answers.of("none", "a")
        names = [str(at) for at in range(KEPT + 1)]
        assert [answers.of(name, "a") for name in names] == names
        assert answers.of(names[-1], "a") == names[-1] and answers.of("0", "a") == "0"
    assert asked == ["none", "none", *names, "0"]


@pytest.fixture
def game(tmp_path: Path) -> tuple[Store, Recorded]:
    store = Store(str(tmp_path / "arena.db"), create=True)
    finished(store, "flip7", goal=30)
    return store, stored(store, "flip7#1/0")


def test_only_few_questions_wait(game: tuple[Store, Recorded], monkeypatch: pytest.MonkeyPatch) -> None:
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
