"""Taroky: what lies on the table, and how a round was settled."""

from __future__ import annotations

from typing import Any

from ..scene import BACK, Read, Scene, backs, hand, played, those
from .state import BEATEN_BY, CARDS


def scene(read: Read, players: int, viewer: int) -> Scene:
    """Return the talon, the tricks, the calls, and what each seat is, said and holds."""
    trick, leaders, tricks, phase = read("trick"), read("leaders"), read("tricks"), read("phase")
    last = tricks[-1] if tricks else ()
    made = {
        "head": f"round {read('round')}, {phase}",
        "table/cards/talon": " ".join(_talon(read, phase)),
        "table/cards/rest of the talon": " ".join(_rest(read, phase)),
        "table/cards/trick": played(((leaders[-1] + k) % 4, card) for k, card in enumerate(trick)),
        "table/cards/last trick": played(
            ((leaders[len(tricks) - 1] + k) % 4, card) for k, card in enumerate(last)
        ),
        "table/cards/shown": " ".join(read("shown")),
        "table/cards/called": read("called"),
        "table/text/calls": _calls(read),
        "table/text/settled": _settled(read),
        "table/text/last trick": f"seat {leaders[len(tricks)]}" if 0 < len(tricks) < len(leaders) else "",
    }
    for p in range(players):
        side, away, more = read("sides")[p], read("discards")[p], read("hand_sizes")[p] - 12
        roles = [("dealer", read("dealer") == p), ("Povinnost", read("povinnost") == p)]
        roles += [("Prever", read("prever") == p), (side, bool(side))]
        made |= {
            f"seat/{p}/text/chips": f"{read('totals')[p]:+d}",
            f"seat/{p}/text/role": those(roles),
            f"seat/{p}/text/said": ", ".join(filter(None, [read("bids")[p], *read("money")[p]])),
            f"seat/{p}/cards/hand": hand(read, p, viewer, read("hand_sizes")[p]),
            f"seat/{p}/text/to lay away": str(more) if more > 0 and phase == "discard" else "",
            f"seat/{p}/cards/laid away": f"{' '.join(away)} {backs(read('discard_counts')[p] - len(away))}",
            f"seat/{p}/cards/won": " ".join(read("won")[p]),
        }
    return {key: text.strip() for key, text in made.items()}


def _talon(read: Read, phase: str) -> list[str]:
    """Return the cards that nobody has taken yet, while they are dealt with; a back where none is seen."""
    first = {"bid": 0, "talon": 0, "draw": 4, "offer": 4}.get(phase, 6)
    if first == 4 and read("offers") and read("offers")[0] != "offer":
        first = 5  # the fifth card is taken, and the sixth is due
    return [card or BACK for card in read("talon")[first:]]


def _rest(read: Read, phase: str) -> list[str]:
    """Return the half that Prever has not looked at; it counts for the opponents. A refused one is shown."""
    unseen = read("prever") >= 0 and read("rejections") == 0 and phase not in ("bid", "talon", "over")
    return [card or BACK for card in read("talon")[3:]] if unseen else []


def _calls(read: Read) -> str:
    said = [(read("valat"), "Valat"), (read("pagat"), "Pagat")]
    said += zip(read("contras"), ("contra", "rhea", "supra"))
    return ", ".join(f"{word} by seat {seat}" for seat, word in said if seat >= 0)


def _settled(read: Read) -> str:
    """Return how the chips of the last finished round came about."""
    if not read("history"):
        return ""
    past = read("history")[-1]
    who, bonus = " and ".join(f"seat {seat}" for seat in past["declarers"]), past["bonus"]
    how = {
        "counted": f"with {past['points']} points",
        "uncalled valat": "every trick" if past["won"] else "without a trick",
        "valat": f"with {past['points']} points, where a Valat was called",
    }
    said = f"{who} {'won' if past['won'] else 'lost'} {how.get(past['kind'], '')}"
    paid = f"{past['pay'] - bonus:+d} a head" + (f", {bonus:+d} for the Pagat" if bonus else "")
    return f"{said}: {paid}; the rest is money cards"


def closing(options: dict[str, Any], seat: int, action: str, before: Scene, after: Scene) -> Scene:
    """Return the last trick of a round, for the scene after it: its row holds the next round alone."""
    trick = [*before.get("table/cards/trick", "").split(), f"{seat}:{action.removeprefix('play ')}"]
    if len(trick) < 4 or after.get("table/cards/last trick"):
        return {}
    best = trick[0]
    for one in trick[1:]:
        number, held = (CARDS.index(card.partition(":")[2]) for card in (one, best))
        if int(BEATEN_BY[int(options["ace_high"]), held]) >> number & 1:
            best = one
    won = f"seat {best.partition(':')[0]}"
    return {"table/cards/last trick": " ".join(trick), "table/text/last trick": won}
