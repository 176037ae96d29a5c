"""Wants to measure others with the processor's counters."""

import struct

from .aim import attempt, play, syscall

GAMES = ["flip7"]
VERDICT = "forbidden"
SAFE = False

attempt(syscall, (298, 241), struct.pack("IIQ", 1, 112, 0) + bytes(96), 0, -1, -1, 0)

act = play
