"""Wants to send UDP packets."""

import socket

from .aim import TARGET, attempt, play

GAMES = ["flip7"]

attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", TARGET.port)))

act = play
