"""How to search each game: what suited it best in our measurements (docs/guides/search.md).

A game says it in `PRESET` of its room `policy`. A bot may take that as it is or choose its own. Not here: the
searches, which know no game.
"""

from __future__ import annotations

from .. import registry
from .run import Settings

USUAL = 500
"""Playouts a decision of a game without a preset; it is searched with the default settings."""


def preset(game: str) -> tuple[int, Settings]:
    """Playouts a decision (a number and not a time, so that a game can be repeated) and settings."""
    home = registry.homes().get(game)
    given = dict(getattr(home.room("policy") if home else None, "PRESET", {}))
    return given.pop("playouts", USUAL), Settings(**given)
