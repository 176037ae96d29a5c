"""Asks for more memory than it may have, at once."""

import numpy

GAMES = ["flip7"]
VERDICT = "memory"
WORDS = "Unable to allocate"

table = numpy.zeros(1 << 30, numpy.uint8)
