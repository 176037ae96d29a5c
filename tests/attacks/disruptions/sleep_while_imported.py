"""Sleeps for ever before it is ready."""

import time

GAMES = ["flip7"]
VERDICT = "wall"
WORDS = "neither answered nor computed"

time.sleep(9999)
