"""Train a network to play a game, and write it as a bot.

    python -m engines.learn taroky --cpu-seconds 3600

It learns from random worlds where the game's rollout policy should have played otherwise
(`engines.learn.training`). The folder gets the bot, a checkpoint, from
which the same command goes on, and `curve.csv`: how the network stood against the game's rollout policy on
fresh deals, with its standard error.
"""

from __future__ import annotations

import os
import signal
import sys

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C while all is imported needs no traceback
if __name__ == "__main__" and "OPENBLAS_NUM_THREADS" not in os.environ:
    # Small matrix products in many threads only wait for each other, and waiting counts as CPU time. NumPy
    # reads this when it is imported, which is before this line.
    os.environ |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")
    os.execv(sys.executable, [sys.executable, "-m", "engines.learn", *sys.argv[1:]])

import argparse
import fcntl
import time
from pathlib import Path
from typing import IO

import numpy as np

import engines

from .. import GameError
from ..game import Game
from . import training
from .training import CHECKPOINT, Labels, Learner, PricedGames

# one string a line: the harness finds what a file imports by how its lines begin
BOT = (
    '"""The rollout policy, corrected by a network that learnt from random worlds."""\n\n'
    "from pathlib import Path\n\n"
    "from engines.learn.network import Network\n\n"
    'GAMES = ["{game}"]\n'
    'NETWORK = Network.load(Path(__file__).with_name("weights.npz"))\n\n\n'
    "def act_batch(views):\n"
    '    """Return the best action of each view, for all in one go."""\n'
    "    return NETWORK.choose(views)\n"
)
LANES, RATE, SAVED = 128, 1e-3, 20
"""Games beside each other; of learning, falls to a tenth; CPU seconds from one checkpoint to the next."""
DEALT, FRESH = 1024, 1 << 40
"""Games by which the curve is measured, and the first seed of their deals, which training does not reach."""


def main() -> int:
    """Train, write the bot; the exit code."""
    words = argparse.ArgumentParser(prog="python -m engines.learn", description=__doc__)
    words.add_argument("game", help=", ".join(engines.names()))
    words.add_argument("--folder", type=Path, help="of the bot (default: my_bots/net_GAME)")
    words.add_argument("--cpu-seconds", type=float, default=1200, help="in all (default: 1200)")
    words.add_argument("--hidden", type=int, default=128, help="units of a layer (default: 128)")
    words.add_argument("--seed", type=int, default=1)
    asked = words.parse_args()
    if not (0 < asked.cpu_seconds < float("inf") and 1 <= asked.hidden <= 4096 and 0 <= asked.seed < 1 << 31):
        words.error("allowed are --cpu-seconds above 0, --hidden from 1 to 4096, --seed from 0 to 2^31 - 1")
    folder = asked.folder or Path(f"my_bots/net_{asked.game}")
    for stop in signal.SIGINT, signal.SIGTERM:
        signal.signal(stop, signal.default_int_handler)
    try:
        game = engines.load(asked.game)
        if not game.columns:
            raise GameError(f"{game.name} has no encoding to learn from")
        train(game, folder, asked)
    except (GameError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        there = (folder / CHECKPOINT).exists()
        print("stopped" + "; the same command goes on from the checkpoint" * there, file=sys.stderr)
        return 130
    return 0


def train(game: Game, folder: Path, asked: argparse.Namespace) -> None:
    """Train in a folder that nobody else trains in; what was trained is kept at every end."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = os.open(folder, os.O_RDONLY)  # it holds until the process ends
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise GameError(f"{folder}: another process trains there; name another --folder") from None
    bot, source = folder / "__init__.py", BOT.format(game=game.name)
    fresh = not (folder / CHECKPOINT).exists()
    there = [path.name for path in (bot, folder / "weights.npz", folder / "curve.csv") if path.exists()]
    if fresh and there and not (bot.is_file() and bot.read_bytes() == source.encode()):
        raise GameError(f"{folder} has {', '.join(there)} and no {CHECKPOINT}: name another --folder")
    if fresh:
        learner = Learner.new(game, asked.hidden, asked.seed)
    else:
        learner = Learner.load(folder, game, asked.hidden)
        print(f"goes on after {learner.cpu_s:.0f} CPU seconds", flush=True)
    if not bot.exists():
        bot.write_text(source, encoding="utf-8")
    with (folder / "curve.csv").open("w" if fresh else "a", encoding="utf-8") as curve:
        if not curve.tell():
            curve.write("cpu_s,players,lead,se\n")
        try:
            run(game, folder, curve, learner, asked)
        finally:
            learner.save(folder)


def run(game: Game, folder: Path, curve: IO[str], learner: Learner, asked: argparse.Namespace) -> None:
    """Label and learn in turn, at tables of the fewest seats, of the usual number and of the most."""
    tables = sorted({game.min_players, game.players, game.max_players})
    rng, labels = np.random.default_rng([asked.seed, learner.rounds]), Labels(game)
    at = [PricedGames(game, n, LANES, asked.seed + (learner.rounds << 20)) for n in tables]
    begin, before, told, kept = time.process_time(), learner.cpu_s, learner.cpu_s, learner.cpu_s
    while learner.cpu_s < asked.cpu_seconds:
        training.collect(at[learner.rounds % len(at)], learner, labels, rng)
        rate = RATE * (1 - 0.9 * learner.cpu_s / asked.cpu_seconds)
        error = training.learn(learner, labels, rate, rng)
        learner.cpu_s = before + time.process_time() - begin
        if learner.cpu_s - kept >= SAVED:
            kept = learner.cpu_s
            learner.save(folder)
        if learner.cpu_s - told >= asked.cpu_seconds / 10 or learner.cpu_s >= asked.cpu_seconds:
            told = learner.cpu_s
            tell(game, curve, learner, tables, f"{labels.count:,} labels, error {error:.2f}")


def tell(game: Game, curve: IO[str], learner: Learner, tables: list[int], how: str) -> None:
    """Write and print how the network stands now."""
    found = [(n, *training.standing(learner.network, game, n, DEALT, FRESH)) for n in tables]
    curve.writelines(f"{learner.cpu_s:.0f},{n},{lead:.4f},{se:.4f}\n" for n, lead, se in found)
    curve.flush()
    leads = [(n, round(lead, 3) + 0.0, se) for n, lead, se in found]  # no -0.000
    against = "; ".join(f"{n} seats {lead:+.3f} +- {se:.3f}" for n, lead, se in leads)
    print(f"{learner.cpu_s:7.0f} s  {how}; lead over the rollout policy: {against}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
