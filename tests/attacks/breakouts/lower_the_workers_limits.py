"""Wants to starve the worker."""

import resource

from .aim import TARGET, attempt, play

GAMES = ["flip7"]

attempt(
    lambda: resource.prlimit(
        TARGET.worker, resource.RLIMIT_CORE, resource.prlimit(TARGET.worker, resource.RLIMIT_CORE)
    )
)

act = play
