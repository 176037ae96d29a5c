"""Comparing two bots: which matches are played, and the first look at the block differences that answers.

Pure. Blocks are the observations, unless those of a stretch (16 blocks of one line-up, played in the same
matches) depend on each other, as when a process dies and loses the rest of its match: then the means of
stretches are.

Bots 0 and 1 are compared. Without a field they sit at tables of their own, in all numbers of seats in turn
(one against three, two against two, three against one), since that needs the fewest games. Against a field
(bots 2, 3, ...) each sits alone with the same company on the same deals.

A **batch** is a stretch of every line-up. The test looks after whole batches, in their order, so that what is
played beyond the decision changes nothing. Not here: the test itself (`ratings.sequential`), and playing
(`arena.runs.comparing`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, comb, gcd

import numpy as np

from .definition import Question
from .errors import LeagueError
from .plan import MatchPlan
from .ratings.control import Weights
from .ratings.dependence import stretch_dependence
from .ratings.results import Floats, Ints, Results, outcome, pairings
from .ratings.sequential import FEWEST, SequentialResult, SequentialTest, gsprt
from .schedule import in_fair_order, line_ups, one_after_the_other

BATCH_BLOCKS = 16  # of every line-up in a batch
COMPANIES = 4  # of other bots in a batch, or a few more until all have been in it equally often


@lru_cache(maxsize=16)
def comparison_schedule(seats: int, field: int, blocks: int) -> tuple[tuple[MatchPlan, ...], ...]:
    """Return the batches of a comparison of at least so many blocks; `field` 0: the two play each other."""
    if seats < 2:
        raise LeagueError(f"{seats} seats: two bots need a table of two at least")
    groups = _line_ups(seats, field)
    batches: list[tuple[MatchPlan, ...]] = []
    number = first = 0
    while first < blocks:
        # the matches of a group have the same deals: those of others come between them
        order = [
            (group[at], rotation, first + BATCH_BLOCKS * place)
            for rotation in range(seats)
            for at in range(max(map(len, groups)))
            for place, group in enumerate(groups)
            if at < len(group)
        ]
        batches.append(tuple(MatchPlan(number + at, *one, BATCH_BLOCKS) for at, one in enumerate(order)))
        number, first = number + len(order), first + BATCH_BLOCKS * len(groups)
    return tuple(batches)


def _line_ups(seats: int, field: int) -> list[list[tuple[int, ...]]]:
    """Return groups of line-ups; those of a group play the same deals."""
    if not field:
        return [[(0,) * some + (1,) * (seats - some)] for some in range(1, seats)]
    companies = _companies(field, seats - 1)
    return [[(one, *(other + 2 for other in company)) for one in (0, 1)] for company in companies]


def _companies(field: int, places: int) -> list[tuple[int, ...]]:
    """Who sits with the two: each bot of the field equally often."""
    if field <= places or places == 1 or comb(field, places) <= COMPANIES:
        return line_ups(field, places, comb(field, places))
    round_ = field // gcd(field, places)
    number = ceil(COMPANIES / round_) * round_
    return in_fair_order(one_after_the_other(field, places, number), field)


def batches_of(plans: Sequence[MatchPlan]) -> tuple[tuple[MatchPlan, ...], ...]:
    """Split a comparison's matches into its batches: one ends where its first match comes again."""
    first = [at for at, plan in enumerate(plans) if _alike(plan, plans[0])]
    ends = [*first[1:], len(plans)]
    return tuple(tuple(plans[begin:end]) for begin, end in zip(first, ends, strict=True))


def _alike(one: MatchPlan, other: MatchPlan) -> bool:
    return (one.line_up, one.rotation) == (other.line_up, other.rotation)


def whole_batches(batches: tuple[tuple[MatchPlan, ...], ...], done: set[int]) -> Iterator[range]:
    """Yield the blocks of the first batch, of the first two, ... as long as all matches of them are done."""
    for batch in batches:
        if not all(plan.number in done for plan in batch):
            return
        last = max(plan.first_block + plan.blocks for plan in batch)
        yield range(last)


def differences(
    results: Results, one: int, two: int, places: bool, weights: Weights | None = None
) -> tuple[Floats, Floats]:
    """Block by block, what one bot made per game less what the other made.

    Args:
        results: the games; the bots need not sit at one table, but must both have played a block.
        one: a bot.
        places: compare the share of other bots at the table that a seat finished before (1, 1/2 for a tie,
            0), and not points.
        weights: what a point of luck is worth, if the results have luck that is to be taken out.

    Returns:
        The block numbers, ascending, and the differences.
    """
    luck = results.luck if weights is not None else None
    if places:
        value = _place_shares(results, luck, weights.wins if weights else 0.0)
    else:
        value = results.score if luck is None or weights is None else results.score - weights.points * luck
    block, unit = np.unique(results.block, return_inverse=True)
    means = []
    for bot in (one, two):
        mine = results.entrant == bot
        total = np.bincount(unit, np.where(mine, value, 0).sum(axis=1), minlength=len(block))
        count = np.bincount(unit, mine.sum(axis=1), minlength=len(block))
        means.append(np.divide(total, count, out=np.full(len(block), np.nan), where=count > 0))
    both = ~np.isnan(means[0] - means[1])
    return block[both].astype(np.float64), (means[0] - means[1])[both]


def _place_shares(results: Results, luck: Floats | None, weight: float) -> Floats:
    """(games, seats) mean outcome against the seats of other bots, less the luck; 0 where there are none."""
    total, count = np.zeros(results.score.shape), np.zeros(results.score.shape)
    for pairing in pairings(results):
        won = outcome(results, pairing)
        if luck is not None:
            a, b = (luck[pairing.games, seat] for seat in pairing.seats)
            won = won - weight * (a - b)
        for seat, share in zip(pairing.seats, (won, 1 - won)):
            total[pairing.games, seat] += share
            count[pairing.games, seat] += 1
    return np.divide(total, count, out=np.zeros(total.shape), where=count > 0)


def share_of_elo(elo: float, field: bool) -> float:
    """Compute the difference of place shares that Elo brings: 2 p - 1, in a field p - 1/2."""
    chance = 1 / (1 + 10 ** (-elo / 400))
    return chance - 0.5 if field else 2 * chance - 1


def elo_of_share(share: float, field: bool) -> float:
    """Compute the Elo difference that brings this one of place shares; infinite if all was won or lost."""
    chance = share + 0.5 if field else (share + 1) / 2
    if not 0 < chance < 1:
        return float(np.copysign(np.inf, share))
    return float(-400 * np.log10(1 / chance - 1))


def gate_in_units(
    values: Floats, low: float, high: float, alpha: float, beta: float, rare: float
) -> SequentialTest:
    """Make a sequential test of hypotheses in the units of the differences.

    The units are points or place shares. The spread is that of the differences so far.

    With t0 = low / sd and t1 = high / sd the ratio is n/2 ln((s^2 + (m - low)^2) / (s^2 + (m - high)^2)): the
    generalised likelihood ratio of two means with an unknown variance.
    """
    spread = float(values.std()) if len(values) else 0.0
    spread = spread if spread > 0 else max(abs(low), abs(high), 1e-9)
    return SequentialTest(low / spread, high / spread, alpha, beta, rare)


@dataclass(frozen=True)
class Blocks:
    """Block differences, the first bot less the second."""

    block: Ints
    points: Floats
    places: Floats
    raw: Floats  # points with the luck in them
    field: bool  # measured against other bots, not each other
    by_stretch: bool = False  # whether the means of stretches are what the test looks at

    def until(self, blocks: int) -> Blocks:
        """Those with a lower number. Between copies the luck taken out leaves only its error: that goes."""
        seen = self.block < blocks
        raw = self.raw[seen]
        points, places = (column[seen] * raw.any() for column in (self.points, self.places))
        return Blocks(self.block[seen], points, places, raw, self.field, self.by_stretch)

    def observed(self, values: Floats) -> Floats:
        """Return what counts as independent: the values of the blocks, or their means over stretches."""
        if not self.by_stretch:
            return values
        stretch = np.unique(self.block // BATCH_BLOCKS, return_inverse=True)[1]
        return np.asarray(np.bincount(stretch, values) / np.bincount(stretch))

    def values(self, question: Question) -> Floats:
        """Return what the test looks at."""
        return self.observed(self._asked(question))

    def gate(self, question: Question) -> SequentialTest:
        """Return the test, in sds of what it looks at."""
        rates = (question.alpha, question.beta, self._rare(question))
        low, high = question.low, question.high
        if question.unit == "effect":
            low, high = (limit * self._block_sds(question) for limit in (low, high))
            return SequentialTest(low, high, *rates)
        if question.unit == "elo":
            low, high = share_of_elo(low, self.field), share_of_elo(high, self.field)
        return gate_in_units(self.values(question), low, high, *rates)

    def in_units(self, effect: float, question: Question) -> float:
        """Return an effect in the unit of the question; infinite where it is."""
        if not np.isfinite(effect):
            return effect
        if question.unit == "effect":
            return effect / self._block_sds(question)
        value = effect * float(self.values(question).std())
        return elo_of_share(value, self.field) if question.unit == "elo" else value

    def _asked(self, question: Question) -> Floats:
        return self.places if question.unit == "elo" else self.points

    def _rare(self, question: Question) -> float:
        """Rare losses are met by number of blocks; stretches need no more than the fewest."""
        return max(question.rare, 1 - question.alpha ** (1 / FEWEST)) if self.by_stretch else question.rare

    def _block_sds(self, question: Question) -> float:
        """Return the sd of a block in sds of what the test looks at; 1 where there is no spread."""
        if not self.by_stretch:
            return 1.0
        observed = float(self.values(question).std())
        return float(self._asked(question).std()) / observed if observed > 0 else 1.0


def blocks_of(results: Results, one: int, two: int, field: bool, weights: Weights | None = None) -> Blocks:
    """Return the block differences of two entrants, with luck taken out by `weights` if there are any."""
    block, points = differences(results, one, two, False, weights)
    _, places = differences(results, one, two, True, weights)
    return Blocks(block.astype(np.int64), points, places, differences(results, one, two, False)[1], field)


def first_answer(
    results: Results, entrants: int, blocks_of_two: Blocks, question: Question, looks: Iterable[int]
) -> tuple[Blocks, SequentialResult]:
    """Return the first look at which the test decides, else the last: its blocks and its verdict.

    Before a decision counts, and at the end, it is asked whether the results of any bot are alike within
    stretches; if they are, the test must decide by stretches.
    """
    seen = blocks_of_two.until(0)
    verdict = gsprt(seen.values(question), seen.gate(question))
    for blocks in looks:
        seen = blocks_of_two.until(blocks)
        verdict = gsprt(seen.values(question), seen.gate(question))
        if verdict.decision != "continue" and not blocks_of_two.by_stretch:
            seen, verdict = _checked(results, entrants, seen, question, verdict)
            blocks_of_two = replace(blocks_of_two, by_stretch=seen.by_stretch)
        if verdict.decision != "continue":
            return seen, verdict
    if blocks_of_two.by_stretch or not len(seen.block):
        return seen, verdict
    return _checked(results, entrants, seen, question, verdict)


def _checked(
    results: Results, entrants: int, seen: Blocks, question: Question, verdict: SequentialResult
) -> tuple[Blocks, SequentialResult]:
    """By stretches, if blocks depend on each other within them."""
    played = results.of_blocks(seen.block)
    dependence = stretch_dependence(played.independent(played.block // BATCH_BLOCKS), entrants)
    if not dependence.entrants and not dependence.untested:
        return seen, verdict
    whole = replace(seen, by_stretch=True)
    return whole, gsprt(whole.values(question), whole.gate(question))
