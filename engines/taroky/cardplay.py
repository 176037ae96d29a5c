"""Taroky: which card to play, as the bot `rule` and the search's quick player weigh it.

A card is worth the points that it is expected to bring to its side, less what it would be worth in hand, and
a lead what it does for the hand. Not here: calls and discards (`policy`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core import I64, Row, bit, count, fill, has, jit, lowest, mask_of, scratch
from . import state, worlds
from .state import KINGS, PAGAT, SEATS, TRUMP_SUIT

CARD_POINTS = np.array(state.POINTS)
# Found by trying them in 100 000 games against guessed ones: 2 to 3 chips a game better.
TRICK_WORTH, PLAY_ON_WORTH, CARD_SAFETY, LAST_WORTH = 4.5, 1.6, 0.5, 6.0
BEATS = 0.9
"""Who can beat a card does so with this chance."""
LEADS = np.array([[2.5, 2.3, -4.0, 0.65], [3.5, 0.0, 0.0, 0.3]])
"""What a King is worth in hand, being on lead, a trump that is led, and each card of a long suit.

Second row: against Prever, whose trumps are to be drawn, and quickly.
"""


class KnownTrick(NamedTuple):
    """What the seat to act can work out before it plays to a trick."""

    hand: int
    unseen: int  # mask of the cards that it cannot place
    n: int  # cards in the trick
    leader: int
    best: int  # of the trick's cards, its place and the card; -1 without cards
    best_card: int
    points: int  # of the trick's cards
    against: int  # 1: it plays against Prever
    may: Any  # int64[4] cards that each seat can have by the tricks
    friend: Any  # float64[4] chance that each seat is on its side


@jit
def best_card(s: Row, cards: int) -> int:
    """Return the lowest of the playable `cards` that are of most value to the seat to act."""
    t = look_at(s, scratch(SEATS, np.int64), scratch(SEATS, np.float64))
    best, most = -1, -np.inf
    while cards != 0:
        card = lowest(cards)
        worth = card_value(s, t, card)
        if worth > most:
            best, most = card, worth
        cards &= cards - 1
    return best


@jit
def look_at(s: Row, may: Any, friend: Any) -> KnownTrick:
    """Return what the seat to act knows, and nothing that it does not: the row may be a whole world.

    `may` and `friend` are written and become those of the `KnownTrick`.
    """
    me, first = I64(s.seat), state.trick_start(s)
    n = s.played - first
    best, card, leader = -1, -1, me
    if n > 0:
        best, leader = state.trick_best(s, first, n), I64(s.leaders[s.played >> 2])
        card = I64(s.tricks[first + best])
    fill(may, state.ALL)
    worlds.narrow_by_tricks(s, may)
    write_friends(s, me, friend)
    return KnownTrick(
        s.hand[me],
        unseen_by(s, me),
        n,
        leader,
        best,
        card,
        state.card_points(state.trick_mask(s)),
        1 if s.prever >= 0 and s.prever != me else 0,
        may,
        friend,
    )


@jit
def unseen_by(s: Row, me: int) -> int:
    """Mask of the cards that a seat cannot place while tricks are played [6]."""
    seen = state.gone(s) | s.hand[me] | s.discards[me] | mask_of(s.talon) & s.shown
    for seat in range(SEATS):
        seen |= s.discards[seat] & state.TRUMPS
    return state.ALL & ~seen


@jit
def write_friends(s: Row, me: int, friend: Any) -> None:
    """Write the chance that each seat is on the side of the seat to act.

    It is known with Prever or a known partner, else equal over those who may be the partner.
    """
    if s.prever >= 0 or worlds.knows_partner(s, me):
        sides = bit(s.prever) if s.prever >= 0 else bit(s.povinnost) | bit(s.partner)
        for seat in range(SEATS):
            friend[seat] = 1.0 if has(sides, seat) == has(sides, me) else 0.0
        return
    maybe = 0
    for seat in range(SEATS):
        if seat != me and seat != s.povinnost and s.side[seat] < 0:
            maybe |= bit(seat)
    for seat in range(SEATS):
        declares = 1.0 if s.side[seat] == 1 else 0.0
        if has(maybe, seat):
            declares = 1 / count(maybe)
        friend[seat] = declares if me == s.povinnost else 1 - declares


@jit
def card_value(s: Row, t: KnownTrick, card: int) -> float:
    """Points that playing a card is expected to bring, less what it is worth in hand."""
    best, best_card = t.best, t.best_card
    if t.n == 0 or has(state.BEATEN_BY[s.ace_high, best_card], card):
        best, best_card = t.n, card
    led = state.suit_of(card) if t.n == 0 else state.suit_of(s.tricks[state.trick_start(s)])
    mine = 1.0 if best == t.n else 0.0  # the chance that this card takes the trick, so leads the next
    ours = 1.0 if best == t.n else t.friend[(t.leader + best) & 3]
    for k in range(t.n + 1, SEATS):
        seat = (t.leader + k) & 3
        beats, friend = BEATS * can_beat(s, t, seat, best_card, led), t.friend[seat]
        ours += beats * ((1 - ours) * friend - ours * (1 - friend))  # nobody beats its own side's card
        mine *= 1 - beats * (1 - friend)
    pot = t.points + CARD_POINTS[card] + PLAY_ON_WORTH * (SEATS - 1 - t.n)
    lead = lead_worth(t, card) if t.n == 0 else 0.0
    return ours * pot + LEADS[t.against, 1] * mine - kept(s, t, card) + lead


@jit
def can_beat(s: Row, t: KnownTrick, seat: int, best: int, led: int) -> float:
    """Return the chance that a seat still to play can beat the best card, if unseen cards lie at random."""
    # the chance that it does not hold one certain unseen card
    without = 1 - s.hand_size[seat] / max(1, count(t.unseen))
    may = t.unseen & t.may[seat]
    higher = may & state.BEATEN_BY[s.ace_high, best]
    by_trump = 1 - without ** count(higher & state.TRUMPS)
    if led == TRUMP_SUIT:
        return by_trump
    has_none = without ** count(may & state.SUITS[led])
    by_suit = 1 - without ** count(higher & state.SUITS[led])
    return by_suit + has_none * by_trump


@jit
def kept(s: Row, t: KnownTrick, card: int) -> float:
    """Return what a card is worth in hand: its points, so far as safe, and tricks that it may yet take."""
    points = CARD_POINTS[card]
    if state.suit_of(card) != TRUMP_SUIT:
        return LEADS[t.against, 0] if has(KINGS, card) else points * CARD_SAFETY
    trumps = t.unseen & state.TRUMPS
    power = 1 - count(trumps & state.BEATEN_BY[s.ace_high, card]) / max(1, count(trumps))
    worth = points * max(CARD_SAFETY, power) + TRICK_WORTH * power * power
    return worth + LAST_WORTH * lasts(s, t) if card == PAGAT else worth


@jit
def lasts(s: Row, t: KnownTrick) -> float:
    """How good the chance is that the I comes home in the last trick, by who runs out of trumps first."""
    others, mine = count(t.unseen & state.TRUMPS), count(t.hand & state.TRUMPS) - 1
    if s.pagat == s.seat:
        return 3.0  # called
    if mine == 0:
        return -0.5 if others > 0 else 1.0
    return max(-0.5, min(1.0, (2 * mine - others) / 6))


@jit
def lead_worth(t: KnownTrick, card: int) -> float:
    """Return a trump lead pays for a hand with more trumps than its share, another lead for a long suit."""
    mine = count(t.hand & state.SUITS[state.suit_of(card)])
    if state.suit_of(card) == TRUMP_SUIT:
        return LEADS[t.against, 2] + 0.5 * (mine - count(t.unseen & state.TRUMPS) / 3)
    return LEADS[t.against, 3] * mine
