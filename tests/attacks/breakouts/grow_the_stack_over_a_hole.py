"""Wants the kernel's page of zeros, which all processes share: unmaps what lies below the stack, so that the stack
grows there, and reads the new pages before it writes to them.
"""

import ctypes

from .aim import LIBC, attempt, libc, play

GAMES = ["flip7"]
VERDICT = "crash"
WORDS = "SIGSEGV"
SAFE = False
PAGE, KEPT, HOLE = 4096, 16, 1536  # pages of the stack that it needs, and of those below


def grow():
    top = ctypes.c_void_p.in_dll(LIBC, "__libc_stack_end").value & -PAGE
    libc("munmap", top - (KEPT + HOLE) * PAGE, HOLE * PAGE)
    return [ctypes.string_at(top - (KEPT + page) * PAGE, 8) for page in range(1, 9)]


attempt(grow)

act = play
