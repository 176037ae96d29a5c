"""Wants shared memory by a name."""

from multiprocessing import shared_memory

from .aim import TARGET, attempt, play

GAMES = ["flip7"]

attempt(lambda: shared_memory.SharedMemory(TARGET.token, create=True, size=64))

act = play
