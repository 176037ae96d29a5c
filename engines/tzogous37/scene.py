"""Tzogous 37: what lies on the table, and who put what into the last pot."""

from __future__ import annotations

from typing import Any

from ..scene import Line, Read, Scene, hand


def scene(read: Read, players: int, viewer: int) -> Scene:
    """Return the pot, the slots of this round and of those before, and each seat's chips."""
    made = {
        "head": f"hand {read('hand_number') + 1}, round {read('round')}, {read('phase')}",
        "table/text/pot": f"{read('pot')} chips",
        "table/text/deck": f"{read('deck_size')} cards",
        "table/cards/community": read("community"),
    }
    for k, slots in enumerate(read("earlier"), 1):
        pairs = (" ".join(f"{p}:{card}" for card in pair if card) for p, pair in enumerate(slots))
        made[f"table/cards/round {k}"] = " | ".join(filter(None, pairs))
    for p in range(players):
        score, folded = read("scores")[p], p in read("in_round") and p not in read("alive")
        made |= {
            f"seat/{p}/text/chips": str(read("chips")[p]),
            f"seat/{p}/text/bet": str(read("bets")[p] or ""),
            f"seat/{p}/text/total": f"{read('totals')[p]:+d}",
            f"seat/{p}/text/is": "folded" if folded else "",
            f"seat/{p}/text/score": "" if score is None else str(score),
            f"seat/{p}/cards/hand": hand(read, p, viewer, read("hand_sizes")[p]),
            f"seat/{p}/cards/slots": " ".join(filter(None, read("table")[p])),
        }
    return made


def settlement(read: Read, row: Any) -> list[Line]:
    """Return what each seat put into the last pot and won from it [5.2].

    With stacks that last a game there are no lines: its rows no longer hold the chips.
    """
    events = [event for event in read("history") if event[2] >= 0]
    wins = [at for at, event in enumerate(events) if event[3].startswith("win ")]
    if not wins or row.stacks:
        return []
    begin = wins[-1]
    while begin - 1 in wins:  # a pot that is shared
        begin -= 1
    while begin and begin - 1 not in wins:
        begin -= 1
    paid, bets, won, betting = [0] * row.players, [0] * row.players, [0] * row.players, 0
    for _, when, seat, text in events[begin : wins[-1] + 1]:
        if when and when != betting:
            betting, bets = when, [0] * row.players
        word, _, amount = text.partition(" ")
        if word in ("call", "raise"):
            more = max(bets) + (int(amount) if word == "raise" else 0) - bets[seat]
            bets[seat] += more
            paid[seat] += more
        elif word == "win":
            won[seat] += int(amount)
    return [("ante", [-row.ante] * row.players), ("bets", [-n for n in paid]), ("won", won)]
