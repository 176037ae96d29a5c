"""Answers, and sends last words about a row that it has answered."""

import os
import struct
import sys

GAMES = ["flip7"]
VERDICT = "protocol"
WORDS = "about a row that has an action"


def act(view):
    frame = sys._getframe()
    while "nonce" not in frame.f_locals:
        frame = frame.f_back
    os.write(3, struct.pack("<QHHIhhhHHHH", frame.f_locals["nonce"], 3, 0, 0, 0, 0, 0, 1, 1, 2, 0))
    return 0
