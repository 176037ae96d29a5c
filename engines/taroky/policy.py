"""Taroky, for the search: a quick player, what is searched, and where a round ends.

The player is the bot `rule`, compiled. Only the cards
are searched: with random calls in playouts every call looks bad, and a search of calls lost hundreds of Elo.
"""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from ..core import HIDDEN, I64, NO_ACTION, NOBODY, Row, bit, count, has, highest, jit, legal, lowest, scratch
from . import cardplay, rules, state, worlds
from .cardplay import CARD_POINTS
from .state import SEATS, Action, Phase

PRESET = {"playouts": 250, "noise": 0.0, "gate": 1.0, "model": True}  # see engines.search.preset
TRIFLE = 0.2  # chips: a decision that costs less does not matter
EVENTS = (
    "the own side wins the round",
    "the own side gets a Pagat bonus",
    "the own side pays a Pagat bonus",
    "a Valat, called or made, decides the round",
)
"""What `happened` tells, by bit."""

HIGH_TRUMP, TOP_TRUMP, KING, MISSING_SUIT = 0.6, 2.25, 0.75, 0.6
PREVER_STRENGTH = 11.8
CONTRA_STRENGTH = np.array([[13, 13.5, 15], [10, 14.5, 14]])  # [Prever round, contra, rhea or supra]
PAGAT_TRUMPS = 9
CALLS, DISCARDS, PLAYS = 0.03, 0.03, 0.22
"""How far others differ from the policy (`told`): the share of calls and of discards that are other ones, and
of cards that are played at random, as often as that happened in 52 games of rule, trained, steady and
montecarlo.
"""


@jit
def policy(s: Row, out: Any, rng: Any) -> int:
    """Speaks by its strength, discards from the suit that is soonest empty, plays the card of most value."""
    if s.phase == Phase.PLAY:
        return Action.PLAY + cardplay.best_card(s, rules.playable(s))
    if s.phase == Phase.DISCARD:
        return Action.DISCARD + card_to_discard(s.hand[s.seat], rules.discardable(s.hand[s.seat]))
    n = legal(s, out)
    first, last = int(out[0]), int(out[n - 1])
    if first == Action.CALL:
        return last
    return last if first == Action.PASS and last != first and speaks(s, s.hand[s.seat], last) else first


# --- calls and discards -----------------------------------------------------------------------------------


@jit
def strength(hand: int) -> float:
    """Return what 12 cards are worth: trumps, high ones more, and something for Kings and missing suits."""
    trumps = hand & state.TRUMPS
    missing = 0
    for suit in range(state.TRUMP_SUIT):
        missing += hand & state.SUITS[suit] == 0
    return (
        count(trumps)
        + HIGH_TRUMP * count(trumps >> 46)
        + TOP_TRUMP * count(trumps >> state.MOND)
        + KING * count(hand & state.KINGS)
        + MISSING_SUIT * missing
    )


@jit
def speaks(s: Row, hand: int, word: int) -> bool:
    """Whether the hand is worth a call."""
    if word == Action.PREVER:
        return strength(hand) >= PREVER_STRENGTH
    if word == Action.VALAT:
        return s.povinnost == s.seat and surely_valat(hand)
    if word == Action.PAGAT:
        return count(hand & state.TRUMPS) >= PAGAT_TRUMPS
    if s.valat >= 0:
        return word == Action.CONTRA and has(hand, state.SKYZ)  # a certain trick
    return strength(hand) >= CONTRA_STRENGTH[int(s.prever >= 0), word - Action.CONTRA]


@jit
def surely_valat(hand: int) -> bool:
    """Whether a leader's hand cannot lose: trumps from the top that outlast the others', and Kings."""
    trumps = hand & state.TRUMPS
    top = highest(~trumps & state.TRUMPS)
    return count(trumps) >= 10 and count(trumps >> top) >= 5 and hand & ~state.TRUMPS & ~state.KINGS == 0


@jit
def card_to_discard(hand: int, cards: int) -> int:
    """From a short suit, best one without its King; points are safe among the discards."""
    best, most = -1, -100
    while cards != 0:
        card = lowest(cards)
        suit = hand & state.SUITS[state.suit_of(card)]
        worth = (0 if suit & state.KINGS != 0 else 6) - 4 * count(suit & ~state.KINGS) + CARD_POINTS[card]
        if worth > most:
            best, most = card, worth
        cards &= cards - 1
    return best


# --- what the search asks ---------------------------------------------------------------------------------


@jit
def candidates(s: Row, out: Any, rng: Any) -> int:
    """All cards in the tricks; what the policy does before."""
    if s.phase == Phase.PLAY:
        return legal(s, out)
    out[0] = policy(s, out, rng)
    return 1


@jit
def stage(s: Row) -> int:
    """Return the rounds that are settled."""
    return int(s.finished)


@jit
def outlook(s: Row, out: Any) -> None:
    """Write the chips won so far into `out`. The rounds to come are alike for all."""
    for seat in range(SEATS):
        out[seat] = s.totals[seat]


@jit
def shown(s: Row, action: int) -> int:
    """Discards are hidden; a trump among them is seen, so it comes to the same as an open one."""
    card = action - Action.DISCARD
    return HIDDEN if s.phase == Phase.DISCARD and card < state.PAGAT else action


@jit
def told(s: Row, w: Row, action: int) -> float:
    """How likely a call, the discards, or a card are with the cards of a world.

    Nothing before a seat takes cards of the talon: which they were is not known.
    """
    p = s.seat
    if not take_back(s, w):
        return 0.0
    if s.phase == Phase.PLAY:
        cards = rules.playable(s)
        chosen = cardplay.best_card(s, cards) == action - Action.PLAY
        return log(PLAYS / count(cards) + (1 - PLAYS) * int(chosen))
    if s.phase == Phase.DISCARD:
        fit, left = 0.0, s.hand[p]
        for _ in range(count(w.discards[p]) if s.discard_count[p] == 0 else 0):
            card = card_to_discard(left, rules.discardable(left))
            left &= ~bit(card)
            fit += log(1 - DISCARDS if has(w.discards[p], card) else DISCARDS / 4)
        return fit
    words = scratch(2, np.int16)
    if rules.legal_words(s, words) < 2 or words[0] != Action.PASS:
        return 0.0
    return log(1 - CALLS if (action == words[1]) == speaks(s, s.hand[p], int(words[1])) else CALLS)


@jit
def take_back(s: Row, w: Row) -> bool:
    """Give a seat the cards that it had in a world; False before it takes some of the talon."""
    p = s.seat
    if s.phase <= Phase.PILE or worlds.taken(s, p) != worlds.taken(w, p):
        return False
    s.hand[p], s.discards[p], s.partner = w.hand[p], w.discards[p], w.partner
    for k in range(s.played, w.played):
        if state.player_of(w, k) == p:
            s.hand[p] |= bit(w.tricks[k])
    if s.discard_count[p] == 0:
        s.hand[p] |= w.discards[p]
        s.discards[p] = 0
    return True


@jit
def put_back(s: Row, w: Row, action: int) -> int:
    """Put back the cards of a seat; not where it sees a part of the talon, or while it discards."""
    known = s.finished == w.finished and (s.phase == Phase.BID or s.phase > Phase.DISCARD)
    return action if known and take_back(s, w) else NO_ACTION


@jit
def earlier(s: Row, number: int) -> int:
    """Go back to a seat's first discard or to a card; bids and calls are not looked at."""
    for k in range(SEATS):
        seat = state.after(s.povinnost, k)
        if s.discard_count[seat] > 0:
            if number == 0:
                s.phase, s.seat, s.played, s.discard_count[seat] = Phase.DISCARD, seat, 0, 0
                return Action.DISCARD
            number -= 1
    if s.phase != Phase.PLAY or number >= s.played:
        return NO_ACTION
    card, s.seat = I64(s.tricks[number]), state.player_of(s, number)
    for k in range(number, s.played):
        s.hand_size[state.player_of(s, k)] += 1
    for k in range(number & ~3, s.played):
        for seat in range(SEATS):
            s.won[seat] &= ~bit(s.tricks[k])
    s.tricks[number : s.played] = NOBODY
    s.leaders[(number >> 2) + 1 :] = NOBODY
    s.played = number
    return Action.PLAY + card


@jit
def keep(s: Row, w: Row, again: int) -> int:
    """Leave the cards of all other seats as they are in a world."""
    for p in range(SEATS):
        if p != s.seat and not has(again, p):
            s.hand[p], s.discards[p] = w.hand[p], w.discards[p]
    return again


@jit
def happened(s: Row, before: Row, seat: int) -> int:
    """Tell how the round ended for a seat: its side, the Pagat, Valat."""
    played = before.finished
    if s.finished == played:
        return 0
    declares = has(s.declarers[played], seat)
    bonus = s.bonus[played] if declares else -s.bonus[played]
    won = (s.kind[played] > 0) == declares
    valat = abs(s.kind[played]) > 1
    return int(won) | int(bonus > 0) << 1 | int(bonus < 0) << 2 | int(valat) << 3
