"""What a stranger's program may use, what can become of it, and how a host fails.

Plain data, shared by all processes.

The three outcomes of a request are never mixed: an answer, a `Fault` (the program failed: data) or a
`HostError` (we failed). Nothing here is enforced: `inside` and `clock` do that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum


class HostError(RuntimeError):
    """The host or the harness failed, not a program: nobody loses by it."""


class Killed(HostError):
    """A process was killed from outside: by the kernel, because the host ran out of memory, or by somebody.

    Behind the filter of system calls no process can do that to itself.
    """


class Level(StrEnum):
    """How strong the wall around a program is.

    A run states its level; nothing falls back to a weaker one by itself.
    """

    STRICT = "strict"  # no system call takes a path; Landlock, resource limits and no privileges beside it
    NAMESPACES = "strict+ns"  # strict, and user, mount, network, IPC and UTS namespaces
    # strict; but a bot whose program an interpreter of the host's runs can name and read files
    INTERPRETERS = "strict+interpreters"
    TRUSTED = "trusted"  # a plain process: for one's own programs only


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
WITH_INTERPRETERS = (Level.INTERPRETERS, Level.TRUSTED)


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


@dataclass(frozen=True, slots=True)
class Fault:
    """A program's failure: the kind for programs, the text for people (one sentence, then its last words)."""

    kind: FaultKind
    text: str


class Failed(Exception):
    """A jailed process cannot go on: why. Never leaves the jail and its callers in `arena.player`."""

    def __init__(self, kind: FaultKind, text: str) -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text


INTERPRETER = re.compile(r"[a-z][a-z0-9_.+-]{0,31}=/[^\0\n]{1,255}")
PROFILES = ("numpy", "threads")
MATCH_GAMES = 64  # games of a match that `cpu_s_match` is meant for
FREE_S = 0.002  # s of every request that are not looked into: who answers so soon is not asked where it was
# of one bot in a match of 64 deals: Taroky, the longest, makes 244, rounded up; and after each of three
# deaths the games that waited are asked alone
REQUESTS = 256 + 3 * MATCH_GAMES


@dataclass(frozen=True, slots=True)
class Limits:
    """What one process may use.

    CPU time is its own, user and system, all threads; load on the host costs nothing.

    From its first instruction on it may have used `cpu_s_start`, and once it is loaded `cpu_s_bank +
    cpu_ms_per_decision * decisions asked of it so far` on top, but never more than `cpu_s_match`. Time
    between an answer and the next question counts.
    """

    cpu_ms_per_decision: float = 50.0  # ms CPU, earned with every decision
    cpu_s_bank: float = 10.0  # s CPU, for the whole match on top of that
    cpu_s_start: float = 5.0  # s CPU, to load the program; what is left of it may be used later
    cpu_s_match: float = (
        90.0  # s CPU, the most that all of these come to; a match of more than 64 games: in proportion
    )
    # s in the whole match that it neither computes nor waits for a core while it is asked
    sleep_s_bank: float = 10.0
    memory_mib: int = 512  # MiB of address space on top of the interpreter and its libraries (torch: 4096)
    log_kib: int = 64  # KiB of printed text that is kept
    threads: int = 64  # threads, in the profile that allows them
    profile: str = "numpy"  # "numpy": one thread; "threads": threads allowed, for torch
    # modules beyond the standard library, NumPy, Numba and the engines that may be imported
    preload: Sequence[str] = ()
    # programs of the host's that may run a bot, as "perl=/usr/bin/perl": at level strict+interpreters
    interpreters: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Check once, where limits are made.

        Raises:
            ValueError: names the limit and what it may be.
        """
        for name in ("cpu_ms_per_decision", "cpu_s_bank", "cpu_s_start", "cpu_s_match", "sleep_s_bank"):
            if not 0 <= getattr(self, name) <= 1e9:
                raise ValueError(f"{name} = {getattr(self, name)!r}: allowed is 0 to 1e9")
        for name, low in (("memory_mib", 16), ("log_kib", 1), ("threads", 1)):
            if not low <= getattr(self, name) < 2**31:
                raise ValueError(f"{name} = {getattr(self, name)!r}: allowed is a whole number from {low} on")
        if self.profile not in PROFILES:
            raise ValueError(f"profile = {self.profile!r}: allowed is {' or '.join(PROFILES)}")
        names = self.preload
        if isinstance(names, str) or not all(
            isinstance(n, str) and n.replace(".", "").isidentifier() for n in names
        ):
            raise ValueError(
                f'preload = {names!r}: allowed is a list of module names, as in ["scipy", "torch"]'
            )
        object.__setattr__(self, "preload", tuple(names))
        allowed = self.interpreters
        if isinstance(allowed, str) or not all(
            isinstance(one, str) and INTERPRETER.fullmatch(one) for one in allowed
        ):
            raise ValueError(
                f"interpreters = {allowed!r}: allowed is a list of names with paths, as in "
                '["perl=/usr/bin/perl"]'
            )
        object.__setattr__(self, "interpreters", tuple(allowed))

    def cpu_s(self, decisions: int) -> float:
        """Seconds of CPU time that a loaded process may have used once it was asked for so many decisions."""
        earned = self.cpu_s_start + self.cpu_s_bank + self.cpu_ms_per_decision / 1000 * decisions
        return min(earned, self.cpu_s_match)

    def for_match(self, games: int) -> Limits:
        """The limits of a match of so many games: a long one has more CPU time, as it has more decisions."""
        return replace(self, cpu_s_match=self.cpu_s_match * max(1.0, games / MATCH_GAMES))

    def worst_wall_s(self, requests: int = REQUESTS) -> float:
        """The most wall time in seconds that one process can add to a match of so many requests, on a machine
        with nothing else to do.
        """
        return self.cpu_s_match + self.sleep_s_bank + FREE_S * requests
