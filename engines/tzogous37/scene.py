"""Tzogous 37: what lies on the table, and how the last round ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..scene import Read, Scene, hand
from .state import CARDS, pair_score, value

Event = tuple[int, int, int, str]
BONUSES = {3: " (flush)", 5: " (straight)", 7: " (pair)", 10: " (straight flush)", 12: " (twins)"}


def scene(read: Read, players: int, viewer: int) -> Scene:
    """Return the pot, the slots of this round and of those before, and each seat's chips."""
    last = _last_round(read)
    made = {
        "head": f"hand {read('hand_number') + 1}, round {read('round')}, {read('phase')}",
        "table/text/pot": f"{read('pot')} chips",
        "table/text/deck": f"{read('deck_size')} cards",
        "table/cards/community": read("community"),
        "table/text/settled": _settled(last),
    }
    for k, slots in enumerate(read("earlier"), 1):
        pairs = (" ".join(f"{p}:{card}" for card in pair if card) for p, pair in enumerate(slots))
        made[f"table/cards/round {k}"] = " | ".join(filter(None, pairs))
    if last and last[0][0] > len(read("earlier")):  # nobody has seen yet how a hand ended
        shown = (" ".join(f"{p}:{card}" for card in cards) for p, cards in _slots(last).items())
        of = "" if read("phase") == "over" else "last hand, "
        made[f"table/cards/{of}round {last[0][0]}"] = " | ".join(shown)
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


def _last_round(read: Read) -> list[Event]:
    """Return what happened in the round that was finished last; nothing before the first has ended."""
    events = read("history")
    end = max((at for at, event in enumerate(events) if event[3].startswith("win ")), default=-1)
    begin = end
    while begin > 0 and events[begin - 1][0] == events[end][0] and events[begin][3][:5] != "hand ":
        begin -= 1
    return list(events[max(begin, 0) : end + 1])


def _slots(events: Sequence[Event]) -> dict[int, list[str]]:
    """Return by seat the two cards of a round as they lay at its end, as far as they are known."""
    slots, target, shared = dict[int, list[str]](), (0, 0), list[str]()
    for _, _, seat, text in events:
        word, *rest = text.split()
        if word == "place":
            slots.setdefault(seat, []).append(rest[0])
        elif word == "joker":
            target = int(rest[0]), int(rest[1]) - 1
        elif word in ("give", "lose"):  # what was laid in the place of the target
            slots[target[0]][target[1]] = rest[0] if word == "give" else "JK"
        elif word == "community":
            shared = rest
    return {seat: [*cards, *shared] for seat, cards in sorted(slots.items())}


def _settled(events: Sequence[Event]) -> str:
    """Return who showed what in the last round, why it scored so much, and who won how many chips [5.2]."""
    slots, won, ties, said = _slots(events), Counter[int](), dict[int, list[str]](), []
    for _, _, seat, text in events:
        word, _, rest = text.partition(" ")
        if word == "win":
            won[seat] += int(rest)
        elif word == "tie":
            ties.setdefault(seat, []).append(rest)
    folded = {seat for _, _, seat, text in events if text == "fold"}
    for seat, cards in slots.items():
        words = ["folded"] if seat in folded else []
        if not words and len(slots) - len(folded) > 1 and len(cards) == 2 and set(cards) <= {*CARDS}:
            first, second = (CARDS.index(card) for card in cards)
            score = int(pair_score(first, second))
            bonus = BONUSES.get(score - int(value(first)) - int(value(second)), "")
            words = [f"showed {' '.join(cards)} for {score}{bonus}"]
        words += [f"drew {' '.join(ties[seat])} for the tie"] if seat in ties else []
        alone = " as all others folded" if len(slots) - len(folded) == 1 else ""
        words += [f"won {won[seat]}{alone}"] if won[seat] else []
        said.append(f"seat {seat} {', '.join(words)}")
    return "; ".join(said)
