"""Playing a run: being its driver, storing every match as it ends."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator

from ..cluster.driver import Cluster
from ..errors import RunTaken, StoreError
from ..match.played import PlayedMatch
from ..printable import Say, quiet
from ..store import Store
from ..store.leases import Driver, beating
from ..store.models import LeagueRun
from .clerk import Clerk, Work
from .guard import check_code
from .standings import keep_run_table

RECHECK = 0.01  # share of the matches that are played on a second node too


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
