"""Try the bots that owners have sent: one at a time, in the sandbox, under a lease, with limited CPU time.

The process may be killed at any moment: the submission that it held then waits again. Where a trial is played
is the caller's choice: in this process (`try_here`), or in a worker of a cluster (`arena.ladder.trials`).
"""

from __future__ import annotations

import contextlib
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from ..errors import ArenaError, BotError, NodeGone, StoreError, Terminated, UsageError
from ..jail.limits import HostError
from ..printable import Say
from ..store import Store
from ..store.leases import HEARTBEAT_S, Driver
from ..store.models import Submission
from ..store.submissions import LeaseLost
from .archive import suffix_of, unpack_folder
from .conditions import Conditions
from .entering import Refused, Submitted, examine, needs_of
from .registry import as_row, check_free, check_owner
from .source import Source, read
from .trial import Budget, kept_server

CPU_S = 300.0
"""A bot may take so many CPU seconds in the trials of all its games."""
WALL_S = 1800.0
"""A trial that takes longer, by the clock on the wall, is no fault of the bot: the submission waits again."""
LOOK_S = 2.0  # between two looks for something new


@dataclass(frozen=True)
class ToTry:
    """What a trial needs: no store, so it crosses process borders.

    Attributes:
        file: as it was sent; its stem is the bot's name.
        content: of the file.
        conditions: under which it is tried, by game; default: the usual ones.
        known: hash and needs of the newest version of this name: the same again is not tried.
        cpu_s: budget of the whole trial.
    """

    file: str
    content: bytes
    conditions: Mapping[str, Conditions]
    known: tuple[str, Mapping[str, Any]] | None = None
    cpu_s: float = CPU_S


@dataclass(frozen=True)
class Shown:
    """What a trial showed: the bot and what it needs of a league, or why it may not enter."""

    source: Source | None = None
    needs: dict[str, Any] = field(default_factory=dict)
    refused: str = ""


TryIt = Callable[[ToTry], Shown]


def try_sent(
    store: Store,
    conditions: Mapping[str, Conditions],
    say: Say,
    *,
    stay: bool = False,
    cpu_s: float = CPU_S,
) -> None:
    """Try what waits, one owner after the other, until nothing does. Call it from the main thread.

    Args:
        store: where submissions wait and bots go.
        conditions: under which bots are tried, by game; default: the usual ones.
        say: hears every outcome.
        stay: wait for more, until the process is stopped.
        cpu_s: CPU seconds of a whole trial.

    Raises:
        HostError: this host cannot separate bots; the submission waits again.
    """
    signal.signal(signal.SIGTERM, _terminated)
    driver = Driver.this_process()
    while try_next(store, driver, conditions, say, try_here, cpu_s) or stay:
        if stay and not store.untaken(driver):
            time.sleep(LOOK_S)


def try_next(
    store: Store, driver: Driver, conditions: Mapping[str, Conditions], say: Say, try_it: TryIt,
    cpu_s: float = CPU_S,
) -> bool:  # fmt: skip
    """Take the next submission, try it and store the outcome.

    Args:
        store: where submissions wait and bots go.
        driver: who holds it meanwhile.
        conditions: under which bots are tried, by game; default: the usual ones.
        say: hears the outcome.
        try_it: plays the trial.
        cpu_s: CPU seconds of a whole trial.

    Returns:
        Whether there was one.
    """
    one = store.take_submission(driver)
    if one is None:
        return False
    try:
        with _beating(store, one, driver):
            try:
                said = _enter(store, one, driver, conditions, try_it, cpu_s)
            except BotError as error:
                said = str(error)
                store.refuse_submission(one, driver, said)
    except LeaseLost as lost:  # its owner was banned, or another machine thought this one dead
        said = str(lost)
    except BaseException as error:  # ours, or this process is to end
        failed = isinstance(error, Exception) and not isinstance(error, (StoreError, NodeGone))
        with contextlib.suppress(ArenaError):  # without a database, `take_submission` gives it back
            store.release_submission(one, driver, failed)
        raise
    say(f"submission {one.key} of {one.owner}: {said}")
    return True


def _enter(
    store: Store, one: Submission, driver: Driver, conditions: Mapping[str, Conditions], try_it: TryIt,
    cpu_s: float,
) -> str:  # fmt: skip
    """Have a bot tried and store it; return what became of it.

    Raises:
        BotError: it may not enter; says why.
    """
    name = one.file.removesuffix(suffix_of(one.file) or ".py")
    check_owner(name, one.owner, store)
    newest = next((bot for bot in reversed(store.versions(name)) if bot.kind == "submitted"), None)
    known = (newest.hash, newest.conditions) if newest is not None and newest.retired is None else None
    shown = try_it(ToTry(one.file, one.source, conditions, known, cpu_s))
    if shown.source is None:
        raise BotError(shown.refused)
    check_free(shown.source, store)
    bot = as_row(shown.source, "submitted", one.owner, one.note, shown.needs)
    where = Submitted(bot, True, None).where
    added = store.accept_submission(one, driver, where, bot, shown.source.packed)
    return f"{added.bot.label} is stored"


def try_here(given: ToTry) -> Shown:
    """Read a bot in a jailed process and play its trial on this machine.

    Raises:
        HostError: this host cannot separate bots, or it took far too long.
    """
    with tempfile.TemporaryDirectory(prefix="arena-sent-") as folder, _limited(WALL_S):
        try:
            path = _written(given, Path(folder))
            source = read(path)
            tried = [given.conditions.get(game, Conditions.of(game)) for game in source.games]
            if given.known != (source.hash, needs_of(tried)):
                examine(source, path, tried, budget=Budget(given.cpu_s), servers=kept_server)
            return Shown(source, needs_of(tried))
        except Refused as refused:
            return Shown(refused=_why(refused))
        except (BotError, UsageError) as error:
            return Shown(refused=str(error).replace(f"{folder}/", ""))


def _written(given: ToTry, folder: Path) -> Path:
    """Return where a submission lies as `arena bot submit` takes it: a file, or an unpacked folder."""
    if suffix_of(given.file):
        return unpack_folder(given.file, given.content, folder)
    (folder / given.file).write_bytes(given.content)
    return folder / given.file


def _why(refused: Refused) -> str:
    """Why a trial ended badly, with the first fault."""
    for game in refused.checked.games:
        for conditions, fault in game.faults[:1]:
            return f"{conditions.game}: {fault.kind} ({fault.where}): {fault.text.strip()}"
    return str(refused)


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise HostError in what runs here once the time is over. Only a main thread hears the alarm."""

    def over(number: int, frame: FrameType | None) -> None:
        raise HostError(f"a trial was not over after {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def _beating(store: Store, one: Submission, driver: Driver) -> Iterator[None]:
    """Say that the driver lives, in a thread, as long as the trial goes on."""
    over = threading.Event()

    def beat() -> None:
        while not over.wait(HEARTBEAT_S):
            with contextlib.suppress(ArenaError):  # the end of the trial will tell
                store.beat_submission(one, driver)

    thread = threading.Thread(target=beat, name="heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _terminated(number: int, frame: FrameType | None) -> None:
    raise Terminated
