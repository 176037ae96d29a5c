"""Costly answers that one thread makes. People get the last one at once, while it makes the next."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, TypeVar

KEPT = 8  # answers
FRESH_S = 4.0  # an answer is not made again sooner

Value = TypeVar("Value")


@dataclass(frozen=True)
class Made(Generic[Value]):
    """An answer, the state of the store that it is of, and when it was made (monotonic)."""

    value: Value
    state: str
    at: float


class Background(Generic[Value]):
    """Answers by name.

    Args:
        worker: makes them, one after the other.
        make: makes the answer of a name and a state.
    """

    def __init__(self, worker: ThreadPoolExecutor, make: Callable[[str, str], Value]) -> None:
        self._worker, self._make = worker, make
        self._made: dict[str, Made[Value]] = {}
        self._coming: dict[str, Future[Value]] = {}
        self._lock = threading.Lock()

    def of(self, name: str, state: str) -> Value:
        """Return an answer; only the first one of a name is waited for.

        Args:
            name: of the answer.
            state: of the store now; while it is the same, so is the answer.

        Raises:
            ArenaError: what was wrong with the first one.
        """
        with self._lock:
            made = self._made.get(name)
            old = made is None or (made.state != state and time.monotonic() - made.at >= FRESH_S)
            if old and name not in self._coming:
                self._coming[name] = self._worker.submit(self._run, name, state)
            coming = self._coming.get(name)
        if made is not None:
            return made.value
        assert coming is not None
        return coming.result()

    def _run(self, name: str, state: str) -> Value:
        try:
            value = self._make(name, state)
            with self._lock:
                self._made.pop(name, None)
                while len(self._made) >= KEPT:
                    self._made.pop(next(iter(self._made)))
                self._made[name] = Made(value, state, time.monotonic())
            return value
        finally:
            with self._lock:
                self._coming.pop(name, None)
