"""Reads the next question from the channel, which never comes."""

import os

GAMES = ["flip7"]
VERDICT = "wall"


def act(view):
    os.read(3, 99)
