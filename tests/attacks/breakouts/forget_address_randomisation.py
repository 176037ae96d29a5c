"""Wants its addresses to be the same in every process."""

from .aim import attempt, libc, play

GAMES = ["flip7"]

attempt(libc, "personality", 0x0040000)

act = play
