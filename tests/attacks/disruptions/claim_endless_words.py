"""Says that more last words follow than it sends."""

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
    os.write(3, struct.pack("<QHHIhhhHHHH", frame.f_locals["nonce"], 3, 0, 0, -1, -1, -1, 0, 3, 2, 2**16 - 1))
