"""The sender's name as a process, which /proc shows."""

import ctypes

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_NAME = 15


def send(bit):
    LIBC.prctl(PR_SET_NAME, b"one" if bit else b"nought", 0, 0, 0)


def hear(sender):
    with open(f"/proc/{sender}/comm") as file:
        return file.read() == "one\n"
