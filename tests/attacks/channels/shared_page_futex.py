"""A futex on a page of the C library that all bots have mapped: the sender wakes who waits there, and learns
how many did.
"""

import ctypes

WORKS = False  # the other must be waiting at that moment
LIBC = ctypes.CDLL(None, use_errno=True)
CODE = (ctypes.cast(LIBC.getpid, ctypes.c_void_p).value & ~4095) + 64
FUTEX, WAKE, WAIT = 202, 1, 0


def futex(command, value):
    if LIBC.syscall(FUTEX, ctypes.c_void_p(CODE), command, value, (ctypes.c_long * 2)(0, 1000), None, 0) < 0:
        raise OSError(ctypes.get_errno(), "futex")


def send(bit):
    if bit:
        futex(WAKE, 9)


def hear():
    futex(WAIT, int.from_bytes(ctypes.string_at(CODE, 4), "little"))
    return 1
