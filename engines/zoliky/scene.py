"""Jolly Zoliky: what lies on the table, and what the cards left in hand cost."""

from __future__ import annotations

from typing import Any

from ..scene import OPEN, Line, Read, Scene, hand, those


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
    return made


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
