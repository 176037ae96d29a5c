"""Never answers, inside compiled code."""

import numpy

GAMES = ["flip7"]
VERDICT = "cpu"
WORDS = "CPU time"


def act(view):
    while True:
        numpy.arange(10**6).sum()
