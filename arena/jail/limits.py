"""What a bot may use, what can become of it, and how a host fails. Plain data, shared by all processes of the jail.

The three outcomes of a request are never mixed: an answer, a `Fault` (the bot failed: data) or a `HostError` (we failed).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class HostError(RuntimeError):
    """The host or the harness failed, not a bot: nobody loses by it, the match is to be played again."""


class Level(StrEnum):
    """How strong the wall around a bot is. A run states its level; nothing falls back to a weaker one by itself."""

    STRICT = "strict"  # no_new_privs, resource limits, Landlock, seccomp
    NOOPEN = "strict-noopen"  # no open or stat at all: bots are imported from memory; for kernels without Landlock
    NAMESPACES = "strict+ns"  # strict, and user, mount, network, IPC and UTS namespaces
    TRUSTED = "trusted"  # a plain process: for one's own bots only


class Layer(StrEnum):
    """One part of the wall. Each has a function of its own and can be tried alone."""

    LIMITS = "limits"  # resource limits
    PRIVILEGES = "privileges"  # no capabilities, not readable by others
    FILES = "files"  # Landlock: only Python, the libraries, the engines and the bot's own source can be read
    CALLS = "calls"  # seccomp: only the system calls that a bot needs
    NO_OPEN = "no-open"  # seccomp: no call that names a file
    NAMESPACES = "namespaces"  # a root, a network and an IPC space of its own


LAYERS = {
    Level.STRICT: (Layer.LIMITS, Layer.PRIVILEGES, Layer.FILES, Layer.CALLS),
    Level.NOOPEN: (Layer.LIMITS, Layer.PRIVILEGES, Layer.CALLS, Layer.NO_OPEN),
    Level.NAMESPACES: (Layer.LIMITS, Layer.PRIVILEGES, Layer.FILES, Layer.CALLS, Layer.NAMESPACES),
    Level.TRUSTED: (Layer.LIMITS,),
}


class FaultKind(StrEnum):
    """Why a bot lost a game (the first three: the process lives on) or the rest of its match."""

    ILLEGAL = "illegal"  # an action that is not legal now, or that the game does not have
    TYPE = "type"  # an answer that is neither a whole number nor text
    EXCEPTION = "exception"  # raised by the bot
    CRASH = "crash"  # the process ended by itself
    CPU = "cpu"  # over its CPU time
    WALL = "wall"  # asleep or stopped: neither answers nor computes
    MEMORY = "memory"  # over its memory
    IMPORT = "import"  # cannot be loaded
    PROTOCOL = "protocol"  # wrote to the reply channel itself, or closed it
    FORBIDDEN = "forbidden"  # a system call that only an attack makes


@dataclass(frozen=True, slots=True)
class Fault:
    """A bot's failure: the kind for programs, the text for people (one sentence, then the bot's last words)."""

    kind: FaultKind
    text: str


@dataclass(frozen=True, slots=True)
class Limits:
    """What one bot process may use. CPU time is the bot's own, user and system, all threads; load on the host costs nothing.

    Since it is ready a bot may have used `cpu_s_bank + cpu_ms_per_decision * decisions asked of it so far`: a soft budget,
    averaged over the match. Time between an answer and the next question counts too.
    """

    cpu_ms_per_decision: float = 50.0  # ms CPU, earned with every decision
    cpu_s_bank: float = 10.0  # s CPU, for the whole match on top of that
    cpu_s_start: float = 5.0  # s CPU, to import the bot
    wall_s_asleep: float = 5.0  # s in one request that the bot neither computes nor waits for a core
    memory_mib: int = 1024  # MiB of address space on top of the interpreter and its libraries (torch: 4096)
    log_kib: int = 64  # KiB of printed text that is kept; also the size limit of any file
    files: int = 64  # open descriptors
    threads: int = 64  # threads, in the profile that allows them; looked at with every request and every 0.25 s
    profile: str = "numpy"  # "numpy": one thread; "threads": threads allowed, for torch

    def __post_init__(self) -> None:
        """Check once, where limits are made.

        Raises:
            ValueError: names the limit and what it may be.
        """
        for name in ("cpu_ms_per_decision", "cpu_s_bank", "cpu_s_start", "wall_s_asleep"):
            if not 0 <= getattr(self, name) <= 1e9:
                raise ValueError(f"{name} = {getattr(self, name)!r}: allowed is 0 to 1e9")
        for name, low in (("memory_mib", 16), ("log_kib", 1), ("files", 16), ("threads", 1)):
            if not low <= getattr(self, name) < 2**31:
                raise ValueError(f"{name} = {getattr(self, name)!r}: allowed is a whole number from {low} on")
        if self.profile not in PROFILES:
            raise ValueError(f"profile = {self.profile!r}: allowed is {' or '.join(PROFILES)}")


PROFILES = ("numpy", "threads")
