"""Julepe: the vocabulary, the record, and what can be read off it.

Cards, phases, actions, options and their check, `RECORD`; then small compiled functions over masks of cards
and over the round in play. Section numbers are those of `docs/rules/julepe.md`. Nothing moves here: what may
be done and what it does is in `rules`.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from ..core import I64, NOBODY, Row, bit, has, jit, mask_of
from ..declaration import Option, Value
from ..errors import OptionError
from ..record import AMOUNT, MOST, Record, within

# --- vocabulary ---------------------------------------------------------------------------------------------

SUITS = "ocb"
RANKS = ("2", "4", "5", "6", "7", "10", "11", "12", "3", "1")
CARDS = tuple(rank + suit for suit in SUITS for rank in RANKS)  # card number = 10 * suit + rank [1]
ALL_CARDS = (1 << 30) - 1
SUIT_CARDS = (1 << 10) - 1
ACE = 9  # the rank

SEATS = 5
MOST_STOCK = 24
ALL_SEATS = (1 << SEATS) - 1
HOUSE = 5  # takes part in tricks like a seat, but never is the seat to act
TRICKS = 5
SAFE = 2  # tricks
LEFTOVERS = 4
MOST_DRAWN = 6  # the dealer's
MOST_ROUNDS = 100
KEPT_ROUNDS = 20  # four turns of the deal; more would make the record slow to copy


Phase = IntEnum("Phase", "STATEMENTS OFFER EXCHANGE DOWN TRICKS", start=0)
"""What the seat to act decides; of a game that is over: STATEMENTS."""


PHASES = ("statements", "house", "exchange", "down", "tricks")

OUT, IN, DONE, DISCARD, PLAY = 0, 1, 2, 3, 33  # DISCARD and PLAY plus a card number [7]
ACTIONS = ("out", "in", "done", *(f"discard {card}" for card in CARDS), *(f"play {card}" for card in CARDS))

VILLAGES = ("urones", "vilalba")
VILALBA = 1
NOBODY_SAFE = ("carry", "pay")
CARRY = 0
OPTIONS = (
    Option("rounds", 5, "rounds in one game; 5 = every seat deals once", 1, MOST_ROUNDS),
    Option("stake", 50,
           "cents that one player adds to the pot at one time, the smallest coin; a multiple of 10", 10,
           1000),
    Option("village", "urones",
           "the dealer decides about playing the house after a look at his cards (urones) or blind (vilalba)",
           choices=VILLAGES),
    Option("nobody_safe", "carry",
           "five players with one trick each: nobody pays (carry) or everybody pays the pot's value (pay)",
           choices=NOBODY_SAFE),
    Option("overtrump", False, "who must trump must also beat the highest trump of the trick if able"),
    Option("beat_led", False,
           "who has the suit led must beat its best card if able, also after the trick was trumped"),
)  # fmt: skip
LARGEST_PAYMENT = 1 << 52
"""In cents: keeps pot and nets of 100 rounds within 64 bits; no real game gets near it [5.6]."""


def check(players: int, options: dict[str, Value]) -> None:
    """Refuse a stake that is no multiple of 10 cents, so that a fifth of the pot is a whole number [2]."""
    if int(options["stake"]) % 10:
        raise OptionError(f"option stake = {options['stake']}: allowed is a multiple of 10")


CARD, CARD_SET = within(NOBODY, 29), within(0, ALL_CARDS)

RECORD = Record(
    OPTIONS,
    [
        # 0 .. rounds-1; its dealer is seat round_no % 5
        ("round_no", np.int64, within(0, lambda o: o["rounds"] - 1)),
        # round_no % KEPT_ROUNDS: where the public record of this round is
        ("slot", np.int64, within(0, KEPT_ROUNDS - 1)),
        ("phase", np.int64, within(0, Phase.TRICKS)),  # a Phase
        ("trick", np.int64, within(0, TRICKS - 1)),  # number of the trick in play, 0 .. 4; blank 0
        ("pot", np.int64, within(0, MOST)),  # cents
        ("net", np.int64, SEATS, AMOUNT),  # cents won or lost so far
        # seats and house; of a seat that is out: what it gave up; own only, the house's nobody
        ("hand", np.int64, SEATS + 1, CARD_SET),
        # cards thrown away this round; own only, the house's nobody
        ("thrown", np.int64, SEATS + 1, CARD_SET),
        # [seat] cards drawn this round, in order; blank -1; own only
        ("drawn", np.int8, (SEATS, MOST_DRAWN), CARD),
        ("left", np.int64, within(0, MOST_STOCK)),  # cards in the stock
        # leftovers on the pile, the next card drawn is stock[left - 1]; blank -1; nobody sees any
        ("stock", np.int8, MOST_STOCK, CARD),
        # the public record of the last rounds, [round % KEPT_ROUNDS]; rounds that the game does not have: 0:
        ("ins", np.int8, KEPT_ROUNDS, within(0, ALL_SEATS)),  # bits of the seats that are in
        ("outs", np.int8, KEPT_ROUNDS, within(0, ALL_SEATS)),  # bits of the seats that said out
        ("upcard", np.int8, KEPT_ROUNDS, CARD),  # the face-up card; blank -1
        # [, seat] number of cards, known at `done`; blank -1
        ("exchanged", np.int8, (KEPT_ROUNDS, SEATS), within(NOBODY, 6)),
        # [, seat or house, trick] card; blank -1
        ("played", np.int8, (KEPT_ROUNDS, SEATS + 1, TRICKS), CARD),
        # [, t] leads trick t, having won trick t-1; blank -1
        ("leaders", np.int8, (KEPT_ROUNDS, TRICKS + 1), within(NOBODY, HOUSE)),
        # the pot that the round was played for, set at its end; blank 0
        ("pots", np.int64, KEPT_ROUNDS, within(0, MOST)),
    ],
)

# --- cards --------------------------------------------------------------------------------------------------


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
    """Whether a card wins over the best one so far [4.5]."""
    if card // 10 == best // 10:
        return card > best
    return card // 10 == trump


@jit
def higher_in_suit(best: int, card: int) -> int:
    """Return the second of two cards if it is of the suit of the first and higher, else the first."""
    return card if has(above(best), card) else best


@jit
def playable(hand: int, trump: int, led: int, best: int, to_beat: int, overtrump: int) -> int:
    """Mask of the cards that may be played on a trick [4.5].

    `trump`: the suit; `led`: the card led, -1 to lead; `best`: the card that wins the trick so far;
    `to_beat`: the one that a card of the suit led must beat if able.
    """
    if led < 0:
        return hand
    suited = hand & suit_cards(led // 10)
    if suited != 0:
        return higher_if_any(suited, to_beat)  # none is higher than a trump that has taken a side suit
    trumps = hand & suit_cards(trump)
    if trumps == 0:
        return hand
    return higher_if_any(trumps, best) if overtrump else trumps


@jit
def higher_if_any(cards: int, best: int) -> int:
    """Those of the cards that are of the best card's suit and higher; if there are none, all [4.5]."""
    higher = cards & above(best)
    return higher if higher != 0 else cards


# --- the round in play --------------------------------------------------------------------------------------


@jit
def dealer(s: Row) -> int:
    """Return the dealer of this round [3]."""
    return s.round_no % SEATS


@jit
def upcard(s: Row) -> int:
    """Return the face-up card of this round; -1 before the deal [3]."""
    return I64(s.upcard[s.slot])


@jit
def trump_suit(s: Row) -> int:
    """Return the trump suit of this round, 0 o, 1 c, 2 b; cards must have been dealt [3]."""
    return upcard(s) // 10


@jit
def trump_ace(s: Row) -> int:
    """Card number of the ace of trumps."""
    return 10 * trump_suit(s) + ACE


@jit
def seats_in(s: Row) -> int:
    """Bits of the seats that are in, in this round [4.1]."""
    return I64(s.ins[s.slot])


@jit
def seats_out(s: Row) -> int:
    """Bits of the seats that said `out` in this round [4.1]."""
    return I64(s.outs[s.slot])


@jit
def against_house(s: Row) -> bool:
    """Whether the dealer plays the house in this round [4.2]."""
    return seats_in(s) == bit(dealer(s))


@jit
def card_of(s: Row, who: int, trick: int) -> int:
    """Return the card that a seat (or HOUSE) played to a trick of this round; -1 if none yet."""
    return I64(s.played[s.slot, who, trick])


@jit
def cards_of(s: Row, who: int) -> int:
    """Mask of the cards that a seat (or HOUSE) has played in this round."""
    return mask_of(s.played[s.slot, who])


@jit
def played_cards(s: Row) -> int:
    """Mask of all cards played in this round."""
    cards = I64(0)
    for who in range(SEATS + 1):
        cards |= cards_of(s, who)
    return cards


@jit
def tricks_won(s: Row, who: int) -> int:
    """Tricks that a seat (or HOUSE) has won in this round."""
    won = 0
    for t in range(1, TRICKS + 1):
        won += s.leaders[s.slot, t] == who
    return won


@jit
def next_player(s: Row, who: int) -> int:
    """Who plays to the trick after this seat (or HOUSE) [4.5]."""
    if against_house(s):
        return dealer(s) if who == HOUSE else HOUSE
    who = (who + 1) % SEATS
    while not has(seats_in(s), who):
        who = (who + 1) % SEATS
    return who


@jit
def leader(s: Row) -> int:
    """Who leads the trick in play: a seat or HOUSE."""
    return I64(s.leaders[s.slot, s.trick])


@jit
def led_card(s: Row) -> int:
    """Return the card that was led to the trick in play; -1 if none was."""
    return card_of(s, leader(s), s.trick)


@jit
def winner(s: Row) -> int:
    """Who wins the trick in play as it lies: a seat or HOUSE. A card has been led [4.5]."""
    best = leader(s)
    who = next_player(s, best)
    while who != leader(s) and card_of(s, who, s.trick) >= 0:
        if beats(card_of(s, who, s.trick), card_of(s, best, s.trick), trump_suit(s)):
            best = who
        who = next_player(s, who)
    return best


@jit
def best_card(s: Row) -> int:
    """Return the card that wins the trick in play as it lies; -1 if none was led."""
    return card_of(s, winner(s), s.trick) if led_card(s) >= 0 else I64(NOBODY)


@jit
def card_to_beat(s: Row) -> int:
    """Return the card of the trick in play that a card of the suit led must beat if able [4.5]."""
    if s.beat_led == 0:
        return best_card(s)
    best = led_card(s)
    for who in range(SEATS):
        best = higher_in_suit(best, card_of(s, who, s.trick))
    return best
