"""Taroky: whether a row from outside can be shown and played on. Every number is in its range before."""

from __future__ import annotations

from ..core import NOBODY, OVER, WHOLE, Row, bit, count, has, jit, mask_of, n_set
from . import state
from .state import ALL, HAND, N_CARDS, SEATS, Action, Phase, after
from .worlds import talon_left


@jit
def valid(s: Row) -> bool:
    """Whether no card is twice or missing, and the seat to act has what the phase wants."""
    if s.seat == OVER:
        return s.finished == s.rounds and s.phase == NOBODY
    if s.finished >= s.rounds or s.dealer < 0 or s.phase < 0:
        return False
    if s.phase <= Phase.PILE:
        return cut_fits(s)
    if s.povinnost < 0 or s.style < 0 or n_set(s.order) != 0:
        return False
    has_decided = s.deciding >= state.II  # in round 1, the card that made Povinnost [4.2]
    return has_decided == (s.finished == 0) and phase_fits(s) and tricks_fit(s) and cards_fit(s)


@jit
def cut_fits(s: Row) -> bool:
    """Whether the deck is whole and nobody has a card yet, and who cuts or takes a pile is to act [4.1]."""
    n, cards = n_set(s.order), s.shown | s.played | mask_of(s.talon)
    for seat in range(SEATS):
        cards |= s.hand[seat] | s.discards[seat] | s.won[seat] | s.hand_size[seat] | s.discard_count[seat]
    if n != (N_CARDS if s.form == WHOLE else 0) or count(mask_of(s.order)) != n or cards != 0:
        return False
    if s.finished > 0 and s.povinnost < 0:
        return False
    if s.phase == Phase.CUT:
        return s.seat == after(s.dealer, 3) and s.style == NOBODY and s.piles[0] == NOBODY
    taken, before = n_set(s.piles), 0
    for k in range(taken):
        before |= bit(after(s.dealer, 1 + k))
    turn = taken < 3 and mask_of(s.piles) == before and s.seat == after(s.dealer, 1 + taken)
    return turn and s.style == state.CHOICE_STYLE


# --- what was said [4.3 to 4.11] ----------------------------------------------------------------------------


@jit
def phase_fits(s: Row) -> bool:
    """Whether the seat to act is the one that the phase asks, with the cards that it needs."""
    phase, p = s.phase, s.povinnost
    extra = 0
    for seat in range(SEATS):
        extra += s.hand_size[seat] - HAND
    if phase == Phase.BID:
        return extra == 0 and s.prever < 0 and s.called < 0 and s.rejections == 0
    if phase == Phase.TALON:
        return extra == 0 and s.seat == s.prever and s.rejections < 2
    if phase == Phase.DRAW or phase == Phase.OFFER:
        return offers_fit(s)
    if phase == Phase.DISCARD:
        return s.hand_size[s.seat] > HAND and (s.prever < 0 or s.seat == s.prever)
    if phase != Phase.PLAY and extra != 0:
        return False
    if phase == Phase.CALL:
        return s.prever < 0 and s.seat == p and s.called < 0
    if not calls_fit(s):
        return False
    if phase == Phase.MONEY:
        return s.seat == p
    if phase == Phase.VALAT:
        return s.valat < 0
    if phase == Phase.CONTRA:
        return state.contra_level(s) < len(s.contras)
    return phase == Phase.PLAY or s.pagat < 0


@jit
def offers_fit(s: Row) -> bool:
    """Whether the talon card that is due is drawn or offered by the seat whose turn it is [4.5]."""
    if s.prever >= 0 or s.called >= 0:
        return False
    turn = state.talon_turn(s)
    if s.offers[1] != NOBODY and (turn == 0 or s.offers[1] != Action.OFFER):
        return False
    if s.phase == Phase.OFFER:
        return s.seat == after(s.povinnost, 3) and s.offers[turn] == Action.OFFER
    return s.seat == after(s.povinnost, 1 + turn) and s.offers[turn] == NOBODY


@jit
def calls_fit(s: Row) -> bool:
    """Whether a partner round has a called card and whoever has it, and one of Prever has none [4.7]."""
    if s.prever >= 0:
        return s.called == NOBODY and s.partner == NOBODY
    return s.called >= state.XV and (s.partner >= 0 or s.form != WHOLE)


# --- cards --------------------------------------------------------------------------------------------------


@jit
def tricks_fit(s: Row) -> bool:
    """Whether the tricks are led and played up to the seat to act [4.12]."""
    if s.phase != Phase.PLAY:
        return s.played == 0
    led = (s.played >> 2) + 1
    if n_set(s.leaders[:led]) < led or n_set(s.tricks[: s.played]) < s.played:
        return False
    return s.seat == state.player_of(s, s.played)


@jit
def cards_fit(s: Row) -> bool:
    """Whether no card is twice, counts are true, and the cards that a row hides are as many as it lacks."""
    seen, n, room = state.gone(s), s.played, 0
    won = 0
    for k in range(state.trick_start(s)):
        won |= bit(s.tricks[k])
    for seat in range(SEATS):
        if s.won[seat] & ~won != 0:
            return False
        won &= ~s.won[seat]
        if s.phase == Phase.PLAY and s.hand_size[seat] != cards_left(s, seat):
            return False
        held, away = count(s.hand[seat]), count(s.discards[seat])
        hidden = s.hand_size[seat] - held, s.discard_count[seat] - away
        if hidden[0] < 0 or hidden[1] < 0 or (s.form == WHOLE and hidden[0] + hidden[1] != 0):
            return False
        if s.form != WHOLE and held > 0 and (hidden[0] > 0 or hidden[1] > 0):
            return False
        seen |= s.hand[seat] | s.discards[seat]
        n += held + away
        room += hidden[0] + hidden[1]
    seen |= mask_of(s.talon)
    n += n_set(s.talon)
    left = talon_left(s)
    for at in range(state.TALON):
        if has(left, at) and s.talon[at] == NOBODY:
            room += 1
        elif not has(left, at) and s.talon[at] != NOBODY:
            return False
    return won == 0 and count(seen) == n and count(ALL & ~seen) == room and (s.form != WHOLE or room == 0)


@jit
def cards_left(s: Row, seat: int) -> int:
    """How many cards a seat still holds, by the tricks."""
    left = HAND - (s.played >> 2)
    for k in range(state.trick_start(s), s.played):
        left -= state.player_of(s, k) == seat
    return left
