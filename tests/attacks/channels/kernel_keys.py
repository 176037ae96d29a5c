"""A key in the user's keyring."""

import ctypes

LIBC = ctypes.CDLL(None, use_errno=True)
ADD_KEY, KEYCTL, SEARCH, UNLINK, USER_RING = 248, 250, 10, 9, -4
NOT_THERE = (126, 127, 128, 2)


def call(*arguments):
    result = LIBC.syscall(*(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments))
    if result < 0 and ctypes.get_errno() not in NOT_THERE:
        raise OSError(ctypes.get_errno(), "key")
    return result


def find():
    return call(KEYCTL, SEARCH, USER_RING, b"user", b"arena-%d" % TOKEN, 0)


def send(bit):
    if bit:
        call(ADD_KEY, b"user", b"arena-%d" % TOKEN, b"1", 1, USER_RING)
    elif (key := find()) >= 0:
        call(KEYCTL, UNLINK, key, USER_RING)


def hear():
    return find() >= 0
