"""Measure the memory of a match: `python -m benchmarks.memory`.

Names of games behind it choose games.

Bytes of a state and of a game in a match (its state, moves, legal actions, and what a request needs), and the
proportional set size (PSS: pages that several processes share are divided among them) of the worker, its fork
server and each of its bots in the middle of a match. Not here: what a bot of one's own needs; `arena bot
check` tells that.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
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


def main() -> None:
    """Print a line a game; each game in a process of its own, whose memory is then that of one worker."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=__doc__)
    parser.add_argument("games", nargs="*", choices=engines.names(), help="default: all")
    parser.add_argument("--here", action="store_true", help="measure the one game in this process")
    asked = parser.parse_args()
    if asked.here:
        print(measured(asked.games[0]))
        return
    print("game       bytes a state  bytes a game   PSS in MiB: worker  fork server  a bot  all   target")
    for game in asked.games or engines.names():
        # compiled by another process: who compiles keeps the compiler's memory
        subprocess.run([sys.executable, "-c", WARM_UP, game], check=True)
        sys.stdout.flush()
        subprocess.run([sys.executable, "-m", __spec__.name, "--here", game], check=True)


def measured(name: str) -> str:
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
        for bot in bots:
            bot.close()
    total = worker + server + sum(each)
    missed = " MISSED" if total > TARGET_MIB else ""
    return (
        f"{name:10} {game.state.itemsize:13} {arrays // DEALS:13} {worker:19.1f} {server:12.1f}"
        f" {sum(each) / len(each):6.1f} {total:6.1f} <= {TARGET_MIB}{missed}"
    )


def pss_mib(pid: str) -> float:
    """Proportional set size of a process in MiB."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError as error:
        sys.exit(f"the memory of a jailed process is not shown ({error}): run this as root")
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


if __name__ == "__main__":
    main()
