"""What a person can mend. The command line prints the text, without a traceback, and exits with `exit_code`.

ArenaError          1   something failed
├── UsageError      2   the call was wrong
│   └── Unknown     2   nothing has the name that was given
├── HostLacks       5   this host cannot separate bots as the league wants
├── BotError        1   a bot file that cannot enter; names file and line
├── StoreError      1   the database cannot be used
│   └── Damaged     1   something in it is not as it was written
├── TooMany         1   a server was asked too often
└── RunError        1   a league run could not be finished, or may not go on
    ├── RunTaken    1   somebody else plays it
    └── NodeGone    1   a node of the cluster has left with what it did
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator


class ArenaError(Exception):
    """Anything that a person can mend; `hint` is for a terminal or a log, and not for visitors."""

    exit_code = 1

    def __init__(self, text: str, hint: str = "") -> None:
        super().__init__(f"{text}; {hint}" if hint else text)
        self.text = text


class UsageError(ArenaError):
    """A wrong call."""

    exit_code = 2


class Unknown(UsageError):
    """Nothing has the name that was given."""


class HostLacks(ArenaError):
    """The host lacks what the wanted level needs, and nothing weaker is taken instead."""

    exit_code = 5


class BotError(ArenaError):
    """A bot that cannot enter."""


class StoreError(ArenaError):
    """A database that cannot be used."""


class Damaged(StoreError):
    """Something in a database that is not as it was written: to try again is of no use."""


class TooMany(ArenaError):
    """Too many requests: come back in `wait_s` seconds."""

    def __init__(self, text: str, wait_s: float) -> None:
        super().__init__(text)
        self.wait_s = wait_s


class RunError(ArenaError):
    """A run that could not be finished, or may not go on; what was finished is stored."""


class RunTaken(RunError):
    """A run that somebody else plays."""

    def __init__(self, label: str, who: str) -> None:
        super().__init__(f"{label} is being played by {who}; wait for it, or stop that first")


class NodeGone(RunError):
    """A node of the cluster that has left with what it did: nobody's fault."""


class Terminated(KeyboardInterrupt):
    """The process was asked to end (SIGTERM); everything is left as after Ctrl-C."""

    exit_code = 143

    @classmethod
    def by_signal(cls, number: int, frame: object) -> None:
        """Answer SIGTERM: what `signal.signal` takes."""
        raise cls


def needs_extra(what: str, extra: str) -> str:
    """Say how to install what is missing. The project is in no package index."""
    return (
        f"{what} needs the extra `{extra}`: in the checkout, pip install -e '.[{extra}]'; "
        f"with a wheel, pip install 'FILE.whl[{extra}]'"
    )


def exit_code(error: Exception) -> int | None:
    """How the program ends on an error that is for people; None for one that is a mistake of ours."""
    if isinstance(error, ArenaError):
        return error.exit_code
    ours = type(error).__module__.partition(".")[0] in ("engines", "leagues")
    if isinstance(error, ValueError) and ours:
        return UsageError.exit_code
    if type(error).__module__ == "arena.jail.outcomes" and isinstance(error, RuntimeError):
        return HostLacks.exit_code
    return None


@contextlib.contextmanager
def unstopped() -> Iterator[None]:
    """Let no second Ctrl-C cut off what ends in the block, or processes would be left behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heeded = {one: signal.signal(one, signal.SIG_IGN) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for one, before in heeded.items():
            signal.signal(one, before)
