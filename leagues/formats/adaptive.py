"""Adaptive leagues: rounds in which those play whose order is least sure, until it is sure enough.

A round draws ratings anew from their errors (Thompson 1933, Biometrika 25, 285-294) and seats those together who
stand next to each other in the draw: at the top of it where the best is looked for, else at a place that is drawn
too, the more likely the less sure neighbours are there. So games go where the order may still change.

Looking after every round and stopping when it looks sure would be falsely sure too often. So "sure" is said by
an interval that holds at all looks at once: the normal mixture of Robbins 1970 (Annals of Mathematical Statistics
41, 1397-1409) with the estimated error in the place of the known one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import ceil

import numpy as np

from ..errors import LeagueError
from ..plan import MatchPlan
from ..ratings.elo import Ratings, bradley_terry
from ..ratings.errors import error_of_difference
from ..ratings.results import Flags, Floats, Ints, Results
from .field import Field
from .tables import line_ups_apart, matches

STRETCH = 16  # blocks of a line-up in a round
FIRST = 16  # blocks of every entrant before the first choice
FEWEST = 32  # ... before anything is sure
GROWTH = 6  # a round has a sixth of the blocks so far, at least
LEAST = 4  # line-ups in a round
TUNED = 100  # blocks at which the interval is tightest
LEVEL = 0.05
GOALS = "best, separated, ci=ELO"


def goal(until: str) -> tuple[str, float]:
    """What an adaptive league plays for: ("best", 0), ("separated", 0) or ("ci", 15); ("", 0): its deals.

    Raises:
        LeagueError: anything else.
    """
    width = re.fullmatch(r"ci=(\d+(?:\.\d+)?)", until)
    if width and float(width[1]) > 0:
        return "ci", float(width[1])
    if until in ("", "best", "separated"):
        return until, 0.0
    raise LeagueError(
        f"until = {until!r}: write best (the first place is sure), separated (all places are) or ci=15 (all "
        f"ratings to +-15 Elo)"
    )


def adaptive(
    field: Field, played: Sequence[Sequence[MatchPlan]], results: Results
) -> tuple[MatchPlan, ...]:
    """A first round of everybody against everybody, then line-ups where the order is least sure.

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
    if done >= budget or reached(field.until, fit):
        return ()
    line_ups = max(LEAST, done // GROWTH // STRETCH)
    line_ups = min(line_ups, ceil((budget - done) / STRETCH))
    rng = np.random.default_rng(len(played))
    return matches([(_line_up(field, fit, rng), STRETCH) for _ in range(line_ups)])


def margin(ratings: Ratings, level: float) -> Floats:
    """(entrants, entrants) Elo difference beyond which a pair is surely apart, at all looks at once.

    error * sqrt((1 + 1 / r) * ln((1 + r) / level^2)) with r = blocks / 100, the fewer of the two.
    """
    blocks = np.minimum.outer(ratings.blocks, ratings.blocks)
    ratio = np.maximum(blocks, 1) / TUNED * np.log(TUNED)
    wide = np.sqrt((1 + 1 / ratio) * np.log((1 + ratio) / level**2))
    return np.where(blocks >= FEWEST, error_of_difference(ratings.covariance) * wide, np.inf)


def surely_better(ratings: Ratings) -> Flags:
    """(entrants, entrants) whether the row's entrant is surely better than the column's, whenever one looks.

    At most 5 % of leagues ever say so falsely of any one entrant (the level is divided by the others).
    """
    level = LEVEL / max(len(ratings.elo) - 1, 1)
    same = ratings.group[:, None] == ratings.group
    return np.asarray(same & (ratings.elo[:, None] - ratings.elo > margin(ratings, level)))


def reached(until: str, ratings: Ratings) -> bool:
    """Whether the goal of an adaptive league is reached."""
    kind, width = goal(until)
    order = np.argsort(-ratings.elo, kind="stable")
    better = surely_better(ratings)
    if kind == "best":
        return bool(better[order[0], order[1:]].all())
    if kind == "separated":
        return bool(better[order[:-1], order[1:]].all())
    if kind == "ci":
        half = (ratings.elo_high - ratings.elo_low) / 2
        return bool((half <= width).all() and (ratings.blocks >= FEWEST).all())
    return False


def _line_up(field: Field, fit: Ratings, rng: np.random.Generator) -> tuple[int, ...]:
    """Neighbours in a random draw of the ratings: from the top, or around the least sure places."""
    drawn = _draw(fit, rng)
    order = np.argsort(-drawn, kind="stable")
    seats = min(field.seats, field.entrants)
    kind, _ = goal(field.until)
    start = 0
    if kind == "ci":
        half = np.minimum(fit.elo_high - fit.elo_low, 1e4)
        order = np.argsort(-half * rng.uniform(0.5, 1, len(half)), kind="stable")
    elif kind != "best":
        start = max(0, _unsure_place(fit, order, rng) - (seats - 1) // 2)
    members: list[int] = []
    for one in [*order[min(start, len(order) - seats) :], *order[: min(start, len(order) - seats)]]:
        if len(members) < seats and field.apart([*members, int(one)]):
            members.append(int(one))
    missing = field.seats - len(members)
    return tuple([*members, *(members[at % len(members)] for at in range(missing))])


def _draw(fit: Ratings, rng: np.random.Generator) -> Floats:
    """Ratings drawn from their errors, to 0.01 Elo, so that all machines agree."""
    variance = np.round(np.clip(np.diagonal(fit.covariance), 1.0, 1e6), 2)
    noise = rng.standard_normal(len(fit.elo)) * np.sqrt(variance)
    return np.asarray(np.round(fit.elo, 2) + noise)


def _unsure_place(fit: Ratings, order: Ints, rng: np.random.Generator) -> int:
    """A place of the order whose neighbours are not told apart yet, the less sure the likelier."""
    upper, lower = order[:-1], order[1:]
    gap = np.abs(fit.elo[upper] - fit.elo[lower])
    error = np.maximum(error_of_difference(fit.covariance)[upper, lower], 1e-3)
    weight = np.exp(-np.minimum(np.round(gap / error, 3), 12.0) ** 2 / 8)
    return int(rng.choice(len(weight), p=weight / weight.sum()))
