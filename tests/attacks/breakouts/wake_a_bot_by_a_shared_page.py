"""Wants to signal to another bot by a futex on a page of a library."""

import mmap
import os

import numpy

from .aim import attempt, play, syscall

GAMES = ["flip7"]

file = open(os.__file__, "rb")
page = numpy.frombuffer(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ), numpy.uint8)
WAKE = 1
attempt(lambda: f"woke {syscall((202, 98), page.ctypes.data, WAKE, 999, None, None, 0)}")

act = play
