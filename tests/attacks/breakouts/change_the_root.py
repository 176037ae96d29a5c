"""Wants a root folder of its own."""

import os

from .aim import TARGET, attempt, play

GAMES = ["flip7"]
VERDICT = "forbidden"
SAFE = False

attempt(os.chroot, TARGET.mine)

act = play
