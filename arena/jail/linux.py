"""The system calls that Python does not offer, by ctypes: nothing else in the jail knows about libc."""

from __future__ import annotations

import ctypes
import os

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4

_libc = ctypes.CDLL(None, use_errno=True)


def syscall(number: int, *arguments: object) -> int:
    """Any system call by number.

    Raises:
        OSError: with the kernel's errno.
    """
    result = int(_libc.syscall(ctypes.c_long(number), *arguments))
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result


def prctl(option: int, *arguments: int) -> int:
    """`prctl` with integer arguments.

    Raises:
        OSError: with the kernel's errno.
    """
    padded = (*arguments, 0, 0, 0, 0)[:4]
    result = int(_libc.prctl(ctypes.c_int(option), *(ctypes.c_ulong(a) for a in padded)))
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"prctl({option}): {os.strerror(error)}")
    return result


def close_all_but(kept: int) -> None:
    """Close every descriptor from `kept` on."""
    os.closerange(kept, os.sysconf("SC_OPEN_MAX"))
