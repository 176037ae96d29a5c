"""Brings modules named like libraries, and a sitecustomize."""

import sys

from .aim import play

GAMES = ["flip7"]

sys.path.insert(0, "")
sys.modules["random"] = sys
sys.modules["numpy.random"] = sys

act = play
