"""Wants to change memory that all bots of a zygote share: the code that they import, and its own orders."""

import ctypes
import gc
import mmap

from .aim import attempt, libc, play

GAMES = ["flip7"]
WALL = False


def address_of(memory):
    import numpy

    return numpy.frombuffer(memory, numpy.uint8).ctypes.data


shared = [thing for thing in gc.get_objects() if isinstance(thing, mmap.mmap)]
shared += [vars(thing)["code"] for thing in gc.get_objects() if type(thing).__name__ == "Library"]
if not shared:
    print("GOT: nothing, as the search itself is broken")
for memory in shared:
    attempt(libc, "mprotect", address_of(memory), 4096, 3)
    attempt(lambda: memory.__setitem__(0, 1) or "written")
    attempt(lambda: libc("madvise", address_of(memory), 4096, 9) or "removed")

act = play
