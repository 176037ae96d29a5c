"""Wants a thread that burns time between its turns, and answers."""

import threading

GAMES = ["flip7"]
VERDICT = "exception"
WORDS = "can't start new thread"


def act(view):
    threading.Thread(target=lambda: [None for _ in iter(int, 1)], daemon=True).start()
    return view.legal[0]
