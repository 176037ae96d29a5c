"""Sends last words in JSON, about the row `true`."""

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
    os.write(
        3,
        struct.pack("<QHHIhhh", frame.f_locals["nonce"], 3, 0, 0, -1, -1, -1) + b'[true, "exception", "x"]\n',
    )
    return 0
