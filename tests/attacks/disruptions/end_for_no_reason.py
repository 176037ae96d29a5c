"""Says that it cannot go on, for a reason that there is not."""

import os
import struct
import sys

GAMES = ["flip7"]
VERDICT = "protocol"
WORDS = "ends for no known reason"


def act(view):
    frame = sys._getframe()
    while "nonce" not in frame.f_locals:
        frame = frame.f_back
    os.write(3, struct.pack("<QHHIHHHH", frame.f_locals["nonce"], 0, 1, 0, 0, 0, 99, 0))
    return 0
