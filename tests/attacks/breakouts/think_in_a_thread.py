"""Wants a thread that goes on thinking between its turns."""

import threading

from .aim import attempt, play

GAMES = ["flip7"]
WALL = True

attempt(lambda: threading.Thread(target=int).start() or "a thread")

act = play
