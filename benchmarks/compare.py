"""Speed of this tree against another commit: `make bench-compare REV=main~5`, with `GAMES="flip7"` for some.

Both run `arena bench --quick` alternately, so that load and heat of the machine fall on both. A figure has
moved if every measurement of one side lies beyond every one of the other: with five of each that happens to
one figure in 126 by chance. Figures that only one side has are left out. Not here: what is measured
(`arena.match.bench`, each side its own).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROUNDS = 5
LEAST = 0.02  # share that a figure must have moved at least to be told

Figures = dict[tuple[str, str, str], list[float]]
"""Measurements by game, what and unit."""


def main() -> None:
    """Measure, and print what has moved."""
    parser = argparse.ArgumentParser(prog="make bench-compare", description=__doc__)
    parser.add_argument("rev", help="the other commit: a branch, tag or hash")
    parser.add_argument("games", nargs="*", help="games to measure; default: all")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"of each side (default: {ROUNDS})")
    asked = parser.parse_args()
    if asked.rounds < 2:
        parser.error("--rounds: without two of each side nothing is known about noise")
    with checked_out(asked.rev) as other:
        before, after = measure(other, ROOT, asked.games, asked.rounds)
    print(report(before, after))


@contextmanager
def checked_out(rev: str) -> Iterator[Path]:
    """Give a worktree of a commit, for as long as it is needed."""
    known = subprocess.run(
        ["git", "rev-parse", "--verify", "--quiet", f"{rev}^{{commit}}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if known.returncode:
        sys.exit(f"no commit {rev!r} in this repository: git log --oneline has them")
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        tree = Path(folder) / "tree"
        git = ["git", "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", tree, known.stdout.strip()], cwd=ROOT, check=True)
        try:
            yield tree
        finally:
            subprocess.run([*git, "remove", "--force", tree], cwd=ROOT, check=True)


def measure(other: Path, own: Path, games: Sequence[str], rounds: int) -> tuple[Figures, Figures]:
    """All figures of both trees; which of them begins changes from round to round."""
    figures: dict[Path, Figures] = {other: defaultdict(list), own: defaultdict(list)}
    for tree in (other, own):
        once(tree, games)  # compiles
    for number in range(rounds):
        for tree in (other, own) if number % 2 == 0 else (own, other):
            for key, value in once(tree, games).items():
                figures[tree][key].append(value)
        print(f"round {number + 1} of {rounds} measured", file=sys.stderr)
    return figures[other], figures[own]


def once(tree: Path, games: Sequence[str]) -> dict[tuple[str, str, str], float]:
    """One `arena bench` of a tree. Compiled code of both lies in this tree's cache, by its sources."""
    cache = os.environ.get("ARENA_CACHE", str(ROOT / "engines" / "__pycache__"))
    ran = subprocess.run(
        [sys.executable, "-m", "arena", "bench", "--quick", "--format", "json", *games],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree), "ARENA_CACHE": cache},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if ran.returncode:
        sys.exit(f"arena bench fails in {tree}: see above")
    return {(row["game"], row["what"], row["unit"]): row["value"] for row in json.loads(ran.stdout)}


def report(before: Figures, after: Figures) -> str:
    """Return a line for every figure that has moved, and how many have not."""
    both = [key for key in before if key in after]
    lines = []
    for key in both:
        old, new = before[key], after[key]
        change = statistics.median(new) / statistics.median(old) if statistics.median(old) else 1.0
        apart = max(old) < min(new) or max(new) < min(old)
        if apart and abs(change - 1) >= LEAST:
            game, what, unit = key
            better = (change > 1) == unit.endswith("/s")
            shown = f"{statistics.median(old):10.2f} -> {statistics.median(new):10.2f} {unit:14}"
            lines.append(f"{game:10} {what:40} {shown} x {change:.2f} {'better' if better else 'WORSE'}")
    lines.append(f"{len(lines)} of {len(both)} figures moved beyond noise")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
