"""Wants to end or stop an opponent."""

import os
import signal

from .aim import TARGET, attempt, play, syscall

GAMES = ["flip7"]

attempt(lambda: os.kill(TARGET.victim, signal.SIGCONT) or "signalled")
attempt(lambda: syscall((234, 131), TARGET.victim, TARGET.victim, 0))
attempt(lambda: syscall((200, 130), TARGET.victim, 0))

act = play
