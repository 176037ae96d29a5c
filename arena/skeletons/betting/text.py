"""Skeleton as text: the fields of a view. Never compiled."""

from __future__ import annotations

from typing import Any

from engines.core.text import card_texts
from engines.view import Field

from .state import ACTIONS, CARDS


def _hand(s: Any, seat: int) -> tuple[str, ...]:
    return card_texts(s.hand[seat], CARDS) if seat >= 0 else ()


def _actions(s: Any, seat: int) -> tuple[str, ...]:
    return tuple(ACTIONS[action] for action in s.done.tolist() if action >= 0)


FIELDS = (
    Field("phase", "str", "`bet` or `over`", lambda s: "bet" if s.seat >= 0 else "over"),
    Field("hand_number", "int", "number of the hand, from 1", lambda s: s.skeleton_hand + 1),
    Field("hand", "tuple[str]", "own card", _hand),
    Field("actions", "tuple[str]", "actions of this hand", _actions),
    Field("chips", "tuple[int]", "chips won in the hands before", "total"),
)
