"""Wants the system calls of the 32-bit machine, which have other numbers."""

import ctypes
import mmap
import platform

from .aim import attempt, play

GAMES = ["flip7"]
VERDICT = ["forbidden", "crash"]
WALL = False

RIGHTS = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
code = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE, prot=RIGHTS)
code.write(bytes.fromhex("b814000000cd80c3"))  # mov eax, 20 (getpid); int 0x80; ret
if platform.machine() == "x86_64":
    attempt(lambda: ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))())

act = play
