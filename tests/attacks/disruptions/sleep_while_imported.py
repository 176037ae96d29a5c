"""Sleeps for ever before it is ready."""

import time

GAMES = ["flip7"]
VERDICT = "wall"
WORDS = "the bank is"

time.sleep(9999)
