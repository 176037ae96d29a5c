"""The loop of `arena ladder run`: epoch after epoch, until somebody stops it.

Nothing is kept in memory between epochs. A process that was killed goes on with the epoch that it had begun;
an epoch that cannot go on, because the code was updated, is aborted and the next one begins.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from leagues import season as files
from leagues.errors import DefinitionError
from leagues.season import SeasonFile

from .. import api
from ..cluster.driver import Cluster
from ..cluster.relay import run_elsewhere
from ..errors import ArenaError, RunTaken, UsageError
from ..intake.conditions import Conditions
from ..intake.sent import Trials, try_here, try_next
from ..printable import Say
from ..runs.guard import check_free, why_not
from ..runs.standings import pool_table
from ..store import Store
from ..store.leases import Driver
from ..store.models import Season, now
from ..store.seasons import PlayedEpoch
from .epochs import Chosen, begin, bots_of, season_pool

LOOK_S = 2.0  # between two looks at the state of the season, and for new bots while there are too few


def new_season(store: Store, path: Path) -> tuple[Season, dict[str, str]]:
    """Open a season, and commit to the secret of its first epochs; return its hash by name of the runs, too.

    Raises:
        DefinitionError: the file is wrong; says where.
        BotError, UsageError: a house bot does not exist, the name is taken, or the last day is over.
    """
    file = _loaded(path)
    for number, league in enumerate(file.leagues, 1):
        try:
            bots_of(store, league)
        except ArenaError as error:
            raise type(error)(f"{path}: leagues, table {number}, entrants: {error}") from None
    season = Season(name=file.name, definition=file)
    store.make()  # a mistake leaves no database behind
    store.seasons.add(season)
    names = [file.run_name(at) for at in range(len(file.leagues))]
    return season, {name: store.runs.commit(name) for name in names}


def _loaded(path: Path) -> SeasonFile:
    file = files.load(path)
    if file.ends and file.ends < now().date():
        raise UsageError(f"{path}: ends = {file.ends} is over: write a later day, or leave it out")
    return file


def edit_season(store: Store, path: Path, by: str) -> str:
    """Take the last day from the edited file of a season that goes on; "" if there is none, or no edit.

    Raises:
        DefinitionError, UsageError: the file is wrong, the season is over, or another key was edited.
    """
    file = _loaded(path)
    season = next((one for one in store.seasons.all() if one.name == file.name), None)
    edited = season.definition.differences(file) if season else []
    if fixed := [key for key in edited if key != "ends"]:
        told = f"of season {file.name} only `ends` can be changed, not {', '.join(fixed)}"
        raise UsageError(f"{path}: {told}: put back what it was opened with, or choose another name")
    if season is None or not edited:
        return ""
    store.seasons.set_ends(file.name, file.ends, by)
    return f"season {file.name} now runs {file.lasts}; before, it ran {season.definition.lasts}"


def unread(season: Season) -> Iterator[str]:
    """Say in what the file of its name in this folder differs from a season."""
    path = Path(f"{season.name}.toml")
    with contextlib.suppress(DefinitionError):
        if path.is_file() and (keys := season.definition.differences(files.load(path))):
            told = f"{path} was edited ({', '.join(keys)}), but season {season.name} plays as it was opened"
            yield f"{told}: arena ladder new {path} takes a new `ends`, and nothing else"


def run_season(
    store: Store,
    name: str,
    options: api.PlayOptions = api.USUAL,
    epochs: int | None = None,
    reopen: bool = True,
) -> Season:
    """Play epochs until the season is paused, closed or over; or so many of them (`epochs`).

    With `reopen` a season that was paused goes on; else, paused or closed, it is left as it is.

    Raises:
        UsageError: no such season, or it is closed.
        RunTaken: another driver plays it.
        ArenaError: what was wrong; what was finished is stored.
    """
    season = store.seasons.find(name)
    if season.state in ("paused", "closed") and not reopen:
        return season
    if season.state == "closed":
        raise UsageError(f"season {name} was closed; arena ladder status {name} shows how it ended")
    unfinished = _unfinished(store, name)
    if unfinished:
        check_free(store, unfinished[0].run)
    file = season.definition
    games = dict.fromkeys(league.game for league in file.leagues)
    options = replace(options, enough=_Orders(store, name).stop)
    tried = partial(trials, store, file, options.say)
    driving, cluster = store.leases.driving(name), api.ready_cluster(tuple(games), options)
    with driving as tell, cluster as ready, contextlib.closing(tried()):
        if season.state == "paused":
            season = store.seasons.set_state(name, "open")
        for _ in itertools.count() if epochs is None else range(epochs):
            played = _next_epoch(store, file, ready, options, tell)
            if played is None:
                break
            tell("")
            word = "goes on" if unfinished else "new run"
            unfinished = []
            run = api.play_to_end(store, played.run, ready, options, word)
            _rate(store, season, file, played.epoch.league)
            if run.state == "playing":  # paused, or another driver plays the rest
                continue
            told = f"its secret was {store.runs.stages(run)[0].secret}, its seal is {run.seal}"
            options.say(f"{name}: epoch {played.epoch.number} is over; {told}")
    return store.seasons.find(name)


def trials(store: Store, file: SeasonFile, say: Say) -> Trials:
    """Have submissions tried by the workers that play the season, beside its matches."""
    leagues = reversed(file.leagues)  # of two leagues of a game the first one counts
    conditions = {one.game: Conditions.of_definition(one, file.name) for one in leagues}

    def work(driver: Driver, over: threading.Event) -> bool:
        try_it = partial(run_elsewhere, try_here, over=over.is_set)
        return try_next(store, driver, conditions, say, try_it)

    return Trials(store, work, say)


def pause_season(store: Store, name: str, undo: bool = False) -> Season:
    """Stop whoever plays a season, after the matches that are being played; `run` or `undo` goes on."""
    season = store.seasons.find(name)
    if season.state == "closed":
        raise UsageError(f"season {name} was closed: there is nothing to pause")
    return store.seasons.set_state(name, "open" if undo else "paused", unless=("closed", "closing"))


def close_season(store: Store, name: str) -> Season:
    """End a season for good: at once, or when the epoch that is being played has ended.

    An unfinished epoch that nobody plays is aborted; its complete blocks count. Then every secret may be
    shown.
    """
    season = store.seasons.set_state(store.seasons.find(name).name, "closing")
    with contextlib.suppress(RunTaken):  # its driver closes it when the epoch has ended
        return _close(store, name)
    return season


def _close(store: Store, name: str) -> Season:
    for one in _unfinished(store, name):
        store.runs.close(one.run, aborted=True)
    return store.seasons.set_state(name, "closed")


class _Orders:
    """Whether a season is to stop now, asked before every match and looked up every `LOOK_S`."""

    def __init__(self, store: Store, name: str) -> None:
        self._store, self._name = store, name
        self._at, self._stop = -LOOK_S, False

    def stop(self) -> bool:
        """Return whether it was paused or closed."""
        if time.monotonic() - self._at >= LOOK_S:
            self._at = time.monotonic()
            self._stop = self._store.seasons.find(self._name).state in ("paused", "closed")
        return self._stop


def _unfinished(store: Store, name: str) -> list[PlayedEpoch]:
    return [one for one in store.seasons.epochs(name) if one.run.state == "playing"]


def _next_epoch(
    store: Store, file: SeasonFile, ready: Cluster, options: api.PlayOptions, tell: Callable[[str], bool]
) -> PlayedEpoch | None:
    """Return the epoch to play: the one that was begun, or a new one; None if the season stops here.

    While it has not started, or fewer than two bots can play, this waits, and says for what.
    """
    name = file.name
    while True:
        before = _facts(store, name, file)
        season, today = store.seasons.find(name), now().date()
        ends = season.definition.ends  # it may have been moved
        if ends and today > ends and season.state == "open":
            season = store.seasons.set_state(name, "closing")
        if season.state in ("paused", "closed"):
            return None
        going_on = _going_on(store, name, options)
        for at in range(len(file.leagues)):  # in a copy no secret waits
            store.runs.commit(file.run_name(at))
        if going_on is not None:
            return going_on
        if season.state == "closing":
            _close(store, name)
            return None
        if file.starts and today < file.starts:
            waits = f"{name} starts on {file.starts}"
        else:
            begun = _begun(store, season, file, ready, options)
            if begun is not None:
                return begun
            waits = f"{name} waits for bots: two are needed that can play"
        if _facts(store, name, file) == before and tell(waits):  # else it was paused, say, meanwhile
            options.say(waits)
        while _facts(store, name, file) == before:
            time.sleep(LOOK_S)


def _going_on(store: Store, name: str, options: api.PlayOptions) -> PlayedEpoch | None:
    """Return the epoch that was begun and can go on; others are aborted.

    One of a copy of the database cannot: its secret may have been published since the copy was made.
    """
    for one in _unfinished(store, name):
        reason = why_not(store, one.run)
        if not store.runs.commitment(one.run.name):
            reason = "no secret waits for the next one, as in a copy: its own may be known"
        if not reason:
            return one
        store.runs.close(one.run, aborted=True)
        options.say(f"{one.run.label} cannot go on and was ended, its complete blocks count: {reason}")
    return None


def _begun(
    store: Store, season: Season, file: SeasonFile, ready: Cluster, options: api.PlayOptions
) -> PlayedEpoch | None:
    """Begin an epoch of the league that has had the fewest and has bots."""
    order = sorted(range(len(file.leagues)), key=lambda at: len(store.seasons.epochs(season.name, at)))
    for at in order:
        begun = begin(store, Chosen(season, file, at), ready, options.say)
        if begun is not None:
            return begun
    return None


def _facts(store: Store, name: str, file: SeasonFile) -> tuple[object, ...]:
    """Return what may end a wait: bots, the state of the season, its last day, today."""
    there = [[bot.id for bot in bots_of(store, league)] for league in file.leagues]
    season = store.seasons.find(name)
    return there, season.state, season.definition.ends, now().date()


def _rate(store: Store, season: Season, file: SeasonFile, league: int) -> None:
    """Make the table of a league, so that it is there when somebody asks."""
    pool = season_pool(store, Chosen(store.seasons.find(season.name), file, league))
    if pool is not None:
        pool_table(store, pool)
