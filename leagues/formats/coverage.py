"""Whether error bars and ranks hold after rounds that look at the games, in simulated leagues.

    python -m leagues.formats.coverage --until best --leagues 200

Every bot has a true Elo; in a game it scores its strength and a Gumbel noise, so that the chance to finish
before another is exactly that of the Elo scale. The rotations of a block share a part of the noise by seat,
as real deals do. The suite tests with some of these leagues.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..plan import MatchPlan
from ..ratings.anytime import PLANNED
from ..ratings.compare import rank_intervals
from ..ratings.elo import ELO, bradley_terry
from ..ratings.results import NO_GAMES, Floats, Ints, Results
from ..secret import Secret
from . import LeagueField, next_round
from .adaptive import reached

SHARED = 0.3  # chance that a seat's noise is that of its deal


@dataclass(frozen=True)
class Coverage:
    """What was found over many leagues."""

    leagues: int
    elo: float  # share of Elo intervals that hold the true value less the mean
    best_rank: float  # share of leagues in which the true best may be first by its rank interval
    ranks: float  # share of all rank intervals that hold the true rank
    rated_best: float  # share of leagues in which the true best stands first
    blocks: float  # mean blocks of a league


def played(plans: Sequence[MatchPlan], elo: Floats, secret: Secret, rng: np.random.Generator) -> Results:
    """Return simulated games of some matches; block numbers are those of the plans."""
    drawn = [(np.array(plan.line_up), *plan.seats(secret)) for plan in plans]
    entrants = np.concatenate([line_up[places] for line_up, _, places in drawn])
    blocks = np.concatenate([block for _, block, _ in drawn])
    unit = np.unique(blocks, return_inverse=True)[1]
    fresh, deal = rng.gumbel(size=entrants.shape), rng.gumbel(size=(unit.max() + 1, entrants.shape[1]))
    kept = rng.random(deal.shape) < SHARED
    noise = np.where(kept[unit], deal[unit], fresh)
    return Results(entrants, elo[entrants] / ELO + noise, blocks)


def league(
    form: str, field: LeagueField, elo: Floats, rng: np.random.Generator, most: int = 500
) -> tuple[Results, int]:
    """One simulated league, to its end or so many rounds; returns its games and its rounds."""
    secret, results = Secret(rng.bytes(16)), NO_GAMES
    rounds: list[list[MatchPlan]] = []
    first = 0
    while len(rounds) < most and (plans := next_round(form, field, rounds, results)):
        made = [replace(plan, first_block=plan.first_block + first) for plan in plans]
        first = max(plan.first_block + plan.blocks for plan in made)
        rounds.append(made)
        results = joined(results, played(made, elo, secret, rng))
    return results, len(rounds)


def joined(one: Results, two: Results) -> Results:
    """Return the games of both."""
    if not len(one.block):
        return two
    return Results(
        np.concatenate([one.entrant, two.entrant]),
        np.concatenate([one.score, two.score]),
        np.concatenate([one.block, two.block]),
    )


def true_ranks(elo: Floats) -> tuple[Ints, Ints]:
    """Best and worst true rank of every entrant; they differ where several are equal."""
    better = (elo[:, None] > elo).sum(axis=0)
    return 1 + better, (elo[:, None] >= elo).sum(axis=0)


def coverage(form: str, field: LeagueField, elo: Floats, leagues: int, seed: int = 0) -> Coverage:
    """Play many leagues and count how often the intervals hold the truth."""
    rng = np.random.default_rng(seed)
    holds, first, ranks, top, blocks = [], [], [], [], []
    low, high = true_ranks(elo)
    truth, best = 1500 + elo - elo.mean(), int(np.argmax(elo))
    for _ in range(leagues):
        results, _ = league(form, field, elo, rng)
        looked = PLANNED if form == "adaptive" and not field.until.startswith("ci") else None
        fit = bradley_terry(results.watched(looked), field.entrants)
        holds.append(((fit.elo_low <= truth) & (truth <= fit.elo_high)).mean())
        ranges = rank_intervals(fit)
        inside = (ranges[:, 0] <= high) & (ranges[:, 1] >= low)
        first.append(inside[best])
        ranks.append(inside.mean())
        top.append(elo[np.argmax(fit.elo)] == elo.max())
        blocks.append(len(np.unique(results.block)))
    means = [round(float(np.mean(column)), 4) for column in (holds, first, ranks, top, blocks)]
    return Coverage(leagues, *means)


def adaptive_games(elo: Floats, seats: int, leagues: int = 11, deals: int = 1_000) -> float | None:
    """Median games of simulated leagues until it is sure who is best, for bots of these strengths.

    None where more than half of them are not sure when every bot has played so many deals.
    """
    field, rng = LeagueField(len(elo), seats, deals, until="best"), np.random.default_rng(0)
    games = []
    for _ in range(leagues):
        results, _ = league("adaptive", field, elo, rng)
        sure = reached("best", bradley_terry(results, field.entrants))
        games.append(len(results.block) if sure else np.inf)
    middle = float(np.median(games))
    return middle if np.isfinite(middle) else None


def main() -> None:
    """Print the coverage of one kind of league."""
    parser = argparse.ArgumentParser(description="Coverage of intervals in simulated leagues.")
    parser.add_argument("--tournament", default="adaptive", help="round-robin, swiss, knockout, adaptive")
    parser.add_argument("--until", default="best", help="of an adaptive league: best, separated, ci=15")
    parser.add_argument("--entrants", type=int, default=8)
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--deals", type=int, default=400, help="deals of every entrant, at most")
    parser.add_argument("--spread", type=float, default=140.0, help="Elo between the best and the last")
    parser.add_argument("--equal", type=float, default=0.0, help="Elo up to which bots count as equal")
    parser.add_argument("--leagues", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    until = given.until if given.tournament == "adaptive" else ""
    field = LeagueField(given.entrants, given.seats, given.deals, until=until, equal=given.equal)
    elo = np.linspace(given.spread, 0, given.entrants)
    for name, value in vars(coverage(given.tournament, field, elo, given.leagues, given.seed)).items():
        print(f"{name:12} {value}")


if __name__ == "__main__":
    main()
