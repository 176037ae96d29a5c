"""What the attacks share: where the things are that they want, and how they tell what came of it.

Lies beside each of them.
"""

import ctypes
import hashlib
import json
import os
import pkgutil
import platform
from types import SimpleNamespace

TARGET = SimpleNamespace(**json.loads(pkgutil.get_data(__package__, "targets.json")))
ARM = platform.machine() == "aarch64"
LIBC = ctypes.CDLL(None, use_errno=True)


def libc(name, *arguments):
    """A function of the C library that returns -1 for an error."""
    result = getattr(LIBC, name)(*map(_plain, arguments))
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def syscall(number, *arguments):
    """A system call by its number: one, or (x86_64, aarch64)."""
    return libc("syscall", number[ARM] if isinstance(number, tuple) else number, *arguments)


def _plain(argument):
    return ctypes.c_long(argument) if isinstance(argument, int) else argument


def attempt(act, *arguments):
    """Try something. What it returns is loot, unless it is None."""
    try:
        loot = act(*arguments)
    except BaseException as error:
        print(f"refused: {type(error).__name__}: {error}", flush=True)
    else:
        print("refused: nothing there" if loot is None else f"GOT: {loot!r}"[:300], flush=True)


def play(view):
    """An answer that is always legal."""
    return int(view.legal[0])


def is_a_deals_seed(guess):
    """Whether a guess is right: the judge's help, which no real attacker has."""
    return hashlib.blake2b(f"{TARGET.token} {guess}".encode()).hexdigest() in TARGET.seeds
