"""Wants the results gone."""

import os

from .aim import TARGET, attempt, play

GAMES = ["flip7"]

attempt(lambda: os.truncate(TARGET.store, 0) or "truncated")
attempt(lambda: os.rename(TARGET.store, TARGET.store + "x") or "renamed")
attempt(lambda: os.unlink(TARGET.store) or "deleted")
attempt(lambda: os.unlink(TARGET.store + "x") or "deleted")
attempt(lambda: os.rmdir(os.path.dirname(TARGET.store)) or "folder deleted")

act = play
