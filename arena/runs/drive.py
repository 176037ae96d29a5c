"""Playing a run: being its driver, storing every match as it ends.

The clerk talks to the database from one thread alone. The thread makes matches ready before they are needed
and stores results as they come, all that have come in one transaction. So workers never wait for the disk.

If the database cannot be written for a while, nothing is made ready and the driver runs dry; results wait in
memory.
"""

from __future__ import annotations

import contextlib
import gc
import math
import queue
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from leagues.plan import MatchPlan

from ..cluster.driver import Cluster
from ..errors import RunTaken, StoreError
from ..match.played import PlayedMatch
from ..match.setup import MatchSetup
from ..printable import Say, count, quiet, shortened
from ..store import Store
from ..store.leases import Driver, beating
from ..store.models import LeagueRun
from .guard import check_code
from .stages import setups
from .standings import keep_run_table

RECHECK = 0.01  # share of the matches that are played on a second node too
# sleep of a bot in all matches of a run together, from which on it is left out of the rest: this ...
SLEEP_S = 60.0
SLEEP_MATCH_S = 0.5  # ... and so much for every match that it has played
AHEAD_S = 4.0  # so much work is made ready at a time ...
MOST_AHEAD = 2048  # ... but no more matches than this
STORED_TEXT = 600  # characters of one forfeit in the store
GATHER_S = 1.0  # between two transactions: one costs as much as ten matches


def play(
    store: Store,
    run: LeagueRun,
    cluster: Cluster,
    on_match: Callable[[PlayedMatch], None] = lambda match: None,
    enough: Callable[[], bool] = lambda: False,
    say: Say = quiet,
) -> bool:
    """Play and store the matches that are missing.

    Args:
        on_match: called after a match was stored, by the thread that stores.
        enough: asked before every match whether no more is to be played, by any thread.
        say: hears which bots are left out of the rest of the run.

    Returns:
        Whether all are stored; false if `enough` said so.

    Raises:
        RunError: other code is installed now, somebody else plays the run, or a match could not be played.
        StoreError: the database failed; what was finished is stored.
    """
    check_code(store, run)
    plans = store.runs.plans(run)
    with _lease(store, run) as driver, _without_walks():
        work = Work(store, run, plans, driver, lambda: cluster.workers, on_match, enough, say)
        with Clerk(work) as clerk:
            for match in cluster.play(clerk.setups(), store.bots.source, RECHECK):
                clerk.keep(match)
        return len(store.matches.stored(run)) == len(plans)


def finish(store: Store, run: LeagueRun) -> bool:
    """Rate a run and mark it as finished; False if matches are missing, added by somebody meanwhile."""
    keep_run_table(store, run)
    return store.runs.finish(run)


@contextlib.contextmanager
def _lease(store: Store, run: LeagueRun) -> Iterator[Driver]:
    """Be the driver of the run, with a heartbeat. Raises RunError: somebody else plays it; says who."""
    driver = Driver.this_process()
    other = store.leases.take(run, driver)
    if other is not None:
        raise RunTaken(run.label, other)
    try:
        with beating(lambda: store.leases.heartbeat(run, driver)):
            yield driver
    except BaseException:
        with contextlib.suppress(StoreError):  # what came before says more; who is gone holds nothing
            store.leases.release(run, driver)
        raise
    store.leases.release(run, driver)


@contextlib.contextmanager
def _without_walks() -> Iterator[None]:
    """Keep the garbage collector off what is there.

    Libraries and the schedule live on, and walking through them again and again would cost more than handing
    out and storing.
    """
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


# --- the clerk ----------------------------------------------------------------------------------------------


class Word(Enum):
    """What wakes the thread."""

    RESULTS = "there are results"
    MORE = "make more ready"
    END = "nothing more comes"


class Ready:
    """Matches that are claimed and not yet played, in the order in which they came.

    Bots of two matches at the same time, or one after the other on one worker, should not be asked about the
    same deals.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[MatchSetup, int]] = []  # with their deals
        self._playing: dict[int, int] = {}  # number and deals
        self._lately: deque[int] = deque()  # deals of those that were played last

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, setup: MatchSetup, deals: int) -> None:
        """Take a match; `deals` is equal for matches with the same deals."""
        self._waiting.append((setup, deals))

    def next(self, lately: int) -> MatchSetup:
        """Return the match to play now.

        It is the first whose deals nobody plays now or has just played, if there is one; else one whose deals
        nobody plays now; else the first.
        """
        while len(self._lately) > lately:
            self._lately.popleft()
        playing = set(self._playing.values())
        known = playing.union(self._lately)
        places = range(len(self._waiting))
        at = next((at for at in places if self._waiting[at][1] not in known), None)
        if at is None:
            at = next((at for at in places if self._waiting[at][1] not in playing), 0)
        setup, deals = self._waiting.pop(at)
        self._playing[setup.number] = deals
        return setup

    def ended(self, number: int) -> None:
        """Note that a match is not played any more."""
        if (deals := self._playing.pop(number, None)) is not None:
            self._lately.append(deals)


@dataclass(frozen=True)
class Work:
    """What is to be played."""

    store: Store
    run: LeagueRun
    plans: Sequence[MatchPlan]
    driver: Driver
    workers: Callable[[], int]  # matches at a time, now
    on_match: Callable[[PlayedMatch], None]
    enough: Callable[[], bool]  # asked before every match whether no more is to be played
    say: Say = quiet  # hears which bot is left out of the rest


class Spent:
    """What bots have slept and computed in the matches of a run, and who is left out of the rest for that.

    Either holds up the others, and a bot could spend all that a match allows in every match of the run.

    Args:
        cpu_s: CPU seconds that a bot may use in the run; 0: any.
        played: line-up, sleep and CPU seconds of the matches so far.
    """

    def __init__(
        self,
        cpu_s: float = 0.0,
        played: Iterable[tuple[Sequence[int], Sequence[float], Sequence[float]]] = (),
    ) -> None:
        self._may_cpu_s = cpu_s
        self._slept_s: defaultdict[int, float] = defaultdict(float)  # by entrant
        self._cpu_s: defaultdict[int, float] = defaultdict(float)
        self._matches: Counter[int] = Counter()
        self._why: dict[int, str] = {}
        for match in played:
            self.add(*match)

    def add(self, line_up: Sequence[int], slept_s: Sequence[float], cpu_s: Sequence[float]) -> dict[int, str]:
        """Add a match; returns which entrants are left out from now on, and why."""
        new = {}
        for entrant, slept, computed in zip(line_up, slept_s, cpu_s):
            self._slept_s[entrant] += slept
            self._cpu_s[entrant] += computed
            self._matches[entrant] += 1
            may_sleep = SLEEP_S + SLEEP_MATCH_S * self._matches[entrant]
            for what, has, may in (
                ("slept for {:.1f} s", self._slept_s[entrant], may_sleep),
                ("used {:.1f} s of CPU time", self._cpu_s[entrant], self._may_cpu_s or math.inf),
            ):
                if has > may and entrant not in self._why:
                    said = f"{what.format(has)} in {count(self._matches[entrant], 'match')} of this run"
                    new[entrant] = self._why[entrant] = f"{said}, of {may:.1f} s: left out of the rest"
        return new

    def left_out(self, line_up: Sequence[int]) -> tuple[tuple[int, str], ...]:
        """Return the places of a match whose bots do not play, and why."""
        return tuple((place, self._why[at]) for place, at in enumerate(line_up) if at in self._why)


class Clerk:
    """Use as a context manager: at its end everything that was given to `keep` is stored."""

    def __init__(self, work: Work) -> None:
        self._work = work
        stored = work.store.matches.stored(work.run)
        self._wanted = deque(number for number in range(len(work.plans)) if number not in stored)
        self._ready = Ready()  # the driver's own: the thread never touches it
        self._made: queue.SimpleQueue[MatchSetup] = queue.SimpleQueue()
        self._played: deque[PlayedMatch] = deque()
        self._words: queue.SimpleQueue[Word] = queue.SimpleQueue()
        self._told: set[Word] = set()  # and not yet done: said once
        self._all_made = False
        self._error: BaseException | None = None
        self._stored = -GATHER_S  # when that was done last
        self._began, self._done = time.monotonic(), 0
        self._cost: dict[int, tuple[float, int]] = {}  # by entrant: CPU seconds, games
        limit_s = work.run.definition.limits.cpu_s_run
        self._spent = Spent(limit_s, work.store.matches.spent(work.run))
        self._thread = threading.Thread(target=self._run, name="clerk", daemon=True)

    def __enter__(self) -> Clerk:
        self._thread.start()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._tell(Word.END)
        self._thread.join()
        if self._error is not None and error is None:
            raise self._error

    def setups(self) -> Iterator[MatchSetup | None]:
        """Yield the missing matches; None: the next ones are being made ready."""
        while True:
            if self._error is not None:
                raise self._error
            if self._work.enough():
                return
            all_made = self._all_made  # read before the queue: what the thread made last is in it
            while not self._made.empty():  # nobody else takes from it
                setup = self._made.get_nowait()
                self._ready.add(setup, self._deals(setup.number))
            if len(self._ready) <= self._work.workers() and not all_made:
                self._tell(Word.MORE)
            if self._ready:
                yield self._next()
            elif all_made:
                return
            else:
                yield None

    def _next(self) -> MatchSetup:
        """Return the next match to play."""
        setup = self._ready.next(self._work.workers())
        left_out = self._spent.left_out(setup.plan.line_up)
        return replace(setup, left_out=left_out) if left_out else setup

    def _deals(self, number: int) -> int:
        """Return what is the same for two matches if they have the same deals."""
        return self._work.plans[number].first_block

    def keep(self, played: PlayedMatch) -> None:
        """Have a result stored soon."""
        self._ready.ended(played.number)
        if self._error is not None:
            raise self._error
        for entrant, why in self._spent.add(played.line_up, played.slept_s, played.cpu_s).items():
            self._work.say(f"{self._label(entrant)} {why}")
        self._played.append(played)
        self._tell(Word.RESULTS)

    def _label(self, entrant: int) -> str:
        return self._work.store.runs.entries(self._work.run)[entrant].bot.label

    def _tell(self, word: Word) -> None:
        if word not in self._told:
            self._told.add(word)
            self._words.put(word)

    # --- on the thread ------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            while Word.END not in self._told or self._played:
                self._await()
                self._told.discard(Word.RESULTS)  # what comes from here on is told anew
                self._store()
                if Word.MORE in self._told and Word.END not in self._told:
                    self._make_ready()
                    self._told.discard(Word.MORE)
        except BaseException as error:  # the driver raises it
            self._error = error

    def _await(self) -> None:
        """Sleep until something is to be done.

        The first result after a while is stored at once, others together, but nothing waits for them.
        """
        if self._words.get() is Word.RESULTS:
            with contextlib.suppress(queue.Empty):  # the word may still be there from results that are stored
                while True:
                    left_s = self._stored + GATHER_S - time.monotonic()
                    if self._words.get(timeout=max(0.0, left_s)) is not Word.RESULTS:
                        break

    def _store(self) -> None:
        work, played = self._work, [self._played.popleft() for _ in range(len(self._played))]
        if not played:
            return
        matches = [with_short_texts(one) for one in played]
        work.store.matches.add(work.run, matches)
        self._stored = time.monotonic()
        self._done += len(matches)
        for match in matches:
            for entrant, cpu_s in zip(match.line_up, match.cpu_s):
                spent, games = self._cost.get(entrant, (0.0, 0))
                self._cost[entrant] = spent + cpu_s, games + len(match.blocks)
            work.on_match(match)

    def _make_ready(self) -> None:
        """Make ready what comes next in the schedule, and put the longest of it first.

        Those that begin last should be short. All of it is played before what is made ready next, so nobody
        waits for long.
        """
        work = self._work
        if work.enough() or not self._wanted:
            self._all_made = True
            return
        work.store.leases.heartbeat(work.run, work.driver)  # nothing is handed out that another driver plays
        rate = self._done / max(time.monotonic() - self._began, 1.0)
        most = max(2 * work.workers(), min(MOST_AHEAD, int(rate * AHEAD_S)))
        taken = [self._wanted.popleft() for _ in range(min(most, len(self._wanted)))]
        taken.sort(key=lambda number: -self._expected_s(number))
        for setup in setups(work.store, work.run, [work.plans[number] for number in taken]):
            if len(setup.seeds):
                self._made.put(setup)
            else:  # every game of this rotation would repeat a seating
                self.keep(PlayedMatch.of(setup, np.zeros(setup.places.shape, np.int64), []))

    def _expected_s(self, number: int) -> float:
        """CPU seconds that a match will take, by what its bots have taken so far."""
        plan = self._work.plans[number]
        known = [self._cost[entrant] for entrant in plan.line_up if entrant in self._cost]
        return plan.blocks * sum(spent / max(games, 1) for spent, games in known)


def with_short_texts(match: PlayedMatch) -> PlayedMatch:
    """Return the match as it is stored: of what a forfeit says, the begin and the end."""
    lost = [replace(one, text=shortened(one.text, STORED_TEXT)) for one in match.forfeits]
    return replace(match, forfeits=lost) if lost else match
