"""Measure the memory of a match: `python -m benchmarks.memory`.

Names of games behind it choose games; `--parts` prints what the memory is made of.

Bytes of a state and of a game in a match (its state, moves, legal actions, and what a request needs), and the
proportional set size (PSS: pages that several processes share are divided among them) of the worker, its fork
server and each of its bots in the middle of a match. Not here: what a bot of one's own needs; `arena bot
check` tells that.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import engines
from arena.cell import GameZygote
from arena.jail import Limits
from arena.match.batch import MatchGames
from arena.match.bench import trivial
from arena.match.place import Place
from arena.match.setup import MatchSetup

DEALS = 64
ROUNDS = 50
TARGET_MIB = 420
WARM_UP = "import sys; from arena.match.warm import warm_up; warm_up(sys.argv[1])"
PARTS = {
    "llvmlite": "LLVM",
    "openblas": "OpenBLAS",
    "numpy": "NumPy",
    "numba": "Numba's own libraries",
    "libpython": "Python",
    "python3.": "Python",
    "memfd:": "requests, logs, orders",
}
"""Names of parts by a word in the path of what is mapped, the first that fits."""


def main() -> None:
    """Print a line a game; each game in a process of its own, whose memory is then that of one worker."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=__doc__)
    parser.add_argument("games", nargs="*", choices=engines.names(), help="default: all")
    parser.add_argument("--here", action="store_true", help="measure the one game in this process")
    parser.add_argument("--parts", action="store_true", help="PSS of every process by what is mapped")
    asked = parser.parse_args()
    if asked.here:
        print(measured(asked.games[0], asked.parts))
        return
    print("game       bytes a state  bytes a game   PSS in MiB: worker  fork server  a bot  all   target")
    for game in asked.games or engines.names():
        # compiled by another process: who compiles keeps the compiler's memory
        subprocess.run([sys.executable, "-c", WARM_UP, game], check=True)
        sys.stdout.flush()
        more = ["--parts"] if asked.parts else []
        subprocess.run([sys.executable, "-m", __spec__.name, "--here", game, *more], check=True)


def measured(name: str, parts: bool = False) -> str:
    """Return the figures of one game, in a match that is under way."""
    game = engines.load(name)
    seats = range(game.players)
    setup = MatchSetup.of_games(name, range(DEALS), seats, game.check_options()[1])
    with GameZygote(name) as zygote:
        table = MatchGames(setup)
        bots = [Place(zygote, trivial(name), Limits().for_match(DEALS), seed, None) for seed in seats]
        for bot in bots:
            if fault := bot.ready():
                raise RuntimeError(fault.text)
        for _ in range(ROUNDS):
            if not table.ask_next(bots):
                break
        arrays = sum(value.nbytes for value in vars(table).values() if hasattr(value, "nbytes"))
        pids = ["self", *map(str, (zygote.pid, *(bot.pid for bot in bots)))]
        worker, server, *each = (pss_mib(pid) for pid in pids)
        detail = f"\n{parts_table(pids[:3])}" if parts else ""
        for bot in bots:
            bot.close()
    total = worker + server + sum(each)
    missed = " MISSED" if total > TARGET_MIB else ""
    return (
        f"{name:10} {game.state.itemsize:13} {arrays // DEALS:13} {worker:19.1f} {server:12.1f}"
        f" {sum(each) / len(each):6.1f} {total:6.1f} <= {TARGET_MIB}{missed}{detail}"
    )


def parts_table(pids: Sequence[str]) -> str:
    """PSS in MiB of worker, fork server and first bot by part, the largest first."""
    worker, server, bot = map(pss_by_part, pids)
    names = sorted({*worker, *server, *bot}, key=lambda name: -worker[name] - server[name])
    lines = [f"  {'part':30} worker  fork server  a bot"]
    lines += [f"  {n:30} {worker[n]:6.1f} {server[n]:12.1f} {bot[n]:6.1f}" for n in names]
    return "\n".join(lines)


def pss_by_part(pid: str) -> defaultdict[str, float]:
    """PSS in MiB of a process by what is mapped: libraries that belong together are one part."""
    found: defaultdict[str, float] = defaultdict(float)
    part = ""
    for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        first, *rest = line.split(maxsplit=5)
        if "-" in first and not first.endswith(":"):
            part = part_of(rest[4] if len(rest) > 4 else "")
        elif first == "Pss:":
            found[part] += int(rest[0]) / 1024
    return found


def part_of(path: str) -> str:
    """Return the part that a mapping belongs to."""
    for word, name in PARTS.items():
        if word in path:
            return name
    return "other libraries" if path.startswith("/") else "memory of its own"


def pss_mib(pid: str) -> float:
    """Proportional set size of a process in MiB."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError as error:
        sys.exit(f"the memory of a jailed process is not shown ({error}): run this as root")
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


if __name__ == "__main__":
    main()
