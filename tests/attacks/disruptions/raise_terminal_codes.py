"""Raises an exception that would repaint the organiser's terminal."""

GAMES = ["flip7"]
VERDICT = "exception"
WORDS = "\\x1b[2J\\x1b]0;owned\\x07\\r\\u202e\\u2066"


def act(view):
    raise ValueError("\x1b[2J\x1b]0;owned\x07\r\u202e\u2066")
