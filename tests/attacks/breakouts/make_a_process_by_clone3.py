"""Wants a process by a call whose flags a filter cannot see."""

import os
import struct

from .aim import attempt, play, syscall

GAMES = ["flip7"]


def clone3():
    if syscall(435, struct.pack("11Q", 0, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0), 88) == 0:
        os._exit(0)
    return "a child"


attempt(clone3)

act = play
