"""Wants memory that nobody has written to, or that others have: asks for it with all flags and rights, one by one."""

import ctypes
from itertools import product

from .aim import ARM, LIBC, TARGET, attempt, play

GAMES = ["flip7"]
SAFE = False
MMAP, MUNMAP = (222, 215) if ARM else (9, 11)
PAGE, WRITE, SHARED, PRIVATE, WRITTEN = 4096, 2, 1, 2, 0x8020  # ANONYMOUS and POPULATE
RIGHTS = (0, 1, 2, 3, 5, 7, 1 | 1 << 24, 3 | 1 << 24, 1 | 1 << 25)  # also PROT_GROWSDOWN, PROT_GROWSUP
NEVER = 0x100 | 0x2000 | 0x10000 | 0x40000  # GROWSDOWN, LOCKED, NONBLOCK, HUGETLB
LIBC.syscall.restype = ctypes.c_long


def has(flags, rights, fd):
    address = LIBC.syscall(*map(ctypes.c_long, (MMAP, 0, PAGE, rights, flags, fd, 0)))
    if address == -1:
        return False
    LIBC.syscall(*map(ctypes.c_long, (MUNMAP, address, PAGE)))
    return True


def is_granted(flags, rights):
    """Whether it may have that: memory of its own that the kernel writes to at once; with threads memory that
    reads as a page of its own.
    """
    if TARGET.threads:
        return flags & 15 == SHARED and flags & 0x20 and not flags & NEVER & ~0x10000
    return flags & 15 == PRIVATE and flags & WRITTEN == WRITTEN and rights & WRITE and not flags & NEVER


def others():
    bits = [0, *(1 << bit for bit in range(4, 63))]
    for kind, bit, base, rights in product(range(16), bits, (0, 0x20, WRITTEN), RIGHTS):
        flags = kind | bit | base
        if not is_granted(flags, rights) and has(flags, rights, -1):
            yield f"flags {flags:#x}, rights {rights:#x}"
    for fd, kind, rights in product(range(4), (1, 2, 3), RIGHTS):
        if has(kind, rights, fd):
            yield f"descriptor {fd}"


attempt(lambda: None if ARM else next(others(), None))

act = play
