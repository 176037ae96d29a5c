"""Jolly Zoliky: the rules in the order of docs/rules/zoliky.md, whose sections stand in brackets.

Deal, draw, melds and discard, score. Not here: the shape of melds and steps (`melds`, `steps`), whether a
turn can still be completed (`lookahead`), what a seat sees (`worlds`).
"""

from __future__ import annotations

from typing import Any

from ..core import I64, NOBODY, OVER, SHUFFLE, Row, below, bit, clear, jit
from . import state
from .hands import kinds_into, put_kind, take_kind
from .lookahead import can_complete, can_take, completable_steps, promising_steps
from .state import CUT, DECK_SIZE, HISTORY, JOKER, MELDS_FROM, N_KINDS, PLACE, TWO_BYTES, Action, Phase
from .steps import JOKERS, place, target

# --- the deal [3] -------------------------------------------------------------------------------------------


@jit
def start(s: Row) -> None:
    """Go to the shuffle of the first deal [3]."""
    clear(s, "totals history deal_number")
    clear_deal(s)


@jit
def clear_deal(s: Row) -> None:
    """Everything of a deal to its blank; its shuffle is due [3]."""
    for i in range(s.n_events):
        s.history[i] = NOBODY
    clear(s, "round_number mover hand twice jokers held opened pool pool_twice pool_jokers kept sure_jokers")
    clear(s, "jolly jolly_turn owed owed_jokers melds n_melds fresh n_stock n_pile n_drawn n_events")
    clear(s, "stock_event stock_seat stock_jokers seen stock drawn drawer pile")
    s.phase = Phase.DEALING
    s.shuffle = state.shuffle_number(s.deal_number, I64(0))
    s.seat = SHUFFLE


@jit
def deck(s: Row, out: Any) -> int:
    """Return the whole deck in listing order, or the discard pile by kind [3]."""
    if s.phase == Phase.DEALING:
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
    """Take the shuffled cards, the first on top: a new deal, or the new stock for the mover's draw [3]."""
    if s.phase == Phase.RESHUFFLING:
        renew_stock(s, cards)
        draw_top(s)
    else:
        new_deal(s, cards)


@jit
def new_deal(s: Row, cards: Any) -> None:
    """Set up a deal: the cut, the Jolly card, the hands and the stock [3]."""
    look_at_the_bottom(s, cards)
    n = take_jolly_card(s, cards)
    dealt = deal_hands(s, cards)
    s.round_number = 1
    s.mover = s.seat = state.leader(s)
    s.phase = Phase.MELDING
    stack(s, cards, dealt, n)


@jit
def look_at_the_bottom(s: Row, cards: Any) -> None:
    """Look at the lowest cards as the cutter, who keeps the jokers [3]."""
    for i in range(CUT):
        s.seen[i] = cards[DECK_SIZE - CUT + i]
        if s.seen[i] == JOKER:
            s.kept += 1
            put_kind(s, state.cutter(s), I64(JOKER))
    s.sure_jokers = s.kept


@jit
def take_jolly_card(s: Row, cards: Any) -> int:
    """Take the lowest natural and the kept jokers out of the cards [3]."""
    jolly_at = DECK_SIZE - 1
    while cards[jolly_at] == JOKER:
        jolly_at -= 1
    s.jolly = cards[jolly_at]
    n = 0
    for i in range(DECK_SIZE):
        if i != jolly_at and (i < DECK_SIZE - CUT or cards[i] != JOKER):
            cards[n] = cards[i]
            n += 1
    return n


@jit
def deal_hands(s: Row, cards: Any) -> int:
    """Deal in passes from the leader on; return the number of cards dealt [3]."""
    dealt, leaders_part = I64(0), 3
    while True:
        before = dealt
        for k in range(s.players):
            p = (state.leader(s) + k) % s.players
            for _ in range(min(leaders_part if k == 0 else 2, state.hand_size(s, p) - s.held[p])):
                put_kind(s, p, I64(cards[dealt]))
                dealt += 1
        leaders_part = 2
        if dealt == before:
            return dealt


@jit
def stack(s: Row, cards: Any, first: int, n: int) -> None:
    """Make the cards from `first` on the stock, the next one last [3]."""
    s.n_stock = n - first
    for i in range(first, n):
        s.stock[n - 1 - i] = cards[i]
    s.stock_event, s.stock_seat, s.stock_jokers = s.n_events, s.mover, s.sure_jokers


@jit
def renew_stock(s: Row, cards: Any) -> None:
    """Make the shuffled discard pile the stock [3]. Everybody knows which cards it holds."""
    clear(s, "pile n_pile drawn drawer n_drawn pool pool_twice pool_jokers")
    stack(s, cards, I64(0), len(cards))
    for i in range(len(cards)):
        if cards[i] == JOKER:
            s.pool_jokers += 1
        else:
            card = bit(PLACE[cards[i]])
            s.pool_twice |= s.pool & card
            s.pool |= card


# --- draw [4.2] ---------------------------------------------------------------------------------------------


@jit
def draws(s: Row, out: Any) -> int:
    """Write the draws that may be legal into `out`; return how many [4.2]."""
    out[0] = Action.DRAW_STOCK
    n = 1
    if s.round_number >= MELDS_FROM and s.n_pile > 0:
        out[n] = Action.DRAW_DISCARD
        n += 1
    if s.round_number >= MELDS_FROM and s.held[s.seat] == 12 and not s.opened[s.seat]:
        out[n] = Action.DRAW_JOLLY
        n += 1
    return n


@jit
def may_draw(s: Row, action: int) -> bool:
    """Whether the turn can be completed after a draw [4.2]. The row is the same again afterwards."""
    if action == Action.DRAW_STOCK:
        return True
    kind, jolly_turn = drawn_kind(s, action), s.jolly_turn
    draw_owed(s, kind)
    if action == Action.DRAW_JOLLY:
        s.jolly_turn = 1
    completable = can_complete(s)
    take_kind(s, s.seat, kind)
    s.owed, s.owed_jokers, s.jolly_turn = NOBODY, 0, jolly_turn
    return completable


@jit
def drawn_kind(s: Row, action: int) -> int:
    """Return the card that lies there to be drawn [4.2]."""
    return s.jolly if action == Action.DRAW_JOLLY else I64(s.pile[s.n_pile - 1])


@jit
def draw_owed(s: Row, kind: int) -> None:
    """Take a card that must be placed in this turn [4.2]."""
    put_kind(s, s.seat, kind)
    if kind == JOKER:
        s.owed_jokers += 1
    else:
        s.owed = kind


@jit
def step_draw(s: Row, action: int) -> None:
    """Draw; the turn goes on with melds and the discard, or a reshuffle is due first [4.2]."""
    if action == Action.DRAW_STOCK:
        draw_stock(s)
        return
    note(s, action)
    kind = drawn_kind(s, action)
    draw_owed(s, kind)
    s.phase = Phase.MELDING
    if action == Action.DRAW_JOLLY:
        s.jolly_turn = 1
        return
    s.n_pile -= 1
    s.pile[s.n_pile] = NOBODY
    if kind == JOKER and s.seat == state.cutter(s):
        s.sure_jokers += 1


@jit
def draw_stock(s: Row) -> None:
    """Draw from the stock, or ask for a reshuffle if it is empty [3, 4.2]."""
    if s.n_stock > 0:
        draw_top(s)
        return
    s.phase = Phase.RESHUFFLING
    s.shuffle = state.shuffle_number(s.deal_number, state.reshuffles(s) + 1)
    s.seat = SHUFFLE


@jit
def draw_top(s: Row) -> None:
    """Draw the top card of the stock for the mover [4.2]."""
    s.seat = s.mover
    s.phase = Phase.MELDING
    s.n_stock -= 1
    kind = I64(s.stock[s.n_stock])
    put_kind(s, s.seat, kind)
    s.stock[s.n_stock] = NOBODY
    s.drawn[s.n_drawn] = kind
    s.drawer[s.n_drawn] = s.seat
    s.n_drawn += 1


# --- melds and discard [4.3-4.5] ----------------------------------------------------------------------------


@jit
def may_discard(s: Row) -> bool:
    """Whether the turn may end with a discard now [4.4]."""
    if state.owes(s):
        return False
    if s.jolly_turn:
        return s.opened[s.seat] != 0 and s.held[s.seat] == 1
    return s.opened[s.seat] != 0 or s.fresh == 0


@jit
def discards(s: Row, out: Any) -> int:
    """Write the legal discards into `out`; return how many [4.5]."""
    if not may_discard(s):
        return 0
    n = kinds_into(out, 0, Action.DISCARD + 0, s.hand[s.seat])
    if s.jokers[s.seat] > 0:
        out[n] = Action.DISCARD + JOKER
        n += 1
    return n


@jit
def may_meld(s: Row) -> bool:
    """Whether it is late enough for melds, and a card would be left [4.3]."""
    return s.round_number >= MELDS_FROM and s.held[s.seat] > 1


@jit
def step_melding(s: Row, action: int) -> None:
    """Lay cards out, or discard [4.3, 4.5]."""
    note(s, action)
    if action < Action.RUN:
        step_discard(s, action - Action.DISCARD)
        return
    if s.seat == state.cutter(s):
        s.sure_jokers = max(s.sure_jokers - JOKERS[action], 0)
    place(s, action, target(s, action))


@jit
def step_discard(s: Row, kind: int) -> None:
    """Discard a card, which ends the turn, with the last card the deal [4.5]."""
    take_kind(s, s.seat, kind)
    s.pile[s.n_pile] = kind
    s.n_pile += 1
    if kind == JOKER and s.seat == state.cutter(s):
        s.sure_jokers = max(s.sure_jokers - 1, 0)
    s.fresh = 0
    s.opened[s.seat] = min(s.opened[s.seat], 1)
    if s.held[s.seat] == 0:
        end_deal(s)
    else:
        next_turn(s)


@jit
def note(s: Row, action: int) -> None:
    """Add an action to the history: a discard in one byte, anything else in two."""
    if s.n_events + 2 > HISTORY:
        return
    if Action.DISCARD <= action < Action.RUN:
        s.history[s.n_events] = action - Action.DISCARD
        s.n_events += 1
        return
    s.history[s.n_events] = TWO_BYTES + action // 64
    s.history[s.n_events + 1] = action % 64
    s.n_events += 2


# --- turns, deals, score [4.1, 5] ---------------------------------------------------------------------------


@jit
def next_turn(s: Row) -> None:
    """Let the next seat draw [4.1, 5]. After the last seat of the last round the deal is over."""
    s.mover = (s.mover + 1) % s.players
    if s.mover == state.leader(s):
        if s.round_number == s.max_rounds:
            end_deal(s)
            return
        s.round_number += 1
    s.seat = s.mover
    s.phase = Phase.DRAWING


@jit
def loss(s: Row, p: int) -> int:
    """Return what a seat loses with the cards in its hand [5]; 0 for the winner, who has none."""
    return s.held[p] + (s.joker_penalty - 1) * s.jokers[p]


@jit
def end_deal(s: Row) -> None:
    """Score the deal; go to the next one or to the end [5]."""
    lost = I64(0)
    for p in range(s.players):
        s.totals[p] -= loss(s, p)
        lost += loss(s, p)
    if s.winner_pot and s.held[s.seat] == 0:
        s.totals[s.seat] += lost
    s.mover = NOBODY
    if s.deal_number + 1 < s.deals:
        s.deal_number += 1
        clear_deal(s)
    else:
        s.seat = OVER


# --- what loops and searches ask for ------------------------------------------------------------------------


@jit
def legal(s: Row, out: Any) -> int:
    """Write the legal actions of `s.seat` into `out`, ascending; return how many [4, 7]."""
    if s.phase == Phase.MELDING:
        n = discards(s, out)
        return completable_steps(s, out, n) if may_meld(s) else n
    if s.phase != Phase.DRAWING:
        raise ValueError("zoliky: no legal actions are known for the phase of this row")
    n = 0
    for k in range(draws(s, out)):
        action = I64(out[k])
        if may_draw(s, action):
            out[n] = action
            n += 1
    return n


@jit
def sample(s: Row, out: Any, rng: Any) -> int:
    """Return a legal action, each as likely as the others [4, 7]."""
    if s.phase == Phase.DRAWING:
        n = draws(s, out)
    else:
        n = discards(s, out)
        if may_meld(s):
            n = promising_steps(s, out, n)
    while True:
        k = below(rng, n)
        action = I64(out[k])
        if is_legal(s, action):
            return action
        n -= 1
        out[k] = out[n]


@jit
def is_legal(s: Row, action: int) -> bool:
    """Whether an action that `draws`, `discards` or `promising_steps` lists is legal [4.4]."""
    if s.phase == Phase.DRAWING:
        return may_draw(s, action)
    return action < Action.RUN or can_take(s, action)


@jit
def step(s: Row, action: int) -> None:
    """Apply a legal action; go on to the next decision, shuffle or the end [4]."""
    if s.phase == Phase.DRAWING:
        step_draw(s, action)
    elif s.phase == Phase.MELDING:
        step_melding(s, action)
    else:
        raise ValueError("zoliky: no step is known for the phase of this row")


@jit
def score(s: Row, out: Any) -> None:
    """Write the final score per seat, the sum of the deals, into `out` [5]."""
    for p in range(s.players):
        out[p] = s.totals[p]
