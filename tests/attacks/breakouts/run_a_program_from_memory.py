"""Wants to run a program that it brought along, without a file."""

import os
from pathlib import Path

from .aim import attempt, play

GAMES = ["flip7"]


def from_memory():
    fd = os.memfd_create("program")
    os.write(fd, Path("/bin/echo").read_bytes())
    # keeps its channel: else the worker sees it closed and ends the program before it speaks
    os.set_inheritable(3, True)
    os.execve(fd, ["echo", "GOT: it ran"], {})


attempt(from_memory)

act = play
