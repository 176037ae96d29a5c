"""Tries every action in the same random worlds (flat Monte Carlo), played on by a quick player or chance."""

from typing import Any

from engines.search import flat_monte_carlo, preset

GAMES = ["*"]


def act(view: Any) -> int:
    """Return the action with the best mean; the weaker half is dropped at every stage."""
    playouts, settings = preset(view.game)
    return flat_monte_carlo(view, playouts, view.rng.getrandbits(60), settings=settings).action
