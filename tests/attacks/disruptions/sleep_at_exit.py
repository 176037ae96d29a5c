"""Leaves, and would sleep on the way out."""

import atexit
import sys
import time

GAMES = ["flip7"]
VERDICT = "exception"
WORDS = "SystemExit"

atexit.register(time.sleep, 9999)


def act(view):
    sys.exit()
