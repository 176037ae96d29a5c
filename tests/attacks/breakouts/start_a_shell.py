"""Wants to run programs of the machine."""

import os
import subprocess

from .aim import attempt, play

GAMES = ["flip7"]

attempt(lambda: subprocess.run(["/bin/sh", "-c", "echo ran"], capture_output=True).stdout)
attempt(lambda: os.posix_spawn("/bin/true", ["true"], {}))
attempt(lambda: os.system("true") == 0 or None)


def shell():
    # keeps its channel: else the worker sees it closed and ends the shell before it speaks
    os.set_inheritable(3, True)
    os.execv("/bin/sh", ["sh", "-c", "echo GOT: a shell"])


attempt(shell)

act = play
