"""Tzogous 37: what lies on the table, and how the last round ended."""

from __future__ import annotations

from collections import Counter, defaultdict

from ..scene import Read, Scene, hand
from .state import CARDS, pair_score, value

BONUSES = {3: " (flush)", 5: " (straight)", 7: " (pair)", 10: " (straight flush)", 12: " (twins)"}


def scene(read: Read, players: int, viewer: int) -> Scene:
    """Return the pot, the slots of this round and of those before, and each seat's chips."""
    number, slots, settled = _ended(read)
    made = {
        "head": f"hand {read('hand_number') + 1}, round {read('round')}, {read('phase')}",
        "table/text/pot": f"{read('pot')} chips",
        "table/text/deck": f"{read('deck_size')} cards",
        "table/cards/community": read("community"),
        "table/text/settled": settled,
    }
    rounds = {f"round {k}": dict(enumerate(lain)) for k, lain in enumerate(read("earlier"), 1)}
    if number > len(rounds):  # nobody has seen yet how a hand ended
        rounds[f"{'' if read('phase') == 'over' else 'last hand, '}round {number}"] = slots
    for name, lain in rounds.items():
        pairs = (" ".join(f"{p}:{card}" for card in lain[p] if card) for p in sorted(lain))
        made[f"table/cards/{name}"] = " | ".join(filter(None, pairs))
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


def _ended(read: Read) -> tuple[int, dict[int, list[str]], str]:
    """Return the last round that is over, its cards as far as they are known, and how it ended [5.2]."""
    events, shared, target = read("history"), list[str](), (0, 0)
    end = max((at for at, event in enumerate(events) if event[3].startswith("win ")), default=-1)
    number = events[end][0] if end >= 0 else 0
    others = (at for at in range(end) if events[at][0] != number or events[at][3].startswith("hand "))
    slots, words, won = defaultdict[int, list[str]](list), defaultdict[int, list[str]](list), Counter[int]()
    for _, _, seat, text in events[max(others, default=-1) + 1 : end + 1]:
        word, *rest = text.split()
        if word == "place":
            slots[seat] += rest
        elif word == "joker":
            target = int(rest[0]), int(rest[1]) - 1
        elif word in ("give", "lose") and target[1] < len(slots.get(target[0], ())):  # in its place
            slots[target[0]][target[1]] = rest[0] if word == "give" else "JK"
        elif word == "community":
            shared = rest
        elif word == "win":
            won[seat] += int(rest[0])
        elif word in ("fold", "tie"):
            words[seat].append("folded" if word == "fold" else f"drew {rest[0]} for the tie")
    alone = sum("folded" not in words[seat] for seat in slots) == 1
    for seat, cards in slots.items():
        cards.extend(shared)
        if not alone and "folded" not in words[seat] and len(cards) == 2 and set(cards) <= {*CARDS}:
            first, second = map(CARDS.index, cards)
            score = int(pair_score(first, second))
            bonus = BONUSES.get(score - int(value(first)) - int(value(second)), "")
            words[seat].insert(0, f"showed {' '.join(cards)} for {score}{bonus}")
        words[seat] += [f"won {won[seat]}" + " as all others folded" * alone] if won[seat] else []
    return number, slots, "; ".join(f"seat {seat} {', '.join(words[seat])}" for seat in sorted(slots))
