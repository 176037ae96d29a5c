"""Play Julepe quickly for the search, and say what it searches and stops at.

These are a rollout policy, the actions that are searched, and what a position is worth at the end of a round.

The player goes in as the bot `reckoner` does and plays its cards by rules of thumb. Only the tricks are
searched: playouts do not see what going in costs against players of flesh, and exchanging by rule lost
nothing.
"""

from __future__ import annotations

from math import exp, log
from typing import Any

import numpy as np

from ..core import HIDDEN, I64, NO_ACTION, NOBODY, Row, bit, count, has, highest, jit, legal, lowest
from . import house, rules, state
from .state import DISCARD, DONE, IN, OUT, PLAY, SEATS, Phase

PRESET = {"playouts": 1000, "noise": 0.0, "told": 8}  # see engines.search.preset
TRIFLE = 2.0  # cents: a decision that costs less does not matter
EVENTS = (
    "the seat is in and takes less than two tricks",
    "the seat takes two tricks or more",
    "the seat loses money",
)
"""What `happened` tells, by bit."""

TRUMP_WORTH = np.array([0.5, 0.5, 0.6, 0.7, 0.9, 1.0, 1.25, 1.6, 1.85, 2.35])
"""By rank: with the next four a logistic regression of "won two tricks" on 28 000 hands that went in."""
SIDE_ACE, EACH_IN, EACH_TO_COME, NOTHING = 0.6, -0.2, -0.15, -2.5
JOINS = 0.35  # chance of a seat that has not spoken yet
LONE_DEALER = 0.45  # chance of two tricks from which a lone dealer plays the house
BOLDNESS, KEEPS, PLAYS = 0.24, 0.04, 0.18
"""How far others differ from the policy (`told`): in going in, the spread of what they want to gain by it, in
pots, by likelihood; the chance that a card is exchanged, or kept, otherwise, and the share of random cards,
as often as that happened: 100 games of reckoner, trained, wary, montecarlo and thumb.
"""
ACES = sum(1 << (10 * suit + state.ACE) for suit in range(3))


@jit
def policy(s: Row, out: Any, rng: Any) -> int:
    """In by the chance of two tricks, trumps and aces are kept, tricks are won as cheaply as can be."""
    trump = state.trump_suit(s)
    if s.phase == Phase.TRICKS:
        return PLAY + card_to_play(s, rules.may_play(s), trump)
    if s.phase == Phase.DOWN:
        return DISCARD + house.weakest(s.hand[s.seat], trump)
    if s.phase == Phase.EXCHANGE:
        spare = rules.exchangeable(s) & ~state.suit_cards(trump) & ~ACES
        return DISCARD + lowest(spare) if spare != 0 else DONE
    return IN if rules.must_play(s) or goes_in(s, trump) else OUT


@jit
def card_to_play(s: Row, cards: int, trump: int) -> int:
    """Lead the best card; else the cheapest that wins over the trick; else the least."""
    best = state.best_card(s)
    trumps = cards & state.suit_cards(trump)
    if best < 0:
        return highest(trumps) if trumps != 0 else house.lead(cards, trump)
    beating = state.above(best)
    if best // 10 != trump:
        beating |= state.suit_cards(trump)
    return house.weakest(cards & beating if cards & beating != 0 else cards, trump)


@jit
def goes_in(s: Row, trump: int) -> bool:
    """Whether to expect more gain than loss; a lone dealer: whether two tricks are likely, and seen [4.2]."""
    blind = s.phase == Phase.OFFER and s.village == state.VILALBA
    return not blind and boldness(s, trump) > 0


@jit
def boldness(s: Row, trump: int) -> float:
    """Return what going in gains beyond what the policy asks for; for a lone dealer in shares of the pot."""
    if s.phase == Phase.OFFER:
        return (two_tricks(s.hand[s.seat], trump, 0, 0) - LONE_DEALER) * s.pot
    others = count(state.seats_in(s))
    # without oneself and the dealer, who follows the others
    to_come = SEATS - 2 - others - count(state.seats_out(s))
    chance = two_tricks(s.hand[s.seat], trump, others, to_come)
    return chance * gain_if_safe(s.pot, s.stake, 2 + others + JOINS * to_come) - (1 - chance) * s.pot


@jit
def two_tricks(hand: int, trump: int, others_in: int, to_come: int) -> float:
    """Return the chance of two tricks, before the exchange."""
    worth = NOTHING + EACH_IN * others_in + EACH_TO_COME * to_come
    while hand != 0:
        card = lowest(hand)
        if card // 10 == trump:
            worth += TRUMP_WORTH[card % 10]
        elif card % 10 == state.ACE:
            worth += SIDE_ACE
        hand &= hand - 1
    return 1 / (1 + exp(-worth))


@jit
def gain_if_safe(pot: int, coin: int, players: float) -> float:
    """Estimate the gain of a safe player of so many: the split of two, or mostly half of what losers pay."""
    half = pot // (2 * coin) * coin
    if players < 2.5:
        return 0.6 * half + 0.4 * pot
    return (players - 1.8) * (0.9 * half + 0.1 * pot)


@jit
def candidates(s: Row, out: Any, rng: Any) -> int:
    """All cards in the tricks; what the policy does before."""
    n = legal(s, out)
    if s.phase == Phase.TRICKS or n == 1:
        return n
    out[0] = policy(s, out, rng)
    return 1


@jit
def stage(s: Row) -> int:
    """Return the round."""
    return int(s.round_no)


@jit
def outlook(s: Row, out: Any) -> None:
    """Write every seat's net and its part of the pot, which in the end is shared by all, into `out`."""
    for seat in range(SEATS):
        out[seat] = s.net[seat] + s.pot / SEATS


@jit
def shown(s: Row, action: int) -> int:
    """Which cards are thrown away is hidden, how many is not."""
    return HIDDEN if DISCARD <= action < PLAY else action


@jit
def told(s: Row, w: Row, action: int) -> float:
    """How likely it is with the cards of a world to go in, to exchange these cards, to play this one."""
    p, trump, played = s.seat, state.trump_suit(s), state.cards_of(w, s.seat)
    s.hand[p] = w.hand[p] | played & ~state.cards_of(s, p)
    if s.phase == Phase.TRICKS:
        cards = rules.may_play(s)
        chosen = PLAY + card_to_play(s, cards, trump) == action
        return log(PLAYS / count(cards) + (1 - PLAYS) * int(chosen))
    dealt = dealt_to(w, p)
    if s.phase == Phase.EXCHANGE and action == DONE:
        spare = dealt & ~state.suit_cards(trump) & ~ACES
        odd = count((w.thrown[p] ^ spare) & dealt)
        return odd * log(KEEPS) + (count(dealt) - odd) * log(1 - KEEPS)
    s.hand[p], blind = dealt, s.phase == Phase.OFFER and s.village == state.VILALBA
    if s.phase > Phase.OFFER or blind or rules.must_play(s):
        return 0.0
    bold = boldness(s, trump) / (BOLDNESS * s.pot)
    return -log(1 + exp(-bold if action == IN else bold))


@jit
def put_back(s: Row, w: Row, action: int) -> int:
    """Put back the cards of a seat; what it threw away, where it is known in which order, stays away."""
    p, cards = s.seat, dealt_to(w, s.seat)
    if s.round_no != w.round_no or count(cards) != 5 + int(p == state.dealer(s)):
        return NO_ACTION  # another deal, or a hand that was given up
    s.hand[p] = cards
    if s.phase == Phase.TRICKS:
        s.hand[p], s.thrown[p] = (w.hand[p] | state.cards_of(w, p)) & ~state.cards_of(s, p), w.thrown[p]
        for k in range(state.MOST_DRAWN):
            s.drawn[p, k] = w.drawn[p, k]
    elif s.phase >= Phase.EXCHANGE:
        if action != DONE or p == state.dealer(s):
            return NO_ACTION
        s.thrown[p] = cards & w.thrown[p]
        s.hand[p] = cards & ~s.thrown[p]
    return action


@jit
def dealt_to(w: Row, p: int) -> int:
    """Mask of the cards that a seat was dealt in a world."""
    cards = w.hand[p] | w.thrown[p] | state.cards_of(w, p)
    for k in range(w.exchanged[w.slot, p]):
        cards &= ~bit(w.drawn[p, k])
    return cards


@jit
def earlier(s: Row, number: int) -> int:
    """Go back to a statement, an exchange (when it is done), or a card of a seat; the hands stay hidden."""
    slot, ins, outs = s.slot, state.seats_in(s), state.seats_out(s)
    for k in range(1, SEATS + 1):
        seat = (state.dealer(s) + k) % SEATS
        offered = seat == state.dealer(s)
        if not has(ins | outs, seat) or (offered and not state.against_house(s)):
            continue
        if number == 0:
            s.phase, s.seat = (Phase.OFFER if offered else Phase.STATEMENTS), seat
            s.ins[slot], s.outs[slot] = 0, 0
            for before in range(1, k):
                said = bit((state.dealer(s) + before) % SEATS)
                s.ins[slot] |= ins & said
                s.outs[slot] |= outs & said
            return IN if has(ins, seat) else OUT
        number -= 1
    for k in range(1, SEATS + 1):
        seat = (state.dealer(s) + k) % SEATS
        if s.exchanged[slot, seat] >= 0:
            if number == 0:
                s.phase, s.seat = Phase.EXCHANGE, seat
                return DONE
            number -= 1
    for trick in range(s.trick + 1 if s.phase == Phase.TRICKS else 0):
        who = I64(s.leaders[slot, trick])
        for _ in range(count(ins) + int(state.against_house(s))):
            if number == 0 and who != state.HOUSE:
                return back_to_card(s, who, trick)
            number -= int(who != state.HOUSE)
            who = state.next_player(s, who)
    return NO_ACTION


@jit
def back_to_card(s: Row, who: int, trick: int) -> int:
    """Take back this card of a trick and all that came after it; NO_ACTION: it was not played yet."""
    card, again = state.card_of(s, who, trick), who
    if card < 0:
        return NO_ACTION
    while True:
        s.played[s.slot, again, trick] = NOBODY
        again = state.next_player(s, again)
        if again == I64(s.leaders[s.slot, trick]):
            break
    s.played[s.slot, :, trick + 1 :] = NOBODY
    s.leaders[s.slot, trick + 1 :] = NOBODY
    s.seat, s.trick = who, trick
    return PLAY + card


@jit
def keep(s: Row, w: Row, again: int) -> int:
    """Leave the cards of all other seats as they are in a world; the pile and the stock are dealt again."""
    again |= state.seats_out(w)
    for p in range(SEATS):
        if p != s.seat and not has(again, p):
            s.hand[p], s.thrown[p] = w.hand[p], w.thrown[p]
            for k in range(state.MOST_DRAWN):
                s.drawn[p, k] = w.drawn[p, k]
    return again


@jit
def happened(s: Row, before: Row, seat: int) -> int:
    """Tell what a round brought a seat: its tricks, and whether it lost money."""
    slot, won = before.slot, 0
    for trick in range(1, state.TRICKS + 1):
        won += s.leaders[slot, trick] == seat
    fails = s.ins[slot] >> seat & 1 == 1 and won < state.SAFE
    return int(fails) | int(won >= state.SAFE) << 1 | int(s.net[seat] < before.net[seat]) << 2
