"""A piece of System V memory, found by a number."""

import ctypes

LIBC = ctypes.CDLL(None, use_errno=True)
KEY, CREATE, REMOVE = 0x61000000 + TOKEN, 0o1600, 0


def shmget(flags):
    number = LIBC.shmget(KEY, 4096, flags)
    if number < 0 and ctypes.get_errno() != 2:
        raise OSError(ctypes.get_errno(), "shmget")
    return number


def send(bit):
    number = shmget(CREATE if bit else 0o600)
    if number >= 0 and not bit:
        LIBC.shmctl(number, REMOVE, None)


def hear():
    return shmget(0o600) >= 0
