"""Wants to be called from outside."""

import socket

from .aim import attempt, play

GAMES = ["flip7"]

attempt(lambda: socket.create_server(("127.0.0.1", 0)))

act = play
