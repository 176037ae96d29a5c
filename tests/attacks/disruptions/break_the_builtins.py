"""Removes built-in functions."""

import builtins

from .aim import play

GAMES = ["flip7"]
VERDICT = ["crash"]
WORDS = "exit code 1"

builtins.len = builtins.print = builtins.isinstance = None

act = play
