"""Wants more memory than its limit: pages that it has already, of libraries, which are copied when it writes to
them.
"""

import ctypes

from .aim import attempt, libc, play

GAMES = ["flip7"]
WALL = False  # sealed before there is a wall
LIMIT, STEP = 128 + 160, 1 << 20  # MiB: its limit, and what it may write to from the start; bytes


def write_to_libraries():
    from llvmlite.binding import ffi

    begin = ctypes.cast(ffi.lib.LLVMPY_AddSymbol._cfn, ctypes.c_void_p).value & -4096
    for mib in range(400):
        for address in (begin + mib * STEP, begin - mib * STEP):
            try:
                libc("mprotect", address, STEP, 7)
            except OSError as error:
                if error.errno in (
                    1,
                    12,
                    13,
                ):  # sealed; over the limit, or nothing is there; nothing of its own
                    continue
                raise
            ctypes.memmove(address, address, STEP)  # writes to every page what is there
            written.append(address)
    return f"{len(written)} MiB of libraries" if len(written) > LIMIT else None


written = []
attempt(write_to_libraries)

act = play
