"""Waits for a lock that it holds."""

import threading

GAMES = ["flip7"]
VERDICT = "wall"

lock = threading.Lock()
lock.acquire()


def act(view):
    lock.acquire()
