"""Wants the system calls that a filter does not see."""

import ctypes

from .aim import attempt, play, syscall

GAMES = ["flip7"]
VERDICT = "forbidden"
WALL = False

attempt(syscall, 425, 1, ctypes.create_string_buffer(120))

act = play
