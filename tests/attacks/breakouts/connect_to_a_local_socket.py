"""Wants a service of the machine, such as Ray's or Docker's."""

import socket

from .aim import TARGET, attempt, play

GAMES = ["flip7"]

attempt(lambda: socket.socket(socket.AF_UNIX).connect(TARGET.socket) or "connected")
attempt(lambda: socket.socket(socket.AF_UNIX).connect("\0" + TARGET.token) or "connected")
attempt(lambda: socket.socketpair())

act = play
