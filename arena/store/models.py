"""The tables of the result store. What is written into them, and when, is in the other modules here.

    source ── bot ── entrant ──┬── league_run ──┬── stage ── match ── forfeit, log, audit
                               │                ├── lease               who plays it now
    commitment ────────────────┘                ├── standing         tables, until games come in
                              season ── epoch ──┤                    which runs a season has played
                                                └── analysis         what decisions of a game cost
    owner ── token, submission, act                                  who may submit, what waits, who did what

A run holds all that its games depend on: the definition with complete limits, and for each of its stages
(the start, then bots that joined and deals that were added) the secret, the schedule and what code played
it. A match is the unit of play, of storage and of chance: one row, its games in packed arrays, written once
and whole.

A change here needs a migration in `migrations/versions`; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any

from pydantic import AfterValidator, TypeAdapter
from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    DateTime,
    Dialect,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    TypeDecorator,
    UniqueConstraint,
    text,
)
from sqlmodel import Field, Relationship, SQLModel

from leagues.definition import League
from leagues.limits import Limits
from leagues.season import SeasonFile

from ..match.identity import Code

LEASE_S = 60.0  # how long after its last heartbeat a driver may still play


def now() -> datetime:
    """Return the time of day, UTC."""
    return datetime.now(UTC)


def age(time: datetime | None) -> float | None:
    """Return how many seconds ago a time was."""
    return max(0.0, (now() - time).total_seconds()) if time else None


class OwnColumn(TypeDecorator[Any]):
    """A column that is named when what is read of it is not as it was written."""

    column = ""

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any]:
        """Return how a value is read, by the database's type and then by `process_result_value`."""
        read = super().result_processor(dialect, coltype)
        assert read is not None

        def checked(value: Any) -> Any:
            try:
                return read(value)
            except (AttributeError, KeyError, TypeError, ValueError):
                raise ValueError(f"{self.column} is not as it was written") from None

        return checked


class Moment(OwnColumn):
    """A time with its zone: SQLite drops the zone, so UTC is put back."""

    impl, cache_ok = DateTime(timezone=True), True

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """As it is handed out."""
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


class Shaped(OwnColumn):
    """JSON of a type of plain values, or of a class that makes them (`plain`) and reads them (`stored`)."""

    impl, cache_ok = JSON, True

    def __init__(self, kind: Any) -> None:
        super().__init__()
        self.kind = kind
        strict = partial(TypeAdapter(kind).validate_python, strict=True)
        self._read = getattr(kind, "stored", strict)

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """As it is stored."""
        return value.plain() if hasattr(value, "plain") else value

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """As it is handed out."""
        return self._read(value)


def moment(nullable: bool = False) -> Any:
    """Return a column for a time: now, or empty."""
    if nullable:
        return Field(default=None, sa_column=Column(Moment))
    return Field(default_factory=now, sa_column=Column(Moment, nullable=False))


def unique(name: str, columns: list[str], where: str) -> Index:
    """Rows that fulfil the condition differ in these columns."""
    return Index(name, *columns, unique=True, sqlite_where=text(where), postgresql_where=text(where))


def json(kind: Any, **arguments: Any) -> Any:
    """Return a column for values of a type, see `Shaped`."""
    return Field(sa_column=Column(Shaped(kind), nullable=False), **arguments)


def packed() -> Any:
    """Return a column for bytes; see `packing`."""
    return Field(sa_column=Column(LargeBinary, nullable=False))


def needed(conditions: dict[str, Any]) -> dict[str, Any]:
    """Check what a bot needs that not every league allows: a level and some limits, or {}."""
    TypeAdapter(Limits).validate_python(conditions["limits"] if conditions else {})
    return {key: conditions[key] for key in ("league", "level", "limits")} if conditions else {}


class Numbered(SQLModel):
    """A row that gets a number of its own when it is stored."""

    id: int | None = Field(default=None, primary_key=True)

    @property
    def key(self) -> int:
        """The number, which a stored row has."""
        if self.id is None:
            raise ValueError("it is not stored yet")
        return self.id


class BotSource(SQLModel, table=True):
    """The files of a bot, once for all versions that share them; loaded only when they are played."""

    __tablename__ = "source"
    hash: str = Field(primary_key=True)
    packed: bytes = packed()  # see arena.intake.source


class Bot(Numbered, table=True):
    """Hold a version of a bot.

    House bots and submitted ones count their versions together; a guest has version 0.
    """

    __table_args__ = (
        unique("one_bot_a_version", ["name", "version"], "version > 0"),
        unique("one_guest_a_source", ["name", "hash"], "version = 0"),
    )
    name: str
    version: int
    kind: str  # house, submitted or guest
    games: list[str] = json(list[str])
    title: str
    hash: str = Field(foreign_key="source.hash")
    owner: str = ""
    note: str = ""
    conditions: dict[str, Any] = json(Annotated[dict[str, Any], AfterValidator(needed)], default_factory=dict)
    created: datetime = moment()
    retired: datetime | None = moment(nullable=True)
    deleted: datetime | None = moment(nullable=True)  # its files are gone; its games stay

    @property
    def label(self) -> str:
        """`name@version`; a guest by the beginning of its hash."""
        return f"{self.name} (guest {self.mark})" if self.kind == "guest" else f"{self.name}@{self.version}"

    @property
    def mark(self) -> str:
        """What tells a guest from others of its name; "" for bots with a version."""
        return self.hash[:6] if self.kind == "guest" else ""


class Owner(SQLModel, table=True):
    """A person who may submit bots over the network; bots name their owners."""

    name: str = Field(primary_key=True)
    invited: datetime = moment()
    banned: datetime | None = moment(nullable=True)
    reason: str = ""  # of the ban
    network: str = ""  # that registered; "": invited


class Token(SQLModel, table=True):
    """What shows that a request comes from an owner. The token itself is nowhere."""

    hash: str = Field(primary_key=True)  # SHA-256 of the token, hex
    owner: str = Field(foreign_key="owner.name", index=True)
    made: datetime = moment()

    @property
    def mark(self) -> str:
        """What tells it from others, for people."""
        return self.hash[:8]


class Submission(Numbered, table=True):
    """A file that an owner sent: it waits, is tried under a lease, and has one outcome."""

    owner: str = Field(foreign_key="owner.name", index=True)
    file: str
    note: str
    source: bytes = packed()  # empty once it has its outcome
    state: str = Field(index=True)  # waiting, trying, accepted or refused
    text: str = ""  # the outcome, for its owner
    tries: int = 0  # how often a trial was begun
    driver: str = ""  # who tries it now; see `leases`
    heartbeat: datetime | None = moment(nullable=True)
    sent: datetime = moment()
    taken: datetime | None = moment(nullable=True)
    ended: datetime | None = moment(nullable=True)
    bot_id: int | None = Field(default=None, foreign_key="bot.id")


class Act(Numbered, table=True):
    """Something that an organiser or an owner did. Rows are never changed."""

    at: datetime = moment()
    who: str  # did it
    what: str
    owner: str = Field(index=True)  # whom it concerns
    text: str = ""


class LeagueRun(Numbered, table=True):
    """One run of a league: `taroky#2`."""

    __tablename__ = "league_run"
    __table_args__ = (UniqueConstraint("name", "number"),)
    name: str
    number: int
    game: str = Field(index=True)
    definition: League = json(League)  # complete
    started: datetime = moment()
    finished: datetime | None = moment(nullable=True)
    aborted: datetime | None = moment(nullable=True)
    seal: str = ""  # SHA-256 of the digests of all matches, once it has ended; "" before

    @property
    def label(self) -> str:
        """`name#number`."""
        return f"{self.name}#{self.number}"

    @property
    def state(self) -> str:
        """`playing`, `finished` or `aborted`."""
        return "finished" if self.finished else "aborted" if self.aborted else "playing"


class Stage(SQLModel, table=True):
    """A part of a run under one secret: its start, a bot that joined, or deals that were added."""

    run_id: int = Field(foreign_key="league_run.id", primary_key=True)
    number: int = Field(primary_key=True)
    kind: str  # start, join or extend
    deals: int
    fingerprint: str  # hash of the definition and of all entrants
    secret: str  # hex; shown only when the run is finished or aborted
    secret_hash: str  # published before the first deal
    commitment: str  # binds the secret to the fingerprint; published before the first deal
    mixed: bool  # whether the fingerprint is mixed into the deals; not with a known seed
    # which version played is told of every run
    code: Code = json(Annotated[Code, AfterValidator(lambda code: code["versions"]["card-arena"] and code)])
    schedule: bytes = packed()  # all matches of this stage
    matches: int
    opened: datetime = moment()


class Entrant(SQLModel, table=True):
    """A bot in a run, read together with it; `place` is its index in the schedule."""

    run_id: int = Field(default=None, foreign_key="league_run.id", primary_key=True)
    place: int = Field(default=None, primary_key=True)
    bot_id: int = Field(foreign_key="bot.id")
    stage: int = 0  # with which it came
    content: str  # hash of its files and of all of ours that it imports
    bot: Bot = Relationship(sa_relationship_kwargs={"lazy": "joined", "viewonly": True})

    @classmethod
    def of(cls, bot: Bot, content: str) -> Entrant:
        """Return a stored bot as an entrant of a run that is not stored yet."""
        return cls(bot_id=bot.id or 0, content=content, bot=bot)


class LeftOut(SQLModel, table=True):
    """A bot that was to enter a run, but could not be loaded in the trial before it."""

    __tablename__ = "left_out"
    run_id: int = Field(foreign_key="league_run.id", primary_key=True)
    bot_id: int = Field(foreign_key="bot.id", primary_key=True)
    kind: str  # of its fault
    text: str  # last output of the bot
    at: datetime = moment()


class Match(SQLModel, table=True):
    """One finished match. Lists have one value per place of the line-up; bytes are read by `packing`."""

    run_id: int = Field(foreign_key="league_run.id", primary_key=True)
    number: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    stage: int
    rotation: int
    line_up: list[int] = json(list[int])  # entrant of each place
    games: int
    blocks: bytes = packed()  # block of each game
    places: bytes = packed()  # which place of the line-up sits in each seat, by game
    scores: bytes = packed()  # by game and seat, as the cards fell
    moves: bytes = packed()  # every action of every game
    cpu_s: list[float] = json(list[float])
    cpu_buckets: bytes = packed()  # see `packing`
    decisions: list[int] = json(list[int])  # asked of the bot; forced ones are not
    memory_mib: list[float] = json(list[float])  # the most that it had
    slept_s: list[float] = json(list[float])  # of its bank of sleep
    wall_s: float
    host: dict[str, Any] = json(dict[str, Any])  # level, kernel, what held
    repeated: list[str] = json(list[str])  # why it was called off before, for every time
    second_node: str = ""  # that played it, too, to compare
    same_there: bool | None = None  # whether it had the same games
    games_sha256: str  # see `PlayedMatch.games_digest`
    digest: str  # see `PlayedMatch.digest_now`
    finished: datetime = moment()


class Forfeit(SQLModel, table=True):
    """One way in which a place of a match broke the rules, and all games that it lost by it."""

    __table_args__ = (
        ForeignKeyConstraint(["run_id", "match"], ["match.run_id", "match.number"], ondelete="CASCADE"),
    )
    run_id: int = Field(primary_key=True)
    match: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    number: int = Field(primary_key=True)
    entrant: int
    kind: str
    text: str  # last output of the bot
    games: int
    seats: bytes = packed()  # game, seat and decisions made before it, of each


class Log(SQLModel, table=True):
    """What a bot printed in a place of a match."""

    __table_args__ = (
        ForeignKeyConstraint(["run_id", "match"], ["match.run_id", "match.number"], ondelete="CASCADE"),
    )
    run_id: int = Field(primary_key=True)
    match: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    place: int = Field(primary_key=True)  # of the line-up
    entrant: int
    lines: bytes = packed()  # game, decisions made before it, text


class Audit(SQLModel, table=True):
    """A bot that was asked again, alone, about a match: see `arena.match.played.Answered`."""

    __table_args__ = (
        ForeignKeyConstraint(["run_id", "match"], ["match.run_id", "match.number"], ondelete="CASCADE"),
    )
    run_id: int = Field(primary_key=True)
    match: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    place: int = Field(primary_key=True)  # of the line-up
    entrant: int
    decisions: int
    game: int  # of the first other answer; -1: there is none, or it was not loaded
    seat: int
    decision: int
    view: str
    then: str
    now: str  # "" if it answered as it did


class Analysis(SQLModel, table=True):
    """What the decisions of a seat in a game cost: see `arena.replay.analysis`."""

    run_id: int = Field(foreign_key="league_run.id", primary_key=True)
    game: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    seat: int = Field(primary_key=True)
    made_by: str  # evaluator and code
    worlds: int  # the most a decision
    decisions: list[dict[str, Any]] = json(list[dict[str, Any]])
    made: datetime = moment()


class Lease(SQLModel, table=True):
    """The driver that plays a run now."""

    run_id: int = Field(foreign_key="league_run.id", primary_key=True)
    driver: str
    who: str  # user, machine and process, for people
    heartbeat: datetime = moment()


class Commitment(SQLModel, table=True):
    """The secret of a league's next run, drawn and its hash published before all entrants are known."""

    league: str = Field(primary_key=True)
    secret: str
    secret_hash: str
    closed: str = ""  # SHA-256 of all that plays, once entries were closed for a beacon
    drawn: datetime = moment()


class Standing(SQLModel, table=True):
    """A rating table and the state of the store that it is of."""

    subject: str = Field(primary_key=True)  # "run 3" or "pool" and its mark
    state: str  # what was stored, and which code rated it
    content: Any = json(Any)
    made: datetime = moment()


class Season(SQLModel, table=True):
    """A competition that stays open and is played in epochs."""

    name: str = Field(primary_key=True)
    definition: SeasonFile = json(SeasonFile)
    state: str = "open"  # open, paused, closing (when its epoch has ended) or closed
    opened: datetime = moment()
    closed: datetime | None = moment(nullable=True)
    without: list[int] = json(list[int], default_factory=list)  # bots whose games do not count


class SeasonDriver(SQLModel, table=True):
    """The process that plays a season, or waits until it can."""

    __tablename__ = "season_driver"
    season: str = Field(foreign_key="season.name", primary_key=True)
    driver: str
    who: str  # user, machine and process, for people
    waits: str = ""  # what for; "": it plays
    heartbeat: datetime = moment()

    @property
    def silent(self) -> bool:
        """Whether nothing was heard of it for too long: its process was stopped, or cannot write."""
        return (age(self.heartbeat) or 0.0) > LEASE_S

    @property
    def does(self) -> str:
        """What it does, for people."""
        return "it was stopped, or cannot write to the database" if self.silent else self.waits or "it plays"


class Epoch(SQLModel, table=True):
    """One run of a season."""

    season: str = Field(foreign_key="season.name", primary_key=True)
    number: int = Field(primary_key=True)
    league: int  # index into the leagues of the season
    run_id: int = Field(foreign_key="league_run.id", unique=True)
    blocks: int
    newcomer_blocks: int  # of these, at tables that are there to rate a newcomer


for _table in SQLModel.metadata.tables.values():
    for _column in _table.columns:
        if isinstance(_column.type, OwnColumn):
            _column.type.column = str(_column)
