"""Wants to be woken between its turns."""

import signal

from .aim import attempt, play, syscall

GAMES = ["flip7"]

attempt(lambda: signal.setitimer(signal.ITIMER_REAL, 100))
attempt(lambda: "an alarm" if signal.alarm(100) == 0 and signal.alarm(0) > 0 else None)
attempt(lambda: syscall((222, 107), 0, None, bytes(8)))
attempt(lambda: syscall((283, 85), 0, 0))
attempt(lambda: syscall((282, 74), -1, bytes(8), 8, 0))

act = play
