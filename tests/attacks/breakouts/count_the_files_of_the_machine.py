"""Wants inode numbers, which tell how many files were made before it, and shared memory, which takes the next
ones.
"""

import ctypes
import mmap
import os

from .aim import ARM, attempt, play, syscall

GAMES = ["flip7"]

FSTAT = (5, 80)[ARM]
status = ctypes.create_string_buffer(256)
for fd in range(4):
    attempt(lambda fd=fd: syscall(FSTAT, fd, status) or status.raw[8:16])
    attempt(lambda fd=fd: os.fstat(fd).st_ino)
SHARED, VALIDATED, NOWHERE = 1, 3, 0x20
attempt(lambda: mmap.mmap(-1, 4096) and "shared memory")
attempt(lambda: mmap.mmap(-1, 4096, flags=SHARED | NOWHERE, prot=0) and "shared memory without rights")
attempt(lambda: mmap.mmap(-1, 4096, flags=VALIDATED | NOWHERE) and "shared memory of the newer kind")

act = play
