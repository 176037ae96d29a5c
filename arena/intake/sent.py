"""Try the bots that owners have sent: one at a time, in the sandbox, under a lease, with limited CPU time.

The process may be killed at any moment: the submission that it held then waits again. `arena owner try` tries
what waits in this process (`try_sent`). A season and a server have a thread that looks for it (`Trials`): the
one has it tried by a worker of its cluster, the other by a process of `arena owner try`.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import engines
from leagues.limits import Limits
from leagues.season import SeasonFile

from ..cell.log import FORBIDDEN, TRIED
from ..errors import ArenaError, BotError, NodeGone, StoreError, Terminated, UsageError
from ..jail.outcomes import HostError
from ..places import age_s
from ..printable import Say, count, first_line
from ..store import Store
from ..store.leases import Driver, beating
from ..store.models import Bot, Submission
from ..store.submissions import MOST_TRIES, LeaseLost
from .conditions import Conditions, missing
from .entering import CHECK_DEALS, Checked, Refused, examine, needs_of
from .registry import as_row, check_free, check_owner, note_passed
from .source import EVERY_GAME, SUFFIX, Source, read, strangers_fault, unpack_folder
from .trial import Budget, Trying, kept_server

Known = tuple[str, Mapping[str, Any]]
"""Hash and needs of the newest version of a name: the same again is not tried."""
CPU_S = 300.0
"""A bot may take so many CPU seconds in the trials of all its games."""
WALL_S = 1800.0
"""A trial that takes longer, by the clock on the wall, is no fault of the bot: the submission waits again."""
UNPACKED = "arena-sent-"  # folders of bots on trial
LOOK_S = 2.0  # between two looks for something new
WATCH_S = 0.2  # between two looks at a process that tries
PAUSE_S = 30.0  # after a trial that failed for no fault of the bot, as on a host without the sandbox
REFUSED = " (the sandbox refused it, and the organiser sees this)"
LATER = "no trial is possible: {}; what was sent stays stored; again in {:.0f} s"


TryIt = Callable[..., "tuple[Source, tuple[str, ...]] | str"]
"""Called as `try_here` is: gives the bot with what it tried that no bot may do, or why it may not enter."""


def try_sent(
    store: Store, conditions: Mapping[str, Conditions], say: Say, *, stay: bool = False, cpu_s: float = CPU_S
) -> None:
    """Try what waits, one owner after the other, until nothing does. Call it from the main thread.

    With `stay` it waits for more, until the process is stopped. A whole trial may take `cpu_s` CPU seconds.

    Raises:
        HostError: this host cannot separate bots; the submission waits again. With `stay` nothing is raised.
    """
    signal.signal(signal.SIGTERM, Terminated.by_signal)
    driver = Driver.this_process()
    more = True
    while more or stay:
        try:
            more = try_next(store, driver, conditions, say, try_here, cpu_s)
            if stay and not store.submissions.untaken(driver):
                time.sleep(LOOK_S)
        except (ArenaError, HostError) as error:
            if not stay:
                raise
            say(LATER.format(error, PAUSE_S))
            time.sleep(PAUSE_S)


def try_next(
    store: Store, driver: Driver, conditions: Mapping[str, Conditions], say: Say, try_it: TryIt,
    cpu_s: float = CPU_S
) -> bool:  # fmt: skip
    """Take the next submission, try it and store the outcome.

    `driver` holds it meanwhile, and `try_it` plays the trial. Returns whether there was one.
    """
    one = store.submissions.take(driver)
    if one is None:
        return False
    try:
        with beating(lambda: store.submissions.beat(one, driver)):
            try:
                said = _enter(store, one, driver, conditions, try_it, cpu_s)
            except BotError as error:
                said = str(error)
                store.submissions.refuse(one, driver, said)
    except LeaseLost as lost:  # its owner was banned, or another machine thought this one dead
        said = str(lost)
    except BaseException as error:  # ours, or this process is to end
        failed = isinstance(error, Exception) and not isinstance(error, (StoreError, NodeGone))
        why = str(error) if isinstance(error, ArenaError | HostError) else f"{type(error).__name__}: {error}"
        with contextlib.suppress(ArenaError):  # without a database, `submissions.take` gives it back
            store.submissions.release(one, driver, why if failed else "")
        if not isinstance(error, Exception) or isinstance(error, ArenaError | HostError):
            raise  # the next trial would end so, too
        said = f"its trial failed: {why}; it waits for another"
    say(f"submission {one.key} of {one.owner}: {first_line(said)}")
    return True


def _enter(
    store: Store, one: Submission, driver: Driver, conditions: Mapping[str, Conditions], try_it: TryIt,
    cpu_s: float
) -> str:  # fmt: skip
    """Have a bot tried and store it; return what became of it.

    Raises:
        BotError: it may not enter; says why.
    """
    name = one.file.removesuffix(SUFFIX).removesuffix(".py")
    check_owner(name, one.owner, store)
    newest = next((bot for bot in reversed(store.bots.versions(name)) if bot.kind == "submitted"), None)
    known = (newest.hash, newest.conditions) if newest is not None and newest.retired is None else None
    passed = try_it(one.file, one.source, conditions, known, cpu_s)
    if isinstance(passed, str):
        raise BotError(passed)
    source, attempts = passed
    check_free(source, store)
    check_games(one.file, source.games, taken(store, conditions))
    tried = conditions_of(source, conditions)
    bot = as_row(source, "submitted", one.owner, one.note, needs_of(tried))
    where = entered(store, bot) + _no_longer(store, bot) + _attempted(attempts)
    added = store.submissions.accept(one, driver, where, bot, source.packed)
    note_passed(store, added.bot, tried)
    return f"{added.bot.label} is stored"


def _no_longer(store: Store, new: Bot) -> str:
    """Say which bot of an owner a new one displaces, where a season takes the owner's newest only."""
    others = [one for one in store.owners.bots_of(new.owner) if one.retired is None and one.name != new.name]
    told = ""
    for file in open_seasons(store):
        most = file.versions_per_owner
        for game in {league.game for league in file.leagues} & {*new.games} if most else ():
            newest = {one.name: one for one in others if game in one.games}
            by_age = sorted(newest.values(), key=lambda one: one.created, reverse=True)
            for one in by_age[most - 1 : most]:
                many = f"{count(most, 'bot')} of an owner, the newest"
                told += f"; season {file.name} plays {many}, so {one.label} stops"
    return told


def waits_in_vain(store: Store, owner: str, file: str) -> str:
    """Say why one more bot of an owner would be tried for nothing: as many wait as seasons play of one."""
    files = open_seasons(store)
    most = sum(one.versions_per_owner * len(one.leagues) for one in files)
    mine = store.submissions.of_owner(owner)
    waiting = {one.file for one, _ in mine if one.ended is None and one.tries < MOST_TRIES} - {file}
    if not most or len(waiting) < most or not all(one.versions_per_owner for one in files):
        return ""
    return (
        f"{count(len(waiting), 'bot')} of yours wait for a trial already, and seasons play {most} of an "
        f"owner, the newest: send {file} when one of them has been tried"
    )


def attempts_of(store: Store, owner: str) -> list[str]:
    """Return what bots of an owner tried in their trials that no bot may do, as their outcomes say it."""
    texts = [one.text for one, _ in store.submissions.of_owner(owner, None)]
    told = (some for text in texts for some in re.findall(rf"{TRIED}(\w+(?:, \w+)*)", text))
    return sorted({word for some in told for word in some.split(", ")} & {*FORBIDDEN.values()})


def _attempted(attempts: Sequence[str]) -> str:
    return f"; it {TRIED}{', '.join(attempts)}{REFUSED}" if attempts else ""


def open_seasons(store: Store) -> list[SeasonFile]:
    """Return the files of the seasons that go on."""
    return [one.definition for one in store.seasons.all() if one.state in ("open", "paused")]


def entered(store: Store, bot: Bot) -> str:
    """Say what a bot enters: the open seasons that play its game, else the next league that allows it."""
    seasons = [
        file.name
        for file in open_seasons(store)
        if any(one.game in bot.games and not missing(bot.conditions, one.limits) for one in file.leagues)
    ]
    lacks = missing(bot.conditions, Limits())
    only = f" that allows {', '.join(lacks)}" if lacks else ""
    return f"season {', '.join(seasons)}" if seasons else f"the next league of {', '.join(bot.games)}{only}"


def taken(store: Store, conditions: Mapping[str, Conditions]) -> dict[str, Conditions]:
    """Return the games for which bots are taken, with the conditions of their trial.

    Those are the games of the leagues that are given and of open seasons. Where neither a league is given nor
    a season was ever opened, these are all games.
    """
    found = dict(conditions)
    for file in open_seasons(store):
        for league in file.leagues:
            found.setdefault(league.game, Conditions.of_definition(league, file.name))
    return found if found or store.seasons.all() else {name: Conditions.of(name) for name in engines.names()}


def check_games(file: str, games: Sequence[str], taken: Collection[str]) -> None:
    """Raise BotError unless a bot plays a game for which bots are taken."""
    if not taken:
        raise BotError(f"{file}: no season is open, so no bots are taken: send it when one is")
    if not {*games, *(taken if EVERY_GAME in games else ())} & {*taken}:
        wanted = ", ".join(f"{engines.load(game).title} ({game})" for game in sorted(taken))
        raise BotError(f"{file}: it plays {', '.join(games)}; this server takes bots for {wanted}")


def conditions_of(source: Source, conditions: Mapping[str, Conditions]) -> list[Conditions]:
    """Return under what a bot that was sent is tried: what is given for its games, else the usual."""
    return [conditions.get(game, Conditions.of(game)) for game in source.games]


def try_here(
    file: str, content: bytes, conditions: Mapping[str, Conditions], known: Known | None, cpu_s: float
) -> tuple[Source, tuple[str, ...]] | str:
    """Read a bot in a jailed process and play its trial on this machine.

    Returns the bot and what it tried that no bot may do, or why it may not enter. The stem of `file` is the
    bot's name; what is `known` is not tried again.

    Raises:
        HostError: this host cannot separate bots, or it took far too long.
    """
    tidy(UNPACKED, 2 * WALL_S)
    with tempfile.TemporaryDirectory(prefix=UNPACKED) as folder, _limited(WALL_S):
        try:
            with strangers_fault(file):  # unpacked here: a sandbox has no files to write
                path = Path(folder) / file
                if file.endswith(SUFFIX):
                    path = unpack_folder(file, content, Path(folder))
                else:
                    path.write_bytes(content)
                source = read(path)
            tried = conditions_of(source, conditions)
            if known == (source.hash, needs_of(tried)):
                return source, ()
            how = Trying(CHECK_DEALS, budget=Budget(cpu_s), servers=kept_server)
            return source, _attempts(examine(source, path, tried, how))
        except Refused as refused:
            return _why(refused)
        except (BotError, UsageError) as error:
            return str(error).replace(f"{folder}/", "")


def tidy(prefix: str, kept_s: float) -> None:
    """Remove temporary folders of this name that are older, as processes that were killed leave them."""
    for old in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        with contextlib.suppress(OSError):  # another person's
            if age_s(old) > kept_s:
                shutil.rmtree(old)


class Trials:
    """A thread that has submissions tried, as long as it is open.

    `work` tries what waits as this driver, ends early if the event is set, and says whether there is more.
    """

    def __init__(self, store: Store, work: Callable[[Driver, threading.Event], bool], say: Say) -> None:
        self._store, self._try, self._say = store, work, say
        self._sent, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._work, name="trials", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Look at once: something was sent."""
        self._sent.set()

    def close(self) -> None:
        """End the trial that is under way; its submission waits again."""
        self._over.set()
        self._sent.set()
        self._thread.join()

    def _work(self) -> None:
        driver = Driver.this_process()
        while not self._over.is_set():
            self._sent.clear()
            try:
                if not (self._store.submissions.untaken(driver) and self._try(driver, self._over)):
                    self._sent.wait(LOOK_S)
            except Terminated:
                return
            except Exception as error:  # the season and the server go on, whatever it was
                with contextlib.suppress(OSError):  # nobody reads it
                    self._say(LATER.format(error, PAUSE_S))
                self._over.wait(PAUSE_S)


def in_a_process(store: Store, leagues: Sequence[str], driver: Driver, over: threading.Event) -> bool:
    """Try what waits by a process of `arena owner try`, under the conditions of these leagues.

    So a server's memory stays flat, and whatever happens in a trial does not touch the server.

    Raises:
        ArenaError: it failed.
    """
    words = [word for league in leagues for word in ("--league", league)]
    # by the environment: a URL may have a password in it, and everybody sees the words of a command
    environment = os.environ | {"ARENA_DB": store.url}
    # -P: a folder `bots` where the server was started is not the package of that name
    command = [sys.executable, "-P", "-m", "arena", "--quiet", "owner", "try", *words]
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL)
    while process.poll() is None and not over.wait(WATCH_S):
        pass
    process.terminate()
    if (code := process.wait()) and not over.is_set():
        raise ArenaError(f"exit code {code}")
    return False


def _why(refused: Refused) -> str:
    """Why a trial ended badly, with the first fault and what the sandbox refused."""
    games = refused.checked.games
    faults = [
        f"{conditions.game}: {fault.kind} ({fault.where}): {fault.text.strip()}"
        for game in games
        for conditions, fault in game.faults
    ]
    return (faults or [str(refused)])[0] + _attempted(_attempts(refused.checked))


def _attempts(checked: Checked) -> tuple[str, ...]:
    return tuple(sorted({one for game in checked.games for one in game.first.attempts}))


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise HostError in what runs here once the time is over. Only a main thread hears the alarm."""

    def over(number: int, frame: object) -> None:
        raise HostError(f"a trial was not over after {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
