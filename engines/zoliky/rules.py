"""Jolly Zoliky: rummy for 2-6 players with two French decks and four jokers.

Open with 36 points and a run without joker, lay cards off, exchange jokers, and go out by discarding the last card. A deal of
4 takes 60-170 decisions. Numbers in docstrings refer to docs/rules/zoliky.md. Cards, melds and meld steps are in
`zoliky_melds`, the look-ahead that decides whether a step is legal is in `zoliky_turn` and `zoliky_plan`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import HAND_SHUFFLES, I64, OVER, SHUFFLE, Row, below, bit, count, fill, has, jit, lowest, shuffle_with
from ..option import Option, state_dtype
from ..view import Field
from .lookahead import can_complete, completable_steps
from .melds import (
    ACTIONS,
    CARDS,
    DISCARD,
    DRAW_DISCARD,
    DRAW_JOLLY,
    DRAW_STOCK,
    HIGH_AT,
    JOKER,
    JOKERS,
    KIND,
    LOW_AT,
    N_KINDS,
    PLACE,
    SET,
    SUIT_AT,
    SUIT_LANES,
    kinds_into,
    meld_cards,
    meld_jokers,
    place,
    put_kind,
    take_kind,
    target,
)

# --- vocabulary ------------------------------------------------------------------------------------------------------------

MOST_PLAYERS = 6
DECK_SIZE = 108
MOST_MELDS = 36
MELDS_FROM = 3  # the first round in which cards may be laid out
MOST_DEALS, MOST_ROUNDS = 24, 200
NONE = -1

DEALING, RESHUFFLING, DRAWING, MELDING = 0, 1, 2, 3
PHASES = ("dealing", "reshuffling", "drawing", "melding")

HISTORY = MOST_PLAYERS * MOST_ROUNDS + 2 * 321
"""Bytes of the history of a deal: one a discard, two a meld step or a draw from elsewhere than the stock. At most 321 of those:
104 steps place a natural, at most 104 of them swap, so at most 108 place a joker alone; a pile card is drawn to be placed: at
most 104 naturals and 4 jokers, which never come back off the table; one Jolly card."""
TWO_BYTES = 64  # first byte of an action in two bytes: 64 + action // 64, then action % 64

OPTIONS = (
    Option("deals", 1, "deals in one game", 1, MOST_DEALS),
    Option("max_rounds", 30, "a deal without winner ends after this round", MELDS_FROM, MOST_ROUNDS),
    Option("cut_jokers", "instead", "jokers kept at the cut replace dealt cards, or come on top", choices=("instead", "extra")),
    Option("joker_penalty", 1, "minus points for each joker left in a loser's hand", 1, 25),
    Option("winner_pot", False, "true: the winner of a deal gets what the others lose"),
)
EXTRA = 1

# --- state -----------------------------------------------------------------------------------------------------------------

STATE = state_dtype(
    OPTIONS,
    [
        ("h1", np.int64, MOST_PLAYERS),  # naturals held, as lanes (zoliky_melds); only the own one is in a view
        ("h2", np.int64, MOST_PLAYERS),  # naturals held twice; likewise
        ("pool1", np.int64),  # the cards of the last reshuffle: naturals; 0 before the first
        ("pool2", np.int64),  # those of them that were there twice
        ("totals", np.int32, MOST_PLAYERS),  # points of the deals that are over
        ("melds", np.int32, MOST_MELDS),  # the table in order of laying; 0 beyond n_melds
        ("n_events", np.int16),  # bytes used of the history
        ("deal", np.int8),  # number of the deal, 0-based
        ("rounds", np.int16),  # number of the round, 1-based
        ("phase", np.int8),  # DEALING .. MELDING; of the last turn when the game is over
        ("mover", np.int8),  # whose turn it is, also while a reshuffle is due; NONE between deals and at the end
        ("jokers", np.int8, MOST_PLAYERS),  # jokers held; only the own number is in a view
        ("held", np.int8, MOST_PLAYERS),  # cards held
        ("opened", np.int8, MOST_PLAYERS),  # 1: is open
        ("pool_jokers", np.int8),  # jokers of the last reshuffle
        ("kept", np.int8),  # jokers that the cutter kept
        ("sure", np.int8),  # jokers that the cutter holds for certain: kept and swapped, minus those that left the hand
        ("seen", np.int8, 3),  # the cards that the cutter looked at, in deck order; only in the cutter's view, else NONE
        ("jolly", np.int8),  # kind of the Jolly card; NONE before the deal
        ("jolly_turn", np.int8),  # 1: the mover drew the Jolly card (the deal ends with this turn)
        ("owed", np.int8),  # natural that must be placed in this turn; NONE
        ("owed_jokers", np.int8),  # jokers that must be placed in this turn
        ("fresh", np.int8),  # melds laid in this turn: the last ones of the table
        ("n_melds", np.int8),
        ("n_stock", np.int8),
        ("n_pile", np.int8),
        ("stock", np.int8, DECK_SIZE),  # the next card last; NONE beyond n_stock, and everywhere in a view
        ("pile", np.int8, DECK_SIZE),  # the top card last; NONE beyond n_pile
        ("history", np.int8, HISTORY),  # actions of this deal but `draw stock`, which is implied; NONE beyond n_events
    ],
)

# --- seats and shuffles (rules 3) ------------------------------------------------------------------------------------------


@jit
def leader(s: Row) -> int:
    """The seat that begins every round of this deal (rules 3)."""
    return s.deal % s.players


@jit
def cutter(s: Row) -> int:
    """The seat right of the dealer, who cut (rules 3)."""
    return (s.deal + 2 * s.players - 2) % s.players


@jit
def reshuffles(s: Row) -> int:
    """How often the discard pile became the stock in this deal."""
    block = s.shuffle // HAND_SHUFFLES
    return (block - s.deal) // MOST_DEALS * HAND_SHUFFLES + s.shuffle % HAND_SHUFFLES


@jit
def shuffle_number(deal_number: int, place_in_deal: int) -> int:
    """Number of a shuffle: deal * 64 + place. A deal can need more than 64: the next ones come after those of all deals."""
    block = deal_number + MOST_DEALS * (place_in_deal // HAND_SHUFFLES)
    return block * HAND_SHUFFLES + place_in_deal % HAND_SHUFFLES


@jit
def start(s: Row) -> None:
    """Go to the shuffle of the first deal."""
    fill(s.totals, 0)
    fill(s.history, NONE)
    s.deal = 0
    clear_deal(s)


@jit
def clear_deal(s: Row) -> None:
    """Everything of a deal to its blank; its shuffle is due."""
    for p in range(MOST_PLAYERS):
        s.h1[p] = s.h2[p] = s.jokers[p] = s.held[p] = s.opened[p] = 0
    fill(s.melds, 0)
    fill(s.stock, NONE)
    fill(s.pile, NONE)
    fill(s.seen, NONE)
    for i in range(s.n_events):
        s.history[i] = NONE
    s.pool1 = s.pool2 = s.pool_jokers = s.n_events = s.kept = s.sure = 0
    s.n_melds = s.n_stock = s.n_pile = s.fresh = s.jolly_turn = s.owed_jokers = s.rounds = 0
    s.jolly = s.owed = s.mover = NONE
    s.phase = DEALING
    s.shuffle = shuffle_number(s.deal, 0)
    s.seat = SHUFFLE


@jit
def deck(s: Row, out: Any) -> int:
    """The whole deck in listing order, or the discard pile by kind (rules 3)."""
    if s.phase == DEALING:
        for i in range(DECK_SIZE):
            out[i] = min(i // 2, JOKER)
        return DECK_SIZE
    n = 0
    for kind in range(N_KINDS):
        for i in range(s.n_pile):
            if s.pile[i] == kind:
                out[n] = kind
                n += 1
    return n


@jit
def deal(s: Row, cards: Any) -> None:
    """Take the shuffled cards, the first on top: a new deal, or the new stock for the mover's draw (rules 3)."""
    if s.phase == RESHUFFLING:
        renew_stock(s, cards)
        draw_top(s)
    else:
        new_deal(s, cards)


@jit
def new_deal(s: Row, cards: Any) -> None:
    """The cut, the Jolly card, the hands and the stock (rules 3.1 - 3.5)."""
    n = cut(s, cards)
    at = deal_hands(s, cards)
    s.n_stock = n - at
    for i in range(at, n):
        s.stock[n - 1 - i] = cards[i]
    s.rounds = 1
    s.mover = s.seat = leader(s)
    s.phase = MELDING


@jit
def cut(s: Row, cards: Any) -> int:
    """Joker hunt and Jolly card (rules 3.1, 3.2); return how many cards are left, moved together at the front."""
    looked_at = DECK_SIZE - 3
    for i in range(3):
        s.seen[i] = cards[looked_at + i]
        s.kept += I64(s.seen[i] == JOKER)
    s.sure = s.kept
    for _ in range(s.kept):
        put_kind(s, cutter(s), JOKER)
    jolly_at = DECK_SIZE - 1
    while cards[jolly_at] == JOKER:
        jolly_at -= 1
    s.jolly = cards[jolly_at]
    n = 0
    for i in range(DECK_SIZE):
        if i != jolly_at and (i < looked_at or cards[i] != JOKER):
            cards[n] = cards[i]
            n += 1
    return n


@jit
def hand_size(s: Row, p: int) -> int:
    """Cards that a seat holds after the deal (rules 3.3)."""
    size = 13 if p == leader(s) else 12
    return size + s.kept if s.cut_jokers == EXTRA and p == cutter(s) else size


@jit
def deal_hands(s: Row, cards: Any) -> int:
    """Deal in passes from the leader on (rules 3.4); return the number of cards dealt."""
    at = 0
    first_pass = True
    dealt = True
    while dealt:
        dealt = False
        for k in range(s.players):
            p = (leader(s) + k) % s.players
            for _ in range(min(3 if first_pass and k == 0 else 2, hand_size(s, p) - s.held[p])):
                put_kind(s, p, cards[at])
                at += 1
                dealt = True
        first_pass = False
    return at


@jit
def renew_stock(s: Row, cards: Any) -> None:
    """The shuffled discard pile becomes the stock; everybody knows which cards it holds (rules 3)."""
    n = len(cards)
    fill(s.pile, NONE)
    s.n_pile = 0
    s.n_stock = n
    s.pool1 = s.pool2 = s.pool_jokers = 0
    for i in range(n):
        s.stock[n - 1 - i] = cards[i]
        if cards[i] == JOKER:
            s.pool_jokers += 1
        else:
            s.pool2 |= s.pool1 & bit(PLACE[cards[i]])
            s.pool1 |= bit(PLACE[cards[i]])


# --- draw (rules 4.2) ------------------------------------------------------------------------------------------------------


@jit
def legal_draws(s: Row, out: Any) -> int:
    """The stock always; the pile and the Jolly card if the turn can be completed with them."""
    out[0] = DRAW_STOCK
    n = 1
    if s.rounds >= MELDS_FROM:
        if s.n_pile > 0 and worth_drawing(s, s.pile[s.n_pile - 1]):
            out[n] = DRAW_DISCARD
            n += 1
        if s.held[s.seat] == 12 and not s.opened[s.seat]:
            s.jolly_turn = 1
            if worth_drawing(s, s.jolly):
                out[n] = DRAW_JOLLY
                n += 1
            s.jolly_turn = 0
    return n


@jit
def worth_drawing(s: Row, kind: int) -> bool:
    """Whether the turn can be completed with this card in hand and owed. The row is the same again afterwards."""
    draw_owed(s, kind)
    worth = can_complete(s)
    take_kind(s, s.seat, kind)
    s.owed, s.owed_jokers = NONE, 0
    return worth


@jit
def draw_owed(s: Row, kind: int) -> None:
    """Take a card that must be placed in this turn."""
    put_kind(s, s.seat, kind)
    if kind == JOKER:
        s.owed_jokers += 1
    else:
        s.owed = kind


@jit
def step_draw(s: Row, action: int) -> None:
    """Draw; the turn goes on with melds and the discard, or a reshuffle is due first."""
    if action == DRAW_STOCK:
        draw_stock(s)
        return
    note(s, action)
    s.phase = MELDING
    if action == DRAW_JOLLY:
        s.jolly_turn = 1
        draw_owed(s, s.jolly)
        return
    s.n_pile -= 1
    kind = s.pile[s.n_pile]
    s.pile[s.n_pile] = NONE
    draw_owed(s, kind)
    if kind == JOKER and s.seat == cutter(s):
        s.sure += 1


@jit
def draw_stock(s: Row) -> None:
    """Draw from the stock, or ask for a reshuffle if it is empty (rules 3)."""
    if s.n_stock > 0:
        draw_top(s)
        return
    s.phase = RESHUFFLING
    s.shuffle = shuffle_number(s.deal, reshuffles(s) + 1)
    s.seat = SHUFFLE


@jit
def draw_top(s: Row) -> None:
    """The mover takes the top card of the stock."""
    s.seat = s.mover
    s.phase = MELDING
    s.n_stock -= 1
    put_kind(s, s.seat, s.stock[s.n_stock])
    s.stock[s.n_stock] = NONE


# --- melds and discard (rules 4.3 - 4.5) -----------------------------------------------------------------------------------


@jit
def may_discard(s: Row) -> bool:
    """Whether the turn may end with a discard now (rules 4.4)."""
    if s.owed >= 0 or s.owed_jokers > 0:
        return False
    if s.jolly_turn:
        return s.opened[s.seat] == 1 and s.held[s.seat] == 1
    return s.opened[s.seat] == 1 or s.fresh == 0


@jit
def legal_melding(s: Row, out: Any) -> int:
    """Discards, then the meld steps after which the turn can still be completed."""
    p = s.seat
    n = 0
    if may_discard(s):
        n = kinds_into(out, 0, DISCARD, s.h1[p])
        if s.jokers[p] > 0:
            out[n] = DISCARD + JOKER
            n += 1
    if s.rounds < MELDS_FROM or s.held[p] < 2:
        return n
    return completable_steps(s, out, n)


@jit
def step_melding(s: Row, action: int) -> None:
    """Lay cards out, or discard."""
    note(s, action)
    if action < DISCARD + N_KINDS:
        step_discard(s, action - DISCARD)
        return
    if s.seat == cutter(s):
        s.sure = max(s.sure - JOKERS[action], 0)
    place(s, action, target(s, action))


@jit
def step_discard(s: Row, kind: int) -> None:
    """The discard ends the turn, with the last card the deal (rules 4.5)."""
    take_kind(s, s.seat, kind)
    s.pile[s.n_pile] = kind
    s.n_pile += 1
    if kind == JOKER and s.seat == cutter(s):
        s.sure = max(s.sure - 1, 0)
    s.fresh = 0
    if s.held[s.seat] == 0:
        end_deal(s)
    else:
        next_turn(s)


@jit
def note(s: Row, action: int) -> None:
    """Add an action to the history: a discard in one byte, anything else in two."""
    if DISCARD <= action < DISCARD + N_KINDS:
        s.history[s.n_events] = action - DISCARD
        s.n_events += 1
        return
    s.history[s.n_events] = TWO_BYTES + action // 64
    s.history[s.n_events + 1] = action % 64
    s.n_events += 2


# --- turns, deals, score (rules 4.1, 5) ------------------------------------------------------------------------------------


@jit
def next_turn(s: Row) -> None:
    """The next seat draws; after the last seat of the last round the deal is over (rules 4.1, 5)."""
    s.mover = (s.mover + 1) % s.players
    if s.mover == leader(s):
        if s.rounds == s.max_rounds:
            end_deal(s)
            return
        s.rounds += 1
    s.seat = s.mover
    s.phase = DRAWING


@jit
def loss(s: Row, p: int) -> int:
    """What a seat loses with the cards in its hand (rules 5); 0 for the winner, who has none."""
    return s.held[p] + (s.joker_penalty - 1) * s.jokers[p]


@jit
def end_deal(s: Row) -> None:
    """Score the deal; go to the next one or to the end (rules 5)."""
    lost = I64(0)
    for p in range(s.players):
        s.totals[p] -= loss(s, p)
        lost += loss(s, p)
    if s.winner_pot and s.held[s.seat] == 0:
        s.totals[s.seat] += lost
    s.mover = NONE
    if s.deal + 1 < s.deals:
        s.deal += 1
        clear_deal(s)
    else:
        s.seat = OVER


@jit
def legal(s: Row, out: Any) -> int:
    """Write the legal actions of `s.seat` into `out`, ascending; return how many (rules 4, 7)."""
    return legal_draws(s, out) if s.phase == DRAWING else legal_melding(s, out)


@jit
def step(s: Row, action: int) -> None:
    """Apply a legal action; go on to the next decision, shuffle or the end."""
    if s.phase == DRAWING:
        step_draw(s, action)
    else:
        step_melding(s, action)


@jit
def score(s: Row, out: Any) -> None:
    """Final score per seat: the sum of the deals (rules 5)."""
    for p in range(s.players):
        out[p] = s.totals[p]


# --- information (rules 6) -------------------------------------------------------------------------------------------------


@jit
def redact(s: Row, seat: int) -> None:
    """Blank the other hands, the stock and, but for the cutter, the cards seen at the cut."""
    for p in range(s.players):
        if p != seat:
            s.h1[p] = s.h2[p] = s.jokers[p] = 0
    fill(s.stock, NONE)
    if seat != cutter(s):
        fill(s.seen, NONE)


@jit
def hidden(s: Row, p: int) -> int:
    """Cards of a seat that a view does not show: all of them or none."""
    return s.held[p] - count(s.h1[p]) - count(s.h2[p]) - s.jokers[p]


@jit
def count_unseen(s: Row, out: Any) -> None:
    """Write how many cards of every kind (int16[53]) the row does not show: those of the stock and of hidden hands."""
    for kind in range(N_KINDS):
        out[kind] = 2
    out[JOKER] = 4
    for p in range(s.players):
        out[JOKER] -= s.jokers[p]
        _not_unseen(out, s.h1[p])
        _not_unseen(out, s.h2[p])
    for i in range(s.n_pile):
        out[s.pile[i]] -= 1
    for i in range(s.n_melds):
        _not_unseen_meld(out, I64(s.melds[i]))
    if s.jolly >= 0 and not s.jolly_turn:
        out[s.jolly] -= 1


@jit
def _not_unseen(out: Any, h: int) -> None:
    while h != 0:
        out[KIND[lowest(h)]] -= 1
        h &= h - 1


@jit
def _not_unseen_meld(out: Any, m: int) -> None:
    low, high = m >> LOW_AT & 15, m >> HIGH_AT & 15
    out[JOKER] -= meld_jokers(m)
    if m & SET:
        _not_unseen(out, SUIT_LANES[m & 15] << low)
    else:
        run = bit(high + 1) - bit(low) & ~m
        _not_unseen(out, run << ((m >> SUIT_AT & 3) << 4))


@jit
def bottom_cards(s: Row) -> int:
    """How many cards that the cutter saw lie at the bottom of the stock; everybody knows that they are naturals."""
    return min(max(2 - s.kept, 0), s.n_stock) if reshuffles(s) == 0 else 0


@jit
def determinize(s: Row, rng: Any) -> None:
    """Fill the hidden hands, the stock and the cards seen at the cut with a random world.

    What everybody knows is kept to: numbers of cards, the cutter's jokers, owed cards, naturals at the bottom of the
    stock, after a reshuffle the cards that the stock was made of; in the cutter's view the bottom cards, too. Nothing is
    read out of behaviour.
    """
    unseen, cards = np.zeros(N_KINDS, np.int16), np.zeros(DECK_SIZE, np.int16)
    count_unseen(s, unseen)
    for p in range(s.players):
        if hidden(s, p) > 0:
            give_known(s, p, unseen)
    if reshuffles(s) > 0:
        stock_from_pool(s, unseen, cards, rng)
        collect(unseen, cards, rng)
        at = I64(0)
    else:
        at = stock_bottom(s, unseen)
        collect(unseen, cards, rng)
        at = deal_stock(s, cards, at)
    for p in range(s.players):
        for _ in range(hidden(s, p)):
            s.held[p] -= 1  # put_kind counts it again
            put_kind(s, p, cards[at])
            at += 1
    if s.seen[0] == NONE:
        imagine_seen(s, rng)


@jit
def give_known(s: Row, p: int, unseen: Any) -> None:
    """Put the cards that seat p holds for certain into its hidden hand."""
    jokers = I64(s.owed_jokers) if p == s.mover else I64(0)
    if p == cutter(s):
        jokers = max(jokers, s.sure)
    s.jokers[p] = jokers
    unseen[JOKER] -= jokers
    if p == s.mover and s.owed >= 0:
        s.h1[p] = bit(PLACE[s.owed])
        unseen[s.owed] -= 1


@jit
def collect(counts: Any, cards: Any, rng: Any) -> int:
    """Write the counted cards (int16[53]) into `cards`, shuffled; return how many."""
    n = 0
    for kind in range(N_KINDS):
        for _ in range(counts[kind]):
            cards[n] = kind
            n += 1
    shuffle_with(cards, n, rng)
    return n


@jit
def stock_bottom(s: Row, unseen: Any) -> int:
    """In the cutter's view: put what is left of the cards seen at the cut under the stock; return how many they are."""
    n, naturals = 0, 0
    if s.seen[0] != NONE:
        for i in range(2, -1, -1):
            naturals += I64(s.seen[i] != JOKER)
            if s.seen[i] != JOKER and naturals > 1 and n < bottom_cards(s):  # the first natural from below was the Jolly card
                s.stock[n] = s.seen[i]
                unseen[s.seen[i]] -= 1
                n += 1
    return n


@jit
def deal_stock(s: Row, cards: Any, known: int) -> int:
    """Fill the stock above its `known` lowest cards from shuffled cards, naturals at the bottom; return how many were used."""
    used = 0
    for i in range(known, s.n_stock):
        at = used
        while i < bottom_cards(s) and cards[at] == JOKER:
            at += 1
        s.stock[i] = cards[at]
        cards[at] = cards[used]
        used += 1
    return used


@jit
def stock_from_pool(s: Row, unseen: Any, cards: Any, rng: Any) -> None:
    """After a reshuffle: fill the stock with unseen cards that were in the pile then."""
    pool = np.zeros(N_KINDS, np.int16)
    for kind in range(JOKER):
        there = I64(has(s.pool1, PLACE[kind])) + I64(has(s.pool2, PLACE[kind]))
        pool[kind] = min(unseen[kind], there)
    pool[JOKER] = min(unseen[JOKER], s.pool_jokers)
    collect(pool, cards, rng)
    for i in range(s.n_stock):
        s.stock[i] = cards[i]
        unseen[cards[i]] -= 1


@jit
def imagine_seen(s: Row, rng: Any) -> None:
    """Cards that the cutter may have seen: jokers in random places, the lowest natural is the Jolly card, then the stock's
    bottom; those that are drawn by now can be any.
    """
    jokers, naturals = I64(s.kept), 0
    for i in range(2, -1, -1):
        if below(rng, i + 1) < jokers:
            s.seen[i] = JOKER
            jokers -= 1
            continue
        if naturals == 0:
            s.seen[i] = s.jolly
        elif naturals <= bottom_cards(s):
            s.seen[i] = s.stock[naturals - 1]
        else:
            s.seen[i] = (s.jolly + 1 + below(rng, 25) + 25 * (naturals - 1)) % JOKER
        naturals += 1


# --- text ------------------------------------------------------------------------------------------------------------------


def _in_python(function: Any) -> Any:
    """A compiled function of plain fields for rows that are read in Python."""
    return getattr(function, "py_func", function)


leader_of, cutter_of, reshuffles_of, hidden_of = (_in_python(f) for f in (leader, cutter, reshuffles, hidden))


MASKS = tuple((CARDS[kind], 1 << int(PLACE[kind])) for kind in range(JOKER))


def cards_of(s: Any, p: int) -> tuple[str, ...]:
    """The hand of a seat as text, sorted by kind."""
    return naturals_of(s.h1[p], s.h2[p]) + ("JK",) * s.jokers[p]


def naturals_of(once: int, twice: int) -> tuple[str, ...]:
    """Two masks of naturals (held at least once, held twice) as text, sorted by kind."""
    return tuple(card for card, mask in MASKS if once & mask for _ in range(2 if twice & mask else 1))


def table_of(s: Any) -> tuple[tuple[str, ...], ...]:
    """The melds as text, in the order of laying."""
    return tuple(meld_cards(s.melds[i]) for i in range(s.n_melds))


def owed_of(s: Any) -> tuple[str, ...]:
    """The owed cards as text."""
    return (*([CARDS[s.owed]] if s.owed >= 0 else []), *["JK"] * s.owed_jokers)


def _noted(s: Any) -> list[int]:
    """The actions of the history, without the implied draws."""
    data, noted = iter(s.history.tolist()[: s.n_events]), []
    for byte in data:
        noted.append(byte + DISCARD if byte < TWO_BYTES else (byte - TWO_BYTES) * 64 + next(data))
    return noted


def history_of(s: Any) -> tuple[tuple[int, str], ...]:
    """All actions of the deal with their seats. A turn that begins otherwise began with a draw from the stock."""
    seat, drawn, history = leader_of(s), True, []
    for action in _noted(s):
        if not drawn and action not in (DRAW_DISCARD, DRAW_JOLLY):
            history.append((seat, ACTIONS[DRAW_STOCK]))
        drawn = True
        history.append((seat, ACTIONS[action]))
        if DISCARD <= action < DISCARD + N_KINDS:
            seat, drawn = (seat + 1) % s.players, False
    if not drawn and s.phase in (MELDING, RESHUFFLING) and s.seat != OVER:
        history.append((seat, ACTIONS[DRAW_STOCK]))
    return tuple(history)


FIELDS = (
    Field("deal", "int", "number of the deal, 0-based", lambda s, seat: s.deal),
    Field("round", "int", "number of the round, 1-based", lambda s, seat: s.rounds),
    Field("phase", "str", "`drawing` or `melding` (meld steps and the discard)", lambda s, seat: PHASES[s.phase]),
    Field("mover", "int", "whose turn it is; -1 at the end", lambda s, seat: s.mover),
    Field("leader", "int", "the seat that begins every round", lambda s, seat: leader_of(s)),
    Field("dealer", "int", "the seat right of the leader", lambda s, seat: (s.deal + s.players - 1) % s.players),
    Field("cutter", "int", "the seat right of the dealer", lambda s, seat: cutter_of(s)),
    Field("kept", "int", "jokers that the cutter kept", lambda s, seat: s.kept),
    Field("hand", "cards", "your hand, by kind; empty for an onlooker", lambda s, seat: cards_of(s, seat) if seat >= 0 else ()),
    Field("sizes", "ints", "cards in every hand, by seat", lambda s, seat: tuple(s.held[p] for p in range(s.players))),
    Field("opened", "ints", "the seats that are open", lambda s, seat: tuple(p for p in range(s.players) if s.opened[p])),
    Field("table", "melds", "the melds in the order of laying; a joker of a run as `JK(6h)`", lambda s, seat: table_of(s)),
    Field("fresh", "int", "how many of the melds, the last ones, were laid in this turn", lambda s, seat: s.fresh),
    Field("pile", "cards", "the discard pile, top card last", lambda s, seat: tuple(CARDS[s.pile[i]] for i in range(s.n_pile))),
    Field("stock_size", "int", "cards in the stock", lambda s, seat: s.n_stock),
    Field("reshuffles", "int", "how often the pile became the stock in this deal", lambda s, seat: reshuffles_of(s)),
    Field("pool", "cards", "the cards of the last reshuffle, by kind", lambda s, seat: pool_of(s)),
    Field("jolly", "card", "the Jolly card; empty when it is gone", lambda s, seat: "" if s.jolly_turn else CARDS[s.jolly]),
    Field("jolly_turn", "bool", "whether the mover drew the Jolly card", lambda s, seat: bool(s.jolly_turn)),
    Field("owed", "cards", "cards that must be placed in this turn", lambda s, seat: owed_of(s)),
    Field("sure_jokers", "int", "jokers that the cutter holds for certain", lambda s, seat: s.sure),
    Field("seen", "cards", "the cutter's view alone: the cards looked at, in deck order", lambda s, seat: seen_of(s, seat)),
    Field(
        "totals",
        "ints",
        "points of the deals that are over, by seat",
        lambda s, seat: tuple(s.totals[p] for p in range(s.players)),
    ),
    Field("history", "actions", "the actions of this deal as (seat, text)", lambda s, seat: history_of(s)),
)


def pool_of(s: Any) -> tuple[str, ...]:
    """The cards of the last reshuffle as text."""
    return naturals_of(s.pool1, s.pool2) + ("JK",) * s.pool_jokers


def seen_of(s: Any, seat: int) -> tuple[str, ...]:
    """The cards seen at the cut as text, for the cutter."""
    return tuple(CARDS[s.seen[i]] for i in range(3)) if seat == cutter_of(s) and s.seen[0] != NONE else ()


def show(s: Any, seat: int) -> str:
    """The position as text; seat -1: everything that the row holds."""
    lines = [f"deal {s.deal + 1} of {s.deals}, round {s.rounds} of {s.max_rounds}, {PHASES[s.phase]}"]
    if s.jolly_turn:
        lines[0] += ", Jolly turn"
    if owed_of(s):
        lines[0] += f", owed: {' '.join(owed_of(s))}"
    for p in range(s.players):
        hand = " ".join(cards_of(s, p)) if hidden_of(s, p) == 0 else f"{s.held[p]} cards"
        marks = ("> " if p == s.mover else "  ") + f"seat {p}{' (you)' if p == seat else ''}{' open' if s.opened[p] else ''}"
        lines.append(f"{marks}: {hand}; total {s.totals[p]}")
    for i, meld in enumerate(table_of(s)):
        lines.append(f"  meld: {' '.join(meld)}{' (fresh)' if i >= s.n_melds - s.fresh else ''}")
    stock = [CARDS[s.stock[i]] for i in range(s.n_stock - 1, -1, -1) if s.stock[i] != NONE]
    lines.append(f"  stock: {s.n_stock} cards {' '.join(stock)}".rstrip())
    lines.append(f"  pile: {' '.join(CARDS[s.pile[i]] for i in range(s.n_pile)) or '-'}")
    gone = " (taken)" if s.jolly_turn else ""
    lines.append(f"  Jolly card: {CARDS[s.jolly]}{gone}; jokers kept at the cut: {s.kept} by seat {cutter_of(s)}")
    return "\n".join(lines)
