"""Tzogous 37: pot-limit betting on two-card scores, 2 to 6 players, four pots a hand.

Seven cards a seat are spent in four rounds (two, two, two, and one beside a shared card); suited ace-king, 37, is the best
score. About 130 decisions a game for two seats, 400 for six. Numbers in docstrings refer to `docs/rules/tzogous37.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from .core import OVER, SHUFFLE, Row, below, bit, cards_into, count, fill, has, jit, lowest, shuffle_with
from .errors import OptionError
from .game import Field, Game, Option, Value, state_dtype

I64: Any = np.int64

# --- vocabulary -----------------------------------------------------------------------------------------------------------
# Cards are numbered by suit, then rank (rules 1): 0 = 2s, 12 = As, 13 = 2h, ..., 51 = Ac, 52 = JK.

RANKS = "23456789TJQKA"
SUITS = "shdc"
CARDS = (*(rank + suit for suit in SUITS for rank in RANKS), "JK")
JOKER = 52
KINDS = (1 << 53) - 1
"""The kinds of card in a hand's mask (see `add_card`)."""

SEATS = 6
ROUNDS = 4
HAND = 7
PACK = 112
"""Most cards in play: two decks with four jokers each."""
MOST_RAISE = 100
"""Most steps of a `raise N`; more is `raise max`."""
MOST_DRAWS = 20

# phases; a seat acts in PLACE1 .. GIVE, the others are passed through (or wait for a shuffle)
DEAL, ANTE, PLACE1, BET1, PLACE2, BET2, DISCARD, SURVIVE, GIVE, DRAW, COMMUNITY, SHOWDOWN, AWARD, END = range(14)
PHASES = (
    "deal", "ante", "place 1", "bet 1", "place 2", "bet 2", "discard", "survivor", "give",
    "draw", "community", "showdown", "award", "end",
)  # fmt: skip

STACKS_ROUND, _, STACKS_GAME = range(3)
SWAP, LAY = range(2)

# actions (rules 7)
FOLD, CHECK, CALL = range(3)
RAISE = 2  # raise of k steps = RAISE + k
RAISE_MAX = RAISE + MOST_RAISE + 1
USE_JOKER = RAISE_MAX + 1  # + place on the table: 2 * seat + slot
PLACE = USE_JOKER + 2 * SEATS  # + card
ACTIONS = PLACE + len(CARDS)

OPTIONS = (
    Option("hands", 4, "hands per game; a hand is four rounds, each with its own pot", 1, 1000),
    Option("ante", 5, "forced bet of every seat in every round, and the smallest opening raise; a multiple of `step`", 1, 25_000),
    Option("stack", 100, "chips that a seat starts with: 4 antes to 100 steps; a multiple of `step`", 4, 100_000),
    Option("step", 1, "smallest chip: every amount is a multiple of it", 1, 1000),
    Option("stacks", "round", "when stacks are set to `stack`: before every round, before every hand, or once a game",
           choices=("round", "hand", "game")),
    Option("pot_counts_call", False, "the raiser's own call counts as part of the pot that limits the raise"),
    Option("decks", 1, "two decks: the same card twice scores +12", 1, 2),
    Option("jokers", 2, "jokers per deck", 0, 4),
    Option("joker_use", "swap", "swap: the joker exchanges a table card for one of the hand; lay: it takes the card's place",
           choices=("swap", "lay")),
    Option("joker_limit", False, "at most one joker use per seat and hand"),
    Option("sudden_death", False, "a pot still tied after one tie-break draw is split (else after 20)"),
)  # fmt: skip

EMPTY = -1
"""No card."""
HIDDEN = -2
"""A card lies here that the viewer does not know."""
PUBLIC = 127
"""Everybody knows it: a bit per seat, and bit 6 for onlookers."""
ONLOOKER = 6

# The log: one int32 an event, blank -1: kind | value << 4 | seat << 14 | time << 17 | who knows the value << 20.
LOG = 128
E_FOLD, E_CHECK, E_CALL, E_RAISE, E_JOKER, E_TAKE, E_DRAW, E_LOSE, E_COMMUNITY, E_TIE, E_WIN, E_RESHUFFLE, E_HAND = range(13)
UNKNOWN = 1023
_VALUE = UNKNOWN << 4
NOBODY = 7

STATE = state_dtype(
    OPTIONS,
    [
        ("phase", np.int8),
        ("round_no", np.int8),  # 1 .. 4; 0 before the first
        ("alive", np.int8),  # mask of seats in the round that have not folded; 0 between rounds
        ("due", np.int8),  # mask of seats that must act in this betting; 0 outside of betting
        ("turn", np.int8),  # seat from which to go on while nobody is to act, -1
        ("jokered", np.int8),  # 1: the seat to act has used a joker in this turn
        ("target", np.int8),  # place on the table that a joker was aimed at (GIVE, DRAW of a swap), -1
        ("tied", np.int8),  # mask of the best seats of the pot that is being decided, 0
        ("draws", np.int8),  # tie-break draws finished for this pot
        ("mixed", np.int8),  # rounds of this hand whose cards a reshuffle has put back into the deck
        ("community", np.int8),  # card, EMPTY
        ("left", np.int8),  # cards in the deck
        ("logged", np.int32),  # events so far; event i is log[i % LOG]
        ("last_raise", np.int32),  # chips; 0 outside of betting
        ("level", np.int32),  # `paid` up to which pots have been decided or are being decided, 0
        ("joker_uses", np.int8, SEATS),  # in this hand
        ("held", np.int8, SEATS),  # cards in hand
        ("drawn", np.int8, SEATS),  # cards of the tie-break draw that is going on, EMPTY
        ("table", np.int8, (ROUNDS, 2 * SEATS)),  # by round and 2 * seat + slot, as last played; EMPTY; HIDDEN in a view
        ("knows", np.int8, (ROUNDS, 2 * SEATS)),  # who knows that card: mask of seats, PUBLIC; 0 where none lies
        ("deck_cards", np.int8, PACK),  # secret; the next card is the last one; EMPTY beyond `left` and in a view
        ("chips", np.int32, SEATS),  # behind, not in the pot
        ("paid", np.int32, SEATS),  # in this round, ante included; > 0 exactly for the seats in the round
        ("bet", np.int32, SEATS),  # in this betting
        ("net", np.int64, SEATS),  # chips won - lost in all finished rounds
        ("hand", np.int64, SEATS),  # the owner's secret: kinds of card, jokers in unary from bit 52 on; 0 in other views
        ("twin", np.int64, SEATS),  # the owner's secret: kinds held twice (two decks)
        ("log", np.int32, LOG),
    ],
)


# --- cards ----------------------------------------------------------------------------------------------------------------


@jit
def value(card: int) -> int:
    """Value of a card: 2 .. 14, a joker 0 (rules 1)."""
    return 0 if card == JOKER else card % 13 + 2


@jit
def pair_score(a: int, b: int) -> int:
    """Score of two cards: their values and the highest bonus that applies (rules 5.1)."""
    total = value(a) + value(b)
    if JOKER in (a, b):
        return total
    if a == b:
        return total + 12
    apart = abs(a % 13 - b % 13)
    straight = apart in (1, 12)
    if a // 13 == b // 13:
        return total + (10 if straight else 3)
    if apart == 0:
        return total + 7
    return total + 5 if straight else total


@jit
def add_card(ones: int, twos: int, card: int) -> tuple[int, int]:
    """A multiset of cards with one more card.

    `ones` has a bit for each kind, `twos` for kinds that are there twice. Jokers are all in `ones`, as so many bits from 52
    on: bit 52 is set when there is one at all.
    """
    if card == JOKER:
        return ones | ((ones >> JOKER) * 2 + 1) << JOKER, twos
    if has(ones, card):
        return ones, twos | bit(card)
    return ones | bit(card), twos


@jit
def drop_card(ones: int, twos: int, card: int) -> tuple[int, int]:
    """A multiset without one copy of a card that is in it (see `add_card`)."""
    if card == JOKER:
        return (ones & (bit(JOKER) - 1)) | (ones >> (JOKER + 1)) << JOKER, twos
    if has(twos, card):
        return ones, twos & ~bit(card)
    return ones & ~bit(card), twos


@jit
def all_cards(s: Row) -> tuple[int, int]:
    """Every card of the game as a multiset (see `add_card`)."""
    twos = bit(JOKER) - 1
    return bit(JOKER + s.decks * s.jokers) - 1, twos if s.decks == 2 else twos & 0


@jit
def multiset_into(out: Any, ones: int, twos: int) -> int:
    """Write a multiset into `out` in the order of the card numbers; return how many cards."""
    n = 0
    while ones != 0:
        card = min(lowest(ones), JOKER)
        out[n] = card
        n += 1
        if has(twos, card):
            out[n] = card
            n += 1
        ones &= ones - 1
    return n


@jit
def _pick_up(s: Row, p: int, card: int) -> None:
    s.hand[p], s.twin[p] = add_card(s.hand[p], s.twin[p], card)
    s.held[p] += 1


@jit
def _play_out(s: Row, p: int, card: int) -> None:
    s.hand[p], s.twin[p] = drop_card(s.hand[p], s.twin[p], card)
    s.held[p] -= 1


@jit
def _draw(s: Row) -> int:
    """Take the next card of a deck that is not empty."""
    s.left -= 1
    card = I64(s.deck_cards[s.left])
    s.deck_cards[s.left] = EMPTY
    return card


# --- what can be read off a row -------------------------------------------------------------------------------------------


@jit
def hand_number(s: Row) -> int:
    """The hand, from 0."""
    return I64(s.shuffle >> 6)


@jit
def first_seat(s: Row) -> int:
    """F: the first seat in the round at or after seat (hand + round - 1) mod players (rules 4)."""
    p = (hand_number(s) + s.round_no - 1) % s.players
    while s.paid[p] == 0:
        p = (p + 1) % s.players
    return p


@jit
def face_up(round_no: int, slot: int) -> bool:
    """Whether slot 0 or 1 of a round lies face-up (rules 4.1)."""
    return (round_no == 1 and slot == 1) or (round_no == 3 and slot == 0)


@jit
def pot_size(s: Row) -> int:
    """All chips paid in this round."""
    pot = I64(0)
    for p in range(s.players):
        pot += s.paid[p]
    return pot


@jit
def high_bet(s: Row) -> int:
    """The highest bet of this betting."""
    high = I64(0)
    for p in range(s.players):
        high = max(high, I64(s.bet[p]))
    return high


@jit
def to_call(s: Row, p: int) -> int:
    """Chips that seat p lacks to the highest bet."""
    return high_bet(s) - s.bet[p]


@jit
def with_chips(s: Row) -> int:
    """Mask of alive seats that have chips behind."""
    mask = I64(0)
    for p in range(s.players):
        if s.chips[p] > 0:
            mask |= bit(p)
    return mask & s.alive


@jit
def seat_score(s: Row, p: int) -> int:
    """Score of the two cards of seat p in this round; in round 4 the second is the community card (rules 5.1)."""
    cards = s.table[s.round_no - 1]
    second = s.community if s.round_no == ROUNDS else cards[2 * p + 1]
    return pair_score(I64(cards[2 * p]), I64(second))


@jit
def _note(s: Row, kind: int, seat: int, number: int, known: int) -> None:
    """Append an event of this round to the log: `number` is what the event tells, `known` who may know it."""
    time = 2 * max(0, s.round_no - 1) + (1 if s.phase >= PLACE2 and s.phase not in (DISCARD, SURVIVE) else 0)
    s.log[s.logged % LOG] = kind | number << 4 | seat << 14 | time << 17 | known << 20
    s.logged += 1


# --- 3 set-up and chance --------------------------------------------------------------------------------------------------


@jit
def start(s: Row) -> None:
    """Nothing played, every stack full; hand 0 is to be shuffled."""
    for r in range(ROUNDS):
        fill(s.table[r], EMPTY)
        fill(s.knows[r], 0)
    fill(s.log, -1)
    fill(s.drawn, EMPTY)
    for p in range(s.players):
        s.chips[p] = s.stack
    s.turn = EMPTY
    s.target = EMPTY
    s.community = EMPTY
    _open_hand(s, 0)


@jit
def _open_hand(s: Row, hand: int) -> None:
    """Take in all cards; the next hand is to be shuffled, or the game is over (rules 4.1)."""
    fill(s.hand, 0)
    fill(s.twin, 0)
    fill(s.held, 0)
    fill(s.joker_uses, 0)
    fill(s.deck_cards, EMPTY)
    s.left = 0
    s.mixed = 0
    if hand < s.hands and s.stacks != STACKS_GAME:
        _fill_stacks(s)
    if hand == s.hands or _seats_with_chips(s) < 2:
        s.phase = END
        s.seat = OVER
        return
    s.round_no = 0
    s.shuffle = hand * 64
    s.phase = DEAL
    s.seat = SHUFFLE


@jit
def _fill_stacks(s: Row) -> None:
    for p in range(s.players):
        s.chips[p] = s.stack


@jit
def _seats_with_chips(s: Row) -> int:
    n = 0
    for p in range(s.players):
        if s.chips[p] > 0:
            n += 1
    return n


@jit
def deck(s: Row, out: Any) -> int:
    """The whole pack for a hand, the discards for a reshuffle; by card number (rules 3)."""
    ones, twos = all_cards(s)
    if s.phase != DEAL:
        ones, twos = _without_all_in_play(s, ones, twos)
    return multiset_into(out, ones, twos)


@jit
def _without_all_in_play(s: Row, ones: int, twos: int) -> tuple[int, int]:
    """A multiset less the cards in hands, on the table, in the deck and in the tie-break draw that is going on."""
    ones, twos = _without(s.table[s.round_no - 1], ones, twos)
    ones, twos = _without(s.deck_cards, ones, twos)
    ones, twos = _without(s.drawn, ones, twos)
    if s.community >= 0:
        ones, twos = drop_card(ones, twos, I64(s.community))
    for p in range(s.players):
        ones, twos = _without_hand(ones, twos, s.hand[p], s.twin[p])
    return ones, twos


@jit
def _without(cards: Any, ones: int, twos: int) -> tuple[int, int]:
    """A multiset less the cards of an array; EMPTY and HIDDEN are skipped."""
    for i in range(len(cards)):
        if cards[i] >= 0:
            ones, twos = drop_card(ones, twos, I64(cards[i]))
    return ones, twos


@jit
def _without_hand(ones: int, twos: int, hand: int, twin: int) -> tuple[int, int]:
    """A multiset less another one that is in it."""
    while hand != 0:
        card = min(lowest(hand), JOKER)
        ones, twos = drop_card(ones, twos, card)
        if has(twin, card):
            ones, twos = drop_card(ones, twos, card)
        hand &= hand - 1
    return ones, twos


@jit
def deal(s: Row, cards: Any) -> None:
    """Deal a hand in blocks of seven and keep the rest, or take the discards as the new deck (rules 3)."""
    used = 0
    if s.phase == DEAL:
        _note(s, E_HAND, NOBODY, hand_number(s) & 511, PUBLIC)
        used = _deal_hands(s, cards)
        s.round_no = 1
        s.phase = ANTE
    else:
        _note(s, E_RESHUFFLE, NOBODY, 0, PUBLIC)
        s.mixed = s.round_no - 1
    s.left = len(cards) - used
    for i in range(s.left):
        s.deck_cards[i] = cards[len(cards) - 1 - i]
    _go_on(s)


@jit
def _deal_hands(s: Row, cards: Any) -> int:
    """Seven cards to every seat that has chips, lowest seat first; how many were dealt."""
    used = 0
    for p in range(s.players):
        if s.chips[p] > 0:
            for _ in range(HAND):
                _pick_up(s, p, I64(cards[used]))
                used += 1
    return used


@jit
def _deck_is_ready(s: Row) -> bool:
    """Whether a card can be drawn; else the discards are to be shuffled first."""
    if s.left > 0:
        return True
    if s.shuffle & 63 < 63:  # later reshuffles of one hand share a number: it may not run into the next hand's
        s.shuffle += 1
    s.seat = SHUFFLE
    return False


# --- 4.1 the course of a round --------------------------------------------------------------------------------------------


@jit
def _go_on(s: Row) -> None:
    """Go on until a seat is to act, a shuffle is due or the game is over."""
    going = True
    while going:
        if s.phase in (BET1, BET2):
            going = _next_bettor(s)
        elif s.phase in (PLACE1, PLACE2):
            going = _next_placer(s)
        elif s.phase == ANTE:
            _open_round(s)
        elif s.phase == SURVIVE:
            going = _survivor_places(s)
        elif s.phase == DRAW:
            going = _draw_for_joker(s)
        elif s.phase == COMMUNITY:
            going = _draw_community(s)
        elif s.phase == SHOWDOWN:
            going = _decide_pots(s)
        elif s.phase == AWARD:
            _pay(s, lowest(I64(s.alive)), pot_size(s))
            _close_round(s)
        else:  # DISCARD, GIVE: the same seat goes on; DEAL: a shuffle; END
            going = False


@jit
def _open_round(s: Row) -> None:
    """Antes of all seats with chips; without two of them the hand ends (rules 4.1)."""
    if s.stacks == STACKS_ROUND:
        _fill_stacks(s)
    if _seats_with_chips(s) < 2:
        _open_hand(s, hand_number(s) + 1)
        return
    fill(s.table[s.round_no - 1], EMPTY)
    fill(s.knows[s.round_no - 1], 0)
    alive = I64(0)
    for p in range(s.players):
        if s.chips[p] > 0:
            alive |= bit(p)
            _put_in(s, p, s.ante)
    s.alive = alive
    fill(s.bet, 0)
    s.phase = PLACE1


@jit
def _put_in(s: Row, p: int, amount: int) -> None:
    """Pay chips into the pot, as far as there are any."""
    amount = min(amount, I64(s.chips[p]))
    s.chips[p] -= amount
    s.paid[p] += amount
    s.bet[p] += amount


@jit
def _pay(s: Row, p: int, amount: int) -> None:
    """Pay chips out of the pot."""
    s.chips[p] += amount
    s.net[p] += amount
    _note(s, E_WIN, p, amount // s.step, PUBLIC)


@jit
def _close_round(s: Row) -> None:
    """The pots are paid: on to the next round or hand."""
    for p in range(s.players):
        s.net[p] -= s.paid[p]
    fill(s.paid, 0)
    fill(s.bet, 0)
    s.alive = 0
    s.level = 0
    s.community = EMPTY
    if s.round_no == ROUNDS:
        _open_hand(s, hand_number(s) + 1)
        return
    s.round_no += 1
    s.phase = ANTE


# --- 4.2 placement --------------------------------------------------------------------------------------------------------


@jit
def _next_placer(s: Row) -> bool:
    """The first alive seat from F on whose slot is empty acts; after the last one all are turned up and betting begins."""
    slot = 0 if s.phase == PLACE1 else 1
    cards = s.table[s.round_no - 1]
    first = first_seat(s)
    for i in range(s.players):
        p = (first + i) % s.players
        if has(s.alive, p) and cards[2 * p + slot] == EMPTY:
            s.seat = p
            return False
    if face_up(s.round_no, slot):
        _show(s, slot)
    _open_betting(s, BET1 if slot == 0 else BET2)
    return True


@jit
def _show(s: Row, slot: int) -> None:
    """Everybody sees this slot of the alive seats."""
    for p in range(s.players):
        if has(s.alive, p) and s.table[s.round_no - 1, 2 * p + slot] != EMPTY:
            s.knows[s.round_no - 1, 2 * p + slot] = PUBLIC


@jit
def _lay_down(s: Row, slot: int, card: int, known: int) -> None:
    """The seat to act lays a card on one of its slots."""
    p = I64(s.seat)
    _play_out(s, p, card)
    s.table[s.round_no - 1, 2 * p + slot] = card
    s.knows[s.round_no - 1, 2 * p + slot] = known


@jit
def _place(s: Row, card: int) -> None:
    """`place X`: a placement (4.2), a folder's or survivor's card (4.4), or the card given with a joker (4.5)."""
    mine = bit(s.seat)
    if s.phase == GIVE:
        _swap(s, card)
    elif s.phase == PLACE1:
        _lay_down(s, 0, card, mine)
    elif s.phase == PLACE2:
        _lay_down(s, 1, card, mine)
    else:
        _lay_down(s, 1, card, PUBLIC if face_up(s.round_no, 1) else mine)
        _after_spending(s)


@jit
def _after_spending(s: Row) -> None:
    """A folder's card is spent: betting goes on; the survivor's: it takes the pot (rules 4.4)."""
    if s.phase == DISCARD:
        s.turn = (s.seat + 1) % s.players
        s.phase = BET1
    else:
        s.phase = AWARD


# --- 4.3 betting ----------------------------------------------------------------------------------------------------------


@jit
def _open_betting(s: Row, phase: int) -> None:
    """No bets yet; every alive seat with chips must act; F leads in betting 1, the seat after it in betting 2."""
    fill(s.bet, 0)
    s.phase = phase
    s.last_raise = s.ante
    s.due = with_chips(s)
    s.turn = (first_seat(s) + (1 if phase == BET2 else 0)) % s.players


@jit
def _next_bettor(s: Row) -> bool:
    """The next seat that must act is to act; else betting ends."""
    alone = s.alive & (s.alive - 1) == 0
    p = -1 if alone else _next_due(s)
    s.turn = EMPTY
    if p >= 0:
        s.seat = p
        return False
    s.due = 0
    s.last_raise = 0
    fill(s.bet, 0)
    _after_betting(s, alone)
    return True


@jit
def _after_betting(s: Row, alone: bool) -> None:
    """What comes after betting; a last seat alive takes the pot, after its second card if betting 1 is over (rules 4.4)."""
    if s.phase == BET2:
        s.phase = AWARD if alone else SHOWDOWN
    elif s.round_no == ROUNDS:
        s.phase = AWARD if alone else COMMUNITY
    else:
        s.phase = SURVIVE if alone else PLACE2


@jit
def _next_due(s: Row) -> int:
    """The first seat from `turn` on that must act, -1 if there is none.

    A seat that has matched the highest bet need not act when no other alive seat has chips.
    """
    if s.due == 0:
        return -1
    high = high_bet(s)
    rich = with_chips(s)
    for i in range(s.players):
        p = (s.turn + i) % s.players
        if has(s.due, p):
            if s.bet[p] < high or rich & ~bit(p) != 0:
                return p
            s.due &= ~bit(p)
    return -1


@jit
def raise_limits(s: Row, p: int) -> tuple[int, int]:
    """Smallest and largest amount by which seat p may raise the highest bet; (0, 0) if it may not (rules 4.3)."""
    high = high_bet(s)
    call = high - s.bet[p]
    if 0 < call < s.last_raise:
        return I64(0), I64(0)
    pot = pot_size(s)
    most = min(pot + call if s.pot_counts_call else pot, s.chips[p] - call)
    deepest = I64(0)
    for q in range(s.players):
        if q != p and has(s.alive, q):
            deepest = max(deepest, s.chips[q] + s.bet[q] - high)
    most = min(most, deepest)
    if most <= 0:
        return I64(0), I64(0)
    return min(I64(s.last_raise), most), most


@jit
def _legal_bets(s: Row, out: Any) -> int:
    """`fold`, `check` or `call`, the raises, and the jokers that may be used before."""
    p = I64(s.seat)
    out[0] = FOLD
    out[1] = CHECK if to_call(s, p) == 0 else CALL
    n = 2
    low, most = raise_limits(s, p)
    if most > 0:
        step = I64(s.step)
        first, last = low // step, most // step
        for k in range(first, min(last, MOST_RAISE) + 1):
            out[n] = RAISE + k
            n += 1
        if last > MOST_RAISE:
            out[n] = RAISE_MAX
            n += 1
    if has(s.hand[p], JOKER) and _may_use_joker(s, p):
        n = _legal_jokers(s, p, out, n)
    return n


@jit
def _bet(s: Row, action: int) -> None:
    """`fold`, `check`, `call` or `raise`: the turn ends (rules 4.3, 4.4)."""
    p = I64(s.seat)
    s.jokered = 0
    s.due &= ~bit(p)
    s.turn = (p + 1) % s.players
    if action == FOLD:
        _note(s, E_FOLD, p, 0, PUBLIC)
        s.alive &= ~bit(p)
        if s.phase == BET1 and s.round_no < ROUNDS:
            s.phase = DISCARD
            s.turn = EMPTY
    elif action == CHECK:
        _note(s, E_CHECK, p, 0, PUBLIC)
    elif action == CALL:
        _note(s, E_CALL, p, 0, PUBLIC)
        _put_in(s, p, to_call(s, p))
    else:
        _, most = raise_limits(s, p)
        _raise(s, p, most if action == RAISE_MAX else (action - RAISE) * s.step)


@jit
def _raise(s: Row, p: int, amount: int) -> None:
    """Call and raise by `amount`: all other alive seats with chips must act again."""
    _note(s, E_RAISE, p, amount // s.step, PUBLIC)
    _put_in(s, p, to_call(s, p) + amount)
    s.last_raise = max(I64(s.last_raise), amount)
    s.due = with_chips(s) & ~bit(p)


# --- 4.4 the last seat alive ----------------------------------------------------------------------------------------------


@jit
def _survivor_places(s: Row) -> bool:
    """The survivor of betting 1 spends its second card before it takes the pot."""
    s.seat = lowest(I64(s.alive))
    return False


# --- 4.5 jokers -----------------------------------------------------------------------------------------------------------


@jit
def _may_use_joker(s: Row, p: int) -> bool:
    """Whether seat p, which holds a joker, may use it in this turn."""
    if s.jokered == 1 or (s.joker_limit == 1 and s.joker_uses[p] > 0):
        return False
    return s.joker_use == LAY or s.held[p] > 1


@jit
def _legal_jokers(s: Row, p: int, out: Any, n: int) -> int:
    """Every card on the table of another seat is a target."""
    cards = s.table[s.round_no - 1]
    for place in range(2 * s.players):
        if cards[place] != EMPTY and place >> 1 != p:
            out[n] = USE_JOKER + place
            n += 1
    return n


@jit
def _use_joker(s: Row, place: int) -> None:
    """`joker S K`: the card to give comes next; with `lay` the joker itself replaces the target, whose card is gone."""
    p = I64(s.seat)
    r = s.round_no - 1
    s.jokered = 1
    s.joker_uses[p] += 1
    _note(s, E_JOKER, p, place, PUBLIC)
    if s.joker_use == SWAP:
        s.target = place
        s.phase = GIVE
        return
    _note(s, E_LOSE, p, I64(s.table[r, place]), I64(s.knows[r, place]))
    _play_out(s, p, JOKER)
    s.table[r, place] = JOKER
    s.knows[r, place] = PUBLIC
    s.turn = p
    s.phase = DRAW


@jit
def _swap(s: Row, card: int) -> None:
    """Exchange the target for the card given: the joker is discarded, a card is to be drawn (rules 4.5)."""
    p = I64(s.seat)
    r = s.round_no - 1
    place = I64(s.target)
    known = I64(s.knows[r, place])
    taken = I64(s.table[r, place])
    s.phase = BET1 if s.table[r, 2 * p + 1] == EMPTY else BET2  # for the time in the log
    _note(s, E_TAKE, p, taken, known | bit(p))
    _play_out(s, p, JOKER)
    _play_out(s, p, card)
    _pick_up(s, p, taken)
    s.table[r, place] = card
    s.knows[r, place] = PUBLIC if face_up(s.round_no, place & 1) else bit(p) | bit(place >> 1)
    s.target = EMPTY
    s.turn = p
    s.phase = DRAW


@jit
def _draw_for_joker(s: Row) -> bool:
    """The user of a joker draws one card and is still to act."""
    if _deck_is_ready(s):
        p = I64(s.turn)
        card = _draw(s)
        _pick_up(s, p, card)
        s.phase = BET1 if s.table[s.round_no - 1, 2 * p + 1] == EMPTY else BET2
        _note(s, E_DRAW, p, card, bit(p))
        s.turn = EMPTY
        s.seat = p
    return False


# --- 5 scoring ------------------------------------------------------------------------------------------------------------


@jit
def _draw_community(s: Row) -> bool:
    """Round 4: the shared card is turned up before betting 2."""
    if not _deck_is_ready(s):
        return False
    card = _draw(s)
    s.community = card
    _note(s, E_COMMUNITY, NOBODY, card, PUBLIC)
    _open_betting(s, BET2)
    return True


@jit
def _decide_pots(s: Row) -> bool:
    """Show down and pay pot by pot, the main pot first; false when a tie-break waits for a shuffle (rules 5.2, 5.3)."""
    _show(s, 0)
    _show(s, 1)
    while s.tied != 0 or _next_pot(s):
        most = 1 if s.sudden_death == 1 else MOST_DRAWS
        if count(s.tied) == 1 or s.draws == most:
            _split_pot(s)
        elif not _tie_break(s):
            return False
    _close_round(s)
    return True


@jit
def _next_pot(s: Row) -> bool:
    """Go to the next level of payments of alive seats and set `tied` to its best seats; false after the last pot."""
    level = I64(0)
    for p in range(s.players):
        if has(s.alive, p) and s.paid[p] > s.level and (level == 0 or s.paid[p] < level):
            level = I64(s.paid[p])
    if level == 0:
        return False
    s.level = level
    best = I64(-1)
    for p in range(s.players):
        if has(s.alive, p) and s.paid[p] >= level:
            score = seat_score(s, p)
            if score > best:
                best = score
                s.tied = 0
            if score == best:
                s.tied |= bit(p)
    return True


@jit
def _chips_in_pot(s: Row) -> int:
    """Chips of the pot of this level: what every seat has paid above the level below, and in the last pot all the rest."""
    below_it = I64(0)
    last = True
    for p in range(s.players):
        if has(s.alive, p):
            if s.paid[p] < s.level:
                below_it = max(below_it, I64(s.paid[p]))
            if s.paid[p] > s.level:
                last = False
    chips = I64(0)
    for p in range(s.players):
        upto = s.paid[p] if last else min(s.paid[p], s.level)
        chips += max(0, upto - below_it)
    return chips


@jit
def _tie_break(s: Row) -> bool:
    """One draw: a card to each tied seat from F on, the highest stay in; false when a shuffle is due (rules 5.3)."""
    first = first_seat(s)
    best = I64(-1)
    for i in range(s.players):
        p = (first + i) % s.players
        if has(s.tied, p):
            if s.drawn[p] == EMPTY:
                if not _deck_is_ready(s):
                    return False
                s.drawn[p] = _draw(s)
            best = max(best, value(I64(s.drawn[p])))
    for i in range(s.players):
        p = (first + i) % s.players
        if has(s.tied, p):
            _note(s, E_TIE, p, I64(s.drawn[p]), PUBLIC)
            if value(I64(s.drawn[p])) < best:
                s.tied &= ~bit(p)
    fill(s.drawn, EMPTY)
    s.draws += 1
    return True


@jit
def _split_pot(s: Row) -> None:
    """Pay this pot to the tied seats; left-over steps go one each to the first of them from F on (rules 5.3)."""
    steps = _chips_in_pot(s) // s.step
    seats = count(s.tied)
    share, extra = steps // seats, steps % seats
    first = first_seat(s)
    for i in range(s.players):
        p = (first + i) % s.players
        if has(s.tied, p):
            _pay(s, p, (share + (1 if extra > 0 else 0)) * s.step)
            extra -= 1
    s.tied = 0
    s.draws = 0


@jit
def score(s: Row, out: Any) -> None:
    """Chips won - chips put over the whole game (rules 5.4)."""
    for p in range(s.players):
        out[p] = s.net[p]


# --- the actions ----------------------------------------------------------------------------------------------------------


@jit
def legal(s: Row, out: Any) -> int:
    """Write the legal actions of the seat to act, ascending; return how many (rules 4, 7)."""
    if s.phase in (BET1, BET2):
        return _legal_bets(s, out)
    hand = s.hand[s.seat]
    if s.phase == GIVE:
        hand, _ = drop_card(hand, I64(0), JOKER)
    return cards_into(out, 0, PLACE, hand & KINDS)


@jit
def step(s: Row, action: int) -> None:
    """Apply a legal action and go on."""
    if action >= PLACE:
        _place(s, action - PLACE)
    elif action >= USE_JOKER:
        _use_joker(s, action - USE_JOKER)
    else:
        _bet(s, action)
    _go_on(s)


# --- 6 information --------------------------------------------------------------------------------------------------------


@jit
def redact(s: Row, seat: int) -> None:
    """Blank other hands, the deck, and every table card and logged card that this seat does not know (rules 6)."""
    who = seat if seat >= 0 else ONLOOKER
    for p in range(s.players):
        if p != seat:
            s.hand[p] = 0
            s.twin[p] = 0
    fill(s.deck_cards, EMPTY)
    for r in range(ROUNDS):
        for i in range(2 * SEATS):
            if s.table[r, i] >= 0 and not has(s.knows[r, i], who):
                s.table[r, i] = HIDDEN
    for i in range(LOG):  # a blank event is -1: it counts as known
        s.log[i] |= ((~s.log[i] >> (20 + who)) & 1) * _VALUE


@jit
def determinize(s: Row, rng: Any) -> None:
    """Deal the cards that the row does not show over the hands, hidden slots and deck (rules 6).

    Honoured: every card that the viewer knows, also among the discards; a card that it knows another seat took is dealt to that
    seat's hand or to a hidden slot that the seat filled later; cards that went into a reshuffle go to the deck. What no rule
    can ask for again stays unknown: face-down cards of an earlier hand or from before a reshuffle, cards in the log.
    """
    ones, twos = unseen(s)
    ones, twos = _deal_taken(s, ones, twos, rng)
    returned = np.empty(PACK, np.int16)
    n_returned, ones, twos = _returned(s, ones, twos, returned)
    cards = np.empty(PACK, np.int16)
    n = multiset_into(cards, ones, twos)
    shuffle_with(cards, n, rng)
    n = _deal_hidden(s, cards, n)
    if s.left > 0 and s.deck_cards[0] == EMPTY:
        for i in range(n_returned, s.left):
            n -= 1
            returned[i] = cards[n]
        shuffle_with(returned, s.left, rng)
        for i in range(s.left):
            s.deck_cards[i] = returned[i]


@jit
def _deal_hidden(s: Row, cards: Any, n: int) -> int:
    """Fill hidden hands and slots with the last of `n` cards; return how many cards are left."""
    for p in range(s.players):
        while count(s.hand[p]) + count(s.twin[p]) < s.held[p]:
            n -= 1
            s.hand[p], s.twin[p] = add_card(s.hand[p], s.twin[p], I64(cards[n]))
    for r in range(s.mixed, s.round_no):
        for i in range(2 * s.players):
            if s.table[r, i] == HIDDEN:
                n -= 1
                s.table[r, i] = cards[n]
    return n


@jit
def unseen(s: Row) -> tuple[int, int]:
    """The cards whose place a view does not show, as a multiset (see `add_card`): deck, other hands, unknown table cards.

    In a view's row; discards that the viewer does not know, or that the log has lost, are among them.
    """
    ones, twos = all_cards(s)
    for r in range(s.mixed, s.round_no - 1):
        ones, twos = _without(s.table[r], ones, twos)
    ones, twos = _without_all_in_play(s, ones, twos)
    for i in range(_log_begin(s, E_RESHUFFLE), s.logged):
        card = _spent(s.log[i % LOG])
        if card >= 0:
            ones, twos = drop_card(ones, twos, card)
    return ones, twos


@jit
def _spent(event: int) -> int:
    """The card that an event has put among the discards, EMPTY if none is known."""
    kind, card = event & 15, I64((event >> 4) & UNKNOWN)
    if kind == E_TAKE:
        return JOKER
    if kind in (E_TIE, E_LOSE) and card != UNKNOWN:
        return card
    return EMPTY


@jit
def _log_begin(s: Row, kind: int) -> int:
    """Number of the first event after the last deal, or after the last event of this kind if that was later."""
    i = I64(s.logged)
    oldest = max(0, i - LOG)
    while i > oldest:
        event = s.log[(i - 1) % LOG] & 15
        if event in (E_HAND, kind):
            return i
        i -= 1
    return i


@jit
def _deal_taken(s: Row, ones: int, twos: int, rng: Any) -> tuple[int, int]:
    """Deal the cards that the viewer knows to have been taken, latest first; return the multiset without them."""
    begin = _log_begin(s, E_HAND)
    for back in range(s.logged - begin):
        event = s.log[(s.logged - 1 - back) % LOG]
        card = I64((event >> 4) & UNKNOWN)
        known = event & 15 == E_TAKE and card != UNKNOWN and has(ones, card)
        if known and _give_taken(s, I64((event >> 14) & 7), card, I64((event >> 17) & 7), rng):
            ones, twos = drop_card(ones, twos, card)
    return ones, twos


@jit
def _give_taken(s: Row, p: int, card: int, time: int, rng: Any) -> bool:
    """Deal a card that seat p took at that time to its hand or to a hidden slot that it filled later, if there is one."""
    in_hand = s.held[p] - count(s.hand[p]) - count(s.twin[p])
    places = in_hand
    for t in range(max(time + 1, 2 * s.mixed), 2 * s.round_no):
        if s.table[t >> 1, 2 * p + (t & 1)] == HIDDEN:
            places += 1
    if places == 0:
        return False
    pick = below(rng, places) - in_hand
    if pick < 0:
        s.hand[p], s.twin[p] = add_card(s.hand[p], s.twin[p], card)
        return True
    for t in range(max(time + 1, 2 * s.mixed), 2 * s.round_no):
        if s.table[t >> 1, 2 * p + (t & 1)] == HIDDEN:
            if pick == 0:
                s.table[t >> 1, 2 * p + (t & 1)] = card
            pick -= 1
    return True


@jit
def _returned(s: Row, ones: int, twos: int, out: Any) -> tuple[int, int, int]:
    """Write the cards that the viewer knows a reshuffle of this hand to have put back, as far as unseen and the deck has room.

    Returns:
        How many, and the multiset without them.
    """
    n = 0
    for r in range(s.mixed):
        for i in range(2 * s.players):
            card = I64(s.table[r, i])
            if card >= 0 and has(ones, card) and n < s.left:
                ones, twos = drop_card(ones, twos, card)
                out[n] = card
                n += 1
    for i in range(_log_begin(s, E_HAND), _log_begin(s, E_RESHUFFLE)):
        card = _spent(s.log[i % LOG])
        if card >= 0 and has(ones, card) and n < s.left:
            ones, twos = drop_card(ones, twos, card)
            out[n] = card
            n += 1
    return n, ones, twos


# --- text and registration ------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _texts(step: int) -> tuple[str, ...]:
    raises = [f"raise {k * step}" for k in range(1, MOST_RAISE + 1)]
    jokers = [f"joker {seat} {slot}" for seat in range(SEATS) for slot in (1, 2)]
    return ("fold", "check", "call", *raises, "raise max", *jokers, *(f"place {card}" for card in CARDS))


def action_texts(options: dict[str, Value]) -> tuple[str, ...]:
    """The texts of the 169 actions by number: raises are in chips, so they depend on `step` (rules 7)."""
    return _texts(int(options["step"]))


def _check(players: int, options: dict[str, Value]) -> None:
    """Amounts are multiples of `step`, and a stack has 4 antes to 100 steps (rules 2)."""
    ante, stack, chip = (int(options[name]) for name in ("ante", "stack", "step"))
    for name, amount in (("ante", ante), ("stack", stack)):
        if amount % chip:
            raise OptionError(f"tzogous37: option {name} = {amount}: allowed is a multiple of step = {chip}")
    if not 4 * ante <= stack <= MOST_RAISE * chip:
        raise OptionError(
            f"tzogous37: option stack = {stack}: allowed is 4 antes to {MOST_RAISE} steps, here {4 * ante} to {MOST_RAISE * chip}"
        )


def _card(card: int) -> str:
    """Text of a card or slot: `?` if it is not known, empty if none lies there."""
    return "?" if card == HIDDEN else "" if card == EMPTY else CARDS[card]


def _hand(s: Row, seat: int) -> tuple[str, ...]:
    out = np.zeros(PACK, np.int16)
    n = multiset_into(out, s.hand[seat], s.twin[seat]) if seat >= 0 else 0
    return tuple(CARDS[card] for card in out[:n].tolist())


def _seats(s: Row, mask: int) -> tuple[int, ...]:
    return tuple(p for p in range(s.players) if mask >> p & 1)


def _in_round(s: Row) -> int:
    return sum(1 << p for p in range(s.players) if s.paid[p] > 0)


def _table(s: Row, r: int) -> tuple[tuple[str, str], ...]:
    cards = s.table[r]
    return tuple((_card(cards[2 * p]), _card(cards[2 * p + 1])) for p in range(s.players))


def _rounds(s: Row, rounds: range) -> tuple[tuple[tuple[str, str], ...], ...]:
    return tuple(_table(s, r) for r in rounds)


def _discards(s: Row) -> int:
    """Number of discards: what is neither in the deck nor in a hand nor on the table."""
    lying = sum(card != EMPTY for card in s.table[s.round_no - 1]) + (s.community != EMPTY) if s.alive else 0
    return int(s.decks * (52 + s.jokers) - s.left - sum(s.held) - lying) if s.seat != OVER else 0


# what follows reads plain rows, which compiled functions do not take


def _hand_number(s: Row) -> int:
    return int(s.shuffle // 64)


def _first(s: Row) -> int | None:
    turn = [(_hand_number(s) + s.round_no - 1 + i) % s.players for i in range(s.players)]
    return next((p for p in turn if s.paid[p] > 0), None)


def _call(s: Row, seat: int) -> int:
    """Chips that the viewer (an onlooker: the seat to act) has to pay to call."""
    who = seat if seat >= 0 else s.seat
    return int(max(s.bet) - s.bet[who]) if who >= 0 else 0


def _all_in(s: Row) -> tuple[int, ...]:
    return tuple(p for p in _seats(s, s.alive) if s.chips[p] == 0)


def _target(s: Row) -> tuple[int, int] | None:
    return (s.target // 2, s.target % 2 + 1) if s.target != EMPTY else None


_EVENT_WORDS = (
    "fold", "check", "call", "raise", "joker", "take", "draw", "lose", "community", "tie", "win", "reshuffle", "hand",
)  # fmt: skip
_CARD_EVENTS = {E_TAKE, E_DRAW, E_LOSE, E_COMMUNITY, E_TIE}
_BETTING_EVENTS = {E_FOLD, E_CHECK, E_CALL, E_RAISE, E_JOKER, E_TAKE, E_LOSE, E_DRAW}


def _event_text(kind: int, number: int, chip: int) -> str:
    if kind in _CARD_EVENTS:
        return f"{_EVENT_WORDS[kind]} {'?' if number == UNKNOWN else CARDS[number]}"
    if kind in {E_RAISE, E_WIN}:
        return f"{_EVENT_WORDS[kind]} {number * chip}"
    if kind == E_JOKER:
        return f"joker {number // 2} {number % 2 + 1}"
    return f"hand {number}" if kind == E_HAND else _EVENT_WORDS[kind]


def _events(s: Row, seat: int) -> Iterator[tuple[int, int, int, str]]:
    for i in range(max(0, s.logged - LOG), s.logged):
        event = s.log[i % LOG]
        kind, number, who, time = event & 15, event >> 4 & UNKNOWN, event >> 14 & 7, event >> 17 & 7
        betting = time % 2 + 1 if kind in _BETTING_EVENTS else 0
        yield time // 2 + 1, betting, -1 if who == NOBODY else who, _event_text(kind, number, s.step)


def _shows(s: Row) -> tuple[int | None, ...]:
    """Score of each seat whose two cards in this round the row holds."""
    cards = s.table[s.round_no - 1]
    second = [s.community if s.round_no == ROUNDS else cards[2 * p + 1] for p in range(s.players)]
    pairs = [(cards[2 * p], second[p]) for p in range(s.players)]
    return tuple(int(pair_score(a, b)) if s.alive and a >= 0 and b >= 0 else None for a, b in pairs)


def _per_seat(name: str) -> Any:
    return lambda s, seat: tuple(getattr(s, name)[p] for p in range(s.players))


FIELDS = (
    Field("hand_number", "int", "hand of the game, from 0", lambda s, seat: _hand_number(s)),
    Field("round", "int", "round of the hand, 1 to 4", lambda s, seat: s.round_no),
    Field("phase", "word", "place 1, bet 1, place 2, bet 2, discard (after a fold), survivor, give (with a joker), end",
          lambda s, seat: PHASES[s.phase]),
    Field("first", "seat or None", "F: the seat that places first and leads betting 1", lambda s, seat: _first(s)),
    Field("hand", "cards", "own hand, by card number", _hand),
    Field("hand_sizes", "ints", "cards in each seat's hand", _per_seat("held")),
    Field("table", "pairs of cards", "each seat's slots 1 and 2 in this round: a card, `?` not known, empty",
          lambda s, seat: _table(s, s.round_no - 1)),
    Field("faces", "words", "how slots 1 and 2 of this round lie: up or down; round 4 has no slot 2",
          lambda s, seat: tuple("up" if face_up(s.round_no, k) else "down" for k in range(1 if s.round_no == ROUNDS else 2))),
    Field("community", "card", "shared card of round 4, or empty", lambda s, seat: _card(s.community)),
    Field("scores", "ints or None", "score of each seat whose two cards are known, this round", lambda s, seat: _shows(s)),
    Field("earlier", "pairs of cards by round", "slots of the finished rounds of this hand, as `table`",
          lambda s, seat: _rounds(s, range(s.round_no - 1))),
    Field("last_hand", "pairs of cards by round", "slots of the previous hand's rounds from the present round + 1 on, as `table`",
          lambda s, seat: _rounds(s, range(s.round_no, ROUNDS))),
    Field("chips", "ints", "chips behind, by seat", _per_seat("chips")),
    Field("put", "ints", "chips paid in this round, ante included, by seat", _per_seat("paid")),
    Field("bets", "ints", "chips paid in this betting, by seat", _per_seat("bet")),
    Field("pot", "int", "all chips paid in this round", lambda s, seat: sum(s.paid)),
    Field("high", "int", "highest bet of this betting", lambda s, seat: max(s.bet)),
    Field("to_call", "int", "chips the viewer lacks to the highest bet (onlooker: the seat to act)", _call),
    Field("last_raise", "int", "largest raise of this betting, at first the ante; 0 outside of betting",
          lambda s, seat: s.last_raise),
    Field("in_round", "seats", "seats that took part in the ante", lambda s, seat: _seats(s, _in_round(s))),
    Field("alive", "seats", "seats in the round that have not folded", lambda s, seat: _seats(s, s.alive)),
    Field("folded", "seats", "seats in the round that have folded", lambda s, seat: _seats(s, _in_round(s) & ~s.alive)),
    Field("all_in", "seats", "alive seats without chips behind", lambda s, seat: _all_in(s)),
    Field("must_act", "seats", "seats that must still act in this betting", lambda s, seat: _seats(s, s.due)),
    Field("joker_used", "bool", "whether the seat to act has used a joker in this turn", lambda s, seat: bool(s.jokered)),
    Field("joker_uses", "ints", "jokers used in this hand, by seat", _per_seat("joker_uses")),
    Field("target", "(seat, slot) or None", "where a joker is aimed at, until the card is given", lambda s, seat: _target(s)),
    Field("deck_size", "int", "cards in the deck", lambda s, seat: s.left),
    Field("discard_size", "int", "cards in the discards", lambda s, seat: _discards(s)),
    Field("net", "ints", "chips won - put in all finished rounds, by seat", _per_seat("net")),
    Field("events", "(round, betting, seat, text)s",
          "the last 128 events; betting 0 and seat -1 where there is none; cards not known are `?`",
          lambda s, seat: tuple(_events(s, seat))),
)  # fmt: skip


def show(s: Row, seat: int) -> str:
    """A position as text for people: `seat`'s view, or for -1 everything that the row holds."""
    lines = [
        f"hand {_hand_number(s)}, round {s.round_no}, {PHASES[s.phase]}; pot {sum(s.paid)}; community {_card(s.community) or '-'}"
    ]
    for p in range(s.players):
        place = ["-", "folded", "alive"][(s.paid[p] > 0) + (s.alive >> p & 1)]
        slots = " ".join(card or "-" for card in _table(s, s.round_no - 1)[p])
        hand = " ".join(_hand(s, p)) or f"{s.held[p]} cards"
        lines.append(
            f"seat {p}: {place:6}  {slots:6}  chips {s.chips[p]}, put {s.paid[p]}, bet {s.bet[p]}, net {s.net[p]}  [{hand}]"
        )
    recent = [text if who < 0 else f"{who} {text}" for _, _, who, text in _events(s, seat)][-12:]
    return "\n".join([*lines, f"deck {s.left} cards; lately: {', '.join(recent) or '-'}"])


GAME = Game(
    name="tzogous37",
    state=STATE,
    options=OPTIONS,
    players=(2, 2, SEATS),
    cards=CARDS,
    actions=action_texts,
    n_actions=ACTIONS,
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
    deck_size=PACK,
    check=_check,
    show=show,
)
