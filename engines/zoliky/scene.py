"""Jolly Zoliky: what lies on the table, and what the cards left in hand cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..scene import OPEN, Line, Read, Scene, hand, those
from .state import MELDS_FROM, OPENING_POINTS


def scene(read: Read, players: int, viewer: int) -> Scene:
    """Return the melds, the pile, and each seat's hand."""
    made = {
        "head": f"deal {read('deal') + 1}, round {read('round')}, {read('phase')}",
        "table/text/stock": f"{read('stock_size')} cards",
        "table/cards/Jolly card": read("jolly"),
        "table/cards/must be placed": " ".join(read("owed")),
        "table/cards/melds": " | ".join(" ".join(meld) for meld in read("table")),
        "table/cards/pile": " ".join(read("pile")),
        "table/cards/seen at the cut": "" if viewer == OPEN else " ".join(read("seen")),
    }
    for p in range(players):
        made |= {
            f"seat/{p}/text/total": str(read("totals")[p]),
            f"seat/{p}/text/role": those([("leader", read("leader") == p), ("open", p in read("opened"))]),
            f"seat/{p}/cards/hand": hand(read, p, viewer, read("sizes")[p]),
        }
    if viewer != OPEN and viewer not in read("opened"):
        soon = f"from round {MELDS_FROM}, " if read("round") < MELDS_FROM else ""
        best = best_run(read("hand", viewer)) or "none"
        made["table/text/to open"] = (
            f"{soon}{OPENING_POINTS} points, a run without joker; your best run: {best}"
        )
    return made


def best_run(cards: Sequence[str]) -> int:
    """Return the points of the dearest run without a joker in a hand [1]; 0: there is none."""
    best = 0
    for suit in "shdc":
        length = points = 0
        for rank, worth in zip("A23456789TJQKA", [*range(1, 10), *[10] * 5]):
            there = rank + suit in cards
            length, points = (length + 1, points + worth) if there else (0, 0)
            best = max(best, points if length > 2 else 0)
    return best


def settlement(read: Read, row: Any) -> list[Line]:
    """Return what the cards left in hand cost in a game of one deal [5]; hands stay hidden.

    Several deals have no lines: the row no longer holds the hands.
    """
    if read("phase") != "over" or row.deals > 1:
        return []
    sizes, totals = read("sizes"), read("totals")
    return [
        ("cards left", [-n for n in sizes]),
        ("more for jokers", [(total + n) * (n > 0) for n, total in zip(sizes, totals)]),
        ("from the others", [total * (n == 0) for n, total in zip(sizes, totals)]),
    ]
