"""Loses itself in a regular expression."""

import re

GAMES = ["flip7"]
VERDICT = "cpu"


def act(view):
    re.match(r"(a+)+$", "a" * 40 + "b")
