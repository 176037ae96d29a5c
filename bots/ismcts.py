"""Searches a tree of random worlds (information-set MCTS), with a quick player or chance in the playouts."""

from typing import Any

from engines.search import ismcts, preset

GAMES = ["*"]


def act(view: Any) -> int:
    """Return the action that the tree came to most often."""
    playouts, settings = preset(view.game)
    return ismcts(view, playouts, view.rng.getrandbits(60), settings=settings).action
