"""Running a league: who enters, which matches are missing, playing them, storing, rating."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from leagues import ratings
from leagues.definition import League, fingerprint
from leagues.schedule import MatchPlan, Secret, schedule

from . import bots, runner
from .errors import UsageError
from .match import GameSetup, MatchResult, MatchSetup
from .store import GAMES_PER_MATCH, Bot, LeagueRun, Match, Store, pack_moves


def check_limits(league: League) -> None:
    """Check what the league file says of limits and level.

    Raises:
        UsageError: an unknown key, a wrong type or value.
    """
    from .jail import Level, Limits

    known = {field.name: field for field in dataclasses.fields(Limits)}
    for key, value in league.limits.items():
        if key not in known:
            raise UsageError(f"league {league.name}: unknown limit {key!r}; limits: {', '.join(known)}")
        default = known[key].default
        wanted = {int: "a whole number", float: "a number", str: "text"}[type(default)]
        right = isinstance(value, int | float) if isinstance(default, float) else isinstance(value, type(default))
        if not right or isinstance(value, bool):
            raise UsageError(f"league {league.name}: limit {key} = {value!r} must be {wanted}")
    try:
        Limits(**league.limits)
    except (TypeError, ValueError) as error:
        raise UsageError(f"league {league.name}: limits: {error}") from None
    if league.level not in list(Level):
        raise UsageError(f"league {league.name}: level {league.level!r}: allowed is {', '.join(Level)}")


def enter(store: Store, league: League, named: Sequence[str] = ()) -> list[Bot]:
    """The entrants: those named by hand, else the league's house bots and the newest of every submitted bot of the game.

    Raises:
        BotError, UsageError: a bot that does not exist or does not play the game; fewer than two.
    """
    found = [bots.resolve(name, league.game, store) for name in (named or league.entrants)]
    if league.submitted and not named:
        found += [bot for bot in store.bots(league.game) if bot.kind == "submitted"]
    entrants = list({bot.id: bot for bot in found}.values())
    if len(entrants) < 2:
        raise UsageError(f"league {league.name} has {len(entrants)} entrant(s); two are needed: name them with --bots a,b")
    return entrants


def open_run(store: Store, league: League, entrants: Sequence[Bot]) -> tuple[LeagueRun, bool]:
    """The run to go on with: the latest one of this definition if it is unfinished (or has a known seed), else a new one.

    Returns:
        The run, and whether it is new.
    """
    check_limits(league)
    definition = league.resolved(
        [{"name": bot.name, "version": bot.version, "kind": bot.kind, "hash": bot.hash} for bot in entrants]
    )
    mark = fingerprint(definition)
    same = [run for run in store.runs(name=league.name) if run.fingerprint == mark]
    if same and (same[-1].finished is None or league.seed is not None):
        return same[-1], False
    secret = Secret.fresh() if league.seed is None else Secret.of_seed(league.seed)
    run = LeagueRun(
        name=league.name,
        number=0,
        game=league.game,
        definition=definition,
        fingerprint=mark,
        secret=secret.key.hex(),
        secret_hash=secret.hash,
        matches=len(schedule(len(entrants), league.players, league.deals)),
    )
    return store.add_run(run, entrants), True


def secret_of(run: LeagueRun) -> Secret:
    """The secret of a run."""
    return Secret(bytes.fromhex(run.secret))


def plans(run: LeagueRun) -> Sequence[MatchPlan]:
    """The schedule of a run, from its definition alone."""
    definition = run.definition
    return schedule(len(definition["entrants"]), definition["players"], definition["deals"])


def setup_of(run: LeagueRun, plan: MatchPlan) -> MatchSetup:
    """What a worker needs to play a match; nothing in it leads to the secret."""
    secret, definition = secret_of(run), run.definition
    games = [
        GameSetup(plan.number * GAMES_PER_MATCH + i, game.block, secret.deal_seed(game.block), game.places)
        for i, game in enumerate(plan.games(secret))
    ]
    return MatchSetup(
        number=plan.number,
        game=run.game,
        players=definition["players"],
        options=definition["options"],
        games=tuple(games),
        bot_seeds=tuple(secret.bot_seed(plan.number, place) for place in range(len(plan.line_up))),
        limits=definition["limits"],
        level=definition["level"],
    )


def play(
    store: Store,
    run: LeagueRun,
    workers: int,
    address: str | None = None,
    on_match: Callable[[MatchSetup, MatchResult], None] = lambda setup, result: None,
) -> None:
    """Play and store the matches that are missing; then rate and mark the run as finished.

    Raises:
        RunError: a match could not be played; what was finished is stored.
        StoreError: the database failed.
    """
    entrants = store.entrants(run)
    by_number = {plan.number: plan for plan in plans(run)}
    missing = [by_number[number] for number in sorted(by_number.keys() - store.finished_matches(run))]

    def todo() -> Iterator[tuple[MatchSetup, list[tuple[str, str, bytes]]]]:
        for plan in missing:
            setup = setup_of(run, plan)
            if setup.games:
                line_up = [entrants[place] for place in plan.line_up]
                yield setup, [(bot.name, bot.hash, bot.source) for bot in line_up]
            else:  # every rotation of this pass would repeat a seating
                store.add_match(_match_row(run, plan, MatchResult(np.zeros((0, 0), np.int64), [], [], [], [], 0.0, {})), [], [])

    if missing:
        for setup, result in runner.play_all(todo(), workers, address):
            _store_match(store, run, by_number[setup.number], setup, result)
            on_match(setup, result)
    if run.finished is None:
        store.finish_run(run, run_table(store, run))


def _match_row(run: LeagueRun, plan: MatchPlan, result: MatchResult) -> Match:
    assert run.id is not None
    return Match(
        run_id=run.id,
        number=plan.number,
        line_up=list(plan.line_up),
        turn=plan.turn,
        cpu_s=result.cpu_s,
        decisions=result.decisions,
        wall_s=result.wall_s,
        host=result.host,
    )


def _store_match(store: Store, run: LeagueRun, plan: MatchPlan, setup: MatchSetup, result: MatchResult) -> None:
    games = [
        {
            "run_id": run.id,
            "number": game.number,
            "match": plan.number,
            "block": game.block,
            "entrants": [plan.line_up[place] for place in game.places],
            "places": list(game.places),
            "scores": result.scores[i].tolist(),
            "moves": pack_moves(result.moves[i]),
        }
        for i, game in enumerate(setup.games)
    ]
    forfeits = [
        {
            "run_id": run.id,
            "game": setup.games[lost.game].number,
            "seat": lost.seat,
            "entrant": plan.line_up[lost.place],
            "decision": lost.decision,
            "kind": lost.kind,
            "text": lost.text,
        }
        for lost in result.forfeits
    ]
    store.add_match(_match_row(run, plan, result), games, forfeits)


# --- the rating table ------------------------------------------------------------------------------------------------------


def rating_table(store: Store, runs: Sequence[LeagueRun]) -> list[dict[str, Any]]:
    """The table over all complete blocks of these runs (of one game), best first.

    A seat that forfeited loses to every seat that did not, and its score counts as the lowest at its table: nobody gains by
    crashing. Runs of trusted bots are never rated.

    Returns:
        One row per bot: rank and the ranks that cannot be ruled out (rank_low, rank_high), bot, version, guest, elo, score (mean
        per game) and trimmed (mean without the most extreme 5 % of blocks at each end) with their 95 % intervals (None: not
        known), games, forfeits, cpu_us (CPU microseconds per decision), perfect (1: won every comparison, -1: lost every one),
        provisional (fewer than 30 deals). Empty if nothing is rated yet.
    """
    return _table(store, [run for run in runs if run.definition["level"] != "trusted"])


def run_table(store: Store, run: LeagueRun) -> list[dict[str, Any]]:
    """The table of one run. Trusted bots are not rated: rank and Elo are None, and the best score stands first."""
    rows = _table(store, [run])
    if run.definition["level"] == "trusted":
        rows.sort(key=lambda row: -row["score"])
        blank = dict.fromkeys(("rank", "rank_low", "rank_high", "elo", "elo_low", "elo_high"))
        rows = [row | blank | {"perfect": 0} for row in rows]
    return rows


def _table(store: Store, runs: Sequence[LeagueRun]) -> list[dict[str, Any]]:
    tables = [_RunResults(store, run) for run in runs]
    people: dict[int, Bot] = {}
    for table in tables:
        people.update({bot.id: bot for bot in table.bots if bot.id is not None})
    ids = sorted(people, key=lambda i: (people[i].name, people[i].version, people[i].hash))
    places = {bot_id: place for place, bot_id in enumerate(ids)}
    results = _results(tables, places)
    if results is None:
        return []
    fit = ratings.bradley_terry(results, len(ids))
    ranks = ratings.rank_intervals(fit)
    mean, trimmed = ratings.mean_scores(results, len(ids)), ratings.robust_scores(results, len(ids))
    games = np.bincount(results.entrant[results.entrant >= 0].ravel(), minlength=len(ids))
    forfeits, cpu, asked = np.zeros(len(ids), np.int64), np.zeros(len(ids)), np.zeros(len(ids), np.int64)
    for table in tables:
        table.count_into(places, forfeits, cpu, asked)
    rows = [
        {
            "bot": people[bot_id].name,
            "version": people[bot_id].version,
            "guest": people[bot_id].kind == "guest",
            "rank_low": int(ranks[i, 0]),
            "rank_high": int(ranks[i, 1]),
            "elo": round(float(fit.elo[i]), 1),
            "elo_low": _number(fit.elo_low[i], 1),
            "elo_high": _number(fit.elo_high[i], 1),
            "score": round(float(mean.mean[i]), 3),
            "score_low": _number(mean.score_low[i], 3),
            "score_high": _number(mean.score_high[i], 3),
            "trimmed": _number(trimmed.mean[i], 3),
            "trimmed_low": _number(trimmed.score_low[i], 3),
            "trimmed_high": _number(trimmed.score_high[i], 3),
            "games": int(games[i]),
            "forfeits": int(forfeits[i]),
            "cpu_us": round(float(cpu[i] / asked[i] * 1e6), 1) if asked[i] else 0.0,
            "perfect": int(fit.perfect[i]),
            "provisional": bool(fit.provisional[i]),
        }
        for i, bot_id in enumerate(ids)
        if games[i]
    ]
    rows.sort(key=lambda row: (-row["elo"], row["bot"], row["version"]))  # type: ignore[operator]
    return [{"rank": rank, **row} for rank, row in enumerate(rows, 1)]


def _number(value: float, digits: int) -> float | None:
    """Rounded; None where there is no number (an interval from a single block)."""
    return round(float(value), digits) if np.isfinite(value) else None


class _RunResults:
    """What the store holds of a run: the games of complete blocks."""

    def __init__(self, store: Store, run: LeagueRun) -> None:
        self.bots = store.entrants(run)
        self.run = run
        self.matches = store.matches(run)
        self.lost = {(row.game, row.seat) for row in store.forfeits(run)}
        done = {match.number for match in self.matches}
        complete: set[int] = set()
        for plan in plans(run):
            if plan.turn == 0 and all(plan.number + turn in done for turn in range(len(plan.line_up))):
                complete.update(range(plan.first_block, plan.first_block + plan.blocks))
        self.games = [game for game in store.results(run) if game[2] in complete]

    def count_into(
        self, places: dict[int, int], forfeits: np.ndarray[Any, Any], cpu: np.ndarray[Any, Any], asked: np.ndarray[Any, Any]
    ) -> None:
        """Add forfeits (in counted games), CPU seconds and decisions asked of every bot."""
        ids = [places[bot.id] for bot in self.bots if bot.id is not None]
        for number, _, _, entrants, _ in self.games:
            for seat, entrant in enumerate(entrants):
                forfeits[ids[entrant]] += (number, seat) in self.lost
        for match in self.matches:
            for entrant, seconds, decisions in zip(match.line_up, match.cpu_s, match.decisions):
                cpu[ids[entrant]] += seconds
                asked[ids[entrant]] += decisions


def _results(tables: Sequence[_RunResults], places: dict[int, int]) -> ratings.Results | None:
    """All games of the runs as arrays; None if there are none."""
    seats = max((len(game[3]) for table in tables for game in table.games), default=0)
    n = sum(len(table.games) for table in tables)
    if not n:
        return None
    entrant = np.full((n, seats), -1, np.int64)
    score = np.zeros((n, seats))
    rank_score = np.full((n, seats), -np.inf)
    block = np.zeros(n, np.int64)
    i = first_block = 0
    for table in tables:
        ids = [places[bot.id] for bot in table.bots if bot.id is not None]
        for number, _, at, entrants, scores in table.games:
            k = len(entrants)
            entrant[i, :k] = [ids[e] for e in entrants]
            score[i, :k] = rank_score[i, :k] = scores
            block[i] = first_block + at
            for seat in range(k):
                if (number, seat) in table.lost:
                    score[i, seat], rank_score[i, seat] = min(scores), -np.inf
            i += 1
        first_block = int(block[:i].max(initial=-1)) + 1
    return ratings.Results(entrant=entrant, score=score, block=block, rank_score=rank_score)
