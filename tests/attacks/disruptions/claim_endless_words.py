"""Says that two gigabytes of last words follow."""

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
    os.write(4, struct.pack("<IIIIQ", 3, 0, 2**31, 0, frame.f_locals["nonce"]))
