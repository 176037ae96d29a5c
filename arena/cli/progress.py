"""How far a run is, on stderr: a line that changes in a terminal, else one now and then, or JSON lines.

Where nothing ends for `QUIET_S`, a line says that, too.
"""

from __future__ import annotations

import contextlib
import json
import math
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any

from arena.cli.output import Volume
from arena.printable import unwatched

if TYPE_CHECKING:
    from arena.printable import Watch

EVERY_S = {"auto": 0.2, "plain": 30.0, "json": 2.0}  # between two lines; the first and the last come at once

QUIET_S = 30.0
TICK_S = 5.0


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
        return unwatched
    return partial(_lines, Progress.PLAIN if how is Progress.AUTO and not sys.stderr.isatty() else how)


@contextlib.contextmanager
def _lines(how: Progress, total: int, before: int, unit: str) -> Iterator[Callable[..., None]]:
    """Progress in lines: the first at once, then one every `EVERY_S`, and the last state, each only once."""
    began, done, known = time.monotonic(), before, dict[str, Any]()
    heard, ended, lock = began, threading.Event(), threading.Lock()
    said_at, news = -math.inf, False  # since the last line

    def add(n: int, **facts: Any) -> None:
        nonlocal done, news, heard
        with lock:
            done, news, heard = done + n, True, time.monotonic()
            known.update(facts)
            if heard - said_at > EVERY_S[how]:
                tell()

    def watch() -> None:
        while not ended.wait(TICK_S):
            with lock:
                quiet = time.monotonic() - heard
                if min(quiet, time.monotonic() - said_at) >= QUIET_S:
                    tell(seconds_without_result=round(quiet))

    def tell(**more: Any) -> None:
        nonlocal said_at, news
        passed = time.monotonic() - began
        rate = (done - before) / passed if passed > 0 else 0.0
        left = round((total - done) / rate) if rate and done - before >= min(total / 100, 100) else None
        facts = {unit: done, f"{unit}_planned": total, **known}
        facts |= {f"{unit}_per_s": round(rate, 3), "seconds_left": left} | more
        line = json.dumps(facts) if how is Progress.JSON else in_words(facts, unit)
        if how is Progress.AUTO:
            live_line(line)
        else:
            print(line, file=sys.stderr, flush=True)
        said_at, news = time.monotonic(), False

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield add
    finally:
        ended.set()
        thread.join()
        if how is Progress.AUTO:
            live_line("")
        elif news:
            tell()


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
    if "seconds_without_result" in facts:
        parts.append(f"no result for {duration(facts['seconds_without_result'])}")
    left = facts["seconds_left"]
    most = "at most " if facts.get("may_end_sooner") else ""
    parts.append("time left unknown" if left is None else f"{most}{duration(left)} left")
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
