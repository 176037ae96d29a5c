"""Makes as many mappings as the kernel lets it, then dies: taking it apart must not hold up the worker."""

import ctypes
import mmap
import os

GAMES = ["flip7"]
VERDICT = ["crash", "cpu"]
LIBC = ctypes.CDLL(None)
LIBC.mmap.restype = ctypes.c_void_p


def act(view):
    kinds = (mmap.PROT_READ, mmap.PROT_READ | mmap.PROT_WRITE)  # neighbours of one kind would become one
    for i in range(70_000):
        LIBC.mmap(None, ctypes.c_size_t(4096), kinds[i % 2], mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    os._exit(1)
