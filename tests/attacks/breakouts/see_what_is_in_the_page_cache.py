"""Wants to know which files others have just read."""

import ctypes
import mmap
import os

import numpy

from .aim import attempt, libc, play, syscall

GAMES = ["flip7"]

file = open(os.__file__, "rb")
page = numpy.frombuffer(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ), numpy.uint8)
attempt(libc, "mincore", page.ctypes.data & ~4095, 4096, ctypes.create_string_buffer(1))
attempt(syscall, 451, 3, bytes(16), ctypes.create_string_buffer(40), 0)

act = play
