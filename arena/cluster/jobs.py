"""What a match needs of a node, and why one gave no result. Plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ..errors import RunError
from ..jail.outcomes import COPIED_MIB
from ..match.setup import MatchSetup

START_S = 120.0  # until a worker has started, and a game is compiled
WORKER_MIB = 512  # of memory for a worker and its fork server
FILES_STEP = 16 << 20  # bytes in which memory for files is reserved


class Needs(NamedTuple):
    """What a node must have for a match; a tuple, since it is looked up for every node and match."""

    game: str
    level: str
    profile: str
    preload: tuple[str, ...]
    code: str

    @classmethod
    def of(cls, setup: MatchSetup) -> Needs:
        """Return the needs of a match."""
        return cls(setup.game, setup.level, setup.limits.profile, tuple(setup.limits.preload), setup.code)


@dataclass(frozen=True)
class Failure:
    """Why a call gave no result."""

    text: str
    host: bool = False  # whether the host could not separate bots, or is another one than it should be
    lost: bool = False  # whether the worker or its node has ended; else the call itself has raised an error
    gone: bool = False  # whether it is the node that has ended
    memory: bool = False  # whether memory may have run out there


NODE_GONE = Failure("its node is gone", lost=True, gone=True)


class MatchFailed(RunError):
    """Matches that could not be played; `host` says that a host could not separate bots."""

    def __init__(self, text: str, host: bool) -> None:
        super().__init__(text)
        self.host = host


def memory_of(setup: MatchSetup, files: int = 0) -> int:
    """Bytes that a match may use: its bots and the kernel for them, the worker and its fork server.

    Args:
        files: bytes of its bots' files, all places together: the worker has them, and the bots' processes.
    """
    place = COPIED_MIB + setup.limits.memory_mib + setup.limits.kernel_mib
    pieces = -(-2 * files // FILES_STEP)  # few different amounts, since Ray keeps something for each
    return ((WORKER_MIB + len(setup.bot_seeds) * place) << 20) + pieces * FILES_STEP


def worst_s(setup: MatchSetup) -> float:
    """Return the seconds after which a match has ended whatever its bots do, on a machine of its own."""
    return START_S + len(setup.bot_seeds) * setup.limits.for_match(len(setup.seeds)).worst_wall_s()


def reason(error: BaseException) -> str:
    """Return the last line of what an error says."""
    cause = getattr(error, "cause", None) or error
    lines = [line for line in str(cause).splitlines() if line.strip()]
    return lines[-1].strip() if lines else type(cause).__name__
