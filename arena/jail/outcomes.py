"""What the wall around a stranger's program has, what can become of the program, and how a host fails.

Plain data, shared by all processes.

The three outcomes of a request are never mixed: an answer, a `Fault` (the program failed: data) or a
`HostError` (we failed). Nothing here is enforced: `inside` and `clock` do that. How much a bot may use is in
`leagues.limits`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from leagues.limits import Level

COPIED_MIB = 160  # of the fork server's memory that a bot may write to, page by page: each is then its own


class HostError(RuntimeError):
    """The host or the harness failed, not a program: nobody loses by it."""


class Killed(HostError):
    """A process was killed from outside: by the kernel, because the host ran out of memory, or by somebody.

    Behind the filter of system calls no process can do that to itself.
    """


class Layer(StrEnum):
    """One part of the wall. Each has a function of its own and can be tried alone."""

    LIMITS = "limits"  # resource limits
    PRIVILEGES = "privileges"  # no capabilities, not readable by others
    FILES = "files"  # Landlock: no file can be opened
    CALLS = "calls"  # seccomp: only the system calls that computing needs, and none that takes a path
    NAMESPACES = "namespaces"  # an empty root, a network and an IPC space of its own


LAYERS: dict[Level, tuple[Layer, ...]] = {
    Level.STRICT: (Layer.LIMITS, Layer.PRIVILEGES, Layer.FILES, Layer.CALLS),
    Level.NAMESPACES: (Layer.LIMITS, Layer.PRIVILEGES, Layer.FILES, Layer.CALLS, Layer.NAMESPACES),
    Level.INTERPRETERS: (Layer.LIMITS, Layer.PRIVILEGES, Layer.FILES, Layer.CALLS),
    Level.TRUSTED: (Layer.LIMITS,),
}


class FaultKind(StrEnum):
    """Why a bot lost a game (the first three: the process lives on) or its process."""

    ILLEGAL = "illegal"  # an action that is not legal now, or that the game does not have
    TYPE = "type"  # an answer that is neither a whole number nor text
    EXCEPTION = "exception"  # raised by the bot
    CRASH = "crash"  # the process ended by itself
    CPU = "cpu"  # over its CPU time
    WALL = "wall"  # asleep or stopped for longer than its bank of sleep
    MEMORY = "memory"  # over its memory
    IMPORT = "import"  # cannot be loaded
    PROTOCOL = "protocol"  # wrote something else than an answer to its channel, or closed it
    FORBIDDEN = "forbidden"  # a system call that only an attack makes
    STALLED = "stalled"  # left out of the rest of a run: it slept or computed too long in the matches before


ALIVE = (FaultKind.ILLEGAL, FaultKind.TYPE, FaultKind.EXCEPTION)  # of one answer: the process lives on


@dataclass(frozen=True, slots=True)
class Fault:
    """A program's failure: the kind for programs, the text for people (a sentence, then its last output)."""

    kind: FaultKind
    text: str


class Failed(Exception):
    """A jailed process cannot go on: why. Never leaves the jail and its callers in `arena.cell`."""

    def __init__(self, kind: FaultKind, text: str) -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text
