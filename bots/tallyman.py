"""Counts what is out: tries the cards to come, parts with what an opening or the last card needs least."""

from typing import Any

from engines.zoliky.tools import before_the_discard, company, gifts_of, worth_parting

GAMES = ["zoliky"]
DRAWS, SAMPLES, CANDIDATES = 5, 24, 6
"""Cards to come before the opening, how often they are tried, and for how many of the cards in hand."""


def act(view: Any) -> int:
    """Draw what is of use at once, go out or lay out with few jokers, discard what helps least."""
    legal = view.legal.tolist()
    before = before_the_discard(legal, view.state)
    if before is not None:
        return before
    return 3 + part_with([action - 3 for action in legal], view)


def part_with(kinds: list[int], view: Any) -> int:
    """Return the discard without which the cards to come do most.

    It is one of those with the least company that are no gift to the next seat.

    Once open it is the next card alone that counts, and whether the hand goes out with it.
    """
    gifts, hand = gifts_of(view.state), int(view.state["hand"][0, view.seat])
    kinds = [kind for kind in kinds if kind not in gifts] or kinds
    kinds = sorted(kinds, key=lambda kind: company(hand, kind))[:CANDIDATES]
    if len(kinds) == 1:
        return kinds[0]
    opened, seed = view.seat in view.opened, view.rng.getrandbits(63)
    counts = worth_parting(view.state, kinds, 1 if opened else DRAWS, SAMPLES, seed, go_out=opened)
    return kinds[counts.index(max(counts))]
