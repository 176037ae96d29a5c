"""Wants a lost match played again, by saying that the host has failed."""

import os
import struct
import sys

GAMES = ["flip7"]
VERDICT = "protocol"
WORDS = "wrote"
WALL = False


def act(view):
    frame = sys._getframe()
    while "nonce" not in frame.f_locals:
        frame = frame.f_back
    os.write(3, struct.pack("<4sQd", b"no. ", frame.f_locals["nonce"], 0.0) + b"no memory")
    return 0
