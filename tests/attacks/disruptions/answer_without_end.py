"""Answers a batch of views with an endless list."""

import itertools

GAMES = ["flip7"]
VERDICT = ["cpu", "memory"]


def act_batch(views):
    return itertools.repeat(0)
