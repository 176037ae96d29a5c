"""Wants a queue that its twin can read."""

from .aim import TARGET, attempt, libc, play

GAMES = ["flip7"]

attempt(libc, "mq_open", f"/{TARGET.token}".encode(), 0o102, 0o600, None)

act = play
