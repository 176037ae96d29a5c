"""Reports are made by one thread, and who looks at an old one or sits at a table waits for none."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from arena.errors import UsageError
from arena.web import background
from arena.web.background import KEPT, Background


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
