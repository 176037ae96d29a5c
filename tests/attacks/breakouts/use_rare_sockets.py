"""Wants netlink, raw, packet, virtual machine, crypto and Bluetooth sockets."""

import socket

from .aim import attempt, play

GAMES = ["flip7"]

for family, kind in ((16, 3), (2, 3), (17, 3), (40, 1), (38, 5), (31, 3), (44, 3)):
    attempt(lambda: socket.socket(family, kind))

act = play
