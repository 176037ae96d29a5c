"""Wants memory at addresses of its choice, far from each other: each piece costs the kernel four pages of tables."""

import mmap

from .aim import attempt, play, syscall

GAMES = ["flip7"]
OWN = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
POPULATE = 0x8000


def pieces(flags):
    for number in range(1, 9):
        syscall((9, 222), (number << 40) - mmap.PAGESIZE, 2 * mmap.PAGESIZE, 3, OWN | POPULATE | flags, -1, 0)
    return "memory where it likes"


for fixed in (0, 0x10, 0x100000):
    attempt(pieces, fixed)
act = play
