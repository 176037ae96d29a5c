"""From stored games to the rating table: loads what the store holds of complete blocks and has it rated.

Not here: any estimate (`leagues.ratings`), and how a table is printed (`arena.cli`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leagues.ratings import Results
from leagues.ratings.table import Entered, Table
from leagues.ratings.table import rating_table as rate

from ..errors import UsageError
from ..store import Bot, LeagueRun, Store
from .open import plans

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Pool:
    """The games of some runs of one game, and who played them; entrant numbers are places in `bots`."""

    results: Results
    bots: tuple[Bot, ...]
    entered: tuple[Entered, ...]

    def number(self, name: str) -> int:
        """The entrant that a person names: `rule@1`, or `rule` for its newest version.

        Raises:
            UsageError: there is none.
        """
        found = [i for i, bot in enumerate(self.bots) if name in (bot.label, bot.name)]
        if not found:
            known = ", ".join(bot.label for bot in self.bots) or "none yet"
            raise UsageError(f"no bot {name!r} in these games; bots: {known}")
        return found[-1]


def rating_table(store: Store, runs: Sequence[LeagueRun]) -> Table:
    """The table over all complete blocks of these runs (of one game), best first.

    A seat that forfeited loses to every seat that did not, and its score counts as the lowest at its table: nobody
    gains by crashing. Runs of trusted bots are never rated.
    """
    pool = load_pool(store, [run for run in runs if run.definition["level"] != "trusted"])
    return rate(pool.results, pool.entered)


def run_table(store: Store, run: LeagueRun) -> Table:
    """The table of one run. Trusted bots are not rated: rank and Elo are None, and the best score stands first."""
    pool = load_pool(store, [run])
    return rate(pool.results, pool.entered, rated=run.definition["level"] != "trusted")


def load_pool(store: Store, runs: Sequence[LeagueRun]) -> Pool:
    """The games of all complete blocks of these runs, with what the harness counted of every bot."""
    bots: dict[int | None, Bot] = {}
    for run in runs:
        bots.update({bot.id: bot for bot in store.entrants(run)})
    people = sorted(bots.values(), key=lambda bot: (bot.name, bot.version, bot.hash))
    places = {bot.id: place for place, bot in enumerate(people)}
    parts = [_RunGames(store, run, places) for run in runs]
    faults: list[Counter[str]] = [Counter() for _ in people]
    cpu, asked = np.zeros(len(people)), np.zeros(len(people), np.int64)
    for part in parts:
        for entrant, kind in part.lost.values():
            faults[entrant][kind] += 1
        np.add.at(cpu, part.line_ups, part.cpu_s)
        np.add.at(asked, part.line_ups, part.decisions)
    entered = [
        Entered(bot.name, bot.version, bot.kind == "guest", faults[i], float(cpu[i]), int(asked[i]))
        for i, bot in enumerate(people)
    ]
    return Pool(_joined(parts), tuple(people), tuple(entered))


class _RunGames:
    """What the store holds of a run, as arrays: the games of complete blocks, forfeits in them, CPU time."""

    def __init__(self, store: Store, run: LeagueRun, places: dict[int | None, int]) -> None:
        number = np.array([places[bot.id] for bot in store.entrants(run)], np.int64)
        matches = store.matches(run)
        self.line_ups = number[np.array([place for match in matches for place in match.line_up], np.int64)]
        self.cpu_s = np.array([seconds for match in matches for seconds in match.cpu_s])
        self.decisions = np.array([asked for match in matches for asked in match.decisions], np.int64)
        done = {match.number for match in matches}
        stretch_of: dict[int, int] = {}
        for plan in plans(run):
            whole = all(plan.number + rotation in done for rotation in range(len(plan.line_up)))
            if plan.rotation == 0 and whole:
                stretch_of.update(
                    dict.fromkeys(range(plan.first_block, plan.first_block + plan.blocks), plan.number)
                )
        games = [game for game in store.results(run) if game[2] in stretch_of]
        self.game = np.array([game[0] for game in games], np.int64)
        self.block = np.array([game[2] for game in games], np.int64)
        self.stretch = np.array([stretch_of[game[2]] for game in games], np.int64)
        seats = run.definition["players"]
        self.entrant = number[np.array([game[3] for game in games], np.int64).reshape(-1, seats)]
        self.score = np.array([game[4] for game in games], np.float64).reshape(-1, seats)
        row = {int(game): i for i, game in enumerate(self.game)}
        self.lost = {
            (row[fault.game], fault.seat): (int(number[fault.entrant]), fault.kind)
            for fault in store.forfeits(run)
            if fault.game in row
        }


def _joined(parts: Sequence[_RunGames]) -> Results:
    """All games of the runs; blocks and stretches of different runs have different numbers."""
    seats = max((part.entrant.shape[1] for part in parts), default=1)
    entrants, scores, rankings, blocks, stretches = [], [], [], [], []
    block = stretch = 0
    for part in parts:
        pad = ((0, 0), (0, seats - part.entrant.shape[1]))
        lost = np.zeros(part.score.shape, bool)
        for at in part.lost:
            lost[at] = True
        score = np.where(lost, part.score.min(axis=1, keepdims=True, initial=np.inf), part.score)
        entrants.append(np.pad(part.entrant, pad, constant_values=-1))
        scores.append(np.pad(score, pad))
        rankings.append(np.pad(np.where(lost, -np.inf, score), pad))
        blocks.append(part.block + block)
        stretches.append(part.stretch + stretch)
        block, stretch = (
            max(at, int(n[-1].max(initial=-1)) + 1) for n, at in ((blocks, block), (stretches, stretch))
        )
    if not parts:
        return Results(np.zeros((0, 1), np.int64), np.zeros((0, 1)), np.zeros(0, np.int64))
    return Results(*(np.concatenate(part) for part in (entrants, scores, blocks, rankings, stretches)))
