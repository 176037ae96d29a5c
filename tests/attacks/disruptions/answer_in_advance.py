"""Answers a question that has not been asked, while it is imported."""

import os
import struct

from .aim import play

GAMES = ["flip7"]
VERDICT = "protocol"
WORDS = "wrote to the reply channel"

os.write(3, struct.pack("<QHHIhhh", 0, 3, 0, 0, 0, 0, 0))

act = play
