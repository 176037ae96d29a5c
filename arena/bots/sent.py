"""Try the bots that owners have sent: one at a time, in the sandbox, under a lease, within a time limit.

The process may be killed at any moment: the submission that it held then waits again.
"""

from __future__ import annotations

import contextlib
import signal
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType

from ..errors import ArenaError, BotError, Terminated
from ..printable import Say
from ..store import Store
from ..store.leases import HEARTBEAT_S, Driver
from ..store.models import Bot, Submission
from ..store.submissions import LeaseLost
from .archive import suffix_of, unpack_folder
from .conditions import Conditions
from .entering import Refused, Submitted, submit

LIMIT_S = 600.0
"""A trial of all games of a bot may take so long, by the clock on the wall."""
LOOK_S = 2.0  # between two looks for something new


class TooLong(KeyboardInterrupt):
    """The trial is over its limit. It ends whatever goes on, as Ctrl-C does."""


def try_sent(
    store: Store,
    conditions: Mapping[str, Conditions],
    say: Say,
    *,
    stay: bool = False,
    limit_s: float = LIMIT_S,
) -> None:
    """Try what waits, one owner after the other, until nothing does. Call it from the main thread.

    Args:
        store: where submissions wait and bots go.
        conditions: under which bots are tried, by game; default: the usual ones.
        say: hears every outcome.
        stay: wait for more, until the process is stopped.
        limit_s: seconds of a whole trial.

    Raises:
        HostError: this host cannot separate bots; the submission waits again.
    """
    signal.signal(signal.SIGTERM, _terminated)
    driver = Driver.this_process()
    while True:
        one = store.take_submission(driver)
        if one is not None:
            _try_one(store, one, driver, conditions, say, limit_s)
        elif stay:
            time.sleep(LOOK_S)
        else:
            return


def _try_one(
    store: Store, one: Submission, driver: Driver, conditions: Mapping[str, Conditions], say: Say,
    limit_s: float,
) -> None:  # fmt: skip
    try:
        with _beating(store, one, driver):
            try:
                with _limited(limit_s) as until:
                    said = _enter(store, one, driver, conditions, until)
            except TooLong:
                said = f"the trial took longer than {limit_s:.0f} s in all: make the bot faster"
                store.refuse_submission(one, driver, said)
            except ArenaError as error:
                if isinstance(error, LeaseLost):
                    raise
                said = str(error)
                store.refuse_submission(one, driver, said)
    except LeaseLost as lost:  # its owner was banned, or another machine thought this one dead
        said = str(lost)
    except BaseException as error:  # ours, or this process is to end
        with contextlib.suppress(ArenaError):
            store.release_submission(one, driver, failed=isinstance(error, Exception))
        raise
    say(f"submission {one.key} of {one.owner}: {said}")


def _enter(
    store: Store, one: Submission, driver: Driver, conditions: Mapping[str, Conditions], until: float
) -> str:
    """Read the bot in a jailed process, play its trial, store it; return what became of it.

    Raises:
        BotError: it may not enter; says why.
        TooLong: it is later than `until`, on the monotonic clock.
    """

    def keep(bot: Bot, source: bytes):  # type: ignore[no-untyped-def]  # as accept_submission
        if time.monotonic() > until:  # the alarm may have come where exceptions are lost: in a finaliser
            raise TooLong
        where = Submitted(bot, True, None).where
        return store.accept_submission(one, driver, where, bot, source)

    with tempfile.TemporaryDirectory(prefix="arena-sent-") as folder:
        try:
            path = _written(one, Path(folder))
            done = submit(store, path, owner=one.owner, note=one.note, conditions=conditions, keep=keep)
        except Refused as refused:
            raise BotError(_why(refused)) from None
        except BotError as error:
            raise BotError(str(error).replace(f"{folder}/", "")) from None
    return f"{done.bot.label} is stored"


def _written(one: Submission, folder: Path) -> Path:
    """Return where a submission lies as `arena bot submit` takes it: a file, or an unpacked folder."""
    if suffix_of(one.file):
        return unpack_folder(one.file, one.source, folder)
    (folder / one.file).write_bytes(one.source)
    return folder / one.file


def _why(refused: Refused) -> str:
    """Why a trial ended badly, with the first fault."""
    for game in refused.checked.games:
        for conditions, fault in game.faults[:1]:
            return f"{conditions.game}: {fault.kind} ({fault.where}): {fault.text.strip()}"
    return str(refused)


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[float]:
    """Raise TooLong in what runs here once the time is over; the value is when, on the monotonic clock."""

    def over(number: int, frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield time.monotonic() + seconds
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
