"""Wants the worker's open store."""

import os

from .aim import TARGET, attempt, play, syscall

GAMES = ["flip7"]
VERDICT = "forbidden"
SAFE = False


def take():
    return [syscall(438, os.pidfd_open(TARGET.worker), fd, 0) for fd in range(3)]


attempt(take)
attempt(syscall, 438, 0, 0, 0)

act = play
