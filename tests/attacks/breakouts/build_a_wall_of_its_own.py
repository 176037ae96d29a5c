"""Wants a filter or a rule set on top that changes what the first one does."""

import struct

from .aim import attempt, play, syscall

GAMES = ["flip7"]

attempt(syscall, (317, 277), 1, 0, struct.pack("HxxxxxxP", 0, 0))
attempt(syscall, 444, None, 0, 1)

act = play
