"""Taroky: what a round pays when its last card is played, and what comes next [5].

Numbers in brackets are the sections of `docs/rules/taroky.md`. Not here: money cards, which are paid when
they are announced (`rules.step_money`).
"""

from __future__ import annotations

from typing import Any

from .. import core
from ..core import NOBODY, Row, count, has, jit, mask_of
from . import setup, state
from .state import SEATS, RoundEnd, after, card_points

# --- the result of a round ----------------------------------------------------------------------------------


@jit
def of_side(masks: Any, side: int) -> int:
    """Union of the masks of the seats of a side [5]."""
    union = 0
    for seat in range(SEATS):
        if has(side, seat):
            union |= masks[seat]
    return union


@jit
def result_kind(s: Row, side: int, points: int) -> int:
    """How the round ended, a RoundEnd, negative if the declarers lost [5, main payment 1 to 3]."""
    tricks = count(of_side(s.won, side)) // SEATS
    if s.valat >= 0:
        declares = s.side[s.valat] == 1
        made = tricks == state.TRICKS if declares else tricks == 0
        return RoundEnd.VALAT + 0 if made == declares else -RoundEnd.VALAT
    if tricks == state.TRICKS:
        return RoundEnd.UNCALLED_VALAT + 0
    if tricks == 0:
        return -RoundEnd.UNCALLED_VALAT
    return RoundEnd.COUNTED + 0 if points >= 54 else -RoundEnd.COUNTED


@jit
def main_payment(s: Row, kind: int, points: int) -> int:
    """Chips a head of the main payment [5]."""
    if abs(kind) == RoundEnd.COUNTED:
        base = state.base_of(points, 3 if s.prever >= 0 else 2)
    else:
        base = 40 if abs(kind) == RoundEnd.VALAT else 20
    base <<= state.contra_level(s)
    if s.prever >= 0 and kind < 0 and s.valat < 0:
        base <<= s.rejections
    return base


@jit
def pagat_player(s: Row) -> int:
    """Return the seat that played the I to the last trick, else -1 [5]."""
    for k in range(state.PLAYS - SEATS, state.PLAYS):
        if s.tricks[k] == state.PAGAT:
            return state.player_of(s, k)
    return NOBODY


@jit
def pagat_bonus(s: Row, side: int) -> int:
    """Pagat bonus a head, positive if it goes to the declarers [5]."""
    if s.valat >= 0 and s.pagat_with_valat == 0:
        return 0
    player = pagat_player(s)
    made = player >= 0 and count(mask_of(s.tricks[state.PLAYS - SEATS :]) & state.TRUMPS) == 1
    if s.pagat >= 0:
        player = s.pagat
        chips = 4 if made else -s.pagat_fail
    elif player >= 0:
        chips = 2 if made else -2
    else:
        return 0
    return chips if has(side, player) else -chips


# --- payments, the next round -------------------------------------------------------------------------------


@jit
def settle_round(s: Row) -> None:
    """Pay the round, note its result, go to the next round or the end [5]."""
    side = state.declaring_seats(s)
    points = card_points(of_side(s.won, side) | of_side(s.discards, side))
    kind = result_kind(s, side, points)
    main = main_payment(s, kind, points)
    bonus = pagat_bonus(s, side)
    pay = (main if kind > 0 else -main) + bonus
    s.declarers[s.finished] = side
    s.points[s.finished] = points
    s.kind[s.finished] = kind
    s.bonus[s.finished] = bonus
    s.pay[s.finished] = pay
    for seat in range(SEATS):
        s.totals[seat] += payment(pay, side, seat)
        s.money_won[s.finished, seat] = state.money_balance(s, seat)
    next_round(s)


@jit
def payment(pay: int, side: int, seat: int) -> int:
    """Return what a seat gets when every declarer's payment a head is `pay` [5]."""
    if not has(side, seat):
        return -pay
    return 3 * pay if count(side) == 1 else pay


@jit
def next_round(s: Row) -> None:
    """Povinnost moves on and deals the round after; after the last round the game is over [3, 5]."""
    dealer = s.povinnost
    setup.clear_round(s)
    s.finished += 1
    if s.finished == s.rounds:
        s.dealer = NOBODY
        s.povinnost = NOBODY
        s.seat = core.OVER
        return
    s.dealer = dealer
    s.povinnost = after(dealer, 1)
    s.shuffle = s.finished * core.HAND_SHUFFLES + setup.DEAL_SHUFFLE
    s.seat = core.SHUFFLE


@jit
def score(s: Row, out: Any) -> None:
    """Net chips of every seat [5]."""
    for seat in range(SEATS):
        out[seat] = s.totals[seat]
