"""Whether two bots of one owner play into each other's hands when both are there.

Two questions: what the others lose to both of them, and what one of the two gives to the other.

Not here: who owns what, and keeping owners apart (`leagues.formats`). Only tables that were played are seen:
where two bots always or never sat together, nothing can be told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from .intervals import holm
from .results import Flags, Floats, Results
from .scores import explained, normal_inverse

FLIPS = 4_000  # random signs behind a p value
FEWEST = 10  # blocks together
QUARTER = 0.6745  # a quarter of a normal distribution is above so many standard deviations
OF_MEDIAN = 0.37  # so much of what a mean square tells does a median tell of a normal spread
PAIRS = 30  # of different owners, at most, that say how much passes between two bots anyway


@dataclass(frozen=True)
class Collusion:
    """Two entrants at common tables against the same two at tables without the other."""

    one: int
    two: int
    others: float  # points per game that every other bot makes more when both are there; below 0: it loses
    gain: float  # points per game that each of the two makes more, relative to the others
    p: float  # chance of so large a gain without collusion, one-sided, adjusted by Holm for all pairs
    gift: float  # points per game that pass from `two` to `one` when both are there
    gift_p: float  # chance of so large a gift either way between bots of different owners, adjusted
    blocks: int  # together


@dataclass(frozen=True)
class _Effect:
    """What a pair makes more when both are there: the estimate, its error, and its parts by cluster."""

    size: float
    error: float
    parts: Floats

    @property
    def p(self) -> float:
        """Chance of so much by flipped signs."""
        signs = np.random.default_rng(0).integers(0, 2, (FLIPS, len(self.parts))) * 2 - 1
        return (1 + int((signs @ self.parts >= self.parts.sum()).sum())) / (1 + FLIPS)


def collusion(results: Results, owners: Sequence[str]) -> list[Collusion]:
    """All pairs of one owner that sat together in some blocks and apart in others.

    The score of an entrant is its own number, that of the table, and, if the other one of the pair sits
    there, a gain: by least squares. The p value flips the signs of whole clusters (deals) at random under the
    hypothesis of no gain (the wild cluster bootstrap of Cameron, Gelbach & Miller 2008, Review of Economics
    and Statistics 90, 414-427).

    A gift is found in the same way. As one style may suit another, any two bots gain something together, and
    something passes between them. So gain and gift are compared with what is usual between two of different
    owners, and with their own errors (clusters, Student's t); for a gain the larger p value of the two holds.
    """
    pairs = list(combinations(range(len(owners)), 2))
    of_one = [(one, two) for one, two in pairs if owners[one] and owners[one] == owners[two]]
    if not of_one:
        return []
    bread = normal_inverse(results, len(owners))[0]
    left = explained(results, bread, results.score)[1]
    tested = {pair: found for pair in of_one if (found := _of_pair(results, left, bread, *pair))}
    rest = _without(results, left, bread, tested)
    usual = _usual(results, rest, bread, sorted({*pairs} - {*of_one})) if tested else (NOTHING, NOTHING)
    free = max(1, int(results.stretches.max()))
    gains = [max(gain.p, usual[0].tail(gain, free)) for gain, _ in tested.values()]
    gifts = [2 * usual[1].tail(replace(gift, size=abs(gift.size)), free) for _, gift in tested.values()]
    adjusted = holm(np.array([gains, gifts], np.float64))
    return [
        _told(results, pair, tested[pair], float(p), float(gift_p))
        for pair, p, gift_p in zip(tested, *adjusted, strict=True)
    ]


def _told(
    results: Results, pair: tuple[int, int], found: tuple[_Effect, _Effect], p: float, gift_p: float
) -> Collusion:
    mine, both = _places(results, *pair)
    share = float((mine & both[:, None])[both].sum(axis=1).mean() / results.seated[both].sum(axis=1).mean())
    gain, gift = found[0].size, found[1].size
    blocks = len(np.unique(results.block[both]))
    return Collusion(*pair, -gain * share, gain * (1 - share), p, gift, gift_p, blocks)


def _places(results: Results, one: int, two: int) -> tuple[Flags, Flags]:
    """(games, seats) whether one of the pair sits there, (games,) whether both are at the table."""
    first, second = results.entrant == one, results.entrant == two
    return first | second, first.any(axis=1) & second.any(axis=1)


def _of_pair(
    results: Results, left: Floats, bread: Floats, one: int, two: int
) -> tuple[_Effect, _Effect] | None:
    """Return what both make more together, and half of what the first then makes more than the second.

    None if they were never together or always.
    """
    both = _places(results, one, two)[1]
    if len(np.unique(results.block[both])) < FEWEST:
        return None
    gain, gift = (_effect(results, left, value, bread) for value in _columns(results, one, two))
    return (gain, gift) if gain and gift else None


def _columns(results: Results, one: int, two: int) -> tuple[Floats, Floats]:
    """(games, seats) 1 where one of a pair sits with the other, and the same with -1 for the second."""
    mine, both = _places(results, one, two)
    together = np.where(mine & both[:, None], 1.0, 0.0)
    return together, np.where(results.entrant == one, together, -together)


def _without(results: Results, left: Floats, bread: Floats, pairs: Iterable[tuple[int, int]]) -> Floats:
    """Take what these pairs do together out of what is left: where one of them plays, the other is rarer."""
    for pair in pairs:
        for value in _columns(results, *pair):
            extra = explained(results, bread, value)[1]
            left = left - extra * ((extra * left).sum() / (extra**2).sum())
    return left


def _effect(results: Results, left: Floats, value: Floats, bread: Floats) -> _Effect | None:
    """How much of what is left such a value explains; None if the entrants' own numbers explain it."""
    extra = explained(results, bread, value)[1]
    size = float((extra**2).sum())
    if size < 1e-9 * len(results.block):
        return None
    parts = np.bincount(results.stretches, (extra * left).sum(axis=1))
    estimate = float(parts.sum()) / size
    off = np.bincount(results.stretches, (extra * (left - estimate * extra)).sum(axis=1))
    error = float(np.sqrt((off**2).sum() * len(off) / max(1, len(off) - 1))) / size
    return _Effect(estimate, error, parts[parts != 0])


@dataclass(frozen=True)
class _Usual:
    """How much effects differ between pairs of different owners.

    `variance` is without what chance brings, `seen` with it; `free` are the degrees of freedom of `seen`.
    """

    variance: float
    seen: float
    free: float

    def tail(self, effect: _Effect, free: int) -> float:
        """Chance of so large an effect: Student's t with Satterthwaite's degrees of freedom."""
        from scipy.special import stdtr  # not before it is needed: it takes long to load

        own = effect.error**2
        parts = own**2 / free + (self.seen**2 / self.free if self.variance else 0.0)
        total = own + self.variance
        return float(stdtr(total**2 / max(parts, 1e-300), -effect.size / np.sqrt(max(total, 1e-300))))


NOTHING = _Usual(0.0, 0.0, 1.0)


def _usual(
    results: Results, left: Floats, bread: Floats, pairs: Sequence[tuple[int, int]]
) -> tuple[_Usual, _Usual]:
    """Return what two bots of different owners gain together, and what passes between them."""
    order = np.random.default_rng(0).permutation(len(pairs))[:PAIRS]
    found = [one for at in order if (one := _of_pair(results, left, bread, *pairs[at])) is not None]
    return _spread([gain for gain, _ in found]), _spread([gift for _, gift in found])


def _spread(effects: Sequence[_Effect]) -> _Usual:
    """Estimate how much effects differ, from medians, as fewer than half of these pairs have a secret."""
    if not effects:
        return NOTHING
    seen = float(np.median([abs(one.size) for one in effects]) / QUARTER) ** 2
    chance = float(np.median([one.error for one in effects])) ** 2
    return _Usual(max(0.0, seen - chance), seen, OF_MEDIAN * len(effects))
