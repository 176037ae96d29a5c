"""What comes out of a match: as a worker returns it, as it is stored, and as it is read back.

All actions of all games are in one array (`Moves`): so they are stored, travel and are hashed.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .setup import MatchSetup

LEVEL = 1  # of zlib: 6 takes six times as long, for 5 % (Taroky) to a third (Flip 7) fewer bytes
REQUEST = np.dtype([("place", "u1"), ("decisions", "<i4"), ("cpu_s", "<f8")])
"""One request to a bot: how many decisions it asked for, and the CPU time since the one before it."""


class Moves(Sequence[NDArray[np.int16]]):
    """The actions of each game. A worker packs them; they are unpacked where somebody looks at them."""

    def __init__(self, games: Sequence[NDArray[Any]]) -> None:
        """Of an array for each game. Raises ValueError: a number that does not fit into 16 bits."""
        lengths = np.array([len(one) for one in games], "<i4")
        given = np.concatenate(games) if games else np.zeros(0, "<i2")
        every = given.astype("<i2")
        if (every != given).any():
            raise ValueError(f"the numbers {given.min()} to {given.max()} cannot be stored as int16")
        self._games = len(lengths)
        self._arrays: tuple[NDArray[np.int32], NDArray[np.int16]] | None = (lengths, every)
        self._frame = b""

    @classmethod
    def of(cls, games: Sequence[NDArray[Any]]) -> Moves:
        """As they are if they are packed already."""
        return games if isinstance(games, cls) else cls(games)

    @classmethod
    def of_frame(cls, frame: bytes, games: int) -> Moves:
        """From what `frame` gave; looked at later, so an error comes then."""
        made = cls.__new__(cls)
        made._games, made._arrays, made._frame = games, None, frame
        return made

    @property
    def frame(self) -> bytes:
        """One zlib frame: how many each game has (int32), then all of them (int16), little-endian."""
        if not self._frame:
            lengths, every = self.arrays
            self._frame = zlib.compress(lengths.tobytes() + every.tobytes(), LEVEL)
        return self._frame

    @property
    def arrays(self) -> tuple[NDArray[np.int32], NDArray[np.int16]]:
        """How many each game has, and all of them one after the other."""
        if self._arrays is None:
            raw = zlib.decompress(self._frame)
            lengths = np.frombuffer(raw, "<i4", self._games)
            every = np.frombuffer(raw, "<i2", offset=4 * self._games)
            self._arrays = lengths, every
        return self._arrays

    def digested(self) -> bytes:
        """Return what digests are made of, as int16: a length (two numbers), its moves, a length, ..."""
        lengths, every = self.arrays
        begins = np.cumsum(lengths + 2) - lengths - 2
        told = np.empty(len(every) + 2 * len(lengths), "<i2")
        moves = np.ones(len(told), np.bool_)
        moves[begins] = moves[begins + 1] = False
        told[moves], told[~moves] = every, lengths.view("<i2")
        return told.tobytes()

    def __reduce__(self) -> tuple[Any, ...]:
        return Moves.of_frame, (self.frame, self._games)

    def __len__(self) -> int:
        return self._games

    @overload
    def __getitem__(self, at: int) -> NDArray[np.int16]: ...
    @overload
    def __getitem__(self, at: slice) -> Moves: ...
    def __getitem__(self, at: int | slice) -> NDArray[np.int16] | Moves:
        if isinstance(at, slice):
            return Moves(list(self)[at])
        lengths, every = self.arrays
        game = range(self._games)[at]  # an IndexError where there is none
        begin = int(lengths[:game].sum())
        return every[begin : begin + int(lengths[game])]

    def __iter__(self) -> Iterator[NDArray[np.int16]]:
        lengths, every = self.arrays
        ends = np.cumsum(lengths)
        return (every[begin:end] for begin, end in zip((ends - lengths).tolist(), ends.tolist()))


def parting(one: NDArray[Any], other: NDArray[Any]) -> int | None:
    """Return the first decision at which two games differ; None if they are the same."""
    ways = zip_longest(one, other)
    return next((at for at, (mine, then) in enumerate(ways) if mine != then), None)


@dataclass(frozen=True)
class Forfeited:
    """A seat that broke a rule: in which game (index in the match), after how many decisions, how.

    `place` is -1 where a stored forfeit is of a bot that did not sit there.
    """

    game: int
    seat: int
    place: int
    decision: int
    kind: str
    text: str


@dataclass(frozen=True)
class Logged:
    """Hold what a bot printed at one decision.

    It says in which game (index in the match; -1: while it was loaded) and after how many decisions of the
    game.
    """

    game: int
    place: int
    decision: int
    text: str


@dataclass(frozen=True)
class Recheck:
    """What came of playing a match on a second node too: names of both, and whether the games are the same.

    Those of the first are kept.
    """

    first: str
    second: str
    same: bool

    def __str__(self) -> str:
        """Say it in a line."""
        what = f"the same games on {self.second} as" if self.same else f"other games on {self.second} than"
        return f"{what} on {self.first}"


@dataclass(frozen=True)
class Answered:
    """What came of asking a bot about a match again: `now` is "" if it answered as it did."""

    place: int
    decisions: int
    # of the first other answer, its index in the match; with `seat`, and `decision` made before it
    game: int = -1
    seat: int = -1
    decision: int = -1
    view: str = ""  # what it was shown, as text
    then: str = ""  # what it answered in the match
    now: str = ""  # what it answers alone


@dataclass(frozen=True, eq=False)
class PlayedMatch:
    """A finished match: arrays by game and seat, lists by place of the line-up."""

    number: int  # of its plan, as what follows
    stage: int
    rotation: int
    line_up: tuple[int, ...]
    blocks: NDArray[np.int32]  # of its setup, as the places
    places: NDArray[np.uint8]
    scores: NDArray[np.int64]  # [games, seats], as the cards fell
    moves: Sequence[NDArray[np.int16]]
    cpu_s: list[float]
    decisions: list[int]
    wall_s: float = 0.0
    host: dict[str, Any] = field(default_factory=dict)  # level, kernel, what held
    forfeits: list[Forfeited] = field(default_factory=list)  # in the order in which they happened
    memory_mib: list[float] = field(default_factory=list)
    slept_s: list[float] = field(default_factory=list)  # what is gone of the bank of sleep
    load_s: list[float] = field(default_factory=list)  # CPU seconds until the bot was loaded; not stored
    # for every time that a bot was asked, in order; a stored match has one for all requests that took about
    # as long: see `arena.store.packing`
    requests: NDArray[np.void] = field(default_factory=lambda: np.zeros(0, REQUEST))
    # what bots printed, each at most `Limits.log_kib` a process; not read back: see `Store.logs`
    logs: list[Logged] = field(default_factory=list)
    # for every time that the match was called off before, why: never for what a bot has done
    repeated: list[str] = field(default_factory=list)
    recheck: Recheck | None = None  # what came of playing it on a second node too
    answered: Answered | None = None  # what came of asking one of its bots again; not stored with it
    games_sha256: str = ""  # `games_digest`, from the worker or as stored; "" if nobody has made it
    digest: str = ""  # as it was when the match was stored

    def lost_at(self, never: int) -> NDArray[np.int64]:
        """Count the decisions of every game before a seat forfeited it.

        Args:
            never: stands for seats that did not forfeit.
        """
        before = np.full(self.places.shape, never)
        for one in self.forfeits:
            before[one.game, one.seat] = one.decision
        return before

    @classmethod
    def of(
        cls,
        setup: MatchSetup,
        scores: NDArray[np.int64],
        moves: Sequence[NDArray[np.int16]],
        cpu_s: Sequence[float] | None = None,
        decisions: Sequence[int] | None = None,
        **more: Any,
    ) -> PlayedMatch:
        """Return what came of a setup; nobody was asked where no CPU time and decisions are given."""
        plan, seats = setup.plan, setup.players
        return cls(
            plan.number, plan.stage, plan.rotation, plan.line_up, setup.blocks, setup.places, scores, moves,
            list(cpu_s or [0.0] * seats), list(decisions or [0] * seats), **more,
        )  # fmt: skip

    @property
    def faults(self) -> dict[tuple[int, str, str], list[tuple[int, int, int]]]:
        """The forfeits by entrant, kind and text: game, seat and decisions made before it, of each."""
        groups: dict[tuple[int, str, str], list[tuple[int, int, int]]] = {}
        for one in self.forfeits:
            entrant = self.line_up[one.place] if one.place >= 0 else -1
            groups.setdefault((entrant, one.kind, one.text), []).append((one.game, one.seat, one.decision))
        return groups

    def games_digest(self) -> str:
        """Return the SHA-256 (hex) of the games alone.

        In it are who sat where, every move, scores, forfeits. Nothing that was measured is in it, so it is
        the same wherever the match was played.
        """
        facts = [self.number, self.line_up]
        facts += sorted([*who, *seat] for (*who, _), seats in self.faults.items() for seat in seats)
        digest = hashlib.sha256(json.dumps(facts).encode())
        for values, kind in ((self.blocks, "<i4"), (self.places, "u1"), (self.scores, "<i4")):
            digest.update(np.asarray(values, kind).tobytes())
        digest.update(Moves.of(self.moves).digested())
        return digest.hexdigest()

    def digest_now(self) -> str:
        """SHA-256 (hex) of everything but the logs and the requests. `games_sha256` stands for the games."""
        facts = [
            self.number,
            self.stage,
            self.rotation,
            self.line_up,
            self.cpu_s,
            self.decisions,
            self.wall_s,
        ]
        facts += [self.host, self.repeated, self.memory_mib, self.slept_s]
        facts += [None if self.recheck is None else asdict(self.recheck)]
        facts += [[*how, seats] for how, seats in self.faults.items()]
        facts += [self.games_sha256 or self.games_digest()]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
