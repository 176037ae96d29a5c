"""How to search each game: what suited it best in our measurements (docs/guides/search.md).

A bot may take these as they are or choose its own. Not here: the searches, which know no game.
"""

from __future__ import annotations

from .run import Settings

USUAL = 500
"""Playouts a decision of a game without a row below; it is searched with the default settings."""

PLAYOUTS = {"flip7": 600, "julepe": 1000, "taroky": 250, "tzogous37": 500, "zoliky": 600}
"""A decision; a number and not a time, so that a game can be repeated. They take 2 to 20 ms of CPU."""
SETTINGS = {
    "flip7": Settings(noise=0.0, places=True, gate=2.0),
    "julepe": Settings(noise=0.0),
    "taroky": Settings(noise=0.0, gate=1.0, model=True),
    "tzogous37": Settings(noise=0.0, gate=1.0, model=True),
    "zoliky": Settings(noise=0.0, places=True),
}
"""All play out with the game's quick player."""


def preset(game: str) -> tuple[int, Settings]:
    """Playouts a decision and settings for a game."""
    return PLAYOUTS.get(game, USUAL), SETTINGS.get(game, Settings())
