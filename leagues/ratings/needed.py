"""How many games part the two best bots: on deals of their own, in blocks, and with luck taken out.

Not here: leagues that choose their own line-ups (`leagues.formats.coverage.adaptive_games`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .elo import bradley_terry
from .intervals import t_quantile
from .luck import Weights
from .results import Results
from .table import RatedBot, label, settled
from .variance import POWER, PairVariance, worth_of_a_game


@dataclass(frozen=True)
class NeededRow:
    """Games of two bots until a test at 5 % finds their difference in points with 80 %, with 95 % intervals.

    None: no end, as the difference may be 0.
    """

    how: str  # deals of their own, blocks, blocks without luck
    bot: str
    against: str
    difference: float  # points per game, of the first less the second
    games: int | None
    low: int | None
    high: int | None
    blocks: int  # that this was found in


def needed_rows(
    results: Results, entered: Sequence[RatedBot], weights: Weights | None = None
) -> list[NeededRow]:
    """Return what the two of the highest Elo need; nothing where they share fewer than 10 blocks.

    The two are chosen in every second block and measured in the others: chosen and measured in the same
    games, they would look further apart than they are.

    Args:
        results: the games.
        entered: who the entrants are.
        weights: what a point of luck is worth, where it is to be taken out.
    """
    games, who, count, _ = settled(results, entered)
    if count < 2:
        return []
    blocks = np.unique(games.block)
    chosen = games.of_blocks(blocks[::2]) if count > 2 else games
    first, second = np.argsort(-bradley_terry(chosen, count).elo, kind="stable")[:2].tolist()
    if count > 2:
        games = games.of_blocks(blocks[1::2])
    pair = _pair(games, count, first, second)
    if pair is None:
        return []
    alone = replace(pair, sd_block=pair.sd_game, games=1.0)
    plans = [("deals of their own", alone), ("blocks", pair)]
    if weights is not None and games.luck is not None:
        fair = games.with_scores(games.score - weights.points * games.luck)
        without = _pair(fair, count, first, second)
        if without is not None:
            plans.append(("blocks without luck", without))
    names, sign = (label(who[first]), label(who[second])), 1 if pair.one == first else -1
    return [
        _row(how, names, sign * one.difference, one, (pair if one is alone else one).sd_block)
        for how, one in plans
        if one.sd_block > 0
    ]


def _pair(games: Results, count: int, first: int, second: int) -> PairVariance | None:
    worth = worth_of_a_game(games, count)
    pairs = worth.pairs if worth is not None else ()
    return next((one for one in pairs if {one.one, one.two} == {first, second}), None)


def _row(how: str, names: tuple[str, str], difference: float, pair: PairVariance, sd: float) -> NeededRow:
    """Make the row of a pair, with the interval of the effect.

    The effect is the difference, whose error is the sd of a block / sqrt(blocks), over an sd that is
    estimated too (Hedges & Olkin 1985, Statistical Methods for Meta-Analysis, 86).
    """
    size, blocks = abs(difference), pair.blocks
    error = sd / blocks**0.5
    half = float(t_quantile(0.975, blocks - 1)) * np.sqrt(error**2 + size**2 / (2 * blocks))
    needed = [_games(each / pair.sd_block, pair.games) for each in (size, size + half, size - half)]
    return NeededRow(how, *names, round(difference, 3), needed[0], needed[1], needed[2], blocks)


def _games(effect: float, games: float) -> int | None:
    return int(np.ceil(POWER / effect**2 * games)) if effect > 0 else None
