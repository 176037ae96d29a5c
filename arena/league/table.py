"""The rating table of stored games: loads what the store holds and has it rated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from leagues import ratings

from ..store import Bot, LeagueRun, Store
from .open import plans


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
            if plan.rotation == 0 and all(plan.number + turn in done for turn in range(len(plan.line_up))):
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
