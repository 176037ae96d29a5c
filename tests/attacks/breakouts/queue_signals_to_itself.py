"""Wants to fill the queue of signals, whose length is counted per user: another bot would see it full."""

import os
import signal

from .aim import LIBC, attempt, play, syscall

GAMES = ["flip7"]

NUMBER = signal.SIGRTMIN + 3
signal.pthread_sigmask(signal.SIG_BLOCK, [NUMBER])
attempt(lambda: os.kill(os.getpid(), NUMBER) or "queued")
attempt(lambda: syscall((234, 131), os.getpid(), os.getpid(), NUMBER) or "queued")
attempt(lambda: signal.raise_signal(NUMBER) or "queued")
info = NUMBER.to_bytes(4, "little") + bytes(4) + (-1).to_bytes(4, "little", signed=True) + bytes(116)
attempt(lambda: syscall((129, 138), os.getpid(), NUMBER, info) or "queued")
attempt(lambda: syscall((297, 240), os.getpid(), os.getpid(), NUMBER, info) or "queued")

act = play
