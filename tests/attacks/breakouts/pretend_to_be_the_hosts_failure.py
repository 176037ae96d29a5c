"""Wants a lost match played again, by saying that the host has failed."""

import struct
import sys

GAMES = ["flip7"]
VERDICT = "protocol"
WORDS = "wrote"
WALL = False

REFUSED = 2


def act(view):
    nonce = (
        sys._getframe(2).f_locals["nonce"] if "nonce" in sys._getframe(2).f_locals else sys._getframe(1).f_locals.get("nonce", 0)
    )
    words = b'[-1, "host", "no memory"]'
    __import__("os").write(4, struct.pack("<IIIIQ", 0, REFUSED, len(words), 0, nonce) + words)
    return 0
