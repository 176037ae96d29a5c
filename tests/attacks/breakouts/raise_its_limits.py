"""Wants more memory, files and processes than it may have."""

import resource

from .aim import attempt, play

GAMES = ["flip7"]
SAFE = False

for which in (resource.RLIMIT_AS, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC):
    attempt(lambda: resource.setrlimit(which, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)) or "raised")

act = play
