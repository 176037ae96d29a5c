"""Costly answers that one thread makes. People get the last one at once, while it makes the next."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, TypeVar

from ..errors import ArenaError

KEPT = 12  # answers
FRESH_S = 4.0  # an answer is not made again sooner
STALE_S = 120.0  # an answer that was last known to hold so long ago is not given: the next one is waited for
WAIT_S = 8.0  # who asks is not kept longer: the page says what is being made, and asks again
LOOK_S = 1.0  # what may have changed is not looked up sooner

Value = TypeVar("Value")


class Coming(ArenaError):
    """An answer that is still being made: ask again."""


@dataclass(frozen=True)
class Made(Generic[Value]):
    """An answer, the state of the store that it is of, and when it was made (monotonic)."""

    value: Value
    state: str
    at: float


class Background(Generic[Value]):
    """Answers by name; each is of a state of the store."""

    def __init__(self, worker: ThreadPoolExecutor, make: Callable[[str, str], Value]) -> None:
        self._worker, self._make = worker, make
        self._made: dict[str, Made[Value]] = {}
        self._coming: dict[str, Future[Value]] = {}
        self._held: dict[str, float] = {}  # when an answer was last known to hold
        self._lock = threading.Lock()

    def of(self, name: str, state: str) -> Value:
        """Return an answer. Only the first one of a name is waited for, and one after a long silence.

        Args:
            state: of the store now; while it is the same, so is the answer.

        Raises:
            Coming: it is not ready after `WAIT_S`.
            ArenaError: what was wrong with the first one.
        """
        time_s = time.monotonic()
        with self._lock:
            made = self._made.get(name)
            if made is not None and made.state == state:
                self._held[name] = time_s
            old = made is None or (made.state != state and time_s - made.at >= FRESH_S)
            if old and name not in self._coming:
                self._coming[name] = self._worker.submit(self._run, name, state)
            coming = self._coming.get(name)
            stale = made is None or time_s - self._held[name] >= STALE_S
        if made is None or (stale and coming is not None):
            assert coming is not None
            try:
                return coming.result(WAIT_S)
            except TimeoutError:
                raise Coming("this is being made: ask again in a second") from None
        return made.value

    def _run(self, name: str, state: str) -> Value:
        try:
            value = self._make(name, state)
            with self._lock:
                self._made.pop(name, None)
                while len(self._made) >= KEPT:
                    gone = next(iter(self._made))
                    del self._made[gone], self._held[gone]
                self._made[name] = Made(value, state, time.monotonic())
                self._held[name] = self._made[name].at
            return value
        finally:
            with self._lock:
                self._coming.pop(name, None)


class Marks:
    """Marks of what may have changed. Each is looked up once in `LOOK_S`, by one of those who ask."""

    def __init__(self, look: Callable[[str], str]) -> None:
        self._look = look
        self._known: dict[str, tuple[float, str]] = {}
        self._looking = threading.Lock()

    def of(self, name: str) -> str:
        """Return a mark; while one looks it up, the others get the last one.

        Raises:
            ArenaError: it cannot be looked up.
        """
        known = self._known.get(name)
        if known is not None and time.monotonic() - known[0] < LOOK_S:
            return known[1]
        if not self._looking.acquire(blocking=known is None):
            assert known is not None
            return known[1]
        try:
            self._known[name] = time.monotonic(), self._look(name)
            return self._known[name][1]
        finally:
            self._looking.release()
