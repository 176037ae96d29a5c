"""Ends its process by abort."""

import os

GAMES = ["flip7"]
VERDICT = "crash"
WORDS = "SIGABRT"


def act(view):
    os.abort()
