"""What a bot gains that hears another match's cards through the processor's caches: `python -m tests.attacks --decks`.

Ten minutes, on a machine of two cores with nothing else to do. Three leagues of Flip 7 are played, each
with the bot (`caches/decks.py`) and the same code that neither tells nor hears. Prints Markdown:

- as shipped;
- with the rotations of a deal side by side, so that only private pages close the channel;
- the control: side by side, and all fork servers have the largest library's pages in common. If the bot is
  not better there than its silent twin, the other two rows say nothing.

For the last two the sources are copied to a temporary folder, and the rule is taken out of them there.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
CACHES = Path(__file__).parent / "caches"
DEALS = 128
LEAGUE = f"""
game = "flip7"
players = 4
entrants = ["banker", "racer"]
deals = {DEALS}
[options]
deck = "fresh"
goal = 60
[limits]
cpu_s_bank = 120
cpu_s_match = 200
"""
SIDE_BY_SIDE = ("leagues/schedule.py", "\nAPART = 16", "\nAPART = 1")
IN_COMMON = (
    "arena/jail/pages.py",
    'if mapping.of_file and "w" not in mapping.rights:',
    'if mapping.of_file and "w" not in mapping.rights and "llvmlite" not in mapping.name:',
)
ROWS = (
    ("as shipped", ()),
    ("side by side, private pages", (SIDE_BY_SIDE,)),
    ("side by side, pages in common (control)", (SIDE_BY_SIDE, IN_COMMON)),
)


def main() -> None:
    """Play the leagues and print the table."""
    if len(os.sched_getaffinity(0)) < 2:
        raise SystemExit("this takes two cores")
    print(f"load before: {os.getloadavg()[0]:.1f}\n")
    print("| rotations | Elo with the channel | without | points with | without | told | right | wrong |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, taken_out in ROWS:
        with tempfile.TemporaryDirectory(prefix="decks-") as folder:
            print(line(name, *played(Path(folder), taken_out)), flush=True)


def played(
    folder: Path, taken_out: tuple[tuple[str, str, str], ...]
) -> tuple[dict[str, dict[str, Any]], Counter[str]]:
    """Play a league with sources from which rules are taken out.

    Returns:
        The table's rows of the two bots, and how often they logged each word; `HEARD` counts cards.
    """
    for package in ("arena", "bots", "engines", "leagues"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    for file, rule, other in taken_out:
        text = (folder / file).read_text()
        assert text.count(rule) == 1, f"{file} no longer has {rule!r} once"
        (folder / file).write_text(text.replace(rule, other))
    attack = "".join((CACHES / name).read_text() for name in ("flush_and_reload.py", "decks.py"))
    for name, on in (("teller", True), ("silent", False)):
        head = f'"""Tells and hears cards: {on}."""\n'
        (folder / f"{name}.py").write_text(f"{head}ON, PLACE, BITS = {on}, 'library', ()\n{attack}")
    (folder / "league.toml").write_text(LEAGUE)
    arena(
        folder,
        "league",
        "run",
        "./league.toml",
        "--bots",
        "./teller.py,./silent.py,banker,racer",
        "--workers",
        "2",
    )
    rows = json.loads(arena(folder, "ratings", "flip7", "--format", "json"))
    words: Counter[str] = Counter()
    for logged in arena(folder, "bot", "logs", "teller").splitlines():
        _, _, said = logged.partition(": ")
        word, _, number = said.partition(" ")
        words[word] += int(number) if word == "HEARD" else 1
    return {row["bot"]: row for row in rows}, words


def line(name: str, bots: dict[str, dict[str, Any]], words: Counter[str]) -> str:
    """A line of the table."""
    cells = [
        f"{bots[bot][key]:.{digits}f} ({bots[bot][f'{key}_low']:.{digits}f} to {bots[bot][f'{key}_high']:.{digits}f})"
        for key, digits in (("elo", 0), ("score", 1))
        for bot in ("teller", "silent")
    ]
    return f"| {' | '.join([name, *cells, *(str(words[word]) for word in ('HEARD', 'RIGHT', 'WRONG'))])} |"


def arena(folder: Path, *arguments: str) -> str:
    """Run the program that lies in a folder, with its own database."""
    environment = os.environ | {"PYTHONPATH": str(folder), "ARENA_DB": str(folder / "arena.db")}
    ended = subprocess.run(
        [sys.executable, "-m", "arena", *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return ended.stdout
