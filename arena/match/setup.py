"""What a match is played from, and what comes out of it. Plain data: it crosses process and module
borders.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from engines.option import Value
from leagues.limits import Level, Limits

from ..recheck import Answered

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


class GameTable(Sequence[GameSetup]):
    """The games of a match as arrays, which are made and travel in a tenth of the time.

    Attributes:
        first: number of the first game; they count up.
        blocks: int32 [games].
        seeds: uint64 [games].
        places: uint8 [games, seats].
    """

    def __init__(
        self, first: int, blocks: NDArray[Any], seeds: NDArray[np.uint64], places: NDArray[Any]
    ) -> None:
        self.first = first
        self.blocks, self.places = np.asarray(blocks, np.int32), np.asarray(places, np.uint8)
        self.seeds = np.asarray(seeds, np.uint64)

    @classmethod
    def of(cls, games: Sequence[GameSetup], seats: int) -> GameTable:
        """As they are if they are a table already."""
        if isinstance(games, cls):
            return games
        places = np.array([game.places for game in games], np.uint8).reshape(len(games), seats)
        seeds = np.array([game.seed for game in games], np.uint64)
        first = games[0].number if games else 0
        return cls(first, np.array([game.block for game in games], np.int32), seeds, places)

    def __len__(self) -> int:
        return len(self.blocks)

    @overload
    def __getitem__(self, at: int) -> GameSetup: ...
    @overload
    def __getitem__(self, at: slice) -> list[GameSetup]: ...
    def __getitem__(self, at: int | slice) -> GameSetup | list[GameSetup]:
        numbers = range(self.first, self.first + len(self))
        if isinstance(at, slice):
            return [self[game - self.first] for game in numbers[at]]
        where = tuple(self.places[at].tolist())
        return GameSetup(numbers[at], int(self.blocks[at]), int(self.seeds[at]), where)

    def __reduce__(self) -> tuple[Any, ...]:
        seats = self.places.shape[1]
        packed = self.blocks.tobytes(), self.seeds.tobytes(), self.places.tobytes()
        return _game_table, (self.first, seats, *packed)


def _game_table(first: int, seats: int, blocks: bytes, seeds: bytes, places: bytes) -> GameTable:
    """A table that has travelled."""
    seated = np.frombuffer(places, np.uint8).reshape(-1, seats)
    return GameTable(first, np.frombuffer(blocks, np.int32), np.frombuffer(seeds, np.uint64), seated)


@dataclass(frozen=True)
class Again:
    """A match that was played, one of whose bots is asked again.

    Attributes:
        place: whose bot.
        moves: all actions of each game, as packed as they are stored.
        lost: game, seat, decisions before it and kind of every forfeit.
        dead: places that could not be loaded.
    """

    place: int
    moves: Sequence[NDArray[np.int16]]
    lost: tuple[tuple[int, int, int, str], ...]
    dead: tuple[int, ...] = ()

    def fault_at(self, game: int, seat: int, made: int) -> str | None:
        """The kind of fault by which a seat forfeited at this decision of a game; None if it did not."""
        return next((kind for *where, kind in self.lost if where == [game, seat, made]), None)


@dataclass(frozen=True)
class MatchSetup:
    """Everything that the result of a match depends on, but for the bots' code. Lists have one value per
    place. A match with `ends_s` is a trial: its games need not be over.
    """

    number: int
    game: str
    players: int
    options: dict[str, Value]
    games: Sequence[GameSetup]
    bot_seeds: tuple[int, ...]
    limits: Limits = field(default_factory=Limits)
    level: str = Level.STRICT
    code: str = ""  # hash of rules and harness that the worker must have; "" leaves it open
    again: Again | None = None  # it was played: one bot is asked again, see `again`
    ends_s: float | None = None  # s of all bots' CPU time, or of wall time, after which nobody is asked more


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
    moves: Sequence[NDArray[np.int16]]
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
    answered: Answered | None = None  # of a bot that was asked again
    requests: NDArray[np.void] = field(default_factory=lambda: np.zeros(0, REQUEST))
