"""Replaces what NumPy and Python are made of."""

import struct

import numpy

from .aim import play

GAMES = ["flip7"]
VERDICT = ["crash"]
WORDS = "exit code 1"

numpy.frombuffer = None
struct.Struct = None

act = play
