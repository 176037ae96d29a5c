"""Tools for bots of Jolly Zoliky.

They find what cards to come could do for a hand, what the table takes, and who can go out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import core
from ..core import I64, States, below, cleared, copy_states, entry, scratch
from .hands import put_kind, take_kind
from .lookahead import can_complete
from .melds import welcome
from .slots import count_unseen
from .state import ALL_LANES, DECK_SIZE, JOKER, MOST_HELD, N_ACTIONS, N_KINDS, PLACE, Action
from .steps import COST, JOKERS
from .worlds import collect


@entry
def chances(states: Any, kinds: Any, draws: int, samples: int, rng: Any, out: Any) -> None:
    """Count how good it is to part with each of some cards in hand.

    The count is how often the turn could be completed [4.4] without that card and with more cards. In a
    closed hand that is an opening; with `jolly_turn` set to 1 it is going out.

    Args:
        states: one row of which the mover's hand is known; the same again afterwards.
        kinds: int16, the cards to part with, one at a time.
        draws: cards drawn at random from those that the row does not show, as far as there are so many; none
            beyond a hand of MOST_HELD.
        samples: how many draws to try, the same for every card.
        rng: uint64[1], a stream.
        out: int16, one count a card, added to.
    """
    s = states[0]
    p = s.seat
    unseen, cards = cleared(N_KINDS, np.int16), scratch(DECK_SIZE, np.int16)
    count_unseen(s, unseen)
    n = collect(unseen, cards, rng)
    draws = min(draws, MOST_HELD - s.held[p], n)
    for _ in range(samples):
        for i in range(draws):
            j = i + below(rng, n - i)
            cards[i], cards[j] = cards[j], cards[i]
            put_kind(s, p, I64(cards[i]))
        for i in range(len(kinds)):
            take_kind(s, p, I64(kinds[i]))
            out[i] += I64(can_complete(s))
            put_kind(s, p, I64(kinds[i]))
        for i in range(draws):
            take_kind(s, p, I64(cards[i]))


def gifts_of(states: States) -> set[int]:
    """Return the kinds that the next seat could use at once if discarded now."""
    s = core.plain(states)[0]
    if not s.opened[(s.seat + 1) % s.players]:
        return set()
    naturals = int(welcome(core.rows(states)[0]))
    return {JOKER} | {kind for kind in range(JOKER) if naturals >> int(PLACE[kind]) & 1}


def company(hand: int, kind: int) -> int:
    """Count the other kinds of a hand (a lane mask) that suit a kind."""
    if kind == JOKER:
        return DECK_SIZE
    suit, rank = divmod(kind, 13)
    lane = hand >> 16 * suit & 0x3FFE
    lane |= (lane & 2) << 13  # the ace is high, too
    near = lane & 0b11011 << rank >> 1
    if rank == 0:
        near |= lane & 0x3000
    return near.bit_count() + (hand >> rank + 1 & ALL_LANES).bit_count() - 1


def steps_to_go_out(states: States) -> list[int]:
    """Return the meld steps after which the mover can still go out."""
    states = copy_states(states)
    states["jolly_turn"] = 1
    out = core.work(N_ACTIONS)
    n = core.legal_row(core.rows(states), 0, out)
    return [action for action in out[:n].tolist() if action >= Action.RUN]


def before_the_discard(legal: list[int], states: States) -> int | None:
    """Return a draw of what can be used at once, or a meld step.

    The step goes towards going out if possible, with few jokers, with many cards.

    None when only discards are legal.
    """
    if legal[0] == 0:  # a draw: the Jolly card rather than the pile, the pile rather than the stock
        return legal[-1]
    if legal[-1] < Action.RUN:
        return None
    steps = steps_to_go_out(states) or [action for action in legal if action >= Action.RUN]
    return max(steps, key=lambda action: (-int(JOKERS[action]), int(COST[action])))


def worth_parting(
    states: States, kinds: Sequence[int], draws: int, samples: int, seed: int, go_out: bool = False
) -> list[int]:
    """`chances` of a view, which stays as it is: one count a card, at most `samples`."""
    states = copy_states(states)
    if go_out:
        states["jolly_turn"] = 1
    candidates, out = core.work(len(kinds)), core.work(len(kinds))
    for i, kind in enumerate(kinds):
        candidates[i] = kind
    chances(core.rows(states), candidates, draws, samples, np.array([seed], np.uint64), out)
    return out.tolist()


def use_all(states: States) -> None:
    """Call every compiled helper once, so that it is compiled and loaded."""
    welcome(core.rows(states)[0])
    worth_parting(states, [0], 1, 1, 1)
