"""The verdict of a comparison: what is asked, and the first look at the block differences that answers it.

Pure. Blocks are the observations, unless those of a stretch (16 blocks of one line-up, played in the same
matches) depend on each other, as when a process dies and loses the rest of its match: then the means of
stretches are. Not here: who plays whom (`comparison`), the test itself (`ratings.sequential`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from .comparison import BATCH_BLOCKS, differences, elo_of_share, gate_in_units, share_of_elo
from .definition import Question
from .ratings.control import Weights
from .ratings.dependence import stretch_dependence
from .ratings.results import Floats, Ints, Results
from .ratings.sequential import FEWEST, SequentialResult, SequentialTest, gsprt


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
