"""Jolly Zoliky, for learners: a view as numbers. What a seat may know is in `worlds`."""

from __future__ import annotations

from typing import Any

from ..column import Column, places
from ..core import Row, has, jit, lowest
from ..learn.writing import one_at, seat_at, within
from . import melds, state
from .state import DECK_SIZE, JOKER, KIND, MOST_PLAYERS, N_KINDS, Phase

MOST_HELD, MOST_JOKERS, MOST_POINTS = 20, 4, 100
NATURALS = JOKER

COLUMNS = (
    Column("hand", NATURALS, "naturals in the own hand"),
    Column("twice", NATURALS, "those held twice"),
    Column("jokers", 1, "jokers in the own hand / 4"),
    Column("top", N_KINDS, "the top card of the discard pile"),
    Column("pile", N_KINDS, "cards of each kind in the discard pile / 2 (jokers / 4)"),
    Column("jolly", N_KINDS, "the Jolly card"),
    Column("owed", N_KINDS, "the card that must be placed in this turn"),
    Column("table", NATURALS, "naturals in melds / 2"),
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
    Column("total", MOST_PLAYERS, "points of the deals that are over / 100, cut off", -1.0),
)
AT = places(COLUMNS)


@jit
def encode(s: Row, seat: int, out: Any) -> None:
    """Write the columns of a view."""
    kinds_at(out, AT.hand, s.hand[seat])
    kinds_at(out, AT.twice, s.twice[seat])
    out[AT.jokers] = min(1.0, s.jokers[seat] / MOST_JOKERS)
    one_at(out, AT.jolly, s.jolly)
    one_at(out, AT.owed, s.owed)
    if s.owed_jokers > 0:
        out[AT.owed + JOKER] = 1.0
    for i in range(s.n_pile):
        card = s.pile[i]
        out[AT.pile + card] += 0.25 if card == JOKER else 0.5
    if s.n_pile > 0:
        one_at(out, AT.top, s.pile[s.n_pile - 1])
    for i in range(s.n_melds):
        encode_meld(s.melds[i], out)
    encode_state(s, out)
    seat_at(out, AT.to_act, s.mover, seat, s.players)
    seat_at(out, AT.leader, state.leader(s), seat, s.players)
    seat_at(out, AT.cutter, state.cutter(s), seat, s.players)
    for place in range(s.players):
        other = (seat + place) % s.players
        out[AT.held + place] = min(1.0, s.held[other] / MOST_HELD)
        out[AT.opened + place] = s.opened[other] != 0
        out[AT.total + place] = within(s.totals[other] / MOST_POINTS, -1.0, 1.0)


@jit
def kinds_at(out: Any, at: int, lanes: int) -> None:
    """1 for every natural of a mask of lanes, by kind."""
    while lanes != 0:
        out[at + KIND[lowest(lanes)]] = 1.0
        lanes &= lanes - 1


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
    """A meld on the table."""
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
