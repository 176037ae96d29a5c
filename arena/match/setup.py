"""What a match is played from, and what comes out of it. Plain data: it crosses process and module
borders.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.option import Value

REQUEST = np.dtype([("place", "u1"), ("decisions", "<i4"), ("cpu_s", "<f8")])
"""One request to a bot: how many decisions it asked for, and the CPU time since the one before it."""


@dataclass(frozen=True)
class GameSetup:
    """One game: its number in the league's store, the seed of its deal, and which place of the line-up has
    which seat.
    """

    number: int
    block: int
    seed: int
    places: tuple[int, ...]


@dataclass(frozen=True)
class MatchSetup:
    """Everything that the result of a match depends on, but for the bots' code. Lists have one value per
    place.
    """

    number: int
    game: str
    players: int
    options: dict[str, Value]
    games: tuple[GameSetup, ...]
    bot_seeds: tuple[int, ...]
    limits: dict[str, Any] = field(default_factory=dict)
    level: str = "strict"
    code: str = ""  # hash of rules and harness that the worker must have; "" leaves it open


@dataclass(frozen=True)
class BotFiles:
    """A bot on its way to a worker: its name, the hash of its files, and the files packed."""

    name: str
    hash: str
    packed: bytes


@dataclass(frozen=True)
class Forfeited:
    """A seat that broke a rule: in which game (index in the match), after how many decisions, how."""

    game: int
    seat: int
    place: int
    decision: int
    kind: str
    text: str


@dataclass(frozen=True)
class Logged:
    """What a bot printed at one decision: in which game (index in the match; -1: while it was loaded), after
    how many decisions of the game.
    """

    game: int
    place: int
    decision: int
    text: str


@dataclass(frozen=True)
class MatchResult:
    """A played match. `scores` is int64 [games, seats], `moves` has every action of each game; lists are per
    place. `logs` is what bots printed, each at most `Limits.log_kib` a process.
    `requests` has a `REQUEST` for every time that a bot was asked, in order.
    `memory_mib` is the most memory, `slept_s` what is gone of the bank of sleep, `load_s` CPU seconds until
    it was loaded.

    `repeated` says for every time that the match was called off before, why: never for what a bot has done.
    """

    scores: NDArray[np.int64]
    moves: list[NDArray[np.int16]]
    forfeits: list[Forfeited]
    cpu_s: list[float]
    decisions: list[int]
    wall_s: float
    host: dict[str, Any]
    repeated: tuple[str, ...] = ()
    logs: list[Logged] = field(default_factory=list)
    memory_mib: list[float] = field(default_factory=list)
    slept_s: list[float] = field(default_factory=list)
    load_s: list[float] = field(default_factory=list)
    requests: NDArray[np.void] = field(default_factory=lambda: np.zeros(0, REQUEST))
