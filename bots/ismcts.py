"""Searches a tree of random worlds (information-set MCTS), with a quick player or chance in the playouts."""

from typing import Any

from engines.search import ismcts
from engines.search.presets import PLAYOUTS, SETTINGS

GAMES = ["flip7", "julepe", "taroky", "tzogous37", "zoliky"]


def act(view: Any) -> int:
    """The action that the tree came to most often."""
    found = ismcts(view, PLAYOUTS[view.game], view.rng.getrandbits(60), settings=SETTINGS[view.game])
    return found.action
