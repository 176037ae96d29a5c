"""Wants to know its core from the page of system calls of old, which has an address of its own and no number."""

import ctypes
import platform

from .aim import attempt, play

GAMES = ["flip7"]
VERDICT = ["", "crash", "forbidden"]  # where the kernel has no such page, reading it ends the process
WALL = False
GETCPU = 0xFFFFFFFFFF600800


def core():
    number = ctypes.c_uint(0xFFFF)
    if (
        ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)(GETCPU)(ctypes.byref(number), None)
        == 0
    ):
        return number.value
    raise PermissionError("refused")


def act(view):
    if platform.machine() == "x86_64":
        attempt(core)
    return play(view)
