"""What the commands do, for Python: `from arena import load_league, open_store, run_league`.

    store = open_store("results/arena.db")
    run = run_league(store, load_league("flip7", deals=20), ["racer", "./draft.py"])
    print(report(store, run)["table"])

Errors are those of `arena.errors`: they say what was wrong and what to do. Nothing is printed: pass `say` to
hear what the commands say (`PlayOptions`). Printing and options are in `arena.cli`.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import engines
from engines import luck
from leagues.definition import Comparison, League
from leagues.definition import load as load_league
from leagues.halving import Round, search
from leagues.ratings.rows import RatingTable

from .cluster.driver import Cluster
from .cluster.proof import known_games
from .cluster.start import cluster
from .errors import RunError, RunTaken, StoreError, UsageError
from .intake import registry
from .match.played import PlayedMatch
from .match.warm import use_what_matches_call, warm_up
from .printable import Say, Watch, count, quiet, unwatched
from .runs import comparing, grow, guard
from .runs import open as opening
from .runs import trial_match as trial
from .runs.audit import audit
from .runs.comparing import Answer
from .runs.drive import finish, play
from .runs.grow import add_next_round, outcome
from .runs.pools import pools_of
from .runs.report import RunReport, report_of
from .runs.stages import check_beacon, hash_line
from .runs.standings import load_what_rates, pool_table
from .runs.tuning import FALSE_GAINS, SearchMatches, Tuned, read_tunable
from .runs.verify import verify
from .store import Store
from .store.models import Bot, LeagueRun


def open_store(db: str | None = None, create: bool = True) -> Store:
    """Open a result store.

    Args:
        db: a file or URL; default ARENA_DB, else as `arena.places.data_folder` says.
        create: make it if it is not there.

    Raises:
        StoreError: it cannot be used; says why.
    """
    return Store(db, create=create)


@dataclass(frozen=True)
class PlayOptions:
    """How a run is driven: none of it changes a game.

    Attributes:
        workers: matches at a time; default: one a CPU core.
        address: a running Ray cluster.
        seconds: no new round, of a comparison no new match, after this time.
        say: hears what is going on.
        watch: makes a progress bar of (total, done, unit), see `arena.cli.progress`.
        enough: asked before every match, by any thread, whether no more is to be played.
    """

    workers: int | None = None
    address: str | None = None
    seconds: float | None = None
    say: Say = quiet
    watch: Watch = unwatched
    enough: Callable[[], bool] = lambda: False


USUAL = PlayOptions()


def run_league(
    store: Store, league: League | str, bots: Sequence[str] = (), options: PlayOptions = USUAL
) -> LeagueRun:
    """Play a league to its end: go on with the run that is the same in all, else begin the next one.

    Args:
        store: where results go.
        league: what is played, see `load_league`; or its name or path.
        bots: who enters; default: the league's bots and all submitted ones.
        options: how the run is driven.

    Returns:
        The run as it is stored now.

    Raises:
        ArenaError, DefinitionError: what was wrong; what was finished is stored.
    """
    league = load_league(league) if isinstance(league, str) else league
    entrants = opening.enter(store, league, bots)
    prepared = opening.prepare(store, league, entrants)
    same, say, dead = prepared.same, options.say, tuple[trial.EntrantFault, ...]()
    if league.submitted and not bots:
        for line in opening.kept_out(store, league):
            say(line)
    if same is not None and same.state == "finished":
        say(f"{same.label} is finished; a run with a known seed is not played again")
        return same
    if same is not None:
        guard.check_free(store, same)
    elif league.seed is None:
        check_beacon(store, league.name, league.beacon)
    _say_unfinished(store, league.name, same, say)
    with ready_cluster([league.game], options) as ready:
        if same is None:  # else its entrants were tried when it began
            prepared, dead = trial.without_dead(store, league, prepared, ready, say)
        run, new = opening.open_run(store, prepared)
        store.runs.leave_out(run, dead)
        return play_to_end(store, run, ready, options, "new run" if new else "goes on")


def join_league(
    store: Store, league: League | str, bots: Sequence[str] = (), options: PlayOptions = USUAL
) -> LeagueRun:
    """Add the bots that are new to the latest run of a league: they play its deals against its field.

    Arguments and results as in `run_league`; the run keeps its own deals, seed and beacon.

    Raises:
        RunError: the run is played or was aborted, or the league or the code has changed since.
    """
    league = load_league(league) if isinstance(league, str) else league
    entrants = opening.enter(store, league, bots, least=1)
    latest = store.runs.find(league.name)
    newcomers = grow.newcomers_of(store, latest, league, entrants)
    if not newcomers and latest.state == "finished":
        options.say(f"{latest.label}: all of these bots are in it; nothing to play")
        return latest
    with ready_cluster([latest.game], options) as ready:
        newcomers = _loaded(store, latest, newcomers, ready, options.say)
        if not newcomers and latest.state == "finished":
            return latest
        grow.join(store, latest, newcomers)
        return play_to_end(store, latest, ready, options)


def resume_run(store: Store, label: str, options: PlayOptions = USUAL) -> LeagueRun:
    """Go on with a run that was stopped, as it was begun.

    A finished run is left alone. A comparison goes on until it is known which bot is better.

    Raises:
        RunError: it was aborted, or other code is installed now.
    """
    run = store.runs.find(label)
    if isinstance(run.definition, Comparison):
        return resume_comparison(store, label, options)[0]
    _refuse_aborted(run)
    if run.state == "finished":
        return run
    guard.check_code(store, run)
    guard.check_free(store, run)
    with ready_cluster([run.game], options) as ready:
        return play_to_end(store, run, ready, options)


def extend_run(store: Store, label: str, deals: int, options: PlayOptions = USUAL) -> LeagueRun:
    """Add deals to a finished run, under a new secret, and play them.

    Raises:
        RunError: it is not finished, or other code is installed now.
    """
    run = store.runs.find(label)
    grow.check_extendable(store, run)
    with ready_cluster([run.game], options) as ready:
        grow.extend(store, run, deals)
        return play_to_end(store, run, ready, options)


def ratings(store: Store, game: str, pool: str | None = None) -> RatingTable:
    """Return the rating table of a game, over all runs of one pool.

    Args:
        store: where the games are.
        game: its name.
        pool: the mark of a pool; default: the main one, with most games under secret deals.

    Raises:
        UsageError: no such pool.
        GameError: no such game.
    """
    pools = pools_of(store, game)
    chosen = next((one for one in pools if pool in (None, one.mark)), None)
    if chosen is None and pool is not None:
        raise UsageError(f"no pool {pool!r}; pools: {', '.join(one.mark for one in pools) or 'none yet'}")
    return pool_table(store, chosen) if chosen else RatingTable((), ())


def compare_bots(
    store: Store, comparison: Comparison, bots: Sequence[str | Bot], options: PlayOptions = USUAL
) -> tuple[LeagueRun, Answer]:
    """Play two bots until it is known whether the first is better.

    If there is a comparison that is the same in all, go on with it.

    Args:
        store: where results go.
        comparison: the question, game, players, options, level, seed, and in `deals` the most blocks.
        bots: the two, then those that they are measured against; none: each other. Names, or stored bots.
        options: how the run is driven.

    Returns:
        The run, and where it stands.

    Raises:
        ArenaError: what was wrong; what was finished is stored.
    """
    compared = [
        registry.resolve(bot, comparison.game, store) if isinstance(bot, str) else bot for bot in bots
    ]
    if len({bot.id for bot in compared}) < len(compared):
        raise UsageError(
            f"a bot stands twice in {', '.join(bot.label for bot in compared)}: name different ones"
        )
    opening.check_allowed(compared, comparison)
    prepared = opening.prepare(store, comparison, compared)
    if prepared.same is not None and (prepared.same.state == "finished" or options.seconds == 0):
        return prepared.same, comparing.look(store, prepared.same)
    with ready_cluster([comparison.game], options) as ready:
        if prepared.same is None:
            dead = trial.try_new(store, comparison, compared, prepared.stage, ready, options.say)
            if dead:
                raise RunError(f"{dead[0].bot.label} cannot be loaded: nothing was played")
        run, new = opening.open_run(store, prepared)
        options.say(f"{run.label}: {'new comparison' if new else 'goes on'}")
        return _until_known(store, run, ready, options)


def resume_comparison(store: Store, label: str, options: PlayOptions = USUAL) -> tuple[LeagueRun, Answer]:
    """Go on with a comparison until it is known which bot is better. Results as in `compare_bots`.

    Raises:
        UsageError: the run is no comparison.
        RunError: it was aborted, or other code is installed now.
    """
    run = store.runs.find(label)
    comparing.comparison_of(run)
    _refuse_aborted(run)
    seen = comparing.look(store, run)
    if seen.decision != "open" or run.state == "finished":
        comparing.close_if_known(store, run, seen)
        return store.runs.find(run.label), seen
    guard.check_code(store, run)
    with ready_cluster([run.game], options) as ready:
        options.say(f"{run.label}: goes on")
        return _until_known(store, run, ready, options)


def tune_bot(
    store: Store, asked: Comparison, path: Path, bots: Sequence[str] = (), options: PlayOptions = USUAL
) -> Tuned:
    """Search for better values of the parameters that a bot names in `TUNE`, and compare them on fresh deals.

    The same call goes on where it was stopped, and plays nothing twice.

    Args:
        store: where results go.
        asked: what better means, game, players, options, level, the most deals of the search, its seed.
        path: of the bot.
        bots: those that it is measured against; none: the bot as it is.
        options: how it is played.

    Raises:
        ArenaError: what was wrong; what was played is stored.
    """
    source = read_tunable(path, asked.game)
    field = [registry.resolve(name, asked.game, store) for name in bots]
    beside = [(bot.name, bot.hash) for bot in field]
    rounds: list[Round] = []
    trials = SearchMatches(store, source, beside, asked, options.watch)
    with ready_cluster([asked.game], options) as trials.cluster:
        with trials:
            for done in search(source.tune, trials.play, trials.rounds, asked.seed or 0):
                rounds.append(done)
                options.say(f"round {len(rounds)} of {trials.rounds}: {trials.told(done)}")
        tuned = Tuned(source, source.with_values(rounds[-1].best), tuple(rounds))
        if tuned.best.tune == source.tune:
            return tuned
        both = [store.bots.add(registry.as_row(one, "guest"), one.packed).bot for one in (tuned.best, source)]
        strict = replace(asked.question, alpha=FALSE_GAINS)
        fresh = asked.changed(deals=comparing.DEALS, seed=trials.fresh_seed, question=strict)
        run, answer = compare_bots(store, fresh, [*both, *field], options)
    return replace(tuned, run=run, answer=answer)


def _until_known(
    store: Store, run: LeagueRun, ready: Cluster, options: PlayOptions
) -> tuple[LeagueRun, Answer]:
    """Play a comparison until it is known, and say where it stands on the way."""
    options.say(hash_line(store, run))
    counts = store.matches.counts()[run.key]

    def looked(seen: Answer) -> None:
        known = f"known at {seen.lower:.2f} (not better) or {seen.upper:+.2f} (better)"
        options.say(f"{seen.blocks} blocks: evidence {seen.llr:+.2f}, {known}")

    with options.watch(counts.planned, counts.stored, "matches") as add:
        driven = (options.seconds, lambda: add(1, may_end_sooner=True), looked)
        answer = comparing.play_until_known(store, run, ready, *driven)
    return store.runs.find(run.label), answer


def _refuse_aborted(run: LeagueRun) -> None:
    if run.state == "aborted":
        raise RunError(f"{run.label} was aborted: its secret is known, so it cannot go on")


def report(store: Store, run: LeagueRun | str) -> RunReport:
    """Return everything about a run, or the run of a label, that may be known now."""
    return report_of(store, store.runs.find(run))


@contextlib.contextmanager
def ready_cluster(games: Sequence[str], options: PlayOptions) -> Iterator[Cluster]:
    """Give a Ray cluster; while a local one starts, load what plays and rates, compiled at the first use."""

    def load() -> None:
        load_what_rates()
        for game in games:
            warm_up(game, options.say)
            known_games(game)
            if luck.version(loaded := engines.load(game)):  # its games are replayed for their luck
                use_what_matches_call(loaded)

    with cluster(options.workers, options.address, options.say, load) as ready:
        yield ready


def _loaded(store: Store, run: LeagueRun, bots: Sequence[Bot], ready: Cluster, say: Say) -> list[Bot]:
    """Those of some newcomers that can be loaded; the run notes who cannot."""
    if not bots:
        return []
    dead = trial.try_new(store, run.definition, bots, store.runs.stages(run)[0], ready, say)
    store.runs.leave_out(run, dead)
    gone = {fault.bot.id for fault in dead}
    return [bot for bot in bots if bot.id not in gone]


def play_to_end(
    store: Store, run: LeagueRun, ready: Cluster, options: PlayOptions, word: str = "goes on"
) -> LeagueRun:
    """Play what is missing of a run, round by round, and say so."""
    say, deadline = options.say, None
    if options.seconds is not None:
        deadline = time.monotonic() + options.seconds
    say(hash_line(store, run))
    try:
        while _play_round(store, run, ready, options, word):
            late = deadline is not None and time.monotonic() > deadline
            if late or not add_next_round(store, run):
                if run.definition.repeatable and (asked := audit(store, run, ready)):
                    say(f"{run.label}: {asked}")
                finish(store, run)
                for line in outcome(store, run):
                    say(line)
                break
            word = f"round {len(store.runs.stages(run))}"
    except RunTaken:
        raise
    except (KeyboardInterrupt, RunError, StoreError):
        far = store.matches.counts()[run.key]
        how = "run the same command to go on"
        if run.key not in store.seasons.of_runs():
            how += f", or: arena league resume {run.label}"
        say(f"{run.label}: stopped; {far.stored} of {count(far.planned, 'match')} stored; {how}")
        raise
    return store.runs.find(run.label)


def _play_round(store: Store, run: LeagueRun, ready: Cluster, options: PlayOptions, word: str) -> bool:
    """Play the matches that are missing; returns whether all are stored."""
    say = options.say
    done, plans = store.matches.stored(run), store.runs.plans(run)
    left = f"{len(plans) - len(done)} of {count(len(plans), 'match')} to play"
    say(f"{run.label}: {word}, {left} (a match: one line-up in one rotation, some of the deals)")
    blocks = [plan.blocks for plan in plans]
    with options.watch(sum(blocks), sum(blocks[number] for number in done), "games") as add:
        matches = len(done)

        def stored(match: PlayedMatch) -> None:
            nonlocal matches
            matches += 1
            facts = {"matches": matches, "matches_planned": len(plans)}
            add(len(match.blocks), **facts, nodes=len(list(ready.nodes)), repeated=ready.repeated)

        return play(store, run, ready, stored, options.enough, say)


def _say_unfinished(store: Store, league: str, same: LeagueRun | None, say: Say) -> None:
    """Say which runs of a league wait, and what would continue them."""
    counts = store.matches.counts()
    for waiting in store.runs.all(name=league):
        if waiting.state == "playing" and (same is None or waiting.id != same.id):
            far = counts[waiting.key]
            reason = guard.why_not(store, waiting)
            cannot = f"it cannot go on: {reason}; end it with: arena league abort {waiting.label}"
            hint = cannot if reason else f"go on with: arena league resume {waiting.label}"
            say(f"{waiting.label} is unfinished ({far.stored} of {count(far.planned, 'match')}); {hint}")


__all__ = ["League", "load_league", "verify"]  # of other modules
