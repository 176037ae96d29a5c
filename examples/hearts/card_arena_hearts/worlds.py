"""Hearts: what a seat may know of a record [6], and random worlds that agree with it.

Every deal of the unseen cards that what was played allows is equally likely; what others have passed is taken
as chosen at random.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.core import I64, NOBODY, OVER, Row, bit, cleared, count, draw_from, jit, mask_of, scratch
from engines.core.dispatch import HIDDEN
from engines.core.worlds import only_at, place_cards

from .state import (
    ALL_CARDS,
    FIRST_PLAY,
    HEARTS,
    LOW_CLUB,
    PASS,
    PASSED,
    QUEEN,
    SEATS,
    TRICKS,
    is_broken,
    led_card,
    passes,
    receiver,
    suit_cards,
)


@jit
def redact(s: Row, seat: int) -> None:
    """Blank the hands of others, and what they have passed to others [6]."""
    for p in range(SEATS):
        if p != seat:
            s.hand[p] = 0
            if s.phase == PASS or receiver(s, p) != seat:
                s.passed[p] = 0


@jit
def shown(s: Row, action: int) -> int:
    """Return how an action looks to the others: a card that is passed stays hidden [4.1]."""
    return action if action >= FIRST_PLAY else HIDDEN


@jit
def determinize(s: Row, rng: Any) -> None:
    """Deal the unseen cards to the hidden hands, and draw what was passed."""
    if s.seat == OVER:
        return
    room, may, put = cleared(SEATS, np.int64), scratch(SEATS, np.int64), cleared(SEATS, np.int64)
    unseen = I64(ALL_CARDS)
    for p in range(SEATS):
        unseen &= ~(s.hand[p] | played_by(s, p))
    for p in range(SEATS):
        may[p] = unseen & could_hold(s, p)
        if s.hand[p] == 0:
            room[p] = TRICKS - count(played_by(s, p))
    if s.phase == PASS:
        place_cards(unseen, room, may, put, rng)
        for p in range(SEATS):
            chosen = PASSED if p < s.seat else s.chosen if p == s.seat else 0
            if s.hand[p] == 0:
                s.hand[p] = put[p]
                s.passed[p] = draw_from(put[p], chosen, rng)
        return
    if s.trick == 0 and led_card(s, 0) < 0:
        only_at(may, s.leaders[0], unseen & bit(LOW_CLUB))
    for p in range(SEATS):  # what the viewer has passed, the receiver has had
        if s.passed[p] != 0:
            only_at(may, receiver(s, p), unseen & s.passed[p])
    place_cards(unseen, room, may, put, rng)
    for p in range(SEATS):
        s.hand[p] |= put[p]
    for p in range(SEATS):
        if passes(s) and s.passed[p] == 0:
            to = receiver(s, p)
            s.passed[p] = draw_from(s.hand[to] | played_by(s, to), PASSED, rng)


@jit
def played_by(s: Row, seat: int) -> int:
    """Mask of the cards that a seat has played in this round."""
    return mask_of(s.played[seat])


@jit
def could_hold(s: Row, seat: int) -> int:
    """Mask of the cards that a seat may hold now, by what it has played [4.2]."""
    cards = I64(ALL_CARDS)
    for t in range(s.trick + 1):
        card, led = s.played[seat, t], led_card(s, t)
        if card == NOBODY:
            continue
        if s.leaders[t] == seat:
            if t > 0 and card // 13 == 3 and not is_broken(s, t):
                cards &= I64(HEARTS)  # it would have led another suit
        elif card // 13 != led // 13:
            cards &= ~suit_cards(led)
            if t == 0 and (card == QUEEN or card // 13 == 3):
                cards &= I64(HEARTS) | bit(QUEEN)
    return cards
