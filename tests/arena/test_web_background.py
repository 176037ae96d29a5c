"""Reports are made by one thread, and who looks at an old one or sits at a table waits for none."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from arena.errors import UsageError
from arena.web import background
from arena.web.background import KEPT, Background, Coming, Marks


def test_only_the_first_answer_is_waited_for_and_many_who_ask_have_one_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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


def test_who_asks_for_an_answer_that_takes_long_is_told_to_ask_again_and_gets_it_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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


def test_an_answer_that_nobody_asked_for_in_long_is_not_given_when_it_holds_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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
