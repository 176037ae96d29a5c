"""Train a network for Flip 7, first by copying the rollout policy, then by self-play, and write it as a bot.

python examples/train_flip7.py my_bots/net7 --cpu-seconds 300
arena duel my_bots/net7 oddsman --game flip7
"""

from __future__ import annotations

import one_thread  # noqa: F401 - before NumPy

# isort: split
import argparse
from pathlib import Path

import numpy as np
from ppo import Floats, Network, train

from engines.adapters import vector


def place(scores: Floats) -> Floats:
    """Share of the others that a seat leaves behind, ties half: from -1 (last) to 1 (first)."""
    ahead = np.sign(scores[:, :, None] - scores[:, None, :]).sum(axis=2)
    return (ahead / max(1, scores.shape[1] - 1)).astype(np.float32)


def main() -> None:
    """Read the words, train, write the bot."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("folder", type=Path, nargs="?", default=Path("my_bots/net7"))
    words.add_argument("--cpu-seconds", type=float, default=300)
    words.add_argument("--seed", type=int, default=1)
    given = words.parse_args()
    env = vector.env("flip7", 256, seat=None)
    network = Network(env.game.encoding_size, env.game.n_actions, 64, given.seed)
    train(env, network, place, given.cpu_seconds, given.folder, copying=0.15)


if __name__ == "__main__":
    main()
