"""Writes its answer byte by byte, with pauses."""

import os
import time

GAMES = ["flip7"]
VERDICT = "protocol"
WORDS = "wrote to the reply channel"


def act(view):
    for byte in bytes(30):
        os.write(3, bytes([byte]))
        time.sleep(0.01)
    return 0
