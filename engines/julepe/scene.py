"""Julepe: what lies on the table, and what was paid for the tricks of a round."""

from __future__ import annotations

from typing import Any

from ..scene import OPEN, Line, Read, Scene, hand, played
from .state import LARGEST_PAYMENT


def scene(read: Read, players: int, viewer: int) -> Scene:
    """Return the pot, the tricks, and what each seat says and holds."""
    tricks, winners, phase = read("tricks"), read("winners"), read("phase")
    past, won = tricks[-2:-1], winners
    if not any(read("statements")) and read("history"):  # nobody has seen yet how the round before ended
        past, won = read("history")[-1]["tricks"][-1:], read("history")[-1]["winners"]
    made = {
        "head": f"round {read('round')}, {phase}" + (", house" if read("house_round") else ""),
        "table/text/pot": f"{read('pot')} cents",
        "table/text/stock": f"{read('leftovers')} leftovers, {read('pile')} pile",
        "table/text/last trick": (won[-1] if won[-1] == "house" else f"seat {won[-1]}") if won else "",
        "table/text/trumps": {"": "", "o": "oros", "c": "copas", "b": "bastos"}[read("trump")],
        "table/cards/face-up": read("face_up"),
        "table/cards/trick": played(tricks[-1] if tricks else ()),
        "table/cards/last trick": played(past[0] if past else ()),
    }
    for p in range(players):
        says, exchanged, mine = read("statements")[p], read("exchanged")[p], viewer in (OPEN, p)
        holds = 5 - sum(who == p for trick in tricks for who, _ in trick)
        if says == "out" and phase in ("exchange", "down", "tricks"):
            holds = 0
        if read("dealer") == p and holds and phase in ("statements", "house", "exchange", "down"):
            holds += 1  # the face-up card is its sixth
        made |= {
            f"seat/{p}/text/net": f"{read('totals')[p]:+d}",
            f"seat/{p}/text/role": "dealer" if read("dealer") == p else "",
            f"seat/{p}/text/says": says,
            f"seat/{p}/text/exchanged": str(exchanged) if exchanged >= 0 else "",
            f"seat/{p}/text/tricks": str(sum(who == p for who in winners)) if tricks else "",
            f"seat/{p}/cards/hand": hand(read, p, viewer, holds) if phase != "over" else "",
            f"seat/{p}/cards/given up": " ".join(read("given_up", p)) if mine else "",
            f"seat/{p}/cards/thrown": " ".join(read("thrown", p)) if mine else "",
        }
    return made


def settlement(read: Read, row: Any) -> list[Line]:
    """Return what was paid for the tricks of the last round, and the stakes before and after it [5]."""
    everybody, stake = range(5), row.stake
    if not read("history"):
        return []
    past = read("history")[-1]
    pot, dealer = past["pot"], past["dealer"]
    inside = [p for p in everybody if past["statements"][p] == "in"]
    tricks = [past["winners"].count(p) for p in everybody]
    safe = [p for p in inside if tricks[p] >= 2]
    price, half = min(pot, LARGEST_PAYMENT // stake * stake), pot // (2 * stake) * stake
    label, gains, all_pay = "julepe", [0] * 5, False
    if inside == [dealer]:
        label, all_pay = "against the house", bool(safe)
        gains[dealer] = pot if tricks[dealer] >= 4 else half if safe else -price
    elif len(inside) == 2 and safe == inside:
        label, all_pay = "half of the pot", True
        gains = [half if p in inside else 0 for p in everybody]
    elif safe or row.nobody_safe:
        losers = [p for p in inside if p not in safe]
        share = price // (len(safe) * stake) * stake * len(losers) if safe else 0
        gains = [-price if p in losers else share if p in safe else 0 for p in everybody]
    lines = [("stake", [-stake] * 5)] if past["round"] == 1 else []
    lines.append((f"{label}, pot {pot}", gains))
    if read("phase") == "over":
        return [*lines, ("a fifth of the pot", [(pot - sum(gains)) // 5] * 5)]
    following = (dealer + 1) % 5
    return [*lines, ("next stake", [-stake if all_pay or p == following else 0 for p in everybody])]
