"""Tries every action in the same random worlds (flat Monte Carlo), played on by a quick player or chance."""

from typing import Any

from engines.search import flat_monte_carlo
from engines.search.presets import PLAYOUTS, SETTINGS

GAMES = ["flip7", "julepe", "taroky", "tzogous37", "zoliky"]


def act(view: Any) -> int:
    """The action with the best mean; the weaker half is dropped at every stage."""
    found = flat_monte_carlo(
        view, PLAYOUTS[view.game], view.rng.getrandbits(60), settings=SETTINGS[view.game]
    )
    return found.action
