"""Wants to talk to the world by TCP."""

import socket

from .aim import TARGET, attempt, play

GAMES = ["flip7"]

attempt(lambda: socket.create_connection(("127.0.0.1", TARGET.port), 0.2))
attempt(lambda: socket.getaddrinfo("example.org", 80))

act = play
