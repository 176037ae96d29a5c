"""What a league grants its bots: how strongly they are separated, and what each may use.

Plain data without libraries: the jailed processes have it, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum


class Level(StrEnum):
    """How strong the wall around a program is. Nothing falls back to a weaker level by itself."""

    STRICT = "strict"  # no system call takes a path; Landlock, resource limits and no privileges beside it
    NAMESPACES = "strict+ns"  # strict, and user, mount, network, IPC and UTS namespaces
    # strict; but a bot whose program an interpreter of the host's runs can name and read files
    INTERPRETERS = "strict+interpreters"
    TRUSTED = "trusted"  # a plain process: for one's own programs only


WITH_INTERPRETERS = (Level.INTERPRETERS, Level.TRUSTED)
PROFILES = ("numpy", "threads")
INTERPRETER = re.compile(r"[a-z][a-z0-9_.+-]{0,31}=/[^\0\n]{1,255}")
MATCH_GAMES = 64  # games of a match that `cpu_s_match` is meant for
FREE_S = 0.002  # s of every request that are not looked into: who answers so soon is not asked where it was
# of one bot in a match of 64 deals: Taroky, the longest, makes 244, rounded up; and after each of three
# deaths the games that waited are asked alone
REQUESTS = 256 + 3 * MATCH_GAMES
SECONDS = ("cpu_ms_per_decision", "cpu_s_bank", "cpu_s_start", "cpu_s_match", "cpu_s_run", "sleep_s_bank")
COUNTS = {"memory_mib": 16, "log_kib": 1, "threads": 1}  # the least of each


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
    cpu_s_run: float = 0.0  # s CPU in all matches of a run, or it is left out of the rest; 0: no limit
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
        """Check once, where limits are made; whole numbers of seconds and lists become what they mean.

        Raises:
            ValueError: begins with the limit and says what it may be.
        """
        for name in SECONDS:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ValueError(f"{name} = {value!r} must be a number")
            if not 0 <= value <= 1e9:
                raise ValueError(f"{name} = {value!r}: allowed is 0 to 1e9")
            object.__setattr__(self, name, float(value))
        for name, low in COUNTS.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int):
                raise ValueError(f"{name} = {value!r} must be a whole number")
            if not low <= value < 2**31:
                raise ValueError(f"{name} = {value!r}: allowed is a whole number from {low} on")
        if self.profile not in PROFILES:
            raise ValueError(f"profile = {self.profile!r}: allowed is {' or '.join(PROFILES)}")
        for name, fits, what in (
            (
                "preload",
                lambda name: name.replace(".", "").isidentifier(),
                'module names, as in ["scipy", "torch"]',
            ),
            ("interpreters", INTERPRETER.fullmatch, 'names with paths, as in ["perl=/usr/bin/perl"]'),
        ):
            values = getattr(self, name)
            if not isinstance(values, list | tuple) or not all(
                isinstance(one, str) and fits(one) for one in values
            ):
                raise ValueError(f"{name} = {values!r}: allowed is a list of {what}")
            object.__setattr__(self, name, tuple(values))

    @property
    def granted_s(self) -> float:
        """Seconds of CPU time in a usual match: loading, the bank and one decision in each game."""
        return self.cpu_s_start + self.cpu_s_bank + self.cpu_ms_per_decision / 1000 * MATCH_GAMES

    @property
    def tables_mib(self) -> int:
        """MiB that the kernel's page tables for a process may have: 32, and twice what its memory needs."""
        return 32 + self.memory_mib // 256

    @property
    def kernel_mib(self) -> int:
        """MiB reserved beside its memory: page tables, mappings; with threads the file it is copied of."""
        return self.tables_mib + 32 + (self.memory_mib if self.profile == "threads" else 0)

    def cpu_s(self, decisions: int) -> float:
        """Seconds of CPU time that a loaded process may have used once it was asked for so many decisions."""
        earned = self.cpu_s_start + self.cpu_s_bank + self.cpu_ms_per_decision / 1000 * decisions
        return min(earned, self.cpu_s_match)

    def for_match(self, games: int) -> Limits:
        """Return the limits of a match of so many games: a longer match has more CPU time."""
        return replace(self, cpu_s_match=self.cpu_s_match * max(1.0, games / MATCH_GAMES))

    def worst_wall_s(self, requests: int = REQUESTS) -> float:
        """Return the most wall time in seconds that one process can add to a match of so many requests.

        On a machine with nothing else to do.
        """
        return self.cpu_s_match + self.sleep_s_bank + FREE_S * requests
