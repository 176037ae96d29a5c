"""Sends two last words for the same row."""

import os
import struct
import sys

GAMES = ["flip7"]
VERDICT = "protocol"
WORDS = "wrote to the reply channel"


def act(view):
    frame = sys._getframe()
    while "nonce" not in frame.f_locals:
        frame = frame.f_back
    words = struct.pack("<HHHH", 1, 1, 2, 0)
    os.write(3, struct.pack("<QHHIhhh", frame.f_locals["nonce"], 3, 0, 0, -1, -1, -1) + words + words)
    return 0
