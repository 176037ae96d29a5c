"""Julepe: the vocabulary, the record, and what rules, views and bots ask about cards and records.

Cards, phases, actions, options and their check, `STATE`; then small functions in which nothing moves: over masks of cards, over
a round, and the policy that the house follows. Numbers of rules refer to `docs/rules/julepe.md`. What may be done and what it
does is in `julepe`.
"""

from __future__ import annotations

import numpy as np

from ..core import I64, Row, bit, has, highest, jit, lowest
from ..errors import OptionError
from ..option import Option, Value, state_dtype

# --- vocabulary ----------------------------------------------------------------------------------------------------------

SUITS = "ocb"
RANKS = ("2", "4", "5", "6", "7", "10", "11", "12", "3", "1")
CARDS = tuple(rank + suit for suit in SUITS for rank in RANKS)  # card number = 10 * suit + rank (rules 1)
ALL_CARDS = (1 << 30) - 1
SUIT_CARDS = (1 << 10) - 1
ACE = 9  # the rank

SEATS = 5
HOUSE = 5  # takes part in tricks like a seat, but never is the seat to act
TRICKS = 5
SAFE = 2  # tricks
LEFTOVERS = 4

STATEMENTS, OFFER, EXCHANGE, DOWN, PLAY = range(5)
PHASES = ("statements", "house", "exchange", "down", "tricks")

OUT, IN, DONE, DISCARD_0, PLAY_0 = 0, 1, 2, 3, 33  # rules 7; DISCARD_0 and PLAY_0 plus a card number
ACTIONS = ("out", "in", "done", *(f"discard {card}" for card in CARDS), *(f"play {card}" for card in CARDS))

URONES, VILALBA = 0, 1
CARRY, PAY = 0, 1
OPTIONS = (
    Option("rounds", 5, "rounds in one game; 5 = every seat deals once", 1, 100),
    Option("stake", 50, "cents that one player adds to the pot at one time, the smallest coin; a multiple of 10", 10, 1000),
    Option(
        "village",
        "urones",
        "the dealer decides about playing the house after a look at his cards (urones) or blind (vilalba)",
        choices=("urones", "vilalba"),
    ),
    Option(
        "nobody_safe",
        "carry",
        "five players with one trick each: nobody pays (carry) or everybody pays the pot's value (pay)",
        choices=("carry", "pay"),
    ),
    Option("overtrump", False, "who must trump must also beat the highest trump of the trick if able"),
)
LARGEST_PAYMENT = 1 << 52  # cents; keeps pot and nets of 100 rounds within 64 bits, out of reach of any real game (rules 5.6)


def check(players: int, options: dict[str, Value]) -> None:
    """Refuse a stake that is no multiple of 10 cents, so that a fifth of the pot is a whole number (rules 2)."""
    if int(options["stake"]) % 10:
        raise OptionError(f"option stake = {options['stake']}: allowed is a multiple of 10")


# The public record of a round is kept until its dealer deals again: arrays [dealer] hold the last five rounds, this one included.
STATE = state_dtype(
    OPTIONS,
    [
        ("round_no", np.int16),  # 0 .. rounds-1; its dealer is seat round_no % 5
        ("phase", np.int8),  # index of PHASES; STATEMENTS when over
        ("trick", np.int8),  # number of the trick in play, 0 .. 4; blank 0
        ("left", np.int8),  # cards in the stock
        ("stock", np.int8, 24),  # leftovers on the pile, the next card drawn is stock[left - 1]; blank -1; nobody sees any
        ("pot", np.int64),  # cents
        ("net", np.int64, SEATS),  # cents won or lost so far
        ("hand", np.int64, SEATS + 1),  # seats and house; of a seat that is out: what it gave up; own only, the house's nobody
        ("thrown", np.int64, SEATS + 1),  # cards thrown away this round; own only, the house's nobody
        ("drawn", np.int64, SEATS),  # cards drawn this round, wherever they are now; own only
        ("ins", np.int8, SEATS),  # [dealer] bits of the seats that are in
        ("outs", np.int8, SEATS),  # [dealer] bits of the seats that said out
        ("upcards", np.int8, SEATS),  # [dealer] the face-up card; blank -1
        ("swapped", np.int8, (SEATS, SEATS)),  # [dealer, seat] cards exchanged, known at `done`; blank -1
        ("played", np.int8, (SEATS, SEATS + 1, TRICKS)),  # [dealer, seat or house, trick] card; blank -1
        ("takers", np.int8, (SEATS, TRICKS + 1)),  # [dealer, t] led trick t and won trick t-1; blank -1
        ("pots", np.int64, SEATS),  # [dealer] the pot that the round was played for, set at its end; blank 0
    ],
)

# --- cards ---------------------------------------------------------------------------------------------------------------


@jit
def suit_cards(suit: int) -> int:
    """Mask of all cards of a suit (0 o, 1 c, 2 b)."""
    return I64(SUIT_CARDS) << I64(10 * suit)


@jit
def above(card: int) -> int:
    """Mask of the cards of the same suit that are higher."""
    return suit_cards(card // 10) & (I64(-2) << I64(card))


@jit
def beats(card: int, best: int, trump: int) -> bool:
    """Whether a card wins over the best one so far (rules 4.5)."""
    if card // 10 == best // 10:
        return card > best
    return card // 10 == trump


@jit
def playable(hand: int, trump: int, led: int, best: int, overtrump: int) -> int:
    """Mask of the cards that may be played on a trick (rules 4.5).

    `trump`: the suit; `led`: the card led, -1 to lead; `best`: the card that wins the trick so far.
    """
    if led < 0:
        return hand
    suited = hand & suit_cards(led // 10)
    if suited != 0:
        return higher_if_any(suited, best)  # none is higher than a trump that has taken a side suit
    trumps = hand & suit_cards(trump)
    if trumps == 0:
        return hand
    return higher_if_any(trumps, best) if overtrump else trumps


@jit
def higher_if_any(cards: int, best: int) -> int:
    """Those of the cards that are of the best card's suit and higher; if there are none, all."""
    higher = cards & above(best)
    return higher if higher != 0 else cards


# --- the round at a glance (public helpers) ------------------------------------------------------------------------------


@jit
def dealer(s: Row) -> int:
    """The dealer of this round (rules 3)."""
    return I64(s.round_no % SEATS)


@jit
def trump_suit(s: Row) -> int:
    """The trump suit of this round, 0 o, 1 c, 2 b; cards must have been dealt."""
    return I64(s.upcards[dealer(s)] // 10)


@jit
def trump_ace(s: Row) -> int:
    """Card number of the ace of trumps."""
    return 10 * trump_suit(s) + ACE


@jit
def is_in(s: Row, seat: int) -> bool:
    """Whether the seat is in, in this round."""
    return has(s.ins[dealer(s)], seat)


@jit
def against_house(s: Row) -> bool:
    """Whether the dealer plays the house in this round (rules 4.2)."""
    return s.ins[dealer(s)] == bit(dealer(s))


@jit
def tricks_won(s: Row, who: int) -> int:
    """Tricks that a seat (or HOUSE) has won in this round."""
    won = I64(0)
    for t in range(1, TRICKS + 1):
        won += I64(s.takers[dealer(s), t] == who)
    return won


@jit
def next_player(s: Row, who: int) -> int:
    """Who plays to the trick after this seat (or HOUSE)."""
    if against_house(s):
        return dealer(s) if who == HOUSE else HOUSE
    who = (who + 1) % SEATS
    while not is_in(s, who):
        who = (who + 1) % SEATS
    return who


@jit
def leader(s: Row) -> int:
    """Who leads the trick in play: a seat or HOUSE."""
    return I64(s.takers[dealer(s), s.trick])


@jit
def led_card(s: Row) -> int:
    """The card that was led to the trick in play; -1 if none was."""
    return I64(s.played[dealer(s), leader(s), s.trick])


@jit
def winner(s: Row) -> int:
    """Who wins the trick in play as it lies: a seat or HOUSE. A card has been led."""
    d, trump = dealer(s), trump_suit(s)
    best = leader(s)
    who = next_player(s, best)
    while who != leader(s) and s.played[d, who, s.trick] >= 0:
        if beats(s.played[d, who, s.trick], s.played[d, best, s.trick], trump):
            best = who
        who = next_player(s, who)
    return best


@jit
def best_card(s: Row) -> int:
    """The card that wins the trick in play as it lies; -1 if none was led."""
    return I64(s.played[dealer(s), winner(s), s.trick]) if led_card(s) >= 0 else I64(-1)


@jit
def played_cards(s: Row) -> int:
    """Mask of all cards played in this round."""
    cards = I64(0)
    for who in range(SEATS + 1):
        cards |= cards_of(s, who)
    return cards


@jit
def cards_of(s: Row, who: int) -> int:
    """Mask of the cards that a seat (or HOUSE) has played in this round."""
    cards = I64(0)
    for t in range(TRICKS):
        if s.played[dealer(s), who, t] >= 0:
            cards |= bit(s.played[dealer(s), who, t])
    return cards


# --- the policy of the house (rules 4.6) ---------------------------------------------------------------------------------


@jit
def strength(card: int, trump: int) -> int:
    """Place of a card in the house's order from weak to strong: side suits first, then rank, then o c b."""
    return 3 * (card % 10) + card // 10 + (30 if card // 10 == trump else 0)


@jit
def weakest(cards: int, trump: int) -> int:
    """The weakest card of a mask that is not empty, in the house's order."""
    found = lowest(cards)
    while cards != 0:
        card = lowest(cards)
        if strength(card, trump) < strength(found, trump):
            found = card
        cards &= cards - 1
    return found


@jit
def house_lead(hand: int, trump: int) -> int:
    """The house leads its highest side-suit card (equal ranks: o, c, b), with trumps only the highest."""
    side = hand & ~suit_cards(trump)
    if side == 0:
        return highest(hand)
    found = lowest(side)
    while side != 0:
        card = lowest(side)
        if card % 10 > found % 10:
            found = card
        side &= side - 1
    return found


@jit
def house_follow(hand: int, trump: int, led: int) -> int:
    """The house wins with the lowest-ranking card that does, else plays its weakest legal card."""
    may = playable(hand, trump, led, led, 0)
    win = may & (above(led) if led // 10 == trump else above(led) | suit_cards(trump))
    if win == 0:
        return weakest(may, trump)
    return lowest(win)  # all of one suit: who can follow must, who cannot may only trump


@jit
def house_card(hand: int, trump: int, led: int) -> int:
    """The card that the house plays; `led` = -1: it leads."""
    return house_lead(hand, trump) if led < 0 else house_follow(hand, trump, led)
