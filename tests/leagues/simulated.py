"""Simulated leagues, and whether error bars and ranks hold after rounds that look at the games.

Every bot has a true Elo; in a game it scores its strength and a Gumbel noise, so that the chance to finish
before another is exactly that of the Elo scale. The rotations of a block share a part of the noise by seat,
as real deals do.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from leagues.formats import LeagueField, next_round
from leagues.plan import MatchPlan
from leagues.ratings.anytime import PLANNED
from leagues.ratings.elo import ELO, bradley_terry
from leagues.ratings.pairs import rank_intervals
from leagues.ratings.results import NO_GAMES, Floats, Results
from leagues.secret import Secret

SHARED = 0.3  # chance that a seat's noise is that of its deal


@dataclass(frozen=True)
class Coverage:
    """What was found over many leagues."""

    elo: float  # share of Elo intervals that hold the true value less the mean
    best_rank: float  # share of leagues in which the true best may be first by its rank interval
    ranks: float  # share of all rank intervals that hold the true rank


def played(plans: Sequence[MatchPlan], elo: Floats, secret: Secret, rng: np.random.Generator) -> Results:
    """Return simulated games of some matches; block numbers are those of the plans."""
    drawn = [(np.array(plan.line_up), *plan.seats(secret)) for plan in plans]
    entrants = np.concatenate([line_up[places] for line_up, _, places in drawn])
    blocks = np.concatenate([block for _, block, _ in drawn])
    unit = np.unique(blocks, return_inverse=True)[1]
    fresh, deal = rng.gumbel(size=entrants.shape), rng.gumbel(size=(unit.max() + 1, entrants.shape[1]))
    kept = rng.random(deal.shape) < SHARED
    return Results(entrants, elo[entrants] / ELO + np.where(kept[unit], deal[unit], fresh), blocks)


def league(form: str, field: LeagueField, elo: Floats, rng: np.random.Generator) -> Results:
    """Play a simulated league; returns its games."""
    return in_rounds(form, field, elo, Secret(rng.bytes(16)), rng)[1]


def in_rounds(
    form: str, field: LeagueField, elo: Floats, secret: Secret, rng: np.random.Generator, most: int = 500
) -> tuple[list[list[MatchPlan]], Results]:
    """Play a simulated league, to its end or so many rounds; returns its rounds and games."""
    rounds, results = list[list[MatchPlan]](), NO_GAMES
    first = 0
    while len(rounds) < most and (plans := next_round(form, field, rounds, results)):
        made = [replace(plan, first_block=plan.first_block + first) for plan in plans]
        first = max(plan.first_block + plan.blocks for plan in made)
        rounds.append(made)
        results = joined(results, played(made, elo, secret, rng))
    return rounds, results


def joined(one: Results, two: Results) -> Results:
    """Return the games of both."""
    if not len(one.block):
        return two
    return Results(
        np.concatenate([one.entrant, two.entrant]),
        np.concatenate([one.score, two.score]),
        np.concatenate([one.block, two.block]),
    )


def coverage(form: str, field: LeagueField, elo: Floats, leagues: int, seed: int = 0) -> Coverage:
    """Play many leagues and count how often the intervals hold the truth."""
    rng = np.random.default_rng(seed)
    holds, first, ranks = [], [], []
    low, high = 1 + (elo[:, None] > elo).sum(axis=0), (elo[:, None] >= elo).sum(axis=0)  # true ranks
    best = int(np.argmax(elo))
    for _ in range(leagues):
        results = league(form, field, elo, rng)
        looked = PLANNED if form == "adaptive" and not field.until.startswith("ci") else None
        fit = bradley_terry(results.watched(looked), field.entrants)
        truth = 1500 + elo - np.average(elo, weights=fit.blocks)
        holds.append(((fit.elo_low <= truth) & (truth <= fit.elo_high)).mean())
        ranges = rank_intervals(fit)
        inside = (ranges[:, 0] <= high) & (ranges[:, 1] >= low)
        first.append(inside[best])
        ranks.append(inside.mean())
    return Coverage(*(float(np.mean(column)) for column in (holds, first, ranks)))
