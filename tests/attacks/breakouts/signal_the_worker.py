"""Wants to stop or end the match worker."""

import os
import signal

from .aim import TARGET, attempt, play, syscall

GAMES = ["flip7"]

attempt(lambda: os.kill(TARGET.worker, signal.SIGCONT) or "signalled")
attempt(lambda: os.killpg(TARGET.worker, 0) or "signalled")
attempt(lambda: syscall((129, 138), TARGET.worker, 0, bytes(128)))
attempt(lambda: syscall(424, os.pidfd_open(TARGET.worker), 0, None, 0))

act = play
