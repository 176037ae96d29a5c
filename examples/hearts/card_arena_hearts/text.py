"""Hearts as text: the fields of a view. Never compiled."""

from __future__ import annotations

from typing import Any

from engines.core import NOBODY, record
from engines.core.text import card_texts
from engines.declaration import Field

from . import state
from .state import CARDS, PASS, PHASES, SEATS

WAYS = ("left", "right", "across", "none")


def _received(s: Any, seat: int) -> tuple[str, ...]:
    if seat < 0 or s.phase == PASS:
        return ()
    return card_texts(
        sum(s.passed[p] for p in range(SEATS) if int(state.receiver(record(s), p)) == seat != p), CARDS
    )


def _trick(s: Any, t: int) -> tuple[str, ...]:
    order = [(s.leaders[t] + k) % SEATS for k in range(SEATS)]
    return tuple(CARDS[s.played[p, t]] for p in order if s.leaders[t] >= 0 and s.played[p, t] != NOBODY)


def _own(name: str) -> Any:
    return lambda s, seat: card_texts(getattr(s, name)[seat], CARDS) if seat >= 0 else ()


def _phase(s: Any, seat: int) -> str:
    return PHASES[s.phase] if s.seat >= 0 else "over"


def _leader(s: Any, seat: int) -> int | None:
    return s.leaders[s.trick] if s.leaders[0] >= 0 else None


def _tricks(s: Any, seat: int) -> tuple[tuple[str, ...], ...]:
    return tuple(_trick(s, t) for t in range(s.trick))


def _points(s: Any, seat: int) -> tuple[int, ...]:
    return tuple(int(state.points_of(record(s), p)) for p in range(SEATS))


FIELDS = (
    Field("phase", "str", "`pass`, `play` or `over`", _phase),
    Field("round", "int", "number of the round, from 1", lambda s: s.hearts_round + 1),
    Field("way", "str", "`left`, `right`, `across` or `none`", lambda s: WAYS[s.hearts_round % 4]),
    Field("hand", "tuple[str]", "own cards", _own("hand")),
    Field("passed", "tuple[str]", "cards passed on", _own("passed")),
    Field("received", "tuple[str]", "cards that came", _received),
    Field("leader", "int or None", "leads the trick", _leader),
    Field("trick", "tuple[str]", "cards of the trick in play, in order", lambda s: _trick(s, s.trick)),
    Field("tricks", "tuple[tuple[str]]", "the tricks before", _tricks),
    Field("leaders", "tuple[int]", "their leaders", lambda s: tuple(s.leaders.tolist()[: s.trick])),
    Field("broken", "bool", "hearts are broken", lambda s: bool(state.is_broken(record(s), s.trick))),
    Field("points", "tuple[int]", "points in each seat's tricks", _points),
    Field("totals", "tuple[int]", "scores of the rounds before", "total"),
)
