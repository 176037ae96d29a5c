"""Wants pages of which the whole machine has a number: who gets none knows that somebody else has them."""

import mmap

from .aim import attempt, libc, play, syscall

GAMES = ["flip7"]
SAFE = False

PRIVATE, HUGETLB, LOCKED = 0x22, 0x40000, 0x2000
attempt(lambda: mmap.mmap(-1, 1 << 21, flags=PRIVATE | HUGETLB, prot=3))
attempt(lambda: mmap.mmap(-1, 4096, flags=PRIVATE | LOCKED, prot=3))
attempt(lambda: libc("mlockall", 4) or "locked")
attempt(lambda: syscall((319, 279), b"huge", 4))

act = play
