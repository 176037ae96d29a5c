"""Tries every action in random worlds, as `montecarlo` does, and weighs that with what `trained` expects."""

from typing import Any

from engines.learn.network import shipped
from engines.search import flat_monte_carlo, preset

GAMES = ["julepe", "taroky", "tzogous37"]


def act(view: Any) -> int:
    """Return the action with the best mean, the network's price weighed in."""
    playouts, settings = preset(view.game)
    seed, prior = view.rng.getrandbits(60), shipped(view.game).prior(view)
    return flat_monte_carlo(view, playouts, seed, settings=settings, prior=prior).action
