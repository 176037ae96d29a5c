"""Wants the hidden cards out of the worker's memory."""

import ctypes
import struct

from .aim import TARGET, attempt, libc, play

GAMES = ["flip7"]
VERDICT = "forbidden"
WALL = False

buffer = ctypes.create_string_buffer(8)
piece = struct.pack("PN", ctypes.addressof(buffer), 8)
attempt(libc, "process_vm_readv", TARGET.worker, piece, 1, piece, 1, 0)

act = play
