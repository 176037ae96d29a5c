"""Wants a second end of its channel, to take back what it has written."""

import os
import socket

from .aim import attempt, play

GAMES = ["flip7"]
SAFE = False

attempt(lambda: os.open("/proc/self/fd/3", os.O_RDONLY))
attempt(lambda: os.open("/dev/fd/3", os.O_RDWR))
attempt(lambda: os.dup(3))
attempt(lambda: socket.socket(fileno=os.dup(3)).getpeername())
attempt(lambda: socket.fromfd(3, socket.AF_UNIX, socket.SOCK_SEQPACKET).getpeername())

act = play
