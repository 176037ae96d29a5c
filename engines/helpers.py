"""Compiled helpers for bots, in modules beside the engines: `engines/<game>_<what>.py`.

Such a module has a function `use_all(states)` that calls each of its compiled functions once. It is called where compiled code is
to be there before bots are: in the process that all bots' processes are forks of, and when a game is used for the first time.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path

from .game import Game, copy_states


def use_all(game: Game) -> list[str]:
    """Compile and load all helpers of a game.

    Returns:
        The names of their modules.
    """
    states = game.new(2, seed=1)
    used = []
    for found in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if found.name.startswith(f"{game.name}_"):
            module = import_module(f"{__package__}.{found.name}")
            if hasattr(module, "use_all"):
                module.use_all(copy_states(states))
                used.append(found.name)
    return used
