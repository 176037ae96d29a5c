"""Wants to know which files others have just read."""

import ctypes
import mmap
import os

import numpy

from .aim import LIBC, attempt, libc, play, syscall

GAMES = ["flip7"]


def page_of_a_file():
    page = numpy.frombuffer(mmap.mmap(open(os.__file__, "rb").fileno(), 0, prot=mmap.PROT_READ), numpy.uint8)
    return page.ctypes.data & ~4095


code = ctypes.cast(LIBC.getpid, ctypes.c_void_p).value & ~4095
attempt(libc, "mincore", code, 4096, ctypes.create_string_buffer(1))
attempt(lambda: libc("mincore", page_of_a_file(), 4096, ctypes.create_string_buffer(1)))
attempt(syscall, 451, 3, bytes(16), ctypes.create_string_buffer(40), 0)

act = play
