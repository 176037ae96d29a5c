"""Julepe: a Spanish trick game for a pot of money; who plays must win two of the five tricks or pay the value of the pot.

Five seats, 30 cards, money in whole cents; 5 rounds by default, about 160 decisions a game. With nobody else in, the dealer
may play the house, which follows a fixed policy. Numbers of rules refer to `docs/rules/julepe.md`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .core import (
    I64,
    OVER,
    SHUFFLE,
    Row,
    below,
    bit,
    cards_into,
    count,
    draw_from,
    fill,
    has,
    highest,
    jit,
    lowest,
    mask_into,
    shuffle_with,
)
from .errors import OptionError
from .game import Field, Game, Option, Value, state_dtype

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


# --- set-up and chance (rules 3) -----------------------------------------------------------------------------------------


@jit
def start(s: Row) -> None:
    """Every seat pays one stake; the first deal is due."""
    s.pot = SEATS * s.stake
    fill(s.net, -s.stake)
    for d in range(SEATS):
        clear_record(s, d)
    s.round_no = 0
    begin_round(s)


@jit
def clear_record(s: Row, d: int) -> None:
    """Blank the public record of the round that seat `d` dealt."""
    s.ins[d] = 0
    s.outs[d] = 0
    s.upcards[d] = -1
    s.pots[d] = 0
    fill(s.swapped[d], -1)
    fill(s.takers[d], -1)
    for who in range(SEATS + 1):
        fill(s.played[d, who], -1)


@jit
def clear_cards(s: Row) -> None:
    """Blank all that belongs to the cards of one round."""
    fill(s.hand, 0)
    fill(s.thrown, 0)
    fill(s.drawn, 0)
    fill(s.stock, -1)
    s.left = 0
    s.trick = 0
    s.phase = STATEMENTS


@jit
def begin_round(s: Row) -> None:
    """The deal of round `round_no` is due."""
    clear_cards(s)
    clear_record(s, dealer(s))
    s.shuffle = s.round_no * 64
    s.seat = SHUFFLE


@jit
def deck(s: Row, out: Any) -> int:
    """All 30 cards for a deal; the hands of those who are out for the pile."""
    if s.shuffle % 64 == 0:
        return mask_into(out, 0, I64(ALL_CARDS))
    cards = I64(0)
    for p in range(SEATS):
        if has(s.outs[dealer(s)], p):
            cards |= s.hand[p]
    return mask_into(out, 0, cards)


@jit
def deal(s: Row, cards: Any) -> None:
    """Take a deal or a pile."""
    if s.shuffle % 64 == 0:
        deal_hands(s, cards)
    else:
        put_pile(s, cards)
        open_exchange(s)


@jit
def deal_hands(s: Row, cards: Any) -> None:
    """Five cards each from the dealer's left, the face-up card to the dealer, four leftovers."""
    d = dealer(s)
    for k in range(25):
        s.hand[(d + 1 + k // 5) % SEATS] |= bit(cards[k])
    s.hand[d] |= bit(cards[25])
    s.upcards[d] = cards[25]
    for k in range(26, 30):
        s.stock[29 - k] = cards[k]
    s.left = LEFTOVERS
    s.seat = (d + 1) % SEATS


@jit
def put_pile(s: Row, cards: Any) -> None:
    """Put the shuffled pile under the leftovers, its first card on top."""
    n = len(cards)
    for k in range(LEFTOVERS - 1, -1, -1):
        s.stock[n + k] = s.stock[k]
    for k in range(n):
        s.stock[n - 1 - k] = cards[k]
    s.left = LEFTOVERS + n


@jit
def draw_card(s: Row) -> int:
    """Take the next card of the stock, which is not empty."""
    s.left -= 1
    card = s.stock[s.left]
    s.stock[s.left] = -1
    return I64(card)


# --- in or out (rules 4.1, 4.2) ------------------------------------------------------------------------------------------


@jit
def must_play(s: Row) -> bool:
    """Whether the seat to act knows that it holds the ace of trumps, and so may only say `in`."""
    if s.phase == OFFER and s.village == VILALBA:
        return s.upcards[s.seat] == trump_ace(s)
    return has(s.hand[s.seat], trump_ace(s))


@jit
def state_in_or_out(s: Row, action: int) -> None:
    """A non-dealer says `in` or `out`; after the fourth the round is played, or the dealer is alone."""
    d, seat = dealer(s), I64(s.seat)
    say(s, action)
    s.seat = (seat + 1) % SEATS
    if s.seat != d:
        return
    if s.ins[d] == 0:
        s.phase = OFFER
        return
    s.ins[d] |= bit(d)
    if s.outs[d] == 0:
        open_exchange(s)
    else:
        ask_for_pile(s)


@jit
def say(s: Row, action: int) -> None:
    """Note the statement of the seat to act."""
    if action == IN:
        s.ins[dealer(s)] |= bit(s.seat)
    else:
        s.outs[dealer(s)] |= bit(s.seat)


@jit
def answer_offer(s: Row, action: int) -> None:
    """The dealer, alone, plays the house, or the round is void (rules 5.4)."""
    say(s, action)
    if action == IN:
        ask_for_pile(s)
    else:
        close_round(s)
        pay_stakes(s, bit(next_dealer(s)))


@jit
def ask_for_pile(s: Row) -> None:
    """The shuffle of the pile is due."""
    s.shuffle = s.round_no * 64 + 1
    s.seat = SHUFFLE


# --- exchange (rules 4.3, 4.4) -------------------------------------------------------------------------------------------


@jit
def open_exchange(s: Row) -> None:
    """The house, if it plays, takes its cards; the first seat in table order that is in exchanges."""
    s.phase = EXCHANGE
    if against_house(s):
        take_house_cards(s)
        s.seat = dealer(s)
    else:
        s.seat = next_player(s, dealer(s))


@jit
def exchangeable(s: Row) -> int:
    """Mask of the cards that the seat to act may discard in its exchange."""
    return I64(s.hand[s.seat]) if count(s.thrown[s.seat]) < s.left else I64(0)


@jit
def throw_away(s: Row, card: int) -> None:
    """Move a card of the seat to act to its discards."""
    s.hand[s.seat] &= ~bit(card)
    s.thrown[s.seat] |= bit(card)


@jit
def draw_up(s: Row) -> None:
    """The exchange of the seat to act is done: it draws as many cards as it discarded; the next one's turn."""
    seat = I64(s.seat)
    n = count(s.thrown[seat])
    for _ in range(n):
        s.drawn[seat] |= bit(draw_card(s))
    s.hand[seat] |= s.drawn[seat]
    s.swapped[dealer(s), seat] = n
    if seat == dealer(s):
        s.phase = DOWN
    else:
        s.seat = next_player(s, seat)


@jit
def come_down(s: Row, card: int) -> None:
    """The dealer throws away his sixth card; the tricks begin."""
    throw_away(s, card)
    s.phase = PLAY
    s.seat = HOUSE if against_house(s) else next_player(s, dealer(s))
    s.takers[dealer(s), 0] = s.seat


# --- tricks (rules 4.5) --------------------------------------------------------------------------------------------------


@jit
def may_play(s: Row) -> int:
    """Mask of the cards that the seat to act may play."""
    return playable(I64(s.hand[s.seat]), trump_suit(s), led_card(s), best_card(s), I64(s.overtrump))


@jit
def play_card(s: Row, card: int) -> None:
    """Whose turn it is (a seat or the house) plays a card; then comes the next player, trick or round."""
    d, who = dealer(s), I64(s.seat)
    s.hand[who] &= ~bit(card)
    s.played[d, who, s.trick] = card
    s.seat = next_player(s, who)
    if s.seat != leader(s):
        return
    taker = winner(s)
    s.takers[d, s.trick + 1] = taker
    if s.trick == TRICKS - 1:
        end_round(s)
    else:
        s.trick += 1
        s.seat = taker


# --- the house (rules 4.6) -----------------------------------------------------------------------------------------------


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
def take_house_cards(s: Row) -> None:
    """The house takes the four leftovers and two cards of the pile and throws the weakest of the six away."""
    for _ in range(LEFTOVERS + 2):
        s.hand[HOUSE] |= bit(draw_card(s))
    card = bit(weakest(I64(s.hand[HOUSE]), trump_suit(s)))
    s.hand[HOUSE] &= ~card
    s.thrown[HOUSE] = card


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


@jit
def house_plays(s: Row) -> None:
    """Let the house play as long as it is its turn."""
    while s.seat == HOUSE:
        play_card(s, house_card(I64(s.hand[HOUSE]), trump_suit(s), led_card(s)))


# --- money (rules 5) -----------------------------------------------------------------------------------------------------


@jit
def pay(s: Row, seat: int, cents: int) -> None:
    """The seat pays into the pot."""
    s.net[seat] -= cents
    s.pot += cents


@jit
def coins(s: Row, cents: int, parts: int) -> int:
    """An equal part of an amount, rounded down to whole coins of one stake."""
    return cents // (parts * I64(s.stake)) * s.stake


@jit
def payment(s: Row) -> int:
    """What a loser pays: the pot."""
    return min(I64(s.pot), I64(LARGEST_PAYMENT) // s.stake * s.stake)


@jit
def end_round(s: Row) -> None:
    """Settle a round whose five tricks are played, and who pays a stake before the next one (rules 5.1 - 5.5)."""
    close_round(s)
    if against_house(s):
        all_pay = settle_house(s)
    elif count(s.ins[dealer(s)]) == 2 and safe_seats(s) == s.ins[dealer(s)]:
        all_pay = split(s)
    else:
        all_pay = settle_julepe(s)
    pay_stakes(s, I64(31) if all_pay else bit(next_dealer(s)))


@jit
def close_round(s: Row) -> None:
    """Complete the record of the round by the pot that it was played for."""
    s.pots[dealer(s)] = s.pot


@jit
def safe_seats(s: Row) -> int:
    """Bits of the seats that have two tricks or more."""
    seats = I64(0)
    for p in range(SEATS):
        if tricks_won(s, p) >= SAFE:
            seats |= bit(p)
    return seats


@jit
def split(s: Row) -> bool:
    """The seats in (two, or the dealer against the house) take half the pot each, in whole coins (rules 5.1, 5.4)."""
    half = coins(s, s.pot, 2)
    for p in range(SEATS):
        if is_in(s, p):
            pay(s, p, -half)
    return True


@jit
def settle_house(s: Row) -> bool:
    """The dealer has played the house; returns whether all pay a stake next (rules 5.4)."""
    d = dealer(s)
    tricks = tricks_won(s, d)
    if tricks < SAFE:
        pay(s, d, payment(s))
        return False
    if tricks <= TRICKS - SAFE:
        return split(s)
    pay(s, d, -s.pot)
    return True


@jit
def settle_julepe(s: Row) -> bool:
    """Every loser pays the pot's value, shared by the safe seats in whole coins, the rest to the pot (rules 5.3)."""
    safe = safe_seats(s)
    losers = I64(s.ins[dealer(s)]) & ~safe
    if safe == 0 and s.nobody_safe == CARRY:
        return False
    price = payment(s)
    share = coins(s, price, count(safe)) * count(losers) if safe != 0 else I64(0)
    for p in range(SEATS):
        if has(losers, p):
            pay(s, p, price)
        elif has(safe, p):
            pay(s, p, -share)
    return False


@jit
def next_dealer(s: Row) -> int:
    """The dealer of the next round."""
    return (dealer(s) + 1) % SEATS


@jit
def pay_stakes(s: Row, payers: int) -> None:
    """The round is over: these seats (bits) pay a stake and the next round begins, or the game ends (rules 5.5, 5.6)."""
    if s.round_no + 1 == s.rounds:
        end_game(s)
        return
    for p in range(SEATS):
        if has(payers, p):
            pay(s, p, I64(s.stake))
    s.round_no += 1
    begin_round(s)


@jit
def end_game(s: Row) -> None:
    """The pot is shared equally (rules 5.6)."""
    share = s.pot // SEATS
    for p in range(SEATS):
        pay(s, p, -share)
    clear_cards(s)
    s.seat = OVER


@jit
def score(s: Row, out: Any) -> None:
    """The nets, in cents."""
    for p in range(SEATS):
        out[p] = s.net[p]


# --- actions (rules 7) ---------------------------------------------------------------------------------------------------


@jit
def legal(s: Row, out: Any) -> int:
    """Write the legal actions of the seat to act into `out`, ascending; return how many."""
    if s.phase == PLAY:
        return cards_into(out, 0, PLAY_0, may_play(s))
    if s.phase == DOWN:
        return cards_into(out, 0, DISCARD_0, I64(s.hand[s.seat]))
    if s.phase == EXCHANGE:
        out[0] = DONE
        return cards_into(out, 1, DISCARD_0, exchangeable(s))
    if must_play(s):
        out[0] = IN
        return 1
    out[0] = OUT
    out[1] = IN
    return 2


@jit
def step(s: Row, action: int) -> None:
    """Apply a legal action; go on to the next decision, shuffle or the end."""
    if s.phase == PLAY:
        play_card(s, action - PLAY_0)
    elif s.phase == STATEMENTS:
        state_in_or_out(s, action)
    elif s.phase == OFFER:
        answer_offer(s, action)
    elif action == DONE:
        draw_up(s)
    elif s.phase == EXCHANGE:
        throw_away(s, action - DISCARD_0)
    else:
        come_down(s, action - DISCARD_0)
    house_plays(s)


# --- hidden information (rules 6) ----------------------------------------------------------------------------------------


@jit
def redact(s: Row, seat: int) -> None:
    """Blank the stock, the house's cards and all other seats'; of a dealer still blind, all but the face-up card."""
    fill(s.stock, -1)
    for who in range(SEATS + 1):
        if who != seat:
            s.hand[who] = 0
            s.thrown[who] = 0
            if who < SEATS:
                s.drawn[who] = 0
    if seat == dealer(s) and s.village == VILALBA and s.phase <= OFFER and s.hand[seat] != 0:
        s.hand[seat] = bit(s.upcards[seat])


# `determinize` deals the hidden cards to places. A place belongs to a holder (seat, HOUSE or STOCK) and is of one kind:
THROWN, KEPT, LEFTOVER, PILED = range(4)  # dealt and thrown in the exchange; dealt, not thrown; from the leftovers; from a pile
OPEN = 4  # column of `room`: how many places KEPT .. PILED of the holder are for cards that were not played
STOCK = 6
HOLDERS = 7


@jit
def determinize(s: Row, rng: Any) -> None:
    """Deal the hidden cards at random; what is honoured is all that a view makes certain but the voids.

    That is: numbers of cards; the face-up card was the dealer's; nobody who is out had the ace of trumps, so none of the
    pile is it; a seat that is out knows five cards of the pile; the sources of drawn cards; and whatever the house threw, led
    and played, it would have done so with the cards that it is given (rules 4.6). In the views of seats that are out the
    last two can give way to the numbers, as they never act on them. `room` and `held`: [holder, kind], places and cards.
    """
    if s.upcards[dealer(s)] < 0 or s.seat == OVER:
        return
    room = np.zeros((HOLDERS, 5), np.int64)
    held = np.zeros((HOLDERS, 4), np.int64)
    loose = I64(ALL_CARDS) & ~seen_cards(s)
    count_places(s, room, held, rng)
    if s.phase >= EXCHANGE and against_house(s):
        loose = deal_house(s, held, loose, rng)
    deal_played(s, room, held, 2, rng)
    loose = deal_pinned(s, room, held, loose, rng)
    deal_played(s, room, held, 3, rng)
    deal_rest(room, held, loose, rng)
    write_hands(s, held, rng)
    write_given_up(s, held, rng)
    write_stock(s, held, rng)


@jit
def size_of(s: Row, p: int) -> int:
    """Number of cards in hand and discards of a seat that has its own cards (not out after the pile), from public facts."""
    size = I64(6) if p == dealer(s) else I64(5)
    if s.swapped[dealer(s), p] > 0:
        size += s.swapped[dealer(s), p]
    return size - count(cards_of(s, p))


@jit
def gave_up(s: Row, p: int) -> bool:
    """Whether the hand of this seat went into the pile."""
    return s.phase >= EXCHANGE and has(s.outs[dealer(s)], p)


@jit
def is_open(s: Row, p: int) -> bool:
    """Whether the row shows the own cards of this seat."""
    return count(s.hand[p] | s.thrown[p]) == size_of(s, p)


@jit
def seen_cards(s: Row) -> int:
    """Mask of the cards whose place the row shows."""
    cards = played_cards(s)
    for p in range(SEATS):
        if not gave_up(s, p) and is_open(s, p):
            cards |= s.hand[p] | s.thrown[p]
    return cards


@jit
def given_up_cards(s: Row) -> int:
    """Mask of the cards of the pile that the row shows: the hand that the viewer gave up."""
    cards = I64(0)
    for p in range(SEATS):
        if gave_up(s, p):
            cards |= s.hand[p]
    return cards


@jit
def pile_size(s: Row) -> int:
    """Number of pile cards in the stock."""
    return min(I64(s.left), 5 * count(s.outs[dealer(s)])) if s.phase >= EXCHANGE else I64(0)


@jit
def count_places(s: Row, room: Any, held: Any, rng: Any) -> None:
    """Count the hidden places; split the draws that the row shows into leftovers and pile."""
    room[STOCK, PILED] = pile_size(s)
    room[STOCK, LEFTOVER] = s.left - pile_size(s)
    room[STOCK, OPEN] = s.left
    drawn = LEFTOVERS if against_house(s) and s.phase >= EXCHANGE else 0
    for k in range(SEATS):
        p = (dealer(s) + 1 + k) % SEATS
        swapped = max(I64(s.swapped[dealer(s), p]), 0)
        old = min(swapped, max(LEFTOVERS - drawn, 0))
        drawn += swapped
        if gave_up(s, p):
            continue
        if is_open(s, p):
            held[p, PILED] = draw_from(s.drawn[p] & ~bit(trump_ace(s)), swapped - old, rng)
        else:
            count_own_places(s, room, p, swapped, old)


@jit
def count_own_places(s: Row, room: Any, p: int, swapped: int, old: int) -> None:
    """Count the hidden places of a seat that exchanged `swapped` cards, `old` of them for leftovers."""
    dealt = 6 if p == dealer(s) else 5
    kind = PILED if has(s.outs[dealer(s)], p) else KEPT  # a hand that is out will be pile: the same holds for it
    room[p, kind] = dealt - swapped
    room[p, THROWN] = swapped
    room[p, LEFTOVER] = old
    room[p, PILED] += swapped - old
    room[p, OPEN] = dealt - count(cards_of(s, p))


@jit
def put(room: Any, held: Any, holder: int, kind: int, card: int) -> None:
    """Put a card in a place."""
    held[holder, kind] |= bit(card)
    room[holder, kind] -= 1


@jit
def put_hidden(room: Any, held: Any, holders: int, kinds: int, card: int, rng: Any) -> bool:
    """Put a card that was not played in a random free place of these holders and kinds (bits); False if there is none."""
    places = I64(0)
    found = I64(-1)
    for h in range(HOLDERS):
        for kind in range(4):
            if has(holders, h) and has(kinds, kind) and room[h, kind] > 0 and (kind == THROWN or room[h, OPEN] > 0):
                places += room[h, kind]
                if below(rng, places) < room[h, kind]:
                    found = 4 * h + kind
    if found < 0:
        return False
    put(room, held, found // 4, found % 4, card)
    if found % 4 != THROWN:
        room[found // 4, OPEN] -= 1
    return True


@jit
def put_played(room: Any, held: Any, holder: int, kinds: int, card: int, rng: Any) -> None:
    """Put a card that this holder played in a random free place of these kinds, else of any that can be played."""
    room[holder, OPEN] += 1
    if not put_hidden(room, held, bit(holder), kinds, card, rng):
        put_hidden(room, held, bit(holder), bit(KEPT) | bit(LEFTOVER) | bit(PILED), card, rng)


@jit
def deal_pinned(s: Row, room: Any, held: Any, loose: int, rng: Any) -> int:
    """Place the hidden cards of which more is known than of others; return the rest.

    These are the given-up hand that the row shows (pile), the face-up card (dealt to the dealer), the ace of trumps (not pile).
    """
    anybody = bit(HOLDERS) - 1
    upcard, ace = bit(s.upcards[dealer(s)]), bit(trump_ace(s))
    pinned = given_up_cards(s) & loose
    rest = loose & ~pinned & ~upcard & ~ace
    while pinned != 0:
        if not put_hidden(room, held, anybody, bit(PILED), lowest(pinned), rng):
            rest |= bit(lowest(pinned))
        pinned &= pinned - 1
    if loose & upcard != 0 and not put_hidden(room, held, bit(dealer(s)), bit(THROWN) | bit(KEPT), lowest(upcard), rng):
        rest |= upcard
    unpiled = bit(THROWN) | bit(KEPT) | bit(LEFTOVER)
    if loose & ace & ~upcard != 0 and not put_hidden(room, held, anybody, unpiled, lowest(ace), rng):
        rest |= ace
    return rest


@jit
def deal_played(s: Row, room: Any, held: Any, most: int, rng: Any) -> None:
    """Give an origin to those played cards of hidden hands that do not have one yet and can have at most `most`."""
    given_up = given_up_cards(s)
    for p in range(SEATS):
        if gave_up(s, p) or is_open(s, p):
            continue
        for t in range(s.trick + 1):
            card = I64(s.played[dealer(s), p, t])
            if card >= 0 and not has(placed(held, p), card) and count(origins(s, card, given_up)) <= most:
                put_played(room, held, p, origins(s, card, given_up), card, rng)


@jit
def placed(held: Any, holder: int) -> int:
    """Mask of the cards that a holder has been given."""
    return I64(held[holder, THROWN] | held[holder, KEPT] | held[holder, LEFTOVER] | held[holder, PILED])


@jit
def origins(s: Row, card: int, given_up: int) -> int:
    """Bits of the kinds of places that a played card can come from."""
    if card >= 0 and has(given_up, card):
        return bit(PILED)
    if card == s.upcards[dealer(s)]:
        return bit(KEPT)
    if card == trump_ace(s):
        return bit(KEPT) | bit(LEFTOVER)
    return bit(KEPT) | bit(LEFTOVER) | bit(PILED)


@jit
def deal_rest(room: Any, held: Any, loose: int, rng: Any) -> None:
    """Fill the remaining places with the remaining cards at random."""
    for h in range(HOLDERS):
        for kind in range(4):
            n = min(room[h, kind], count(loose))
            cards = draw_from(loose, n, rng)
            held[h, kind] |= cards
            loose &= ~cards


@jit
def deal_house(s: Row, held: Any, loose: int, rng: Any) -> int:
    """Give the house cards with which it would have thrown and played as it did; return the rest of the loose cards."""
    cards = house_world(s, loose, rng)
    for _ in range(100):  # only a seat that is out can know more than two cards of the pile, of which the house has two
        if count((cards | cards_of(s, HOUSE)) & given_up_cards(s)) <= 2:
            break
        cards = house_world(s, loose, rng)
    trump = trump_suit(s)
    s.thrown[HOUSE] = bit(weakest(cards, trump))
    s.hand[HOUSE] = cards & ~s.thrown[HOUSE]
    six = cards | cards_of(s, HOUSE)
    known = six & given_up_cards(s)
    other = six & ~known & ~bit(trump_ace(s))
    held[HOUSE, PILED] = known | draw_from(other, max(2 - count(known), 0), rng)
    held[HOUSE, LEFTOVER] = six & ~held[HOUSE, PILED]
    return loose & ~cards


@jit
def house_world(s: Row, loose: int, rng: Any) -> int:
    """A random set of loose cards that the house can have in hand and thrown, all sets that it can have equally likely."""
    trump, ace = trump_suit(s), bit(trump_ace(s))
    loose &= ~bit(s.upcards[dealer(s)])
    sure = loose & ace if is_open(s, dealer(s)) else I64(0)  # not in the pile, not the dealer's: a leftover
    hand = house_could_hold(s, loose) & ~sure
    n = TRICKS - count(cards_of(s, HOUSE)) - count(sure)
    worlds = I64(0)
    found = I64(-1)
    cards = loose & ~sure
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        if stronger(cards_of(s, HOUSE) | sure, card, trump) == cards_of(s, HOUSE) | sure:
            ways = choose(count(stronger(hand, card, trump)), n)
            worlds += ways
            if ways > 0 and below(rng, worlds) < ways:
                found = card
    if found < 0:
        return sure | draw_from(loose & ~sure, n + 1, rng)
    return sure | bit(found) | draw_from(stronger(hand, found, trump), n, rng)


@jit
def house_could_hold(s: Row, loose: int) -> int:
    """The loose cards that the house can have beside each card it played: it would have played the same card then.

    One card at a time is enough: a card makes another one illegal, or is preferred to it, whatever else is in the hand.
    """
    d, trump = dealer(s), trump_suit(s)
    for t in range(s.trick + 1):
        card = I64(s.played[d, HOUSE, t])
        led = I64(s.played[d, d, t]) if s.takers[d, t] == d else I64(-1)
        cards = loose if card >= 0 else I64(0)
        while cards != 0:
            other = bit(lowest(cards))
            if house_card(bit(card) | other, trump, led) != card:
                loose &= ~other
            cards &= cards - 1
    return loose


@jit
def stronger(cards: int, than: int, trump: int) -> int:
    """Those cards of a mask that the house finds stronger than a card."""
    found = I64(0)
    while cards != 0:
        if strength(lowest(cards), trump) > strength(than, trump):
            found |= bit(lowest(cards))
        cards &= cards - 1
    return found


@jit
def choose(n: int, k: int) -> int:
    """Number of subsets of `k` of `n` cards."""
    ways = I64(1)
    for i in range(k):
        ways = ways * (n - i) // (i + 1)
    return ways


@jit
def write_hands(s: Row, held: Any, rng: Any) -> None:
    """Set the hidden hands, discards and drawn cards of those that have cards of their own."""
    for p in range(SEATS):
        if gave_up(s, p) or is_open(s, p):
            continue
        own = (held[p, KEPT] | held[p, LEFTOVER] | held[p, PILED]) & ~cards_of(s, p)
        down = draw_from(own, 1, rng) if p == dealer(s) and s.phase == PLAY else I64(0)
        s.hand[p] = own & ~down
        s.thrown[p] = held[p, THROWN] | down
        if s.swapped[dealer(s), p] > 0:
            s.drawn[p] = held[p, LEFTOVER] | held[p, PILED]


@jit
def write_given_up(s: Row, held: Any, rng: Any) -> None:
    """Deal the pile back to the seats that gave up their hands, but the one that the row shows."""
    if s.phase < EXCHANGE:
        return
    pile = I64(0)
    for h in range(HOLDERS):
        pile |= held[h, PILED]
    pile &= ~given_up_cards(s)
    for p in range(SEATS):
        if gave_up(s, p) and s.hand[p] == 0:
            s.hand[p] = draw_from(pile, min(5, count(pile)), rng)
            pile &= ~s.hand[p]


@jit
def write_stock(s: Row, held: Any, rng: Any) -> None:
    """Set the stock: the pile in random order, on it the leftovers in random order."""
    cards = np.empty(24, np.int16)
    n = mask_into(cards, 0, held[STOCK, PILED])
    shuffle_with(cards, n, rng)
    left = mask_into(cards, n, held[STOCK, LEFTOVER])
    shuffle_with(cards[n:], left - n, rng)
    for k in range(left):
        s.stock[k] = cards[k]


# --- text (never in compiled code) ---------------------------------------------------------------------------------------


def card_texts(mask: int) -> tuple[str, ...]:
    """Text of the cards of a mask, by card number."""
    return tuple(text for card, text in enumerate(CARDS) if int(mask) >> card & 1)


def rank_of(card: str) -> int:
    """Rank of a card's text, 0 (two) to 9 (ace)."""
    return RANKS.index(card[:-1])


def order_of(card: str, trump: str) -> int:
    """A sort key for the text of cards: side suits by rank, then trumps by rank."""
    return rank_of(card) + (len(RANKS) if card[-1] == trump else 0)


def wins_over(card: str, best: str, trump: str) -> bool:
    """`beats` for the text of cards and of the trump suit."""
    return rank_of(card) > rank_of(best) if card[-1] == best[-1] else card[-1] == trump


def name_of(who: int) -> int | str:
    """A seat as integer, the house as word."""
    return "house" if who == HOUSE else who


def phase_word(s: Row, seat: int) -> str:
    """The phase in a word."""
    return "over" if s.seat == OVER else PHASES[s.phase]


def statements_of(s: Row, d: int) -> tuple[str, ...]:
    """What every seat said in the round of dealer `d`."""
    return tuple("in" if s.ins[d] >> p & 1 else "out" if s.outs[d] >> p & 1 else "" for p in range(SEATS))


def tricks_of(s: Row, d: int) -> tuple[tuple[tuple[int | str, str], ...], ...]:
    """Every trick in the round of dealer `d`, the last one perhaps unfinished, as (who, card) in the order of play."""
    return tuple(_trick_of(s, d, t) for t in range(TRICKS) if s.takers[d, t] >= 0)


def _trick_of(s: Row, d: int, t: int) -> tuple[tuple[int | str, str], ...]:
    first = s.takers[d, t]
    order = [HOUSE, d] if first == HOUSE else [*((first + k) % SEATS for k in range(SEATS)), HOUSE]
    return tuple((name_of(who), CARDS[s.played[d, who, t]]) for who in order if s.played[d, who, t] >= 0)


def winning_card(s: Row, d: int) -> str:
    """The card that wins the trick in play as it lies; empty if none was led."""
    best = ""
    for _, card in tricks_of(s, d)[-1] if s.phase == PLAY else ():
        best = card if not best or wins_over(card, best, SUITS[s.upcards[d] // 10]) else best
    return best


def winners_of(s: Row, d: int) -> tuple[int | str, ...]:
    """Who won each finished trick in the round of dealer `d`."""
    return tuple(name_of(s.takers[d, t]) for t in range(1, TRICKS + 1) if s.takers[d, t] >= 0)


def record_of(s: Row, d: int) -> dict[str, Any]:
    """The public record of a finished round, by its dealer."""
    return {
        "dealer": d,
        "face_up": CARDS[s.upcards[d]],
        "pot": s.pots[d],
        "statements": statements_of(s, d),
        "exchanged": tuple(s.swapped[d].tolist()),
        "tricks": tricks_of(s, d),
        "winners": winners_of(s, d),
    }


def earlier_rounds(s: Row, seat: int) -> tuple[dict[str, Any], ...]:
    """Records of the finished rounds among the last five, oldest first."""
    return tuple(record_of(s, (s.round_no + k) % SEATS) for k in range(1, SEATS + 1) if s.pots[(s.round_no + k) % SEATS])


def _current(read: Any, blank: Any) -> Any:
    """A field of the round in play: `read(s, dealer)`, blank when the game is over."""
    return lambda s, seat: blank if s.seat == OVER else read(s, s.round_no % SEATS)


def _own(read: Any) -> Any:
    """A field of the viewer's own cards: `read(s, seat)` is a mask; an onlooker has none."""
    return lambda s, seat: card_texts(read(s, seat)) if seat >= 0 else ()


def _pile_left(s: Row) -> int:
    """Number of pile cards in the stock, in plain Python."""
    return min(s.left, 5 * s.outs[s.round_no % SEATS].bit_count()) if s.phase >= EXCHANGE else 0


FIELDS = (
    Field("round", "int", "rounds played before this one", lambda s, seat: s.round_no),
    Field("phase", "str", "statements, house (the dealer's offer), exchange, down, tricks, over", phase_word),
    Field("dealer", "int", "seat of the dealer of this round", lambda s, seat: s.round_no % SEATS),
    Field("face_up", "str", "the face-up card, dealt to the dealer", _current(lambda s, d: CARDS[s.upcards[d]], "")),
    Field("trump", "str", "trump suit: o, c or b", _current(lambda s, d: SUITS[s.upcards[d] // 10], "")),
    Field("pot", "int", "cents in the pot", lambda s, seat: s.pot),
    Field("nets", "tuple of int", "cents won or lost so far, by seat", lambda s, seat: tuple(s.net.tolist())),
    Field("statements", "tuple of str", "in, out or empty (not yet said), by seat", _current(statements_of, ("",) * SEATS)),
    Field(
        "house_round",
        "bool",
        "the dealer plays the house",
        _current(lambda s, d: s.ins[d] == 1 << d, False),
    ),
    Field("hand", "tuple of str", "own cards; empty if out", _own(lambda s, p: 0 if _given(s, p) else s.hand[p])),
    Field("given_up", "tuple of str", "the hand that went into the pile, if out", _own(lambda s, p: _given(s, p) and s.hand[p])),
    Field("thrown", "tuple of str", "own cards thrown away in this round", _own(lambda s, p: s.thrown[p])),
    Field("drawn", "tuple of str", "own cards drawn in this round, wherever they are now", _own(lambda s, p: s.drawn[p])),
    Field(
        "exchanged",
        "tuple of int",
        "cards exchanged in this round, by seat; -1: not done (yet)",
        _current(lambda s, d: tuple(s.swapped[d].tolist()), (-1,) * SEATS),
    ),
    Field("leftovers", "int", "leftovers in the stock", lambda s, seat: s.left - _pile_left(s)),
    Field("pile", "int", "cards in the stock below the leftovers", lambda s, seat: _pile_left(s)),
    Field(
        "tricks",
        "tuple of tuple",
        "the tricks of this round, the last is the one in play: (seat or house, card) in the order of play",
        _current(tricks_of, ()),
    ),
    Field("winning", "str", "the card that wins the trick in play as it lies; empty if none was led", _current(winning_card, "")),
    Field("winners", "tuple", "who won each finished trick of this round: seat or house", _current(winners_of, ())),
    Field(
        "earlier",
        "tuple of dict",
        "finished rounds of the last five, oldest first: dealer, face_up, pot, statements, exchanged, tricks, winners",
        earlier_rounds,
    ),
)


def _given(s: Row, seat: int) -> bool:
    """Whether the seat's hand is in the pile, in plain Python."""
    return s.phase >= EXCHANGE and s.outs[s.round_no % SEATS] >> seat & 1 == 1


def show(s: Row, seat: int) -> str:
    """The position for people: the round, a line a seat, the tricks. Shows what the row holds."""
    d = s.round_no % SEATS
    over = s.seat == OVER
    lines = [f"round {s.round_no + 1} of {s.rounds}, {phase_word(s, seat)}; pot {s.pot}"]
    if not over and s.upcards[d] >= 0:
        lines[0] += f"; face-up {CARDS[s.upcards[d]]}; stock {s.left - _pile_left(s)} leftovers, {_pile_left(s)} pile"
    lines += [_show_seat(s, p) for p in range(SEATS)]
    if s.hand[HOUSE]:
        lines.append(f"house: {' '.join(card_texts(s.hand[HOUSE]))}; threw {' '.join(card_texts(s.thrown[HOUSE]))}")
    if s.stock[0] >= 0:
        lines.append(f"stock, next first: {' '.join(CARDS[s.stock[k]] for k in reversed(range(s.left)))}")
    for trick in () if over else tricks_of(s, d):
        lines.append("trick: " + ", ".join(f"{who} {card}" for who, card in trick))
    return "\n".join(lines)


def _show_seat(s: Row, p: int) -> str:
    """One seat: net, statement, cards as far as the row has them."""
    d = s.round_no % SEATS
    text = f"seat {p}{' (dealer)' if p == d else ''}: net {s.net[p]:+d}"
    if s.seat == OVER:
        return text
    text += f" {statements_of(s, d)[p]}"
    if s.hand[p]:
        text += f"; {'gave up' if _given(s, p) else 'holds'} {' '.join(card_texts(s.hand[p]))}"
    if s.swapped[d, p] >= 0:
        text += f"; exchanged {s.swapped[d, p]}"
    return text + (f"; threw {' '.join(card_texts(s.thrown[p]))}" if s.thrown[p] else "")


GAME = Game(
    name="julepe",
    state=STATE,
    options=OPTIONS,
    players=(SEATS, SEATS, SEATS),
    cards=CARDS,
    actions=ACTIONS,
    n_actions=len(ACTIONS),
    fields=FIELDS,
    rules={
        "start": start,
        "deck": deck,
        "deal": deal,
        "legal": legal,
        "step": step,
        "redact": redact,
        "determinize": determinize,
        "score": score,
    },
    deck_size=len(CARDS),
    check=check,
    show=show,
)
