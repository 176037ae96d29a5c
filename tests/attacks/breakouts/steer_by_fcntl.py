"""Wants the signals, sizes and seals that fcntl can set on its channel."""

import fcntl

from .aim import TARGET, attempt, play

GAMES = ["flip7"]
SAFE = False

F_ADD_SEALS, F_SETPIPE_SZ = 1033, 1031
attempt(lambda: fcntl.fcntl(3, F_SETPIPE_SZ, 1 << 20))
attempt(lambda: fcntl.fcntl(1, F_ADD_SEALS, 1) or "sealed")
attempt(lambda: fcntl.fcntl(3, fcntl.F_SETOWN, TARGET.worker) or "owner")
attempt(lambda: fcntl.fcntl(3, fcntl.F_SETFL, 0o20000) or "asynchronous")

act = play
