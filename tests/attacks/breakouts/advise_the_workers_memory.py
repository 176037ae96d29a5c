"""Wants to slow the worker down by pushing its memory out."""

import ctypes
import struct

from .aim import attempt, play, syscall

GAMES = ["flip7"]
VERDICT = "forbidden"
WALL = False

buffer = ctypes.create_string_buffer(8)
attempt(syscall, 440, 0, struct.pack("PN", ctypes.addressof(buffer), 8), 1, 21, 0)

act = play
