"""Adaptive leagues: rounds in which those play whose order is least sure, until it is sure enough.

A round draws ratings anew from their errors (Thompson 1933, Biometrika 25, 285-294) and seats those together
who stand next to each other in the draw: at the top of it where the best is looked for, else at a place that
is drawn too, the more likely the less sure neighbours are there. So games go where the order may change.

Looking after every round and stopping when it looks sure would be falsely sure too often: "sure" is said by
intervals that hold at all looks at once (`ratings.anytime`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np

from ..definition import goal
from ..plan import MatchPlan
from ..ratings.anytime import FEWEST, surely_better, surely_equal
from ..ratings.elo import Ratings, bradley_terry
from ..ratings.intervals import error_of_difference
from ..ratings.results import Floats, Ints, Results
from .tables import LeagueField, line_ups_apart, matches

STRETCH = 16  # blocks of a line-up in a round
FIRST = 16  # blocks of every entrant before the first choice
GROWTH = 6  # a round has a sixth of the blocks so far, at least
LEAST = 4  # line-ups in a round
EXPLORE = 4  # one line-up in so many is of those who have played least, so that a bad start costs nobody all


def adaptive(
    field: LeagueField, played: Sequence[Sequence[MatchPlan]], results: Results
) -> tuple[MatchPlan, ...]:
    """Return a first round of everybody against everybody, then line-ups where the order is least sure.

    It ends when the goal is reached, or when the entrants have played `deals` deals on average.
    """
    goal(field.until)
    if not played:
        blocks = max(1, min(FIRST, field.deals))
        ups = line_ups_apart(field, max(2, ceil(field.entrants / field.seats)))
        return matches([(up, blocks) for up in ups])
    budget = ceil(field.deals * field.entrants / min(field.seats, field.entrants))
    done = sum(plan.blocks for round_ in played for plan in round_ if plan.rotation == 0)
    fit = bradley_terry(results, field.entrants)
    if done >= budget or reached(field.until, fit, field.equal):
        return ()
    line_ups = max(LEAST, done // GROWTH // STRETCH)
    rng, left = np.random.default_rng(len(played)), budget - done
    shares = [min(STRETCH, left - at * STRETCH) for at in range(min(line_ups, ceil(left / STRETCH)))]
    least = fit.blocks + 0.0
    tables = []
    for at, share in enumerate(shares):
        if at % EXPLORE == EXPLORE - 1:
            table = together(field, np.argsort(least, kind="stable"))
            least[list(table)] += share
        else:
            table = _line_up(field, fit, rng)
        tables.append((table, share))
    return matches(tables)


def reached(until: str, ratings: Ratings, equal: float = 0.0) -> bool:
    """Whether the goal of an adaptive league is reached; parameters as in `unsure`."""
    return not unsure(until, ratings, equal)


def unsure(until: str, ratings: Ratings, equal: float = 0.0) -> list[tuple[int, ...]]:
    """Return what keeps the goal of an adaptive league from being reached.

    Args:
        equal: Elo up to which two bots count as equal, so that nothing is left to find out about them.

    Returns:
        Pairs of entrants whose order is not sure, the better one first; entrants whose interval is too wide;
        where there is no goal but time, all entrants.
    """
    kind, width = goal(until)
    order = np.argsort(-ratings.elo, kind="stable")
    if kind in ("best", "separated"):
        known = (surely_better(ratings) | surely_equal(ratings, equal))[np.ix_(order, order)]
        upper = 1 if kind == "best" else len(order)
        open_pairs = np.argwhere(np.triu(~known, 1)[:upper])
        return [(int(order[one]), int(order[two])) for one, two in open_pairs]
    half = (ratings.elo_high - ratings.elo_low) / 2
    wide = (half > width) | (ratings.blocks < FEWEST) if kind == "ci" else np.ones(len(order), bool)
    return [(int(one),) for one in np.flatnonzero(wide)]


def _line_up(field: LeagueField, fit: Ratings, rng: np.random.Generator) -> tuple[int, ...]:
    """Neighbours in a random draw of the ratings: from the top, or around the least sure places."""
    drawn = draw(fit, rng)
    order = np.argsort(-drawn, kind="stable")
    seats = min(field.seats, field.entrants)
    kind, _ = goal(field.until)
    start = 0
    if kind == "ci":
        half = np.minimum(fit.elo_high - fit.elo_low, 1e4)
        order = np.argsort(-half * rng.uniform(0.5, 1, len(half)), kind="stable")
    elif kind != "best":
        start = max(0, unsure_place(fit, order, rng) - (seats - 1) // 2)
    start = min(start, len(order) - seats)
    return together(field, np.concatenate([order[start:], order[:start]]))


def together(field: LeagueField, order: Ints) -> tuple[int, ...]:
    """Return the first of these who may sit together; several places for some if they are too few."""
    members: list[int] = []
    for one in order.tolist():
        if len(members) < field.seats and field.apart([*members, one]):
            members.append(one)
    missing = field.seats - len(members)
    return (*members, *(members[at % len(members)] for at in range(missing)))


def draw(fit: Ratings, rng: np.random.Generator) -> Floats:
    """Ratings drawn from their errors, to 0.01 Elo, so that all machines agree."""
    variance = np.round(np.clip(np.diagonal(fit.covariance), 1.0, 1e6), 2)
    noise = rng.standard_normal(len(fit.elo)) * np.sqrt(variance)
    return np.asarray(np.round(fit.elo, 2) + noise)


def unsure_place(fit: Ratings, order: Ints, rng: np.random.Generator) -> int:
    """Return a place of the order whose neighbours are not told apart yet, the less sure the likelier."""
    upper, lower = order[:-1], order[1:]
    gap = np.abs(fit.elo[upper] - fit.elo[lower])
    error = np.maximum(error_of_difference(fit.covariance)[upper, lower], 1e-3)
    weight = np.exp(-(np.minimum(np.round(gap / error, 3), 12.0) ** 2) / 8)
    return int(rng.choice(len(weight), p=weight / weight.sum()))
