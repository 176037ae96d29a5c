"""Sleeps for ever."""

import time

GAMES = ["flip7"]
VERDICT = "wall"
WORDS = "neither answered nor computed"


def act(view):
    time.sleep(9999)
