"""What a step costs a learner: `python -m engines.adapters.bench [GAME ...]`.

Random legal actions, one thread, CPU time, all in one run: the vector environment in self-play (each step is
one decision), PettingZoo's, OpenSpiel's, and how many times the vector environment is as fast. What is not
installed is left out.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable

import numpy as np

from .. import names

SECONDS = 1.5
LANES = 256


def rate(steps: Callable[[], int]) -> float:
    """Measure the steps per second of CPU time.

    `steps()` makes some steps and returns how many.
    """
    steps()  # compiles, loads
    begin, made = time.process_time(), 0
    while time.process_time() - begin < SECONDS:
        made += steps()
    return made / (time.process_time() - begin)


def vector_rate(name: str) -> float:
    """Of the vector environment, its sampling of actions included."""
    from . import vector

    env = vector.env(name, LANES, seat=None, forced=True)
    env.reset(seed=1)

    def steps() -> int:
        for _ in range(20):
            env.step(env.sample())
        return 20 * LANES

    return rate(steps)


def pettingzoo_rate(name: str) -> float:
    """Of PettingZoo's, without wrappers."""
    from . import pettingzoo

    env, rng = pettingzoo.raw_env(name), random.Random(1)

    def steps() -> int:
        made = 0
        env.reset(seed=made)
        for _ in env.agent_iter(500):
            observation, _, over, _, _ = env.last()
            if over:
                break
            env.step(rng.choice(np.flatnonzero(observation["action_mask"]).tolist()))
            made += 1
        return made

    return rate(steps)


def openspiel_rate(name: str) -> float:
    """Of OpenSpiel's, with the tensor of every observation."""
    import pyspiel

    from .openspiel import PREFIX

    game, rng = pyspiel.load_game(PREFIX + name), random.Random(1)

    def steps() -> int:
        state, made = game.new_initial_state(), 0
        while not state.is_terminal() and made < 200:
            if not state.is_chance_node():
                state.observation_tensor(state.current_player())
            state.apply_action(rng.choice(state.legal_actions()))
            made += 1
        return made

    return rate(steps)


RATES = {"vector": vector_rate, "PettingZoo": pettingzoo_rate, "OpenSpiel": openspiel_rate}


def main(games: list[str]) -> None:
    """Print the table as Markdown."""
    print("| game | interface | steps/s | vector is |\n| --- | --- | ---: | ---: |")
    for name in games or names():
        fastest = 0.0
        for interface, measure in RATES.items():
            try:
                steps = measure(name)
            except ImportError:
                continue
            fastest = fastest or steps
            print(f"| {name} | {interface} | {steps:,.0f} | {fastest / steps:,.0f} x |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
