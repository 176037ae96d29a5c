"""Wants to leave a message in a keyring."""

from .aim import TARGET, attempt, play, syscall

GAMES = ["flip7"]

attempt(lambda: syscall((248, 217), b"user", TARGET.token.encode(), b"x", 1, -2))
attempt(lambda: syscall((250, 219), 0, -3, 1))

act = play
