"""Sleeps for ever."""

import time

GAMES = ["flip7"]
VERDICT = "wall"
WORDS = "the bank is"


def act(view):
    time.sleep(9999)
