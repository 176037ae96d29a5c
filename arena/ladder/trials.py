"""Trials of submissions by the workers that play a season, beside its matches."""

from __future__ import annotations

import threading
from typing import Self

from leagues.season import SeasonFile

from ..bots.conditions import Conditions
from ..bots.sent import LOOK_S, Shown, ToTry, try_here, try_next
from ..cluster.errands import run_elsewhere
from ..errors import Terminated
from ..printable import Say
from ..store import Store
from ..store.leases import Driver

PAUSE_S = 10.0  # after a trial that failed for no fault of the bot


class Trials:
    """A thread that has submissions tried as long as the block lasts, under the conditions of the season.

    Args:
        store: where submissions wait and bots go.
        file: of the season.
        say: hears every outcome.
    """

    def __init__(self, store: Store, file: SeasonFile, say: Say) -> None:
        self._store, self._say = store, say
        leagues = reversed(file.leagues)  # of two leagues of a game the first one counts
        self._conditions = {one.game: Conditions.of_definition(one, file.name) for one in leagues}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, name="trials", daemon=True)

    def __enter__(self) -> Self:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        """Give back what is being tried."""
        self._over.set()
        self._thread.join()

    def _work(self) -> None:
        driver = Driver.this_process()
        while not self._over.is_set():
            pause = LOOK_S
            try:
                if self._store.untaken(driver) and try_next(
                    self._store, driver, self._conditions, self._say, self._try
                ):
                    pause = 0.0
            except Terminated:
                return
            except Exception as error:  # the season goes on, whatever it was
                self._say(f"a trial failed: {error}; the submission waits; again in {PAUSE_S:.0f} s")
                pause = PAUSE_S
            self._over.wait(pause)

    def _try(self, given: ToTry) -> Shown:
        shown = run_elsewhere(try_here, given, over=self._over.is_set)
        assert isinstance(shown, Shown)
        return shown
