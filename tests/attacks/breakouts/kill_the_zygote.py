"""Wants to end the fork server, and with it all bots of the match."""

import os
import signal

from .aim import attempt, play

GAMES = ["flip7"]
SAFE = False

attempt(lambda: os.kill(os.getppid(), signal.SIGCONT) or "signalled")
attempt(lambda: os.pidfd_open(os.getppid()))
attempt(lambda: os.kill(os.getppid(), 9) or "killed")

act = play
