"""What commands cost that read a large run: `python -m benchmarks.large FOLDER`.

The run is made first, unless it is there: legal moves at random, so that it can be verified; nothing is
sandboxed. The default is a million games of Flip 7 by 200 bots (27 200 matches). Then each command is a
process, of which CPU seconds and the most memory are printed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import engines
from arena.match.played import REQUEST, Moves, PlayedMatch
from arena.match.setup import MatchSetup
from arena.runs.open import enter, open_run, prepare
from arena.runs.stages import setups
from arena.store import Store
from leagues.definition import League

GAME = "flip7"
RUN = "large#1"
BOT = '"""Bot {at}."""\n\nGAMES = ["{game}"]\n\n\ndef act(view):\n    return view.legal[0]\n'
AT_ONCE = 500  # matches that are played and stored together
CPU_S = 20e-6  # of a decision
COMMANDS = (
    ("league", "show"),
    ("league", "show", RUN),
    ("league", "show", RUN, "--format", "json"),
    ("ratings", GAME),
    ("league", "verify", RUN, "--workers", "1"),
    ("report", RUN),
)


def main() -> None:
    """Make the run, and print a line for every command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the database is, or will be")
    parser.add_argument("--bots", type=int, default=200)
    parser.add_argument("--deals", type=int, default=5000, help="for every bot")
    parser.add_argument("--only", action="append", metavar="WORD", help="commands with this word")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    db = asked.folder / f"{asked.bots}-{asked.deals}.db"
    if not db.exists():
        make(db, asked.bots, asked.deals)
    print("  CPU s  wall s  most MiB  command")
    for command in COMMANDS:
        if asked.only is None or set(asked.only) & set(command):
            print(measured(db, command), flush=True)


def measured(db: Path, command: Sequence[str]) -> str:
    """Run a command, and return its costs as a line."""
    words = [sys.executable, "-m", "arena", *command, "--db", str(db)]
    began = time.monotonic()
    root = Path(__file__).parents[1]
    with (db.parent / "output").open("ab") as output:
        process = subprocess.Popen(
            words, cwd=db.parent, env=os.environ | {"PYTHONPATH": str(root)}, stdout=output, stderr=output
        )
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall_s, cpu_s = time.monotonic() - began, used.ru_utime + used.ru_stime
    failed = f" exit code {process.returncode}" if process.returncode else ""
    return f"{cpu_s:7.1f} {wall_s:7.1f} {used.ru_maxrss / 1024:9.0f}  {' '.join(command)}{failed}"


def make(db: Path, bots: int, deals: int) -> None:
    """Store a finished run of bots that play at random."""
    names = []
    for at in range(bots):
        file = db.parent / f"bot{at:03}.py"
        file.write_text(BOT.format(at=at, game=GAME))
        names.append(str(file))
    store = Store(str(db), create=True)
    league = League.of(name="large", game=GAME, players=4, deals=deals)
    run = open_run(store, prepare(store, league, enter(store, league, names))).run
    left = setups(store, run)
    while part := list(islice(left, AT_ONCE)):
        store.matches.add(run, list(played(part)))
    store.runs.close(run)


def played(parts: Sequence[MatchSetup]) -> Iterator[PlayedMatch]:
    """Play the games of some matches at random, all at once."""
    game, rng = engines.load(GAME), np.random.default_rng(parts[0].number)
    first = parts[0]
    seeds = np.concatenate([one.seeds for one in parts])
    seated = np.concatenate([one.places for one in parts])
    match = np.repeat(np.arange(len(parts)), [len(one.seeds) for one in parts])
    states = game.new(len(seeds), seeds, first.players, **first.options).copy()
    asked = np.zeros((len(parts), first.players), np.int64)
    made: list[tuple[NDArray[np.int64], NDArray[np.int16]]] = []
    while len(rows := np.flatnonzero(~game.over(states))):
        part = states[rows]
        legal = game.legal_mask(part)
        actions = (rng.random(legal.shape) * legal).argmax(axis=1)
        choice = legal.sum(axis=1) > 1
        place = seated[rows, part["seat"]]
        np.add.at(asked, (match[rows[choice]], place[choice]), 1)
        made.append((rows, actions.astype(np.int16)))
        game.step(part, actions)
        states[rows] = part
    of_game = np.concatenate([rows for rows, _ in made])
    order = of_game.argsort(kind="stable")
    every = np.concatenate([actions for _, actions in made])[order]
    moves = np.split(every, np.cumsum(np.bincount(of_game, minlength=len(seeds)))[:-1])
    scores, end = game.scores(states), 0
    for setup, counts in zip(parts, asked.tolist(), strict=True):
        begin, end = end, end + len(setup.seeds)
        requests = np.array([(at, count, count * CPU_S) for at, count in enumerate(counts)], REQUEST)
        cpu_s = [count * CPU_S for count in counts]
        packed = Moves(moves[begin:end])
        match_now = PlayedMatch.of(setup, scores[begin:end], packed, cpu_s, counts, requests=requests)
        many = [64.0] * setup.players, [0.0] * setup.players
        yield replace(match_now, wall_s=1.0, memory_mib=many[0], slept_s=many[1])


if __name__ == "__main__":
    main()
