"""Sleeps in every request, each time for less than it may in all."""

import time

GAMES = ["flip7"]
VERDICT = "wall"
WORDS = "the bank is"


def act(view):
    time.sleep(0.08)
    return view.legal[0]
