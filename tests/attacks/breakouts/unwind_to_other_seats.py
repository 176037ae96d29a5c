"""Wants the hands of others, or whose turn it is elsewhere, from the frames and objects of the harness around it."""

import gc
import sys

from .aim import attempt, play

GAMES = ["flip7"]
WALL = False


def foreign_rows(view):
    """Rows of the game's record that lie anywhere in this process and show what this seat's view does not."""
    import numpy as np

    own = view.state
    found = []
    frame = sys._getframe()
    seen = []
    while frame is not None:
        seen += list(frame.f_locals.values())
        frame = frame.f_back
    for thing in [*seen, *gc.get_objects()]:
        if isinstance(thing, np.ndarray) and thing.dtype == own.dtype:
            rows = thing.reshape(-1)
            found += [
                row for row in rows if row["seed"] != 0 or (row["seat"] >= 0 and (row["pile"] >= 0).any())
            ]
    return [int(row["seed"]) for row in found] or None


def act(view):
    attempt(foreign_rows, view)
    return play(view)
