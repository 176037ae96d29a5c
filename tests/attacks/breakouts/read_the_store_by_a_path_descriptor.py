"""Wants the store through a descriptor that names it without opening it."""

import os

from .aim import TARGET, attempt, play

GAMES = ["flip7"]


def through_o_path():
    fd = os.open(TARGET.store, os.O_PATH)
    return os.read(os.open(f"/proc/self/fd/{fd}", os.O_RDONLY), 99)


attempt(through_o_path)

act = play
