"""Skeleton as text: the fields of a view. Never compiled."""

from __future__ import annotations

from typing import Any

from engines.core import NOBODY
from engines.core.text import card_texts
from engines.view import Field

from .state import CARDS, SEATS


def _trick(s: Any, t: int) -> tuple[str, ...]:
    order = [(s.leaders[t] + k) % SEATS for k in range(SEATS)]
    return tuple(CARDS[s.played[p, t]] for p in order if s.leaders[t] >= 0 and s.played[p, t] != NOBODY)


def _hand(s: Any, seat: int) -> tuple[str, ...]:
    return card_texts(s.hand[seat], CARDS) if seat >= 0 else ()


def _tricks(s: Any, seat: int) -> tuple[tuple[str, ...], ...]:
    return tuple(_trick(s, t) for t in range(s.trick))


FIELDS = (
    Field("phase", "str", "`play` or `over`", lambda s: "play" if s.seat >= 0 else "over"),
    Field("round", "int", "number of the round, from 1", lambda s: s.skeleton_round + 1),
    Field("hand", "tuple[str]", "own cards", _hand),
    Field("trick", "tuple[str]", "cards of the trick in play, in order", lambda s: _trick(s, s.trick)),
    Field("tricks", "tuple[tuple[str]]", "the tricks of this round before", _tricks),
    Field("leaders", "tuple[int]", "their leaders", lambda s: tuple(s.leaders.tolist()[: s.trick])),
    Field("points", "tuple[int]", "points so far", "total"),
)
