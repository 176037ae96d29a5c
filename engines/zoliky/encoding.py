"""Jolly Zoliky, for learners: a view as numbers. What a seat may know is in `worlds`."""

from __future__ import annotations

from typing import Any

from ..core import I64, Row, has, jit, lowest
from ..declaration import Column, places
from ..learn.writing import one_at, place_of, seat_at, squashed
from . import melds, state
from .state import CUT, DECK_SIZE, JOKER, KIND, MOST_MELDS, MOST_PLAYERS, N_KINDS, TWO_BYTES, Action, Phase
from .steps import JOKERS as JOKERS_OF
from .steps import NATURALS as NATURALS_OF

MOST_HELD, MOST_JOKERS, MANY_POINTS = 20, 4, 100
NATURALS = JOKER

COLUMNS = (
    Column("hand", NATURALS, "naturals in the own hand"),
    Column("twice", NATURALS, "those held twice"),
    Column("jokers", 1, "jokers in the own hand / 4"),
    Column("top", N_KINDS, "the top card of the discard pile"),
    Column("pile", N_KINDS, "cards of each kind in the discard pile / 2 (jokers / 4)"),
    Column("lies", DECK_SIZE, "the discard pile, top card first: (1 + kind) / 53"),
    Column("discarded", MOST_PLAYERS * N_KINDS,
           "cards of each kind discarded in this deal, by seat: x / (x + 2)"),
    Column("taken", MOST_PLAYERS * N_KINDS,
           "cards of each kind taken from the pile, and the Jolly card, by seat: x / (x + 2)"),
    Column("laid", MOST_PLAYERS * N_KINDS, "cards of each kind laid on the table, by seat: x / (x + 2)"),
    Column("own_drawn", N_KINDS, "cards that the viewer drew from this stock / 2 (jokers / 4)"),
    Column("drawn_last", N_KINDS, "the last of them, while its turn lasts"),
    Column("cut", CUT, "the cards seen at the cut, by the cutter alone: (1 + kind) / 53"),
    Column("pool", N_KINDS, "cards of each kind that the last reshuffle put into the stock / 2 (jokers / 4)"),
    Column("sure_jokers", 1, "jokers that the cutter holds for certain / 4"),
    Column("kept", 1, "jokers that the cutter kept / 3"),
    Column("reshuffles", 1, "how often the pile became the stock, x as x / (x + 2)"),
    Column("drawers", MOST_PLAYERS, "cards that each seat drew from this stock / 108"),
    Column("jolly", N_KINDS, "the Jolly card"),
    Column("owed", N_KINDS, "the card that must be placed in this turn"),
    Column("owed_jokers", 1, "jokers that must be placed in this turn / 4"),
    Column("table", NATURALS, "naturals in melds / 2"),
    Column("melds", MOST_MELDS * 5,
           "melds in the order of laying: 1 a set or 0.5 a run, (1 + suit) / 4, lowest position or rank / "
           "14, highest position or number of cards / 14, joker positions or suits as bits / 2**15"),
    # with jokers four sets can be of one rank, and six runs can hold one position
    Column("sets", 13, "sets on the table by rank / 2, ace first", 0.0, 2.0),
    Column("runs", 4 * 14, "positions that runs hold / 2, suit by suit, low ace to high ace", 0.0, 3.0),
    Column("table_jokers", 1, "jokers in melds / 4"),
    Column("phase", len(Phase), "what is due: " + ", ".join(phase.name.lower() for phase in Phase)),
    Column("round", 1, "the round / `max_rounds`"),
    Column("deal", 1, "deals that are over / `deals`"),
    Column("stock", 1, "cards in the stock / 108"),
    Column("fresh", 1, "melds laid in this turn / 10, cut off"),
    Column("jolly_turn", 1, "the mover drew the Jolly card"),
    Column("to_act", MOST_PLAYERS, "whose turn it is"),
    Column("leader", MOST_PLAYERS, "the seat that begins every round"),
    Column("cutter", MOST_PLAYERS, "who cut"),
    Column("held", MOST_PLAYERS, "cards held / 20, cut off"),
    Column("opened", MOST_PLAYERS, "seats that are open"),
    Column("opening", 1, "the seat to act became open in this turn"),
    Column("total", MOST_PLAYERS, "points x of the deals that are over as x / (abs(x) + 100)", -1.0),
)  # fmt: skip
AT = places(COLUMNS)


@jit
def encode(s: Row, seat: int, out: Any) -> None:
    """Write the columns of a view."""
    kinds_at(out, AT.hand, s.hand[seat], 1.0)
    kinds_at(out, AT.twice, s.twice[seat], 1.0)
    out[AT.jokers] = min(1.0, s.jokers[seat] / MOST_JOKERS)
    one_at(out, AT.jolly, s.jolly)
    one_at(out, AT.owed, s.owed)
    if s.owed_jokers > 0:
        out[AT.owed + JOKER] = 1.0
        out[AT.owed_jokers] = s.owed_jokers / MOST_JOKERS
    for i in range(s.n_pile):
        card = s.pile[i]
        count_one(out, AT.pile, card)
        out[AT.lies + s.n_pile - 1 - i] = (1 + card) * (1 / N_KINDS)
    encode_stock(s, seat, out)
    encode_history(s, seat, out)
    if s.n_pile > 0:
        one_at(out, AT.top, s.pile[s.n_pile - 1])
    for i in range(s.n_melds):
        encode_meld(s.melds[i], out)
        write_meld(s.melds[i], AT.melds + 5 * i, out)
    encode_state(s, out)
    seat_at(out, AT.to_act, s.mover, seat, s.players)
    seat_at(out, AT.leader, state.leader(s), seat, s.players)
    seat_at(out, AT.cutter, state.cutter(s), seat, s.players)
    for place in range(s.players):
        other = (seat + place) % s.players
        out[AT.held + place] = min(1.0, s.held[other] / MOST_HELD)
        out[AT.opened + place] = s.opened[other] != 0
        if s.opened[other] == state.OPENED_NOW:
            out[AT.opening] = 1
        out[AT.total + place] = squashed(s.totals[other], MANY_POINTS)


@jit
def kinds_at(out: Any, at: int, lanes: int, value: float) -> None:
    """One value for every natural of a mask of lanes, by kind."""
    while lanes != 0:
        out[at + KIND[lowest(lanes)]] = value
        lanes &= lanes - 1


@jit
def count_one(out: Any, at: int, kind: int) -> None:
    """One more card of a kind: half of a natural's two, a quarter of the jokers."""
    out[at + kind] += 0.25 if kind == JOKER else 0.5


@jit
def encode_stock(s: Row, seat: int, out: Any) -> None:
    """Write what is known of the stock into `out`."""
    for i in range(CUT):
        out[AT.cut + i] = (1 + s.seen[i]) / N_KINDS
    kinds_at(out, AT.pool, s.pool, 0.5)
    kinds_at(out, AT.pool, s.pool_twice, 1.0)
    out[AT.pool + JOKER] = s.pool_jokers / MOST_JOKERS
    out[AT.sure_jokers] = s.sure_jokers / MOST_JOKERS
    out[AT.kept] = s.kept / CUT
    out[AT.reshuffles] = squashed(state.reshuffles(s), 2)
    draws = I64(0)  # how many of each seat, in a byte each: no memory is waited for
    for i in range(s.n_drawn):
        draws += I64(1) << 8 * s.drawer[i]
        if s.drawn[i] >= 0 and s.drawer[i] == seat:
            count_one(out, AT.own_drawn, s.drawn[i])
    for p in range(s.players):
        out[AT.drawers + place_of(p, seat, s.players)] = (draws >> 8 * p & 255) / DECK_SIZE
    last = s.n_drawn - 1
    if s.mover == seat and last >= 0 and s.drawer[last] == seat and s.phase == Phase.MELDING:
        one_at(out, AT.drawn_last, s.drawn[last])


@jit
def encode_history(s: Row, seat: int, out: Any) -> None:
    """Write what every seat has discarded, taken and laid in this deal."""
    place, at, top = place_of(state.leader(s), seat, s.players), 0, I64(0)
    end, players = s.n_events, s.players
    while at < end:
        first = I64(s.history[at])
        if first < TWO_BYTES:
            count_played(out, AT.discarded + place * N_KINDS + first)
            top, place, at = first, place + 1 if place + 1 < players else 0, at + 1
            continue
        action, base = (first - TWO_BYTES) * 64 + s.history[at + 1], place * N_KINDS
        at += 2
        if action >= Action.RUN:
            naturals = NATURALS_OF[action]
            while naturals != 0:
                count_played(out, AT.laid + base + KIND[lowest(naturals)])
                naturals &= naturals - 1
            for _ in range(JOKERS_OF[action]):
                count_played(out, AT.laid + base + JOKER)
        else:
            count_played(out, AT.taken + base + (s.jolly if action == Action.DRAW_JOLLY else top))


@jit
def count_played(out: Any, column: int) -> None:
    """One more card: from y = x / (x + 2) to (x + 1) / (x + 3)."""
    out[column] = (1 + out[column]) / (3 - out[column])


@jit
def write_meld(m: int, at: int, out: Any) -> None:
    """Write a meld as five numbers."""
    is_set = m & melds.SET != 0
    out[at] = 1.0 if is_set else 0.5
    out[at + 1] = 0.0 if is_set else (1 + (m >> melds.SUIT_AT & 3)) / 4
    out[at + 2] = melds.low_end(m) / 14
    out[at + 3] = melds.high_end(m) / 14
    out[at + 4] = (m & (melds.SUITS_FIELD if is_set else melds.JOKERS_FIELD)) / 32768


@jit
def encode_state(s: Row, out: Any) -> None:
    """How far the deal and the turn are."""
    one_at(out, AT.phase, s.phase)
    out[AT.round] = min(1.0, s.round_number / s.max_rounds)
    out[AT.deal] = min(1.0, s.deal_number / s.deals)
    out[AT.stock] = s.n_stock / DECK_SIZE
    out[AT.fresh] = min(1.0, s.fresh / 10)
    out[AT.jolly_turn] = s.jolly_turn


@jit
def encode_meld(meld: int, out: Any) -> None:
    """Write a meld on the table."""
    out[AT.table_jokers] += melds.meld_jokers(meld) / MOST_JOKERS
    low = melds.low_end(meld)
    if meld & melds.SET:
        out[AT.sets + low - 1] += 0.5
        for suit in range(4):
            if has(meld, suit):
                out[AT.table + 13 * suit + low - 1] += 0.5
        return
    suit = meld >> melds.SUIT_AT & 3
    for position in range(low, melds.high_end(meld) + 1):
        out[AT.runs + 14 * suit + position - 1] += 0.5
        if not has(meld, position):
            out[AT.table + 13 * suit + (position - 1) % 13] += 0.5
