"""Wants to change the position that the worker has sent, and what others see."""

import mmap
import sys

import numpy

from .aim import attempt, libc, play

GAMES = ["flip7"]
WALL = False

frame = sys._getframe()
while "inside" not in frame.f_locals:
    frame = frame.f_back
memory = frame.f_locals["inside"].requests
address = numpy.frombuffer(memory, numpy.uint8).ctypes.data

attempt(libc, "mprotect", address, 4096, 3)
attempt(lambda: memory.__setitem__(0, 1) or "written")
attempt(lambda: mmap.mmap(5, 4096))
attempt(lambda: open("/proc/self/mem", "r+b"))
REMOVE, DONTFORK = 9, 10
attempt(libc, "madvise", address, 4096, REMOVE)

act = play
