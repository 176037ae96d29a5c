"""Wants to know how many cycles the processor has counted, which tells when the machine was started."""

import ctypes
import mmap

from .aim import ARM, attempt, play

GAMES = ["flip7"]
VERDICT = ["crash", ""]  # the last on another processor, where the counter is not the machine's
WORDS = "SIGSEGV"

if not ARM:
    place = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)
    place.write(bytes.fromhex("0f31 48c1e220 4809d0 c3"))
    attempt(ctypes.CFUNCTYPE(ctypes.c_uint64)(ctypes.addressof(ctypes.c_char.from_buffer(place))))

act = play
