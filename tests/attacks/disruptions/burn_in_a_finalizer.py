"""Computes while its objects are freed, after the answer."""

import time

GAMES = ["flip7"]
VERDICT = "cpu"
WORDS = "budget"


class Slow:
    def __del__(self):
        end = time.process_time() + 0.3
        while time.process_time() < end:
            pass


def act(view):
    Slow()
    return view.legal[0]
