"""Kills its own process by the signal with which the kernel ends what it has no memory for: such a death is
nobody's fault, and the match is played again.
"""

import os

from .aim import attempt, play, syscall

GAMES = ["flip7"]
KILL, TGKILL, TKILL = (62, 129), (234, 131), (200, 130)
QUEUE, TGQUEUE = (129, 138), (297, 240)


def act(view):
    me = os.getpid()
    for number in (9, 9 | 1 << 32):
        for whom in (me, 0, -1, -me):
            attempt(syscall, KILL, whom, number)
        for group in (me, 0, -1):
            attempt(syscall, TGKILL, group, me, number)
        attempt(syscall, TKILL, me, number)
        attempt(syscall, QUEUE, me, number, bytes(128))
        attempt(syscall, TGQUEUE, me, me, number, bytes(128))
    attempt(lambda: os.kill(me, 9))
    return play(view)
