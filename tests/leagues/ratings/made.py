"""Leagues made for the tests of ratings, and what they have in common."""

from dataclasses import fields
from math import erf, sqrt

import numpy as np

from leagues.ratings.elo import bradley_terry
from leagues.ratings.pairs import pair_table
from leagues.ratings.results import Results
from leagues.ratings.scores import least_squares_scores, mean_scores

TABLES = [bradley_terry, least_squares_scores, mean_scores, pair_table]


def games(*rows, block=None):
    """Results of rows (entrants, scores), each a block of its own unless said otherwise: `("AB", [1, 0])`;
    "-" is no seat.
    """
    entrant = np.array([["-ABCDEFGH".index(name) - 1 for name in names] for names, _ in rows])
    score = np.array([score for _, score in rows], float)
    return Results(entrant, score, np.arange(len(rows)) if block is None else block)


def duels(**counts):
    """One-game blocks of two: `AB=3` is three wins of A over B, `A_B=2` two ties."""
    rows = []
    for pair, count in counts.items():
        rows += [(pair.replace("_", ""), [0, 0] if "_" in pair else [1, 0])] * count
    return games(*rows)


NORMAL = np.frompyfunc(lambda z: (1 + erf(z / sqrt(2))) / 2, 1, 1)


def rotations(order):
    """(blocks, k, k) entrants by seat of all rotations of the blocks' circular orders."""
    return np.stack([np.roll(order, turn, axis=1) for turn in range(order.shape[1])], axis=1)


def league(rng, strength, *, lineups, blocks, common=False, seats=4, seat=0.3, liking=0.1, bot=None):
    """Simulated results whose true ratings are known exactly: 1500 + ELO * strength, and the same differences
    as scores.

    A score is strength plus Gumbel noise, independent between the seats of a game, so that the chance to
    finish before another is exactly logistic; over the games of a deal the noise shares luck of the seat and
    a bot's liking for the deal (a Gaussian copula). Line-ups are random, orders too. `common`: all line-ups
    play the same deals; `bot`: which entrants are one bot.
    """
    line = np.repeat(np.arange(lineups), blocks)
    deal = np.tile(np.arange(blocks), lineups) if common else np.arange(lineups * blocks)
    members = rng.permuted(np.tile(np.arange(len(strength)), (lineups, 1)), axis=1)[:, :seats]
    entrant = rotations(rng.permuted(members[line], axis=1))
    bot = np.arange(len(strength)) if bot is None else np.asarray(bot)
    luck = rng.standard_normal((deal.max() + 1, seats))[deal]
    likes = rng.standard_normal((deal.max() + 1, len(strength)))[deal[:, None, None], bot[entrant]]
    noise = sqrt(seat) * luck[:, None] + sqrt(liking) * likes
    noise += sqrt(1 - seat - liking) * rng.standard_normal(entrant.shape)
    score = np.asarray(strength)[entrant] - np.log(-np.log(NORMAL(noise).astype(float)))
    return Results(entrant.reshape(-1, seats), score.reshape(-1, seats), np.repeat(deal, seats))


def same_bytes(one, two):
    """Whether two tables are equal byte for byte."""
    return all(
        np.asarray(getattr(one, f.name)).tobytes() == np.asarray(getattr(two, f.name)).tobytes()
        for f in fields(one)
    )
