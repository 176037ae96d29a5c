"""Flip 7: what lies on the table, and how a round's points came about."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from ..scene import Line, Read, Scene

DECISIONS = ("hit", "stay", "save", "bust", "give")


def scene(read: Read, players: int, viewer: int) -> Scene:
    """Return the rows, what is to be decided, and how likely each row goes bust."""
    made = {
        "head": f"round {read('round')}, {read('phase')}",
        "table/text/draw pile": f"{read('left')} cards",
        "table/text/dealer": f"seat {read('dealer')}",
        "table/cards/to decide": read("card"),
        "table/text/discards": _counts(read("discards")),
        "table/text/unseen": _counts(read("unseen")),
        "table/text/drawn": _drawn(read("history")),
    }
    for seat, left, aside in read("flips"):
        made[f"seat/{seat}/text/flip three"] = f"{left} to draw"
        made[f"seat/{seat}/cards/set aside"] = " ".join(aside)
    for p in range(players):
        row, status = read("rows")[p], read("status")[p]
        made |= {
            f"seat/{p}/text/total": str(read("totals")[p]),
            f"seat/{p}/text/status": status,
            f"seat/{p}/text/row": f"{read('points')[p]} points",
            f"seat/{p}/cards/row": " ".join(row),
            f"seat/{p}/text/bust": _bust(row, read("unseen")) if status == "active" else "",
        }
    return made


def _counts(counts: dict[str, int]) -> str:
    """Return how many of each card there are: numbers, cards that add or double, and actions."""
    kinds = (str.isdigit, lambda card: card[0] in "+X", lambda card: card in ("FZ", "F3", "SC"))
    groups = [[f"{card} x{n}" for card, n in counts.items() if kind(card)] for kind in kinds]
    return " | ".join(", ".join(group) for group in groups if group)


def _drawn(events: Sequence[tuple[int, str]]) -> str:
    """Return who drew what since the last decision of the round: `2:8 2:FZ`."""
    decided = [at for at, (_, text) in enumerate(events) if text.partition(" ")[0] in DECISIONS]
    after = events[decided[-1] + 1 :] if decided else ()
    since = takewhile(lambda one: one[1][:6] != "scores", after)
    return " ".join(f"{seat}:{text[6:]}" for seat, text in since if text.startswith("draws "))


def _bust(row: Sequence[str], unseen: dict[str, int]) -> str:
    """Return how likely the next card ends a row."""
    left = sum(unseen.values())
    if not row or not left or "SC" in row:
        return ""
    return f"{100 * sum(unseen.get(card, 0) for card in set(row) if card.isdigit()) / left:.0f} %"


def settlement(read: Read, row: Any) -> list[Line]:
    """Return the four steps of a row's points in the last round [5.1]."""
    events = read("history") if read("last") else ()
    end = max((at for at, (_, text) in enumerate(events) if text.startswith("scores")), default=-1)
    begin = max((at for at, (_, text) in enumerate(events[: max(end, 0)]) if text == "deals"), default=-1)
    if begin < 0:
        return []
    drawn = [
        [t[6:] for who, t in events[begin:end] if who == p and t[:5] == "draws"] for p in range(row.players)
    ]
    scored = [points > 0 for points in read("last")]
    numbers = [{int(card) for card in cards if card.isdigit()} for cards in drawn]
    plain = [sum(held) * counts for held, counts in zip(numbers, scored)]
    more = [sum(int(card) for card in cards if card[0] == "+") for cards in drawn]
    return [
        ("numbers", plain),
        ("doubled by X2", [n * ("X2" in cards) for n, cards in zip(plain, drawn)]),
        ("plus cards", [n * counts for n, counts in zip(more, scored)]),
        ("seven numbers", [15 * counts * (len(held) >= 7) for held, counts in zip(numbers, scored)]),
    ]
