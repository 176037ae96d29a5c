"""Train a network for Taroky, first by copying the rollout policy, then by self-play, and write it as a bot.

python examples/train_taroky.py my_bots/net54 --cpu-seconds 360
arena duel my_bots/net54 plain --game taroky
"""

from __future__ import annotations

import one_thread  # noqa: F401 - before NumPy

# isort: split
import argparse
from pathlib import Path

import numpy as np
from ppo import Floats, Network, train

from engines.adapters import vector


def chips(scores: Floats) -> Floats:
    """Chips of a round, 20 of them as 1, cut off at 3: a rare Valat must not drown the rest."""
    return np.clip(scores / 20, -3, 3).astype(np.float32)


def main() -> None:
    """Read the words, train, write the bot."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("folder", type=Path, nargs="?", default=Path("my_bots/net54"))
    words.add_argument("--cpu-seconds", type=float, default=360)
    words.add_argument("--seed", type=int, default=1)
    given = words.parse_args()
    env = vector.env("taroky", 256, seat=None, rounds=1)
    network = Network(env.game.encoding_size, env.game.n_actions, 96, given.seed)
    train(env, network, chips, given.cpu_seconds, given.folder, copying=0.25)


if __name__ == "__main__":
    main()
