"""The same deal in other seats: games that were dealt the same cards as one, and where they parted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from ..store.packing import GAMES_PER_MATCH
from .recorded import match_of

if TYPE_CHECKING:
    from ..store import Store


@dataclass(frozen=True)
class SameDeal:
    """Another game of a deal.

    Attributes:
        label: its name.
        seats: who sat where.
        scores: by seat, as the cards fell.
        parted: the first decision that differs; as many as the shorter game has if none does.
    """

    label: str
    seats: tuple[str, ...]
    scores: tuple[int, ...]
    parted: int


def same_deal(store: Store, label: str) -> list[SameDeal]:
    """Return the other games of a game's deal, by number.

    Raises:
        UsageError: there is no such game.
    """
    name, _, number = label.partition("/")
    run = store.runs.find(name)
    match, place = match_of(store, run, number)
    block, moves, entries = int(match.blocks[place]), match.moves[place].tolist(), store.runs.entries(run)
    found = []
    for other in store.matches.all(run, store.games.with_block(run, block)):
        for at in (at for at, dealt in enumerate(other.blocks.tolist()) if dealt == block):
            if (other.number, at) == (match.number, place):
                continue
            seats = [entries[other.line_up[one]].bot.label for one in other.places[at].tolist()]
            scores = tuple(other.scores[at].tolist())
            parted = common(moves, other.moves[at].tolist())
            called = f"{run.label}/{other.number * GAMES_PER_MATCH + at}"
            found.append(SameDeal(called, tuple(seats), scores, parted))
    return found


def common(one: Sequence[int], other: Sequence[int]) -> int:
    """Return how many actions two games have in common at their beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
