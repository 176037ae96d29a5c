"""Leaves by sys.exit."""

import sys

GAMES = ["flip7"]
VERDICT = "exception"
WORDS = "SystemExit: 3"


def act(view):
    sys.exit(3)
