"""What the commands do, for Python: `from arena import open_store, run_league, ratings`.

    store = open_store("results/arena.db")
    run = run_league(store, "flip7", ["racer", "./draft.py"], deals=20)
    print(report(store, run)["table"])

Errors are those of `arena.errors`: they say what was wrong and what to do. Nothing is printed: pass `say` to
hear what the commands say. Printing and options are in `arena.cli`.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager

from leagues import definition
from leagues.definition import League
from leagues.ratings.table import RatingTable
from leagues.verdict import Question

from .bots import registry
from .cluster.driver import Cluster
from .cluster.proof import known_games
from .cluster.start import cluster
from .errors import RunError, RunTaken, StoreError, UsageError
from .jail import Limits
from .league import compare as comparing
from .league import open as opening
from .league.compare import Answer
from .league.plans import planned_matches
from .league.play import RECHECK, SHARE, finish, play, try_entrants
from .league.pools import choose
from .league.report import RunReport, report_of
from .league.rounds import add_next_round, games_so_far, outcome
from .league.table import load_what_rates, pool_table, run_table
from .league.verify import Verified, verify
from .match.warm import warm_up
from .store import Store
from .store.models import Bot, LeagueRun
from .store.packing import PlayedMatch

MOST_DEALS = 10_000  # of an adaptive league that is to end when it is sure

Say = Callable[[str], None]
Watch = Callable[[int, int, str], AbstractContextManager[Callable[..., None]]]


def quiet(line: str) -> None:
    """Say nothing."""


@contextlib.contextmanager
def unwatched(total: int, done: int, unit: str) -> Iterator[Callable[..., None]]:
    """Show no progress."""
    yield lambda more, **facts: None


def open_store(db: str | None = None, create: bool = True) -> Store:
    """Open a result store.

    Args:
        db: a file or URL; default ARENA_DB, else as `arena.places.data_folder` says.
        create: make it if it is not there.

    Raises:
        StoreError: it cannot be used; says why.
    """
    return Store(db, create=create)


def run_league(
    store: Store,
    name: str,
    bots: Sequence[str] = (),
    *,
    deals: int | None = None,
    seed: int | None = None,
    level: str | None = None,
    tournament: str | None = None,
    candidates: Sequence[str] | None = None,
    until: str | None = None,
    seconds: float | None = None,
    same_owner: bool | None = None,
    join: bool = False,
    workers: int | None = None,
    address: str | None = None,
    shares: bool = False,
    beacon: str = "",
    recheck: float = RECHECK,
    say: Say = quiet,
    watch: Watch = unwatched,
) -> LeagueRun:
    """Play a league to its end: go on with the run that is the same in all, else begin the next one.

    Args:
        store: where results go.
        name: a league that ships with the project, or the path of a .toml file.
        bots: who enters; default: the league's bots and all submitted ones.
        deals: deals that every entrant plays; default: the league's.
        seed: a known seed, for a repeatable run.
        level: how bots are separated; default: the league's.
        tournament: who plays whom: round-robin, gauntlet, swiss, ladder, knockout, adaptive.
        candidates: of a gauntlet.
        until: of an adaptive league: best, separated, ci=15; "" for its time or deals alone.
        seconds: no new round after this time; for tournaments in rounds.
        same_owner: whether bots of one owner are seated together.
        join: add the bots that are new to the latest run instead; they play against the field.
        workers: matches at a time; default: one a CPU core.
        address: a running Ray cluster.
        shares: play beside other drivers of the run that share.
        beacon: a public value that nobody knew when the entrants were fixed; it is mixed into the deals.
        recheck: share of the matches that are played on a second node too, and compared.
        say: hears what is going on.
        watch: makes a progress bar of (total, done, unit), see `arena.cli.progress`.

    Returns:
        The run as it is stored now; with `shares` others may still play some of it.

    Raises:
        ArenaError, DefinitionError: what was wrong; what was finished is stored.
    """
    league = definition.load(name, Limits)
    most = max(league.deals, MOST_DEALS) if until is not None and deals is None else deals
    league = league.with_changes(most, seed, level, tournament, candidates, until, same_owner)
    if shares and league.tournament not in ("round-robin", "gauntlet"):
        raise UsageError(f"--share: the rounds of {league.tournament} wait for each other: one driver plays")
    opening.definition_of(league)
    entrants = opening.enter(store, league, bots, least=1 if join else 2)
    if join:
        if deals is not None or seed is not None or beacon:
            raise UsageError(
                "a newcomer plays the deals of the run that it joins: leave out --deals, --seed and --beacon"
            )
        latest = store.find_run(league.name)
        newcomers = opening.newcomers_of(store, latest, league, entrants)
        if not newcomers and latest.state == "finished":
            say(f"{latest.label}: all of these bots are in it; nothing to play")
            return latest
        with _ready(latest.game, workers, address, say) as ready:
            _try(store, latest, newcomers, ready, say)
            opening.join(store, latest, newcomers, lambda run: games_so_far(store, run))
            return _finish(store, latest, ready, shares, say, watch, recheck, seconds=seconds)
    if beacon and league.seed is not None:
        raise UsageError(
            f"league {league.name} has a known seed: a beacon would change nothing; leave one out"
        )
    prepared = opening.prepare(store, league, entrants, beacon)
    same = prepared.same
    if same is not None and same.state == "finished":
        say(f"{same.label} is finished; a run with a known seed is not played again")
        return same
    if same is not None and not shares:
        opening.check_free(store, same, SHARE)
    _say_unfinished(store, league.name, same, say)
    with _ready(league.game, workers, address, say) as ready:
        _try(store, prepared.run, [entry.bot for entry in prepared.entries], ready, say)
        run, new = opening.open_run(store, prepared)
        word = "new run" if new else "goes on"
        return _finish(store, run, ready, shares, say, watch, recheck, word, seconds)


def resume_run(
    store: Store,
    label: str,
    *,
    seconds: float | None = None,
    workers: int | None = None,
    address: str | None = None,
    shares: bool = False,
    recheck: float = RECHECK,
    say: Say = quiet,
    watch: Watch = unwatched,
) -> LeagueRun:
    """Go on with a run that was stopped, as it was begun; a finished one is left alone. Arguments as in
    `run_league`. A comparison goes on until it is known which bot is better.

    Raises:
        RunError: it was aborted, or other code is installed now.
    """
    run = store.find_run(label)
    if comparing.is_comparison(run):
        return resume_comparison(store, label, workers=workers, address=address, say=say, watch=watch)[0]
    _refuse_aborted(run)
    if run.state == "finished":
        return run
    opening.check_code(store, run)
    if not shares:
        opening.check_free(store, run, SHARE)
    with _ready(run.game, workers, address, say) as ready:
        return _finish(store, run, ready, shares, say, watch, recheck, seconds=seconds)


def extend_run(
    store: Store,
    label: str,
    deals: int,
    *,
    workers: int | None = None,
    address: str | None = None,
    recheck: float = RECHECK,
    say: Say = quiet,
    watch: Watch = unwatched,
) -> LeagueRun:
    """Add deals to a finished run, under a new secret, and play them. Arguments as in `run_league`.

    Raises:
        RunError: it is not finished, or other code is installed now.
    """
    run = store.find_run(label)
    opening.check_extendable(store, run)
    with _ready(run.game, workers, address, say) as ready:
        opening.extend(store, run, deals)
        return _finish(store, run, ready, False, say, watch, recheck)


def ratings(store: Store, game: str, pool: str | None = None) -> RatingTable:
    """The rating table of a game, over all runs of one pool.

    Args:
        store: where the games are.
        game: its name.
        pool: the mark of a pool; default: the main one, with most games under secret deals.

    Raises:
        UsageError: no such pool.
        GameError: no such game.
    """
    found = choose(store, game)
    chosen = next((one for one in found if pool in (None, one.mark)), None)
    if chosen is None and pool is not None:
        raise UsageError(f"no pool {pool!r}; pools: {', '.join(one.mark for one in found) or 'none yet'}")
    return pool_table(store, chosen) if chosen else RatingTable((), ())


def compare_bots(
    store: Store,
    league: League,
    bots: Sequence[str],
    question: Question,
    *,
    seconds: float | None = None,
    workers: int | None = None,
    address: str | None = None,
    say: Say = quiet,
    watch: Watch = unwatched,
) -> tuple[LeagueRun, Answer]:
    """Play two bots until it is known whether the first is better; go on with the comparison that is the
    same in all.

    Args:
        store: where results go.
        league: game, players, options, level, seed, and in `deals` the most blocks.
        bots: the two, then those that they are measured against; none: each other.
        question: the hypotheses.
        seconds: stop after this time.
        workers: matches at a time; default: one a CPU core.
        address: a running Ray cluster.
        say: hears what is going on.
        watch: makes a progress bar of (total, done, unit), see `arena.cli.progress`.

    Returns:
        The run, and where it stands.

    Raises:
        ArenaError: what was wrong; what was finished is stored.
    """
    found = [registry.resolve(name, league.game, store) for name in bots]
    if len({bot.id for bot in found}) < len(found):
        raise UsageError(
            f"a bot stands twice in {', '.join(bot.label for bot in found)}: name different ones"
        )
    prepared = comparing.prepare_comparison(store, league, found, question)
    if prepared.same is not None and (prepared.same.state == "finished" or seconds == 0):
        return prepared.same, comparing.look(store, prepared.same)
    with _ready(league.game, workers, address, say) as ready:
        if prepared.same is None:
            _try(store, prepared.run, found, ready, say)
        run, new = opening.open_run(store, prepared)
        say(f"{run.label}: {'new comparison' if new else 'goes on'}")
        return _until_known(store, run, ready, seconds, say, watch)


def resume_comparison(
    store: Store,
    label: str,
    *,
    workers: int | None = None,
    address: str | None = None,
    say: Say = quiet,
    watch: Watch = unwatched,
) -> tuple[LeagueRun, Answer]:
    """Go on with a comparison until it is known which bot is better. Arguments and results as in
    `compare_bots`.

    Raises:
        UsageError: the run is no comparison.
        RunError: it was aborted, or other code is installed now.
    """
    run = store.find_run(label)
    if not comparing.is_comparison(run):
        raise UsageError(f"{run.label} is no comparison: arena league resume {run.label} goes on with it")
    _refuse_aborted(run)
    seen = comparing.look(store, run)
    if seen.decision != "open" or run.state == "finished":
        comparing.close_if_known(store, run, seen)
        return store.find_run(run.label), seen
    opening.check_code(store, run)
    with _ready(run.game, workers, address, say) as ready:
        say(f"{run.label}: goes on")
        return _until_known(store, run, ready, None, say, watch)


def _until_known(
    store: Store, run: LeagueRun, ready: Cluster, seconds: float | None, say: Say, watch: Watch
) -> tuple[LeagueRun, Answer]:
    """Play a comparison until it is known, and say where it stands on the way."""
    for stage in store.stages(run):
        say(f"secret: blake2b-256 is {stage.secret_hash}; with bots and rules: {stage.commitment}")
    counts = store.counts()[run.key]

    def looked(seen: Answer) -> None:
        say(f"{seen.blocks} blocks: ratio {seen.llr:+.2f} of {seen.lower:.2f} .. {seen.upper:.2f}")

    with watch(counts.planned, counts.stored, "matches") as add:
        answer = comparing.play_until_known(store, run, ready, seconds, lambda: add(1), looked)
    return store.find_run(run.label), answer


def _refuse_aborted(run: LeagueRun) -> None:
    if run.state == "aborted":
        raise RunError(f"{run.label} was aborted: its secret is known, so it cannot go on")


def report(store: Store, run: LeagueRun) -> RunReport:
    """Everything about a run that may be known now."""
    return report_of(store, run)


@contextlib.contextmanager
def _ready(game: str, workers: int | None, address: str | None, say: Say) -> Iterator[Cluster]:
    """Give a Ray cluster; while a local one starts, load what plays and rates, compiled at the first use."""

    def load() -> None:
        warm_up(game, say)
        known_games(game)
        load_what_rates()

    with cluster(workers, address, say, load) as ready:
        yield ready


def _try(store: Store, run: LeagueRun, bots: Sequence[Bot], ready: Cluster, say: Say) -> None:
    for fault in try_entrants(store, opening.as_definition(run), bots, ready):
        say(f"{fault.bot.label} breaks a rule in its first game, {fault.kind}: {fault.text.splitlines()[0]}")


def _finish(
    store: Store, run: LeagueRun, ready: Cluster, shares: bool, say: Say, watch: Watch, recheck: float,
    word: str = "goes on", seconds: float | None = None,
) -> LeagueRun:  # fmt: skip
    """Play what is missing, round by round, and say so."""
    deadline = None if seconds is None else time.monotonic() + seconds
    for stage in store.stages(run):
        if stage.kind != "round":
            say(f"secret: blake2b-256 is {stage.secret_hash}, with bots and rules {stage.commitment}")
    try:
        while _play_round(store, run, ready, shares, say, watch, recheck, word):
            late = deadline is not None and time.monotonic() > deadline
            if late or not add_next_round(store, run):
                finish(store, run)
                for line in outcome(store, run):
                    say(line)
                break
            word = f"round {len(store.stages(run))}"
    except RunTaken:
        raise
    except (KeyboardInterrupt, RunError, StoreError):
        count = store.counts()[run.key]
        how = f"run the same command to go on, or: arena league resume {run.label}"
        say(f"{run.label}: stopped; {count.stored} of {count.planned} matches are stored; {how}")
        raise
    return store.find_run(run.label)


def _play_round(
    store: Store, run: LeagueRun, ready: Cluster, shares: bool, say: Say, watch: Watch, recheck: float,
    word: str,
) -> bool:  # fmt: skip
    """Play the matches that are missing; returns whether all are stored."""
    done, planned = store.stored_matches(run), planned_matches(store, run)
    say(f"{run.label}: {word}, {len(planned) - len(done)} of {len(planned)} matches to play")
    games = {number: one.plan.blocks for number, one in planned.items()}
    with watch(sum(games.values()), sum(games[number] for number in done), "games") as add:
        matches = len(done)

        def stored(match: PlayedMatch) -> None:
            nonlocal matches
            matches += 1
            facts = {"matches": matches, "matches_planned": len(planned)}
            add(len(match.blocks), **facts, nodes=len(list(ready.nodes)), repeated=ready.repeated)

        complete = play(store, run, ready, shares, stored, recheck=recheck)
    if not complete:
        say(f"{run.label}: nothing is left to take; other drivers play the rest")
    return complete


def _say_unfinished(store: Store, league: str, same: LeagueRun | None, say: Say) -> None:
    """Say which runs of a league wait, and what would continue them."""
    counts = store.counts()
    for waiting in store.runs(name=league):
        if waiting.state == "playing" and (same is None or waiting.id != same.id):
            count = counts[waiting.key]
            reason = opening.why_not(store, waiting)
            cannot = f"it cannot go on: {reason}; end it with: arena league abort {waiting.label}"
            hint = cannot if reason else f"go on with: arena league resume {waiting.label}"
            say(f"{waiting.label} is unfinished ({count.stored} of {count.planned} matches); {hint}")


__all__ = [
    "Answer",
    "Question",
    "RatingTable",
    "RunReport",
    "Store",
    "Verified",
    "compare_bots",
    "extend_run",
    "open_store",
    "ratings",
    "report",
    "resume_run",
    "run_league",
    "run_table",
    "verify",
]
