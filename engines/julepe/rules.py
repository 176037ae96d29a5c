"""Julepe: the rules, a round from the deal to its settlement, in the order of `docs/rules/julepe.md`.

Not here: the record and what can be read off it (`state`), how the house chooses a card (`house`), what
a seat may know (`worlds`).
"""

from __future__ import annotations

from typing import Any

from ..core import (
    HAND_SHUFFLES,
    I64,
    NOBODY,
    OVER,
    SHUFFLE,
    Row,
    bit,
    cards_into,
    clear,
    count,
    fill,
    has,
    jit,
    mask_into,
    take,
)
from . import house, state
from .state import HOUSE, LEFTOVERS, SAFE, SEATS, TRICKS, Phase, against_house, dealer, next_player

# --- set-up and chance [3] ----------------------------------------------------------------------------------


@jit
def start(s: Row) -> None:
    """Every seat pays one stake; the first deal is due [3]."""
    s.pot = SEATS * s.stake
    fill(s.net, -s.stake)
    for k in range(min(s.rounds, state.KEPT_ROUNDS)):
        clear_record(s, k)
    s.round_no = 0
    begin_round(s)


@jit
def clear_record(s: Row, k: int) -> None:
    """Blank a place for the public record of a round."""
    s.ins[k] = 0
    s.outs[k] = 0
    s.upcard[k] = NOBODY
    s.pots[k] = 0
    fill(s.exchanged[k], NOBODY)
    fill(s.leaders[k], NOBODY)
    for who in range(SEATS + 1):
        fill(s.played[k, who], NOBODY)


@jit
def clear_cards(s: Row) -> None:
    """Blank all that belongs to the cards of one round."""
    clear(s, "hand thrown drawn stock left trick")
    s.phase = Phase.STATEMENTS


@jit
def begin_round(s: Row) -> None:
    """Begin round `round_no`: its deal is due [3]."""
    clear_cards(s)
    s.slot = s.round_no % state.KEPT_ROUNDS
    clear_record(s, s.slot)
    s.shuffle = s.round_no * HAND_SHUFFLES
    s.seat = SHUFFLE


@jit
def deck(s: Row, out: Any) -> int:
    """All 30 cards for a deal; the hands of those who are out for the pile [3]."""
    if s.shuffle % HAND_SHUFFLES == 0:
        return mask_into(out, 0, I64(state.ALL_CARDS))
    cards = I64(0)
    for p in range(SEATS):
        if has(state.seats_out(s), p):
            cards |= s.hand[p]
    return mask_into(out, 0, cards)


@jit
def deal(s: Row, cards: Any) -> None:
    """Take a deal or a pile [3]."""
    if s.shuffle % HAND_SHUFFLES == 0:
        deal_hands(s, cards)
    else:
        put_pile(s, cards)
        open_exchange(s)


@jit
def deal_hands(s: Row, cards: Any) -> None:
    """Five cards each from the dealer's left, the face-up card to the dealer, four leftovers [3]."""
    d = dealer(s)
    for k in range(25):
        s.hand[(d + 1 + k // 5) % SEATS] |= bit(cards[k])
    s.hand[d] |= bit(cards[25])
    s.upcard[s.slot] = cards[25]
    for k in range(26, 30):
        s.stock[29 - k] = cards[k]
    s.left = LEFTOVERS
    s.seat = (d + 1) % SEATS


@jit
def put_pile(s: Row, cards: Any) -> None:
    """Put the shuffled pile under the leftovers, its first card on top [3]."""
    n = len(cards)
    for k in range(LEFTOVERS - 1, -1, -1):
        s.stock[n + k] = s.stock[k]
    for k in range(n):
        s.stock[n - 1 - k] = cards[k]
    s.left = LEFTOVERS + n


@jit
def draw_card(s: Row) -> int:
    """Take the next card of the stock, which is not empty [4.3]."""
    s.left -= 1
    return take(s.stock, s.left)


# --- in or out [4.1], [4.2] ---------------------------------------------------------------------------------


@jit
def must_play(s: Row) -> bool:
    """Whether the seat to act knows that it holds the ace of trumps: it may only say `in` [4.1], [4.2]."""
    if s.phase == Phase.OFFER and s.village == state.VILALBA:
        return state.upcard(s) == state.trump_ace(s)
    return has(s.hand[s.seat], state.trump_ace(s))


@jit
def state_in_or_out(s: Row, action: int) -> None:
    """Say `in` or `out`; after the fourth the round is played, or the dealer is alone [4.1]."""
    say(s, action)
    s.seat = (s.seat + 1) % SEATS
    if s.seat != dealer(s):
        return
    if state.seats_in(s) == 0:
        s.phase = Phase.OFFER
        return
    s.ins[s.slot] |= bit(dealer(s))
    if state.seats_out(s) == 0:
        open_exchange(s)
    else:
        ask_for_pile(s)


@jit
def say(s: Row, action: int) -> None:
    """Note the statement of the seat to act [4.1]."""
    if action == state.IN:
        s.ins[s.slot] |= bit(s.seat)
    else:
        s.outs[s.slot] |= bit(s.seat)


@jit
def answer_offer(s: Row, action: int) -> None:
    """Answer the offer [4.2], [5.4]. The dealer, alone, plays the house, or the round is void."""
    say(s, action)
    if action == state.IN:
        ask_for_pile(s)
    else:
        s.pots[s.slot] = s.pot  # the round was played for it
        pay_stakes(s, bit(next_dealer(s)))


@jit
def ask_for_pile(s: Row) -> None:
    """Ask for the shuffle of the pile [3]."""
    s.shuffle = s.round_no * HAND_SHUFFLES + 1
    s.seat = SHUFFLE


# --- exchange [4.3], [4.4] ----------------------------------------------------------------------------------


@jit
def open_exchange(s: Row) -> None:
    """Let the house, if it plays, take its cards, and ask the first seat in table order that is in [4.3]."""
    s.phase = Phase.EXCHANGE
    if against_house(s):
        take_house_cards(s)
        s.seat = dealer(s)
    else:
        s.seat = next_player(s, dealer(s))


@jit
def exchangeable(s: Row) -> int:
    """Mask of the cards that the seat to act may discard in its exchange [4.3]."""
    return s.hand[s.seat] if count(s.thrown[s.seat]) < s.left else I64(0)


@jit
def throw_away(s: Row, card: int) -> None:
    """Move a card of the seat to act to its discards [4.3]."""
    s.hand[s.seat] &= ~bit(card)
    s.thrown[s.seat] |= bit(card)


@jit
def draw_up(s: Row) -> None:
    """Draw as many cards as the seat to act discarded [4.3]. That seat is done; it is the next one's turn."""
    seat = s.seat
    n = count(s.thrown[seat])
    for k in range(n):
        s.drawn[seat, k] = draw_card(s)
        s.hand[seat] |= bit(s.drawn[seat, k])
    s.exchanged[s.slot, seat] = n
    if seat == dealer(s):
        s.phase = Phase.DOWN
    else:
        s.seat = next_player(s, seat)


@jit
def come_down(s: Row, card: int) -> None:
    """Throw away the dealer's sixth card; the tricks begin [4.4]."""
    throw_away(s, card)
    s.phase = Phase.TRICKS
    s.seat = HOUSE if against_house(s) else next_player(s, dealer(s))
    s.leaders[s.slot, 0] = s.seat


# --- tricks [4.5] -------------------------------------------------------------------------------------------


@jit
def may_play(s: Row) -> int:
    """Mask of the cards that the seat to act may play [4.5]."""
    led, best, to_beat = state.led_card(s), state.best_card(s), state.card_to_beat(s)
    return state.playable(s.hand[s.seat], state.trump_suit(s), led, best, to_beat, s.overtrump)


@jit
def play_card(s: Row, card: int) -> None:
    """Play a card of the seat to act, or of the house [4.5]. Then comes the next player, trick or round."""
    who = s.seat
    s.hand[who] &= ~bit(card)
    s.played[s.slot, who, s.trick] = card
    s.seat = next_player(s, who)
    if s.seat != state.leader(s):
        return
    taker = state.winner(s)
    s.leaders[s.slot, s.trick + 1] = taker
    if s.trick == TRICKS - 1:
        end_round(s)
    else:
        s.trick += 1
        s.seat = taker


# --- the house [4.6] ----------------------------------------------------------------------------------------


@jit
def take_house_cards(s: Row) -> None:
    """Give the house the leftovers and two cards of the pile; it throws the weakest away [4.2]."""
    for _ in range(LEFTOVERS + 2):
        s.hand[HOUSE] |= bit(draw_card(s))
    card = bit(house.weakest(s.hand[HOUSE], state.trump_suit(s)))
    s.hand[HOUSE] &= ~card
    s.thrown[HOUSE] = card


# --- money [5] ----------------------------------------------------------------------------------------------


@jit
def pay(s: Row, seat: int, cents: int) -> None:
    """Pay cents of a seat into the pot."""
    s.net[seat] -= cents
    s.pot += cents


@jit
def coins(s: Row, cents: int, parts: int) -> int:
    """Return an equal part of an amount, rounded down to whole coins of one stake [5]."""
    return cents // (parts * s.stake) * s.stake


@jit
def payment(s: Row) -> int:
    """Return what a loser pays: the pot [5.3]."""
    return min(s.pot, state.LARGEST_PAYMENT // s.stake * s.stake)


@jit
def end_round(s: Row) -> None:
    """Settle a round whose five tricks are played, and who pays a stake before the next one [5]."""
    s.pots[s.slot] = s.pot  # the round was played for it
    if against_house(s):
        all_pay = settle_house(s)
    elif count(state.seats_in(s)) == 2 and safe_seats(s) == state.seats_in(s):
        all_pay = split(s)
    else:
        all_pay = settle_julepe(s)
    pay_stakes(s, I64(state.ALL_SEATS) if all_pay else bit(next_dealer(s)))


@jit
def safe_seats(s: Row) -> int:
    """Bits of the seats that have two tricks or more [5]."""
    seats = I64(0)
    for p in range(SEATS):
        if state.tricks_won(s, p) >= SAFE:
            seats |= bit(p)
    return seats


@jit
def split(s: Row) -> bool:
    """Pay two seats, or the dealer against the house, half of the pot each, in coins [5.1], [5.4]."""
    half = coins(s, s.pot, 2)
    for p in range(SEATS):
        if has(state.seats_in(s), p):
            pay(s, p, -half)
    return True


@jit
def settle_house(s: Row) -> bool:
    """Return the dealer has played the house; returns whether all pay a stake next [5.4]."""
    tricks = state.tricks_won(s, dealer(s))
    if tricks < SAFE:
        pay(s, dealer(s), payment(s))
        return False
    if tricks <= TRICKS - SAFE:
        return split(s)
    pay(s, dealer(s), -s.pot)
    return True


@jit
def settle_julepe(s: Row) -> bool:
    """Every loser pays the pot's value, shared by the safe seats in coins, the rest to the pot [5.3]."""
    safe = safe_seats(s)
    losers = state.seats_in(s) & ~safe
    if safe == 0 and s.nobody_safe == state.CARRY:
        return False
    price = payment(s)
    share = coins(s, price, count(safe)) * count(losers) if safe != 0 else 0
    for p in range(SEATS):
        if has(losers, p):
            pay(s, p, price)
        elif has(safe, p):
            pay(s, p, -share)
    return False


@jit
def next_dealer(s: Row) -> int:
    """Return the dealer of the next round [3]."""
    return (dealer(s) + 1) % SEATS


@jit
def pay_stakes(s: Row, payers: int) -> None:
    """End the round: these seats pay a stake for the next; after the last the game ends [5.5, 5.6]."""
    if s.round_no + 1 == s.rounds:
        end_game(s)
        return
    for p in range(SEATS):
        if has(payers, p):
            pay(s, p, s.stake)
    s.round_no += 1
    begin_round(s)


@jit
def end_game(s: Row) -> None:
    """Share the pot equally and end the game [5.6]."""
    share = s.pot // SEATS
    for p in range(SEATS):
        pay(s, p, -share)
    clear_cards(s)
    s.seat = OVER


@jit
def score(s: Row, out: Any) -> None:
    """Write the nets, in cents, into `out` [5.6]."""
    for p in range(SEATS):
        out[p] = s.net[p]


# --- actions [7] --------------------------------------------------------------------------------------------


@jit
def legal(s: Row, out: Any) -> int:
    """Write the legal actions of the seat to act into `out`, ascending; return how many [7]."""
    if s.phase == Phase.TRICKS:
        return cards_into(out, 0, state.PLAY, may_play(s))
    if s.phase == Phase.DOWN:
        return cards_into(out, 0, state.DISCARD, s.hand[s.seat])
    if s.phase == Phase.EXCHANGE:
        out[0] = state.DONE
        return cards_into(out, 1, state.DISCARD, exchangeable(s))
    if s.phase != Phase.OFFER and s.phase != Phase.STATEMENTS:
        raise ValueError("julepe: no legal actions are known for the phase of this row")
    if must_play(s):
        out[0] = state.IN
        return 1
    out[0] = state.OUT
    out[1] = state.IN
    return 2


@jit
def step(s: Row, action: int) -> None:
    """Apply a legal action; go on to the next decision, shuffle or the end [7]."""
    if s.phase == Phase.TRICKS:
        play_card(s, action - state.PLAY)
    elif s.phase == Phase.DOWN:
        come_down(s, action - state.DISCARD)
    elif s.phase == Phase.EXCHANGE:
        if action == state.DONE:
            draw_up(s)
        else:
            throw_away(s, action - state.DISCARD)
    elif s.phase == Phase.OFFER:
        answer_offer(s, action)
    elif s.phase == Phase.STATEMENTS:
        state_in_or_out(s, action)
    else:
        raise ValueError("julepe: no step is known for the phase of this row")
    while s.seat == HOUSE:  # the house plays as long as it is its turn [4.6]
        play_card(s, house.choice(s.hand[HOUSE], state.trump_suit(s), state.led_card(s)))
