"""Wants to bring pages of libraries into memory, or out of it: whether one is there takes another bot a look
at the clock.
"""

import ctypes

from .aim import LIBC, attempt, libc, play

GAMES = ["flip7"]

code = ctypes.cast(LIBC.getpid, ctypes.c_void_p).value & ~4095
WILLNEED, COLD, PAGEOUT, POPULATE = 3, 20, 21, 22
for advice in (WILLNEED, COLD, PAGEOUT, POPULATE):
    attempt(lambda: libc("madvise", code, 4096, advice) or f"advice {advice}")
attempt(lambda: libc("readahead", 1, 0, 4096) or "read ahead")
attempt(lambda: "thrown out" if LIBC.posix_fadvise(1, 0, 4096, 4) == 0 else None)

act = play
