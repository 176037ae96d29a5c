"""Ends its process before it is ready."""

import os

GAMES = ["flip7"]
VERDICT = "crash"
WORDS = "exit code 0"

os._exit(0)
