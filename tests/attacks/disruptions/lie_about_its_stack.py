"""Asked for its stack before it is ended, it writes numbers and lines without end."""

import os
import signal

GAMES = ["flip7"]
VERDICT = ["cpu"]


def lie(*_):
    os.write(2, b'  File "/bot/a.py", line ' + b"9" * 5000 + b" in act\n" + b'  File "/bot/' * 4000)
    while True:
        pass


def act(view):
    signal.signal(signal.SIGUSR1, lie)
    while True:
        pass
