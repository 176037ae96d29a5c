"""Ends its process without a word."""

import os

GAMES = ["flip7"]
VERDICT = "crash"
WORDS = "exit code 3"


def act(view):
    os._exit(3)
