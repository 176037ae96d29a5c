"""Wants the store by its handle, past the checks of its path."""

import ctypes
import struct

from .aim import TARGET, attempt, play, syscall

GAMES = ["flip7"]
VERDICT = "forbidden"


def by_handle():
    handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128))
    mount = ctypes.c_int()
    syscall((303, 264), -100, TARGET.store.encode(), handle, ctypes.byref(mount), 0)
    return syscall((304, 265), -100, handle, 0)


attempt(by_handle)
attempt(lambda: syscall((304, 265), -100, bytes(136), 0))

act = play
