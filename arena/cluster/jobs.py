"""What goes to a cluster and what comes back. Plain data."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import RunError
from ..match.setup import MatchResult, MatchSetup
from ..moves import Moves
from ..recheck import Recheck

WORKER_MIB = 512  # of memory for a worker and its fork server
COPIED_MIB = 160  # of the fork server's memory that a bot may write to, page by page: each is then its own


@dataclass(frozen=True)
class BotName:
    """A bot of a job: its name, the hash by which its files are loaded, and whose it is ("": a house bot)."""

    name: str
    hash: str
    stranger: str = ""


@dataclass(frozen=True)
class Job:
    """A match to be played, with the bot of each place; `recheck`: twice, on two nodes, to compare them."""

    setup: MatchSetup
    bots: tuple[BotName, ...]
    recheck: bool = False


@dataclass(frozen=True, eq=False)
class Played:
    """A match that was played.

    Attributes:
        setup: what it was played from.
        result: what is kept of it.
        recheck: what a second node made of it; None if there was none.
        differs: of a bot that is not repeatable, another result on the same node.
    """

    setup: MatchSetup
    result: MatchResult
    recheck: Recheck | None = None
    differs: MatchResult | None = None


@dataclass(frozen=True)
class Needs:
    """What a node must have for a match: code, the level of the wall, and what bots may import."""

    game: str
    level: str
    profile: str
    preload: tuple[str, ...]
    code: str

    @classmethod
    def of(cls, setup: MatchSetup) -> Needs:
        """The needs of a match."""
        return cls(setup.game, setup.level, setup.limits.profile, tuple(setup.limits.preload), setup.code)


@dataclass(frozen=True)
class Failure:
    """Why a call gave no result.

    Attributes:
        text: one line.
        host: whether the host could not separate bots, or is another one than it should be.
        lost: whether the worker or its node has ended; else the call itself has raised an error.
        gone: whether it is the node that has ended.
    """

    text: str
    host: bool = False
    lost: bool = False
    gone: bool = False


NODE_GONE = Failure("its node is gone", lost=True, gone=True)


class MatchFailed(RunError):
    """Matches that could not be played; `host` says that a host could not separate bots."""

    def __init__(self, text: str, host: bool) -> None:
        super().__init__(text)
        self.host = host


def memory_of(setup: MatchSetup) -> int:
    """Bytes that a match may use: what its bots may have, and the worker with its fork server."""
    return (WORKER_MIB + len(setup.bot_seeds) * (COPIED_MIB + setup.limits.memory_mib)) << 20


def games_of(result: MatchResult) -> str:
    """SHA-256 (hex) of the games of a match: moves, scores and forfeits, but nothing that was measured."""
    digest = hashlib.sha256(np.ascontiguousarray(result.scores, "<i8").tobytes())
    digest.update(Moves.of(result.moves).digested())
    lost: list[Any] = sorted((one.game, one.seat, one.decision, one.kind) for one in result.forfeits)
    return hashlib.sha256(digest.digest() + repr(lost).encode()).hexdigest()


def reason(error: BaseException) -> str:
    """The last line of what an error says."""
    cause = getattr(error, "cause", None) or error
    lines = [line for line in str(cause).splitlines() if line.strip()]
    return lines[-1].strip() if lines else type(cause).__name__
