"""How far a run is, on stderr: a line that changes in a terminal, else one now and then, or JSON lines."""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from arena.cli.output import Volume

if TYPE_CHECKING:
    from arena.printable import Watch

EVERY_S = {"auto": 0.2, "plain": 30.0, "json": 2.0}  # between two lines; the first and the last come at once


class Progress(StrEnum):
    """How progress is shown."""

    AUTO = "auto"
    PLAIN = "plain"
    JSON = "json"
    NONE = "none"


def watching(how: Progress) -> Watch:
    """Return the function that makes the display of a run.

    Called with total, done and unit, it yields a function that adds finished units, with facts: `matches`,
    `matches_planned`, `nodes`, `repeated`.
    """
    if how is Progress.NONE or Volume.quiet:
        return _nothing
    return _lines(Progress.PLAIN if how is Progress.AUTO and not sys.stderr.isatty() else how)


@contextlib.contextmanager
def _nothing(total: int, done: int, unit: str) -> Iterator[Callable[..., None]]:
    yield lambda more, **facts: None


def _lines(how: Progress) -> Watch:
    @contextlib.contextmanager
    def lines(total: int, done: int, unit: str) -> Iterator[Callable[..., None]]:
        told = _Told(how, total, done, unit)
        try:
            yield told.add
        finally:
            told.end()

    return lines


class _Told:
    """Progress in lines: the first at once, then one every `EVERY_S`, and the last state, each only once."""

    def __init__(self, how: Progress, total: int, done: int, unit: str) -> None:
        self._how, self._total, self._before, self._unit = how, total, done, unit
        self._done = done
        self._known: dict[str, Any] = {}
        self._began = time.monotonic()
        self._said_at: float | None = None
        self._news = False  # since the last line

    def add(self, n: int, **facts: Any) -> None:
        """Units are finished."""
        self._done += n
        self._known.update(facts)
        self._news = True
        if self._said_at is None or time.monotonic() - self._said_at > EVERY_S[self._how]:
            self._tell()

    def end(self) -> None:
        """Nothing more comes."""
        if self._how is Progress.AUTO:
            live_line("")
        elif self._news:
            self._tell()

    def _tell(self) -> None:
        passed, unit = time.monotonic() - self._began, self._unit
        rate = (self._done - self._before) / passed if passed > 0 else 0.0
        left = (self._total - self._done) / rate if rate else None
        facts = {unit: self._done, f"{unit}_planned": self._total, **self._known}
        facts |= {f"{unit}_per_s": round(rate, 3), "seconds_left": None if left is None else round(left)}
        line = json.dumps(facts) if self._how is Progress.JSON else in_words(facts, unit)
        if self._how is Progress.AUTO:
            live_line(line)
        else:
            print(line, file=sys.stderr, flush=True)
        self._said_at, self._news = time.monotonic(), False


def live_line(text: str) -> None:
    """Put a text in place of the last line of the terminal."""
    width = shutil.get_terminal_size().columns - 1
    print(f"\r\x1b[K{text[:width]}", end="", file=sys.stderr, flush=True)


def in_words(facts: dict[str, Any], unit: str) -> str:
    """One line for people."""
    parts = [f"{facts[unit]} of {facts[f'{unit}_planned']} {unit}"]
    if "matches" in facts and unit != "matches":
        parts.append(f"{facts['matches']} of {facts['matches_planned']} matches")
    parts.append(_rate(facts[f"{unit}_per_s"], unit))
    if "nodes" in facts:
        parts.append(f"{facts['nodes']} node{'s' if facts['nodes'] != 1 else ''}")
    if facts.get("repeated"):
        parts.append(f"{facts['repeated']} called off and played again")
    left = facts["seconds_left"]
    parts.append("time left unknown" if left is None else f"{duration(left)} left")
    return ", ".join(parts)


def _rate(per_s: float, unit: str) -> str:
    """How fast it goes, by the second or, if slowly, by the minute."""
    return f"{per_s:.1f} {unit}/s" if per_s >= 1 else f"{60 * per_s:.1f} {unit}/min"


def duration(seconds: float) -> str:
    """Two largest units: 3 h 20 min."""
    minutes, whole = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (whole, "s")]
    first = next((at for at, (n, _) in enumerate(parts) if n), 3)
    return " ".join(f"{n} {unit}" for n, unit in parts[first : first + 2] if n) or "0 s"
