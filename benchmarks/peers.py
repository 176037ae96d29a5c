"""Other projects' libraries beside this one, in one run: `make bench-peers` (extra `bench`).

One decision is one action of a player applied, the legal actions computed before it; dealing is in it.
Policies are uniformly random and in Python on both sides, unless a row says otherwise. Every row is a median
of several windows of CPU time, and windows of all rows alternate, so that the machine's moods fall on all
alike. A library that is not installed is told as skipped; kaggle-environments wants other versions of what we
use, so it is no part of the extra. Writes results/peers.json and results/peers.md.

Not the same work: games differ in rules and length, so decisions are compared, and only with the peer whose
game is nearest; libraries written in C++ are marked. Not here: what each library is asked (`peer_games`).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from . import peer_games
from .peer_games import Row

RESULTS = Path(__file__).parents[1] / "results"
WINDOWS = 5


@dataclass
class Timed:
    """A row with the rates of its windows: units per CPU second."""

    row: Row
    version: str
    rates: list[float] = field(default_factory=list)

    @property
    def us(self) -> float:
        """Median of microseconds a unit."""
        return 1e6 / statistics.median(self.rates)

    @property
    def spread(self) -> float:
        """Slowest window over the fastest, less 1."""
        return max(self.rates) / min(self.rates) - 1


def main() -> None:
    """Measure what is installed; print and write the tables."""
    parser = argparse.ArgumentParser(prog="make bench-peers", description=__doc__)
    parser.add_argument("--windows", type=int, default=WINDOWS, help=f"of each row (default: {WINDOWS})")
    parser.add_argument("--seconds", type=float, default=0.5, help="of a window (default: 0.5)")
    parser.add_argument("--only", default="", help="rows whose library or subject has this in its name")
    asked = parser.parse_args()
    rows, skipped = ready(asked.only)
    for number in range(asked.windows):
        for timed in rows:
            timed.rates.append(rate(timed.row.once, asked.seconds))
        print(f"window {number + 1} of {asked.windows} measured", file=sys.stderr)
    text = as_markdown(rows, skipped)
    plain = [
        {
            "library": t.row.library, "version": t.version, "about": t.row.about, "what": t.row.what,
            "unit": t.row.unit, "us": t.us, "spread": t.spread, "rates": t.rates,
        }
        for t in rows
    ]  # fmt: skip
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "peers.md").write_text(text)
    report = {"machine": machine(), "rows": plain, "skipped": skipped}
    (RESULTS / "peers.json").write_text(json.dumps(report, indent=1) + "\n")
    print(text)


def ready(only: str) -> tuple[list[Timed], dict[str, str]]:
    """All rows whose library works, called once; and why the others' libraries do not."""
    rows: list[Timed] = []
    skipped: dict[str, str] = {}
    for library, package, make in peer_games.LIBRARIES:
        try:
            for row in make():
                if only in row.library or only in row.about:
                    row.once()
                    rows.append(Timed(row, version(package)))
        except ImportError as error:
            skipped[library] = f"not installed ({error})"
        except Exception as error:  # another library's: any; one that fails spoils no other's row
            skipped[library] = f"failed: {type(error).__name__}: {error}"[:300]
    return rows, skipped


def version(package: str) -> str:
    """Of an installed package; of this one the commit is what counts."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "this checkout"


def rate(once: Callable[[], int], seconds: float) -> float:
    """Units per CPU second of `once`, which returns how many it did."""
    began, units = time.process_time(), 0
    while time.process_time() - began < seconds:
        units += once()
    return units / (time.process_time() - began)


def machine() -> dict[str, str]:
    """Return what was measured on."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    for line in info.read_text().splitlines() if info.exists() else ():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    return {"processor": model, "cores": str(os.cpu_count()), "python": platform.python_version()}


def as_markdown(rows: list[Timed], skipped: dict[str, str]) -> str:
    """Return the rows by subject, ours first, each with how much longer it takes than ours."""
    lines = [f"Measured on: {', '.join(machine().values())}.", ""]
    lines += ["| about | library | what | us | windows differ by | times ours |"]
    lines += ["| --- | --- | --- | ---: | ---: | ---: |"]
    lines += list(_table(rows))
    lines += ["", *(f"Skipped: {library}, {why}." for library, why in skipped.items())]
    return "\n".join(lines).rstrip() + "\n"


def _table(rows: list[Timed]) -> Iterator[str]:
    for about in dict.fromkeys(timed.row.about for timed in rows):
        mine = [timed for timed in rows if timed.row.about == about]
        ours = {timed.row.unit: timed.us for timed in reversed(mine) if timed.row.ours}
        for timed in sorted(mine, key=lambda timed: not timed.row.ours):
            row = timed.row
            times = ""
            if not row.ours and row.unit in ours:
                times = f"{timed.us / ours[row.unit]:.3g}"
            yield (
                f"| {about} | {row.library} {timed.version} | {row.what} | {timed.us:.3g} a {row.unit} "
                f"| {timed.spread:.0%} | {times} |"
            )


if __name__ == "__main__":
    main()
