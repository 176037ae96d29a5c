"""Replaces what NumPy and Python are made of."""

import struct

import numpy

from .aim import play

GAMES = ["flip7"]
VERDICT = ""  # its process has taken what it needs of them before

numpy.frombuffer = None
struct.Struct = None

act = play
