"""The tables of the result store, and how moves are packed.

    bot ── entrant ── league_run ── match ── game ── forfeit
                          └── standing

Every match is keyed by run and number and written in one transaction with its games: writing it twice is harmless, and
stopping anywhere loses nothing that was finished.
"""

from __future__ import annotations

import zlib
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import JSON, Column, LargeBinary, UniqueConstraint
from sqlmodel import Field, SQLModel

SCHEMA = 1


def now() -> datetime:
    """The time of day, UTC."""
    return datetime.now(UTC)


class Schema(SQLModel, table=True):
    """Which version of these tables the database has."""

    __tablename__ = "arena_schema"
    version: int = Field(primary_key=True)


class Bot(SQLModel, table=True):
    """A version of a bot, with its source. House bots and submitted ones are alike; a guest has version 0."""

    __table_args__ = (UniqueConstraint("name", "version", "hash"),)
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(index=True)
    version: int
    kind: str  # house, submitted or guest
    games: list[str] = Field(sa_column=Column(JSON, nullable=False))
    title: str
    hash: str
    source: bytes = Field(sa_column=Column(LargeBinary, nullable=False))  # see arena.bots.pack
    created: datetime = Field(default_factory=now)

    @property
    def label(self) -> str:
        """`name@version`; a guest is marked."""
        return f"{self.name} (guest)" if self.kind == "guest" else f"{self.name}@{self.version}"


class LeagueRun(SQLModel, table=True):
    """One run of a league: `taroky#2`."""

    __tablename__ = "league_run"
    __table_args__ = (UniqueConstraint("name", "number"),)
    id: int | None = Field(default=None, primary_key=True)
    name: str
    number: int
    game: str = Field(index=True)
    definition: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    fingerprint: str = Field(index=True)
    secret: str  # hex; shown only when the run is finished
    secret_hash: str
    matches: int
    started: datetime = Field(default_factory=now)
    finished: datetime | None = None

    @property
    def label(self) -> str:
        """`name#number`."""
        return f"{self.name}#{self.number}"


class Entrant(SQLModel, table=True):
    """A bot in a run; `place` is its index in the schedule."""

    run_id: int = Field(foreign_key="league_run.id", primary_key=True)
    place: int = Field(primary_key=True)
    bot_id: int = Field(foreign_key="bot.id")


class Match(SQLModel, table=True):
    """One finished match. Lists have one value per place of the line-up."""

    run_id: int = Field(foreign_key="league_run.id", primary_key=True)
    number: int = Field(primary_key=True)
    line_up: list[int] = Field(sa_column=Column(JSON, nullable=False))  # entrant of each place
    turn: int
    cpu_s: list[float] = Field(sa_column=Column(JSON, nullable=False))
    decisions: list[int] = Field(sa_column=Column(JSON, nullable=False))  # asked of the bot; forced ones are not
    wall_s: float
    host: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))  # level, kernel, what held
    finished: datetime = Field(default_factory=now)


class GameRow(SQLModel, table=True):
    """One finished game."""

    __tablename__ = "game"
    run_id: int = Field(foreign_key="league_run.id", primary_key=True)
    number: int = Field(primary_key=True)  # match * 1000 + place in the match
    match: int = Field(index=True)
    block: int
    entrants: list[int] = Field(sa_column=Column(JSON, nullable=False))  # by seat
    places: list[int] = Field(sa_column=Column(JSON, nullable=False))  # place of the line-up, by seat
    scores: list[int] = Field(sa_column=Column(JSON, nullable=False))  # by seat, as the cards fell
    moves: bytes = Field(sa_column=Column(LargeBinary, nullable=False))  # every action, int16, zlib


class Forfeit(SQLModel, table=True):
    """A seat that lost a game by breaking a rule."""

    id: int | None = Field(default=None, primary_key=True)
    run_id: int = Field(foreign_key="league_run.id", index=True)
    game: int
    seat: int
    entrant: int
    decision: int  # decisions made in the game before it
    kind: str
    text: str


class Standing(SQLModel, table=True):
    """The table after a run was finished."""

    id: int | None = Field(default=None, primary_key=True)
    run_id: int = Field(foreign_key="league_run.id", index=True)
    at: datetime = Field(default_factory=now)
    table: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))


GAMES_PER_MATCH = 1000
"""Game numbers are match * GAMES_PER_MATCH + place in the match."""


def pack_moves(moves: NDArray[np.int16]) -> bytes:
    """The actions of a game as they are stored."""
    return zlib.compress(moves.astype("<i2").tobytes(), 6)


def unpack_moves(data: bytes) -> list[int]:
    """The actions of a stored game."""
    return np.frombuffer(zlib.decompress(data), "<i2").tolist()
