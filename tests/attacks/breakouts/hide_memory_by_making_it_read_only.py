"""Wants more memory than its limit: it writes to pages and then says that it only reads them, so that they do not
count as its data; and it writes to the libraries that it has, or puts memory of its own in their place.
"""

import ctypes

from llvmlite.binding import ffi

from .aim import LIBC, attempt, libc, play

GAMES = ["flip7"]
SAFE = False
LIMIT, STEP = 128, 1 << 20  # MiB, beyond what it may write to from the start; bytes
READ, RW, RUN, WRITE_TOO, OWN = 1, 3, 4, 7, 0x22
LIBC.mmap.restype = ctypes.c_void_p


def new():
    """Write to more and more memory, until there is no address left."""
    while (address := LIBC.mmap(None, ctypes.c_long(STEP), RW, OWN, -1, ctypes.c_long(0))) not in (
        None,
        NONE,
    ):
        ctypes.memset(address, 1, STEP)
        libc("mprotect", address, STEP, READ)
        written.append(address)


def rewrite(address):
    """Have pages of a library copied."""
    libc("mprotect", address, STEP, WRITE_TOO)
    ctypes.memmove(address, address, STEP)
    libc("mprotect", address, STEP, READ | RUN)
    written.append(address)


def throw_away(address):
    """Have its address for something else."""
    libc("munmap", address, STEP)


def take(how):
    for mib in range(1, 64):
        for address in (code + mib * STEP,):
            try:
                how(address)
            except OSError:  # nothing is there, or it cannot be had
                continue
    new()
    return f"{len(written)} MiB" if len(written) > LIMIT else None


NONE = ctypes.c_void_p(-1).value
code = ctypes.cast(ffi.lib.LLVMPY_AddSymbol._cfn, ctypes.c_void_p).value & -4096
written = []
attempt(take, rewrite)
attempt(take, throw_away)

act = play
