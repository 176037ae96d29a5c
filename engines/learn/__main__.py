"""Train a network to play a game, and write it as a bot.

    python -m engines.learn taroky --cpu-seconds 3600

It learns from random worlds where the game's rollout policy should have played otherwise
(`engines.learn.training`). The folder gets the bot, a checkpoint, from
which the same command goes on, and `curve.csv`: how the network stood against the game's rollout policy on
fresh deals, with its standard error.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__" and "OPENBLAS_NUM_THREADS" not in os.environ:
    # Small matrix products in many threads only wait for each other, and waiting counts as CPU time. NumPy
    # reads this when it is imported, which is before this line.
    os.environ |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")
    os.execv(sys.executable, [sys.executable, "-m", "engines.learn", *sys.argv[1:]])

import argparse
import time
from pathlib import Path

import numpy as np

import engines

from .. import GameError
from ..game import Game
from . import training
from .training import Labels, Learner, PricedGames

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
LANES, RATE = 128, 1e-3
"""Games beside each other; of learning, falls to a tenth."""
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
    try:
        game = engines.load(asked.game)
        if not game.columns:
            raise GameError(f"{game.name} has no encoding to learn from")
        train(game, asked.folder or Path(f"my_bots/net_{game.name}"), asked)
    except (GameError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; the same command goes on from the last checkpoint", file=sys.stderr)
        return 130
    return 0


def train(game: Game, folder: Path, asked: argparse.Namespace) -> None:
    """Label and learn in turn, at tables of the fewest seats, of the usual number and of the most."""
    tables = sorted({game.min_players, game.players, game.max_players})
    checkpoint = folder / "checkpoint.npz"
    if checkpoint.exists():
        learner = Learner.load(checkpoint)
        print(f"goes on after {learner.cpu_s:.0f} CPU seconds", flush=True)
    else:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "__init__.py").write_text(BOT.format(game=game.name), encoding="utf-8")
        (folder / "curve.csv").write_text("cpu_s,players,lead,se\n", encoding="utf-8")
        learner = Learner.new(game, asked.hidden, asked.seed)
    rng, labels = np.random.default_rng([asked.seed, learner.rounds]), Labels(game)
    at = [PricedGames(game, n, LANES, asked.seed + (learner.rounds << 20)) for n in tables]
    begin, before, told = time.process_time(), learner.cpu_s, learner.cpu_s
    while learner.cpu_s < asked.cpu_seconds:
        training.collect(at[learner.rounds % len(at)], learner, labels, rng)
        rate = RATE * (1 - 0.9 * learner.cpu_s / asked.cpu_seconds)
        error = training.learn(learner, labels, rate, rng)
        learner.cpu_s = before + time.process_time() - begin
        if learner.cpu_s - told >= asked.cpu_seconds / 10 or learner.cpu_s >= asked.cpu_seconds:
            told = learner.cpu_s
            tell(game, folder, learner, tables, f"{labels.count:,} labels, error {error:.2f}")


def tell(game: Game, folder: Path, learner: Learner, tables: list[int], how: str) -> None:
    """Write the bot and the checkpoint, and how the network stands now."""
    learner.network.save(folder / "weights.npz")
    found = [(n, *training.standing(learner.network, game, n, DEALT, FRESH)) for n in tables]
    learner.save(folder / "checkpoint.npz")
    with (folder / "curve.csv").open("a", encoding="utf-8") as file:
        file.writelines(f"{learner.cpu_s:.0f},{n},{lead:.4f},{se:.4f}\n" for n, lead, se in found)
    against = "; ".join(f"{n} seats {lead:+.3f} +- {se:.3f}" for n, lead, se in found)
    print(f"{learner.cpu_s:7.0f} s  {how}; lead over the rollout policy: {against}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
