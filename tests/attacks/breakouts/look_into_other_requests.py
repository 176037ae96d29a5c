"""Wants positions of other bots in the request memory behind its own."""

import sys

import numpy

from .aim import attempt

GAMES = ["flip7"]
WALL = False


def act(view):
    frame = sys._getframe()
    while "requests" not in frame.f_locals:
        frame = frame.f_back
    behind = numpy.frombuffer(frame.f_locals["requests"], numpy.uint8)[64 * 1024 :]
    attempt(lambda: behind[behind != 0].tolist() or None)
    return view.legal[0]
