"""Raises its limit of core dumps, makes its memory readable, and ends by abort: the dump would lie on the host."""

import contextlib
import ctypes
import os
import resource

GAMES = ["flip7"]
VERDICT = "crash"
WORDS = "SIGABRT"
DUMPABLE = 4  # prctl


def act(view):
    most = resource.getrlimit(resource.RLIMIT_CORE)[1]
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        print("GOT: a limit of core dumps")
    if ctypes.CDLL(None).prctl(DUMPABLE, 1) == 0:
        print("GOT: memory that others may read")
    if most != 1:  # a handler on the host gets dumps at every other limit, also at 0
        print("GOT: a dump for the host's handler")
    os.abort()
