"""Wants free memory and uptime, as signs of what others do."""

import ctypes

from .aim import attempt, libc, play

GAMES = ["flip7"]

attempt(libc, "sysinfo", ctypes.create_string_buffer(256))
attempt(libc, "getloadavg", ctypes.create_string_buffer(24), 3)

act = play
