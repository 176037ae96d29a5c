"""Julepe: a Spanish trick game for a pot of money; who plays must win two of the five tricks or pay the value of the pot.

Five seats, 30 cards, money in whole cents; 5 rounds by default, about 160 decisions a game. With nobody else in, the dealer
may play the house, which follows a fixed policy. Numbers of rules refer to `docs/rules/julepe.md`.

Here are the rules, a round from the deal to its settlement. Beside this module: `julepe_state` has the vocabulary, the record and
the policy of the house, `julepe_worlds` what a seat may know and random worlds, `julepe_text` cards by name and the fields of a
view.
"""

from __future__ import annotations

from typing import Any

from ..core import I64, OVER, SHUFFLE, Row, bit, cards_into, count, fill, has, jit, mask_into
from .state import (
    ALL_CARDS,
    CARRY,
    DISCARD_0,
    DONE,
    DOWN,
    EXCHANGE,
    HOUSE,
    IN,
    LARGEST_PAYMENT,
    LEFTOVERS,
    OFFER,
    OUT,
    PLAY,
    PLAY_0,
    SAFE,
    SEATS,
    STATEMENTS,
    TRICKS,
    VILALBA,
    against_house,
    best_card,
    dealer,
    house_card,
    is_in,
    leader,
    led_card,
    next_player,
    playable,
    tricks_won,
    trump_ace,
    trump_suit,
    weakest,
    winner,
)

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
def take_house_cards(s: Row) -> None:
    """The house takes the four leftovers and two cards of the pile and throws the weakest of the six away."""
    for _ in range(LEFTOVERS + 2):
        s.hand[HOUSE] |= bit(draw_card(s))
    card = bit(weakest(I64(s.hand[HOUSE]), trump_suit(s)))
    s.hand[HOUSE] &= ~card
    s.thrown[HOUSE] = card


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
