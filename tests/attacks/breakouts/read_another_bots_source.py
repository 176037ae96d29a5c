"""Wants to know how another bot decides."""

from pathlib import Path

from .aim import TARGET, attempt, play

GAMES = ["flip7"]

attempt(Path(TARGET.other).read_text)
attempt(
    lambda: (
        __import__("importlib.util")
        .util.spec_from_file_location("x", TARGET.other)
        .loader.get_data(TARGET.other)
    )
)

act = play
