"""Wants the cards of the others through the objects behind its view."""

import gc
import sys

import numpy

from .aim import TARGET, attempt

GAMES = ["flip7"]
WALL = False


def act(view):
    attempt(lambda: int(view.state["seed"][0]) or None)
    attempt(lambda: [frame for frame in _frames() if "states" in frame.f_locals] or None)
    attempt(
        lambda: (
            [
                a
                for a in gc.get_objects()
                if isinstance(a, numpy.ndarray) and a.dtype == view.state.dtype and a["seed"].any()
            ]
            or None
        )
    )
    attempt(lambda: view.state.base is not None and _seeds_in(view) or None)
    return view.legal[0]


def _frames():
    frame = sys._getframe()
    while frame:
        yield frame
        frame = frame.f_back


def _seeds_in(view):
    whole = view.state
    while isinstance(whole.base, numpy.ndarray):
        whole = whole.base
    return [int(seed) for seed in whole["seed"] if seed]
