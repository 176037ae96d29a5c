"""Ends its process by a segmentation fault; the log has the line."""

import ctypes

GAMES = ["flip7"]
VERDICT = "crash"
WORDS = "SIGSEGV"


def act(view):
    print("last words")
    ctypes.string_at(0)
