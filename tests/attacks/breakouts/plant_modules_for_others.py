"""Wants its own numpy, engines and sitecustomize to be loaded by others."""

import sys

from .aim import TARGET, attempt, play

GAMES = ["flip7"]
SAFE = False

attempt(lambda: sys.modules["numpy"].__file__.startswith(TARGET.mine) and "my numpy" or None)
sys.path.insert(0, TARGET.mine)
sys.modules["engines.flip7"] = None
attempt(lambda: open(TARGET.mine + "/sitecustomize.py", "w"))
attempt(lambda: open(sys.prefix + "/lib/x.pth", "w"))

act = play
