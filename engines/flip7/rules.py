"""Flip 7: turn cards face up, stop before a number comes twice, seven different numbers end the round.

2 to 10 players, rounds until somebody has `goal` points; about 100 decisions and 10 to 15 rounds for 4 players.
Numbers in brackets are the sections of the rules page, docs/rules/flip7.md.

The only hidden thing is the order of the draw pile. All cards start on the discard pile, so that every shuffle, the first
one and the one before a round (`deck=fresh`) included, is the same event: a single draw meets an empty draw pile [3].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import HAND_SHUFFLES as ROUND_SHUFFLES
from ..core import I64, OVER, SHUFFLE, Row, bit, cards_into, count, fill, has, jit, record, shuffle_with
from ..errors import OptionError
from ..option import Option, Value, state_dtype
from ..view import Field

# --- vocabulary [1, 2, 7] --------------------------------------------------------------------------------------------------

CARDS = (*map(str, range(13)), "+2", "+4", "+6", "+8", "+10", "X2", "FZ", "F3", "SC")
"""Text of every kind of card; its index is the card's number, and canonical order is ascending."""
COPIES = np.array([1, *range(1, 13), 1, 1, 1, 1, 1, 1, 3, 3, 3])
"""How many cards of each kind the deck has."""
VALUES = np.array([*range(13), 2, 4, 6, 8, 10, 0, 0, 0, 0])
"""Points of a card by itself [5.1]."""
KINDS = len(CARDS)
DECK = int(COPIES.sum())
NUMBERS = 13  # cards below this one are numbers
DOUBLE, FREEZE, FLIP_THREE, SECOND_CHANCE = 18, 19, 20, 21
NUMBER_CARDS = (1 << NUMBERS) - 1
SEVEN, BONUS = 7, 15
MOST_POINTS = 171

SEATS = 10
ROW = 16  # 7 numbers, 6 modifiers, 3 Second Chances
FLIPS = 3  # there are three F3, and none comes back before all are done
DRAWS = 3
RECENT = 64
NONE = -1
NOBODY = OVER  # `seat` while `go_on` looks for what comes next

EMPTY_SEAT, ACTIVE, STAYED, FROZEN, BUSTED, FLIP7 = range(6)
STATUS = ("", "active", "stayed", "frozen", "busted", "flip7")

HIT, STAY, SAVE, BUST, GIVE = range(5)
ACTIONS = ("hit", "stay", "save", "bust", *(f"give {seat}" for seat in range(SEATS)))

SELF, ANY = range(2)
NOW, AFTER = range(2)
AUTO, ASK = range(2)
KEEP, FRESH = range(2)
SHARE, PLAY_ON = range(2)
OPTIONS = (
    Option("goal", 200, "the game ends after a round in which some total has reached this", 1, 10_000),
    Option("max_rounds", 50, "the game ends after this many rounds in any case", 1, 1_000),
    Option("first_dealer", 0, "dealer of round 1, 0 to players - 1; the deal passes clockwise", 0, SEATS - 1),
    Option("targeting", "self", "who a Freeze or Flip Three acts on: its drawer, or any active seat", choices=("self", "any")),
    Option("flip_three", "now", "FZ and F3 drawn in a Flip Three: act now, or after its draws", choices=("now", "after")),
    Option("second_chance", "auto", "a Second Chance is spent by itself, or its seat is asked", choices=("auto", "ask")),
    Option("deck", "keep", "the draw pile goes on from round to round, or is fresh each round", choices=("keep", "fresh")),
    Option("tie", "share", "equal best totals at the goal: shared first place, or play on", choices=("share", "play_on")),
)

# --- state -----------------------------------------------------------------------------------------------------------------
# All is public but `pile`. Blank is NONE unless said otherwise; seats beyond `players` hold blanks.

STATE = state_dtype(
    OPTIONS,
    [
        ("round_no", np.int16),  # from 1
        ("dealt", np.int8),  # seats served in this round's deal, 0 .. players; blank 0 at the end
        ("turn", np.int8),  # seat whose card of the deal or whose turn is carried out; before the first card the dealer
        ("card", np.int8),  # what `seat` decides about: a duplicate (save, bust) or an action card (give); blank at a turn
        ("left", np.int8),  # cards in the draw pile: the end of the list that a view blanks
        ("pile", np.int8, DECK),  # HIDDEN: the next card is pile[left - 1]
        ("discards", np.int8, KINDS),  # how many of each kind
        ("row", np.int8, (SEATS, ROW)),  # numbers, modifiers, Second Chances in the order received
        ("status", np.int8, SEATS),  # blank 0; at the end of the game as the last round left it
        ("flip_seat", np.int8, FLIPS),  # open Flip Threes, the last one is on top: whose
        ("flip_left", np.int8, FLIPS),  # ... how many draws are left, blank 0
        ("aside", np.int8, (FLIPS, DRAWS)),  # ... FZ and F3 that wait for the end of its draws, earliest first
        ("total", np.int32, SEATS),  # points of all rounds that are over, blank 0
        ("last", np.int16, SEATS),  # points of the last round that is over
        ("decisions", np.int32),  # made so far in the game
        ("recent", np.int16, RECENT),  # seat * 16 + action of decision d at d % 64: a ring of the last 64
    ],
)

# --- rows and piles --------------------------------------------------------------------------------------------------------


@jit
def kinds(s: Row, seat: int) -> int:
    """Mask of the kinds of card that lie in a row."""
    mask = 0
    for i in range(ROW):
        card = s.row[seat, i]
        if card == NONE:
            break
        mask |= bit(card)
    return mask


@jit
def row_size(s: Row, seat: int) -> int:
    """Number of cards in a row."""
    n = 0
    while n < ROW and s.row[seat, n] != NONE:
        n += 1
    return n


@jit
def worth(cards: int, total: int, plus: int) -> int:
    """Points of a row that has not bust, from its mask, the sum of its numbers and that of its additions [5.1]."""
    points = total * 2 if has(cards, DOUBLE) else total
    return points + plus + (BONUS if count(cards & NUMBER_CARDS) == SEVEN else 0)


@jit
def row_points(s: Row, seat: int) -> int:
    """What a row would score if the round ended now [5.1]."""
    if s.status[seat] == BUSTED:
        return 0
    total, plus = 0, 0
    for i in range(row_size(s, seat)):
        card = s.row[seat, i]
        if card < NUMBERS:
            total += VALUES[card]
        else:
            plus += VALUES[card]
    return worth(kinds(s, seat), total, plus)


@jit
def points_into(s: Row, out: Any) -> None:
    """Write what every row would score now into `out` (int64, players)."""
    for seat in range(s.players):
        out[seat] = row_points(s, seat)


@jit
def lay(s: Row, seat: int, card: int) -> None:
    """Put a card at the end of a row."""
    s.row[seat, row_size(s, seat)] = card


@jit
def take_from_row(s: Row, seat: int, card: int) -> None:
    """Take the first card of a kind out of a row that has one; the later cards close up."""
    i = 0
    while s.row[seat, i] != card:
        i += 1
    while i < ROW - 1:
        s.row[seat, i] = s.row[seat, i + 1]
        i += 1
    s.row[seat, ROW - 1] = NONE


@jit
def discard(s: Row, card: int) -> None:
    """Put a card on the discard pile."""
    s.discards[card] += 1


@jit
def top_card(s: Row) -> int:
    """Take the next card off the draw pile, which is not empty."""
    s.left -= 1
    card = I64(s.pile[s.left])
    s.pile[s.left] = NONE
    return card


@jit
def pile_counts(s: Row, out: Any) -> None:
    """Write how many cards of each kind are in the draw pile into `out` (int64[22]); follows from what is open [6]."""
    for card in range(KINDS):
        out[card] = COPIES[card] - s.discards[card]
    for seat in range(s.players):
        for i in range(row_size(s, seat)):
            out[s.row[seat, i]] -= 1
    for flip in range(FLIPS):
        for i in range(DRAWS):
            if s.aside[flip, i] != NONE:
                out[s.aside[flip, i]] -= 1
    if s.card != NONE:
        out[s.card] -= 1


# --- set-up and shuffles [3] -----------------------------------------------------------------------------------------------


@jit
def start(s: Row) -> None:
    """Blank record, all cards on the discard pile, round 1, first shuffle [3]."""
    s.seat = NOBODY
    s.shuffle = -1
    s.round_no = 0
    s.card = NONE
    fill(s.pile, NONE)
    fill(s.last, NONE)
    fill(s.recent, NONE)
    fill(s.flip_seat, NONE)
    for seat in range(SEATS):
        fill(s.row[seat], NONE)
    for flip in range(FLIPS):
        fill(s.aside[flip], NONE)
    for card in range(KINDS):
        s.discards[card] = COPIES[card]
    next_round(s)
    go_on(s)


@jit
def deck(s: Row, out: Any) -> int:
    """The cards to be shuffled: the whole discard pile, in canonical order [3]."""
    n = 0
    for card in range(KINDS):
        for _ in range(s.discards[card]):
            out[n] = card
            n += 1
    return n


@jit
def deal(s: Row, cards: Any) -> None:
    """The shuffled cards become the draw pile, `cards[0]` on top; then the draw that waited for it is made [3]."""
    s.seat = NOBODY
    fill(s.discards, 0)
    s.left = len(cards)
    for i in range(len(cards)):
        s.pile[len(cards) - 1 - i] = cards[i]
    single_draw(s)
    go_on(s)


@jit
def single_draw(s: Row) -> None:
    """One card for the seat whose turn it is (deal or hit); or the shuffle that it needs, and `deal` comes back here [3]."""
    if s.left > 0:
        resolve(s, I64(s.turn), top_card(s))
        return
    s.seat = SHUFFLE
    s.shuffle = max(s.shuffle + 1, (s.round_no - 1) * ROUND_SHUFFLES)


# --- rounds [4, 4.1] -------------------------------------------------------------------------------------------------------


@jit
def dealer(s: Row) -> int:
    """Dealer of this round [3]."""
    return (s.first_dealer + s.round_no - 1) % s.players


@jit
def next_round(s: Row) -> None:
    """All seats are in, nobody has a card; a fresh deck is gathered first [3, 4.1]."""
    s.round_no += 1
    s.dealt = 0
    s.turn = dealer(s)
    for seat in range(s.players):
        s.status[seat] = ACTIVE
    while s.deck == FRESH and s.left > 0:
        discard(s, top_card(s))


@jit
def round_over(s: Row) -> bool:
    """Whether somebody has seven numbers or nobody is active [4]."""
    active = False
    for seat in range(s.players):
        if s.status[seat] == FLIP7:
            return True
        active |= s.status[seat] == ACTIVE
    return not active


@jit
def go_on(s: Row) -> None:
    """Carry out what needs no decision, until a seat is to act, a shuffle is due or the game is over [4].

    `start`, `deal` and `step` set `seat` to nobody; the rule that needs a decision or a shuffle sets it again.
    """
    while s.seat == NOBODY:
        if round_over(s):
            end_round(s)
            if game_over(s):
                s.turn = NONE
                s.dealt = 0
                return
            next_round(s)
        elif s.flip_seat[0] != NONE:
            carry_on(s, top_flip(s))
        elif s.dealt < s.players:
            deal_one(s)
        else:
            s.turn = next_active(s)
            s.seat = s.turn


@jit
def deal_one(s: Row) -> None:
    """The next seat's card of the deal, if it is still in; the dealer's is the last [4.1]."""
    s.turn = (s.turn + 1) % s.players
    s.dealt += 1
    if s.status[s.turn] == ACTIVE:
        single_draw(s)


@jit
def next_active(s: Row) -> int:
    """The next active seat clockwise from the one whose turn it was; after the deal that is from the dealer [4.2]."""
    seat = (s.turn + 1) % s.players
    while s.status[seat] != ACTIVE:
        seat = (seat + 1) % s.players
    return seat


# --- one card [4.3] --------------------------------------------------------------------------------------------------------


@jit
def resolve(s: Row, seat: int, card: int) -> None:
    """What a card does that a seat has drawn [4.3]."""
    held = kinds(s, seat)
    if card < NUMBERS and has(held, card):
        duplicate(s, seat, card, has(held, SECOND_CHANCE))
    elif card < FREEZE:
        lay(s, seat, card)
        if count((held | bit(card)) & NUMBER_CARDS) == SEVEN:
            s.status[seat] = FLIP7
    elif card == SECOND_CHANCE:
        second_chance(s, seat, has(held, SECOND_CHANCE))
    elif s.flip_three == AFTER and s.flip_seat[0] != NONE:
        set_aside(s, top_flip(s), card)
    else:
        aim(s, seat, card)


@jit
def ask(s: Row, seat: int, card: int) -> None:
    """A seat must decide about a card."""
    s.seat = seat
    s.card = card


@jit
def duplicate(s: Row, seat: int, card: int, chance: bool) -> None:
    """A number that the row has already: bust, saved, or the seat decides [4.3(2)]."""
    if not chance:
        bust(s, seat, card)
    elif s.second_chance == ASK:
        ask(s, seat, card)
    else:
        save(s, seat, card)


@jit
def bust(s: Row, seat: int, card: int) -> None:
    """The row with its duplicate is lost; it lies there until the round ends [3]."""
    lay(s, seat, card)
    s.status[seat] = BUSTED


@jit
def save(s: Row, seat: int, card: int) -> None:
    """The duplicate and a Second Chance of the row go to the discard pile [4.3(2)]."""
    take_from_row(s, seat, SECOND_CHANCE)
    discard(s, SECOND_CHANCE)
    discard(s, card)


@jit
def second_chance(s: Row, seat: int, chance: bool) -> None:
    """Keep it; with free targeting only the first, and a surplus one is given away or discarded [4.3(4)]."""
    if s.targeting == SELF or not chance:
        lay(s, seat, SECOND_CHANCE)
    elif takers(s, SECOND_CHANCE) == 0:
        discard(s, SECOND_CHANCE)
    else:
        ask(s, seat, SECOND_CHANCE)


@jit
def takers(s: Row, card: int) -> int:
    """Mask of the seats that an action card may be given to: active, for a Second Chance those without one [4.3(4), 4.4]."""
    seats = 0
    for seat in range(s.players):
        if s.status[seat] == ACTIVE and not (card == SECOND_CHANCE and has(kinds(s, seat), SECOND_CHANCE)):
            seats |= bit(seat)
    return seats


# --- Freeze and Flip Three [4.4, 4.5] --------------------------------------------------------------------------------------


@jit
def aim(s: Row, seat: int, card: int) -> None:
    """A Freeze or Flip Three is played: on its own seat, or the seat is asked on whom [4.4(1)]."""
    if s.targeting == SELF:
        play_on_seat(s, card, seat)
    else:
        ask(s, seat, card)


@jit
def play_on_seat(s: Row, card: int, target: int) -> None:
    """A Freeze closes the target's row, a Flip Three opens three draws on top of those that go on [4.4]."""
    discard(s, card)
    if card == FREEZE:
        s.status[target] = FROZEN
    else:
        flip = top_flip(s) + 1
        s.flip_seat[flip] = target
        s.flip_left[flip] = DRAWS


@jit
def top_flip(s: Row) -> int:
    """Place of the Flip Three that is worked on; -1 if none is open."""
    flip = FLIPS - 1
    while flip >= 0 and s.flip_seat[flip] == NONE:
        flip -= 1
    return flip


@jit
def carry_on(s: Row, flip: int) -> None:
    """One step of the Flip Three on top: a draw, a card set aside, or its end [4.5]."""
    seat = I64(s.flip_seat[flip])
    if s.status[seat] != ACTIVE:
        close_flip(s, flip)
    elif s.flip_left[flip] > 0 and s.left > 0:
        s.flip_left[flip] -= 1
        resolve(s, seat, top_card(s))
    elif s.flip_left[flip] > 0:
        s.flip_left[flip] = 0  # no reshuffle in a Flip Three: fewer cards are all that remain
    elif s.aside[flip, 0] != NONE:
        aim(s, seat, next_aside(s, flip))
    else:
        close_flip(s, flip)


@jit
def set_aside(s: Row, flip: int, card: int) -> None:
    """Keep an FZ or F3 until the draws of its Flip Three are done [4.3(5)]."""
    i = 0
    while s.aside[flip, i] != NONE:
        i += 1
    s.aside[flip, i] = card


@jit
def next_aside(s: Row, flip: int) -> int:
    """Take the earliest of the cards that were set aside [4.5(4)]."""
    card = I64(s.aside[flip, 0])
    for i in range(DRAWS - 1):
        s.aside[flip, i] = s.aside[flip, i + 1]
    s.aside[flip, DRAWS - 1] = NONE
    return card


@jit
def close_flip(s: Row, flip: int) -> None:
    """The Flip Three is done; what it had set aside goes to the discard pile [4.5(1)]."""
    while s.aside[flip, 0] != NONE:
        discard(s, next_aside(s, flip))
    s.flip_seat[flip] = NONE
    s.flip_left[flip] = 0


# --- odds, for bots --------------------------------------------------------------------------------------------------------

# A row as one integer: mask of its kinds, sum of its numbers, sum of its additions, number of its Second Chances.
TOTAL, PLUS, CHANCE = 24, 32, 40  # where the last three begin
GAIN = np.array(
    [
        *((1 << card) + (VALUES[card] << (TOTAL if card < NUMBERS else PLUS)) for card in range(FREEZE)),
        *(0, 0, 1 << CHANCE),
    ],
    np.int64,
)
"""What a card that joins a row adds to that integer."""
BUSTS = -1


@jit
def hit_chances(s: Row, seat: int, out: Any) -> float:
    """The chance of every number of points that a seat's row can be worth after one `hit`; by the rules, from open cards only.

    Exact, Second Chances and the three draws of a Flip Three included, but for two things: a Flip Three that turns up in
    a Flip Three draws nothing more, and a card that the seat may give away leaves its own row as it is.

    Args:
        s: a state or a view.
        seat: a seat that is active.
        out: float64[172], set: `out[p]` is the chance that the row has not bust and is worth p points.

    Returns:
        The chance of a bust; with `out` it sums to 1.
    """
    counts = np.empty(KINDS, np.int64)
    size = next_cards(s, counts)
    level = np.empty(DRAWS + 2, np.int64)  # level[d]: the row after d draws
    level[0] = packed_row(s, seat)
    card = np.zeros(DRAWS + 2, np.int64)  # card[d]: the kind that draw d tries
    chance = np.ones(DRAWS + 2)  # chance[d]: of having come to level d
    fill(out, 0)
    bust, d = 0.0, 0
    while d >= 0:
        c = card[d]
        if c == KINDS:  # all kinds were tried: take back the draw before
            d -= 1
            if d >= 0:
                counts[card[d]] += 1
                card[d] += 1
            continue
        if counts[c] == 0:
            card[d] += 1
            continue
        here = chance[d] * counts[c] / (size - d)
        row = packed_draw(s, level[d], c)
        if row != BUSTS and size > d + 1 and draws_on(s, row, c, d):
            counts[c] -= 1
            d += 1
            level[d], card[d], chance[d] = row, 0, here
            continue
        if row == BUSTS:
            bust += here
        else:
            out[worth(row, (row >> TOTAL) & 255, (row >> PLUS) & 255)] += here
        card[d] += 1
    return bust


@jit
def packed_row(s: Row, seat: int) -> int:
    """The row of an active seat as one integer."""
    row = 0
    for i in range(row_size(s, seat)):
        row += GAIN[s.row[seat, i]]
    return row


@jit
def packed_draw(s: Row, row: int, card: int) -> int:
    """What a row becomes by one more card, as one integer; BUSTS if it is lost [4.3]."""
    if card < NUMBERS and has(row, card):
        return row - (1 << CHANCE) if row >> CHANCE > 0 else BUSTS
    if card == SECOND_CHANCE and s.targeting == ANY and row >> CHANCE > 0:
        return row
    return row + GAIN[card]


@jit
def draws_on(s: Row, row: int, card: int, d: int) -> bool:
    """Whether a draw follows on draw `d` (0: the hit; 1 to 3: of its Flip Three), which was this card [4.5]."""
    if d == 0:
        return card == FLIP_THREE and s.targeting == SELF
    frozen = card == FREEZE and s.flip_three == NOW
    return d < DRAWS and not frozen and count(row & NUMBER_CARDS) < SEVEN


@jit
def next_cards(s: Row, out: Any) -> int:
    """Write the counts of the cards that the next single draw comes from into `out` (int64[22]); return how many [3]."""
    n = I64(s.left)
    if n > 0:
        pile_counts(s, out)
        return n
    for card in range(KINDS):
        out[card] = s.discards[card]
        n += s.discards[card]
    return n


# --- decisions [7] ---------------------------------------------------------------------------------------------------------


@jit
def legal(s: Row, out: Any) -> int:
    """Write the legal actions of `s.seat` into `out`, ascending; return how many [7]."""
    if s.card >= NUMBERS:
        return cards_into(out, 0, GIVE, takers(s, I64(s.card)))
    if s.card != NONE:
        out[0] = SAVE
        out[1] = BUST
        return 2
    out[0] = HIT
    if s.targeting == ANY and s.row[s.seat, 0] == NONE:  # it gave its first card away [4.2]
        return 1
    out[1] = STAY
    return 2


@jit
def step(s: Row, action: int) -> None:
    """Apply a legal action; go on to the next decision, shuffle or end."""
    seat, card = I64(s.seat), I64(s.card)
    s.recent[s.decisions % RECENT] = seat * 16 + action
    s.decisions += 1
    s.seat = NOBODY
    s.card = NONE
    if action == HIT:
        single_draw(s)
    elif action == STAY:
        s.status[seat] = STAYED
    elif action == SAVE:
        save(s, seat, card)
    elif action == BUST:
        bust(s, seat, card)
    elif card == SECOND_CHANCE:
        lay(s, action - GIVE, card)
    else:
        play_on_seat(s, card, action - GIVE)
    go_on(s)


# --- scoring and end [5] ---------------------------------------------------------------------------------------------------


@jit
def end_round(s: Row) -> None:
    """Score the rows, then put all cards but the draw pile on the discard pile [3, 5.2]."""
    for flip in range(FLIPS):
        close_flip(s, flip)
    for seat in range(s.players):
        s.last[seat] = row_points(s, seat)
        s.total[seat] += s.last[seat]
        clear_row(s, seat)


@jit
def clear_row(s: Row, seat: int) -> None:
    """Put a row on the discard pile."""
    for i in range(row_size(s, seat)):
        discard(s, I64(s.row[seat, i]))
        s.row[seat, i] = NONE


@jit
def game_over(s: Row) -> bool:
    """Whether the round that was just scored is the last one [5.4]."""
    best, leaders = -1, 0
    for seat in range(s.players):
        if s.total[seat] > best:
            best, leaders = s.total[seat], 0
        leaders += s.total[seat] == best
    if s.round_no == s.max_rounds:
        return True
    return best >= s.goal and (s.tie == SHARE or leaders == 1)


@jit
def score(s: Row, out: Any) -> None:
    """Final scores: the totals [5.4]."""
    for seat in range(s.players):
        out[seat] = s.total[seat]


# --- views [6] -------------------------------------------------------------------------------------------------------------


@jit
def redact(s: Row, seat: int) -> None:
    """Blank the order of the draw pile, the one thing that nobody may know; all else is open to all [6]."""
    fill(s.pile, NONE)


@jit
def determinize(s: Row, rng: Any) -> None:
    """Put the cards that are not in sight into the draw pile, in random order. All that a view makes certain is kept."""
    counts = np.empty(KINDS, np.int64)
    pile_counts(s, counts)
    n = 0
    for card in range(KINDS):
        for _ in range(counts[card]):
            s.pile[n] = card
            n += 1
    shuffle_with(s.pile, n, rng)


# --- text, fields of a view [6], position for people -----------------------------------------------------------------------


def _row_text(s: Any, seat: int) -> tuple[str, ...]:
    return tuple(CARDS[card] for card in s.row[seat] if card != NONE)


def _count_text(counts: Any) -> dict[str, int]:
    return {CARDS[card]: int(counts[card]) for card in range(KINDS) if counts[card]}


def _unseen(s: Any) -> dict[str, int]:
    counts = np.zeros(KINDS, np.int64)
    pile_counts(record(s), counts)
    return _count_text(counts)


def _points(s: Any) -> tuple[int, ...]:
    points = np.zeros(s.players, np.int64)
    points_into(record(s), points)
    return tuple(points.tolist())


def _odds(s: Any, seat: int) -> tuple[float, dict[int, float]]:
    if seat < 0 or s.status[seat] != ACTIVE:
        return 0.0, {}
    chances = np.zeros(MOST_POINTS + 1)
    bust = hit_chances(record(s), seat, chances)
    points = np.flatnonzero(chances)
    return float(bust), dict(zip(points.tolist(), chances[points].tolist()))


def _dealer(s: Any) -> int:
    return int(dealer(record(s)))


def _decision(s: Any) -> str:
    if s.seat < 0:
        return "none"
    if s.card == NONE:
        return "turn"
    return "save" if s.card < NUMBERS else "give"


def _flips(s: Any) -> tuple[tuple[int, int, tuple[str, ...]], ...]:
    return tuple(
        (s.flip_seat[flip], s.flip_left[flip], tuple(CARDS[card] for card in s.aside[flip] if card != NONE))
        for flip in range(FLIPS)
        if s.flip_seat[flip] != NONE
    )


def _recent(s: Any) -> tuple[tuple[int, str], ...]:
    made = range(max(0, s.decisions - RECENT), s.decisions)
    return tuple((s.recent[d % RECENT] // 16, ACTIONS[s.recent[d % RECENT] % 16]) for d in made)


FIELDS = (
    Field("to_act", "int", "seat to act; -1: the game is over", lambda s, seat: s.seat),
    Field("decision", "text", "what it decides: turn, save, give; none: the game is over", lambda s, seat: _decision(s)),
    Field(
        "card",
        "card",
        "what it decides about: a duplicate (save), FZ, F3 or SC (give); empty at a turn",
        lambda s, seat: "" if s.card == NONE else CARDS[s.card],
    ),
    Field("round", "int", "round number, from 1", lambda s, seat: s.round_no),
    Field("dealer", "int", "seat that deals this round", lambda s, seat: _dealer(s)),
    Field("turn", "int", "seat whose turn or card of the deal is carried out; -1: the game is over", lambda s, seat: s.turn),
    Field(
        "dealt",
        "int",
        "seats served in this round's deal; the number of players: the last one's card or the turns",
        lambda s, seat: s.dealt,
    ),
    Field(
        "row",
        "cards",
        "your row in the order received; empty for an onlooker",
        lambda s, seat: _row_text(s, seat) if seat >= 0 else (),
    ),
    Field("rows", "cards per seat", "all rows", lambda s, seat: tuple(_row_text(s, p) for p in range(s.players))),
    Field(
        "status",
        "text per seat",
        "active, stayed, frozen, busted or flip7",
        lambda s, seat: tuple(STATUS[s.status[p]] for p in range(s.players)),
    ),
    Field(
        "points",
        "int per seat",
        "what each row would score now",
        lambda s, seat: _points(s),
    ),
    Field(
        "odds",
        "(chance, chance by points)",
        "one more card: the chance that your row busts, and of each number of points if not; (0, empty) if you are not active",
        _odds,
    ),
    Field("totals", "int per seat", "points of the rounds that are over", lambda s, seat: tuple(s.total)[: s.players]),
    Field(
        "last",
        "int per seat",
        "points of the last round that is over; empty in round 1",
        lambda s, seat: tuple(s.last)[: s.players] if s.last[0] != NONE else (),
    ),
    Field("left", "int", "cards in the draw pile", lambda s, seat: s.left),
    Field("unseen", "count by card", "what the draw pile holds, in canonical order", lambda s, seat: _unseen(s)),
    Field("discards", "count by card", "what the discard pile holds", lambda s, seat: _count_text(s.discards)),
    Field("flips", "(seat, draws left, cards set aside) each", "open Flip Threes, the top one last", lambda s, seat: _flips(s)),
    Field("decisions", "int", "decisions made so far in the game", lambda s, seat: s.decisions),
    Field("recent", "(seat, action) each", "the last 64 decisions, the latest one last", lambda s, seat: _recent(s)),
)


def show(s: Any, seat: int) -> str:
    """Position for people; with the draw pile where the record holds it."""
    lines = [f"round {s.round_no}, dealer {_dealer(s)}, goal {s.goal}, draw pile {s.left} cards"]
    points = _points(s)
    for p in range(s.players):
        row = " ".join(_row_text(s, p)) or "-"
        you = " (you)" if p == seat else ""
        lines.append(f"seat {p}{you}: total {s.total[p]}, {STATUS[s.status[p]]}, row {row} = {points[p]}")
    for whose, draws, aside in _flips(s):
        lines.append(f"flip three: seat {whose}, {draws} draws left" + (f", set aside {' '.join(aside)}" if aside else ""))
    if s.card != NONE:
        lines.append(f"to be decided: {_decision(s)} {CARDS[s.card]}")
    lines.append("discards: " + (" ".join(f"{n}x{card}" for card, n in _count_text(s.discards).items()) or "-"))
    if s.pile[0] != NONE:
        lines.append("next cards: " + " ".join(CARDS[s.pile[i]] for i in range(s.left - 1, -1, -1)))
    return "\n".join(lines)


def check_options(players: int, options: dict[str, Value]) -> None:
    """The first dealer must be one of the players [2]."""
    if int(options["first_dealer"]) >= players:
        raise OptionError(
            f"flip7: option first_dealer = {options['first_dealer']!r}: allowed is 0 to {players - 1} ({players} players)"
        )
