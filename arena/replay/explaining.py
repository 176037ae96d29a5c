"""What a seat's result in a game came from: the cards, its own decisions, those of the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import nan, sqrt

import numpy as np
from numpy.typing import NDArray

import engines
from engines import luck

from ..store.analyses import Judged
from ..store.models import LeagueRun
from .listing import PlayedGame
from .recorded import Recorded
from .scenes import part_of, scene, totals

KEY, KEYS = 0x61636374, 8
"""Of the random orders that luck is compared with; how often a game is replayed for the error of that."""


@dataclass(frozen=True)
class Account:
    """A seat's result, each part with its standard error."""

    seat: int
    bot: str
    # its score less the mean of all seats; where places count, the share of the others that it left behind
    # less 1/2
    result: float
    cards: float  # what the draws gave it
    own: float  # what its decisions cost it: 0 or less, but for the error
    others: float  # what the costs of the others' decisions gave it
    errors: tuple[float, float, float]  # of cards, own and others

    @property
    def rest(self) -> float:
        """What none of the parts explains: the seat, luck in mixed answers, errors of all parts."""
        return self.result - self.cards - self.own - self.others


def account(game: Recorded, found: Sequence[Judged]) -> list[Account]:
    """Return a row for each seat; none if nobody knows what the cards gave.

    Then the game measures no luck, or is a record without a seed.
    """
    from engines.search import preset

    rules = engines.load(game.game)
    worth = luck.weights(rules, game.options)
    if worth is None or game.seed is None or not game.scores:
        return []
    places = preset(game.game)[1].places
    seeds, moves = np.full(KEYS, game.seed, np.uint64), [np.array(game.moves, np.int16)] * KEYS
    drawn = worth[places] * luck.of_games(rules, game.players, game.options, seeds, moves, KEY)
    given = np.array([one.given for one in found]).reshape(-1, game.players)
    errors = np.array([one.given_errors for one in found]).reshape(-1, game.players)
    actor = np.array([one.seat for one in found])
    results, rows = _results(game.scores, places), []
    for seat, bot in enumerate(game.names):
        mine = actor == seat
        unsure = [sqrt(float((errors[who, seat] ** 2).sum())) for who in (mine, ~mine)]
        rows.append(
            Account(
                seat,
                bot,
                results[seat],
                float(drawn[:, seat].mean()),
                float(given[mine, seat].sum()),
                float(given[~mine, seat].sum()),
                (float(drawn[:, seat].std(ddof=1)) / sqrt(KEYS), unsure[0], unsure[1]),
            )
        )
    return rows


def decided(game: Recorded, own: int | None = None) -> str:
    """Return the part of a game, of several, that did most for the first over the second, or over `own`.

    The text names it and what both made there: `round 3: seat 0 +12, seat 2 -4`; "": no part did.
    """
    order = sorted(range(game.players), key=lambda seat: -game.scores[seat])
    two = (order[0], order[1] if own in (None, order[0]) else own)
    scenes = [scene(position.game, position.states) for position in game.positions()]
    had, rows = np.zeros(2, np.int64), list[tuple[str, NDArray[np.int64]]]()
    for before, after in pairwise([*scenes, {}]):
        if part_of(after) != part_of(before):
            now = np.array(totals(game.game, after or before, two))
            if (now != had).any():
                rows.append((part_of(before), now - had))
            had = now
    if len(rows) < 2:
        return ""
    part, made = max(rows, key=lambda row: int(row[1][0] - row[1][1]))
    return f"{part}: seat {two[0]} {made[0]:+d}, seat {two[1]} {made[1]:+d}" if made[0] > made[1] else ""


@dataclass(frozen=True)
class BotTotal:
    """What a bot made a game (`Account.result`) with its error, and what decisions gave it of that."""

    bot: str
    games: int
    result: float
    error: float
    own: float
    others: float


def by_bot(run: LeagueRun, games: Sequence[PlayedGame], found: Sequence[Judged]) -> list[BotTotal]:
    """Return a row for each bot, the best first."""
    from engines.search import preset

    places, given = preset(run.game)[1].places, dict[tuple[str, int], NDArray[np.float64]]()
    for one in found:
        for seat, worth in enumerate(one.given):
            sums = given.setdefault((one.game, seat), np.zeros(2))
            sums[int(seat != one.seat)] += worth
    seats: dict[str, list[tuple[float, float, float]]] = {}
    for game in games:
        for seat, result in enumerate(_results(game.scores, places)):
            own, others = given.get((game.game, seat), np.zeros(2)).tolist()
            seats.setdefault(game.names[seat], []).append((result, own, others))
    rows = []
    for bot, values in seats.items():
        parts = np.array(values)
        error = float(parts[:, 0].std(ddof=1)) / sqrt(len(parts)) if len(parts) > 1 else nan
        result, own, others = parts.mean(axis=0).tolist()
        rows.append(BotTotal(bot, len(parts), result, error, own, others))
    return sorted(rows, key=lambda row: -row.result)


def slope(rows: Sequence[BotTotal]) -> tuple[float, float, float]:
    """Return how far decisions explain the results of bots: slope, its standard error, and correlation.

    A slope of 1 means that a point of cost is a point of result. Each is NaN where all bots are alike.
    """
    x, y = np.array([row.own + row.others for row in rows]), np.array([row.result for row in rows])
    x, y, errors = x - x.mean(), y - y.mean(), np.array([row.error for row in rows])
    spread = float((x * x).sum())
    if len(rows) < 2 or spread == 0:
        return nan, nan, nan
    error = sqrt(float((x * x * errors * errors).sum())) / spread
    return float((x * y).sum()) / spread, error, float((x * y).sum() / sqrt(spread * float((y * y).sum())))


def _results(scores: Sequence[int], places: bool) -> list[float]:
    """Return what `Account.result` is of every seat."""
    from engines.search.playouts import shares_of

    made = np.array(scores, float)
    results: list[float] = (shares_of(made[None])[0] - 0.5 if places else made - made.mean()).tolist()
    return results
