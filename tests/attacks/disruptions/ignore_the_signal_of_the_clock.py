"""Never answers, and ignores what would end it."""

import signal

GAMES = ["flip7"]
VERDICT = "cpu"
WORDS = "budget"

for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)


def act(view):
    while True:
        pass
