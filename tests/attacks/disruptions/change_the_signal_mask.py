"""Blocks all signals and then thinks for ever."""

import signal

GAMES = ["flip7"]
VERDICT = "cpu"

signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())


def act(view):
    while True:
        pass
