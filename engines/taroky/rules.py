"""Taroky: the rules of a round, from the bidding to the last trick, in the order of `docs/rules/taroky.md`.

`step_<phase>` does what was chosen in a phase: in most phases one of two words (`legal_words`). `legal` and
`step`, at the end, send to the functions of the row's phase. Numbers in brackets are the rules page's
sections. Not here: how a round begins (`setup`) and what it pays (`settlement`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import NOBODY, Row, bit, cards_into, count, has, jit
from . import settlement, setup, state
from .state import HAND, SEATS, Action, Money, Phase, after

# --- words: what may be said in most phases -----------------------------------------------------------------

WORDS = np.zeros((len(Phase), 2), np.int64)
"""By phase the word that may always be said, and the one that some may say (the first of a run) [7]."""
WORDS[Phase.BID] = Action.PASS, Action.PREVER
WORDS[Phase.TALON] = Action.KEEP, Action.REJECT
WORDS[Phase.DRAW] = Action.DRAW, Action.OFFER
WORDS[Phase.OFFER] = Action.REJECT, Action.ACCEPT
WORDS[Phase.CALL] = Action.CALL, Action.CALL
WORDS[Phase.MONEY] = Action.ANNOUNCE, Action.CONCEAL
WORDS[Phase.VALAT] = Action.PASS, Action.VALAT
WORDS[Phase.CONTRA] = Action.PASS, Action.CONTRA
WORDS[Phase.PAGAT] = Action.PASS, Action.PAGAT


@jit
def legal_words(s: Row, out: Any) -> int:
    """One word or two [4.3 to 4.11]: a second card only with XIX, `conceal` only with at most two trumps.

    A word of contra is for the right side, the Pagat for the holder of the I.
    """
    hand, more, may = s.hand[s.seat], 0, True
    if s.phase >= len(WORDS) or WORDS[s.phase, 1] == 0:
        raise ValueError("taroky: no legal actions are known for the phase of this row")
    if s.phase == Phase.CALL:
        card = second_call(hand)
        more, may = state.XIX - card, card >= 0
    elif s.phase == Phase.MONEY:
        may = count(hand & state.TRUMPS) <= 2
    elif s.phase == Phase.CONTRA:
        more = state.contra_level(s)
        may = may_double(s, s.seat, more)
    elif s.phase == Phase.PAGAT:
        may = has(hand, state.PAGAT)
    out[0], out[1] = WORDS[s.phase, 0], WORDS[s.phase, 1] + more
    return 2 if may else 1


# --- bid [4.3] ----------------------------------------------------------------------------------------------


@jit
def step_bid(s: Row, action: int) -> None:
    """Povinnost and the others in turn speak; when the bidding is over, a round of its kind begins [4.3]."""
    prever = action == Action.PREVER
    s.bids[s.seat] = prever
    s.seat = after(s.seat, 1)
    if s.seat != s.povinnost and not (prever and s.prever_override == 0):
        return
    s.prever = last_bidder(s)
    if s.prever >= 0:
        open_prever_round(s)
    else:
        open_partner_round(s)


@jit
def last_bidder(s: Row) -> int:
    """Return the last seat from Povinnost on that said `prever`, else -1 [4.3]."""
    bidder = NOBODY
    for k in range(SEATS):
        if s.bids[after(s.povinnost, k)] == 1:
            bidder = after(s.povinnost, k)
    return bidder


@jit
def open_prever_round(s: Row) -> None:
    """All sides are known, and Prever looks at the talon [4.4]."""
    for seat in range(SEATS):
        s.side[seat] = seat == s.prever
    s.phase = Phase.TALON
    s.seat = s.prever


@jit
def open_partner_round(s: Row) -> None:
    """Povinnost takes four cards of the talon, and the seat after it is asked about the fifth [4.5]."""
    s.side[s.povinnost] = 1
    for place in range(4):
        take_talon(s, place, s.povinnost)
    s.phase = Phase.DRAW
    s.seat = after(s.povinnost, 1)


# --- talon [4.4, 4.5] ---------------------------------------------------------------------------------------


@jit
def take_talon(s: Row, place: int, seat: int) -> None:
    """Take one card of the talon into the hand of a seat [4.4, 4.5]."""
    s.hand[seat] |= bit(s.talon[place])
    s.hand_size[seat] += 1
    s.talon[place] = NOBODY


@jit
def step_talon(s: Row, action: int) -> None:
    """Prever keeps the half that it looks at or refuses it; after two refusals it gets the top half [4.4]."""
    if action == Action.REJECT:
        show_half(s)
        if s.rejections == 1:
            return
    first = 3 if s.rejections == 1 else 0
    for place in range(first, first + 3):
        take_talon(s, place, s.prever)
    open_discard(s)


@jit
def show_half(s: Row) -> None:
    """Show the half that Prever refuses to all [4.4]."""
    first = 3 * s.rejections
    for place in range(first, first + 3):
        s.shown |= bit(s.talon[place])
    s.rejections += 1


@jit
def step_draw(s: Row, action: int) -> None:
    """Let the second or third player take a talon card, or offer it unseen to the fourth [4.5]."""
    turn = state.talon_turn(s)
    s.offers[turn] = action
    if action == Action.DRAW:
        end_turn(s, turn, s.seat)
    else:
        s.phase = Phase.OFFER
        s.seat = after(s.povinnost, 3)


@jit
def step_offer(s: Row, action: int) -> None:
    """Take the offered card for the fourth player, or send it back [4.5]."""
    turn = state.talon_turn(s)
    s.offers[turn] = action
    end_turn(s, turn, s.seat if action == Action.ACCEPT else after(s.povinnost, 1 + turn))


@jit
def end_turn(s: Row, turn: int, taker: int) -> None:
    """Give this turn's talon card to its taker; the third player is next, or the discards begin [4.5]."""
    take_talon(s, 4 + turn, taker)
    s.phase = Phase.DRAW
    s.seat = after(s.povinnost, 2)
    if turn == 1:
        open_discard(s)


# --- discard [4.6] ------------------------------------------------------------------------------------------


@jit
def open_discard(s: Row) -> None:
    """Ask the next seat, from Povinnost on, that has more than 12 cards; if none, go on [4.6]."""
    for k in range(SEATS):
        seat = after(s.povinnost, k)
        if s.hand_size[seat] > HAND:
            s.phase = Phase.DISCARD
            s.seat = seat
            return
    s.phase = Phase.CALL if s.prever < 0 else Phase.MONEY
    s.seat = s.povinnost


@jit
def discardable(hand: int) -> int:
    """Mask of the cards that may be discarded: plain ones, else trumps but I, XXI and Skyz [4.6]."""
    plain = hand & state.PLAIN
    return plain if plain != 0 else hand & state.TRUMPS & ~state.FIVES


@jit
def step_discard(s: Row, action: int) -> None:
    """Put one card away [4.6]."""
    card = bit(action - Action.DISCARD)
    s.hand[s.seat] &= ~card
    s.discards[s.seat] |= card
    s.hand_size[s.seat] -= 1
    s.discard_count[s.seat] += 1
    if s.hand_size[s.seat] == HAND:
        open_discard(s)


# --- call [4.7] ---------------------------------------------------------------------------------------------


@jit
def second_call(hand: int) -> int:
    """Return the highest of XVIII to XV that a holder of XIX lacks and may call besides, else -1 [4.7]."""
    if not has(hand, state.XIX):
        return NOBODY
    for card in range(state.XIX - 1, state.XV - 1, -1):
        if not has(hand, card):
            return card
    return NOBODY


@jit
def step_call(s: Row, action: int) -> None:
    """Povinnost calls a card; who has it in hand is the partner, else Povinnost is alone [4.7]."""
    s.called = state.XIX - (action - Action.CALL)
    s.partner = state.holder(s, s.called)
    s.phase = Phase.MONEY


# --- money cards [4.8] --------------------------------------------------------------------------------------


@jit
def step_money(s: Row, action: int) -> None:
    """Every seat's money cards are announced and paid; Povinnost may hide Uni and Bida [4.8]."""
    for seat in range(SEATS):
        money = state.money_of(s.hand[seat])
        if seat == s.povinnost and action == Action.CONCEAL:
            money &= ~(Money.UNI | Money.BIDA)
        s.money[seat] = money
    for seat in range(SEATS):
        s.totals[seat] += state.money_balance(s, seat)
    s.phase = Phase.VALAT
    s.seat = s.povinnost


# --- Valat [4.9] --------------------------------------------------------------------------------------------


@jit
def step_valat(s: Row, action: int) -> None:
    """From Povinnost on; the first Valat ends the asking and shows its caller's side [4.9]."""
    if action == Action.VALAT:
        s.valat = s.seat
        show_side(s)
    s.seat = after(s.seat, 1)
    if action == Action.VALAT or s.seat == s.povinnost:
        s.phase = Phase.CONTRA
        ask_contra(s, claimant(s))


@jit
def show_side(s: Row) -> None:
    """Show all seats the side of the seat to act [4.9, 4.10]. The call that this seat makes reveals it."""
    s.side[s.seat] = state.is_declarer(s, s.seat)


# --- contra [4.10] ------------------------------------------------------------------------------------------


@jit
def claimant(s: Row) -> int:
    """Return the seat whose claim is doubled: Valat caller, else Prever, else Povinnost [4.10]."""
    if s.valat >= 0:
        return s.valat
    return s.prever if s.prever >= 0 else s.povinnost


@jit
def contra_after(s: Row) -> int:
    """Return the seat after which the asking at the level now open began [4.10]."""
    level = state.contra_level(s)
    return s.contras[level - 1] if level > 0 else claimant(s)


@jit
def ask_contra(s: Row, seat: int) -> None:
    """Ask the next seat after this one; if there is none, go on [4.10].

    With Prever, when all know the sides, the seats of the wrong side are left out.
    """
    first, level = contra_after(s), state.contra_level(s)
    seat = after(seat, 1)
    while level < len(s.contras) and seat != first:
        if s.prever < 0 or may_double(s, seat, level):
            s.seat = seat
            return
        seat = after(seat, 1)
    open_pagat(s)


@jit
def may_double(s: Row, seat: int, level: int) -> bool:
    """Whether a seat is of the side that may say the word of this level, 0 to 2 [4.10].

    Rhea is the word of the claimant's side, contra and supra are the others'.
    """
    claims = s.side[claimant(s)] == 1
    return state.is_declarer(s, seat) == (claims if level == 1 else not claims)


@jit
def step_contra(s: Row, action: int) -> None:
    """Pass, or the word of the level, which opens the next one [4.10]."""
    if action != Action.PASS:
        s.contras[action - Action.CONTRA] = s.seat
        show_side(s)
    ask_contra(s, s.seat)


# --- Pagat [4.11] -------------------------------------------------------------------------------------------


@jit
def open_pagat(s: Row) -> None:
    """Ask for the Pagat, unless Valat was called [4.11]."""
    s.seat = s.povinnost
    if s.valat >= 0 and s.pagat_with_valat == 0:
        open_play(s)
    else:
        s.phase = Phase.PAGAT


@jit
def step_pagat(s: Row, action: int) -> None:
    """From Povinnost on; `pagat` ends the asking [4.11]."""
    if action == Action.PAGAT:
        s.pagat = s.seat
    s.seat = after(s.seat, 1)
    if action == Action.PAGAT or s.seat == s.povinnost:
        open_play(s)


# --- play [4.12] --------------------------------------------------------------------------------------------


@jit
def open_play(s: Row) -> None:
    """Povinnost leads the first trick [4.12]."""
    s.phase = Phase.PLAY
    s.seat = s.povinnost
    s.leaders[0] = s.povinnost


@jit
def may_follow(hand: int, led: int) -> int:
    """Mask of the cards of a hand that may follow a led suit: that suit, else trumps, else all [4.12]."""
    follow = hand & state.SUITS[led]
    if follow == 0:
        follow = hand & state.TRUMPS
    return follow if follow != 0 else hand


@jit
def playable(s: Row) -> int:
    """Mask of the cards that the seat to act may play [4.12]."""
    hand = s.hand[s.seat]
    first = state.trick_start(s)
    return hand if s.played == first else may_follow(hand, state.suit_of(s.tricks[first]))


@jit
def step_play(s: Row, action: int) -> None:
    """Add a card to the trick; the fourth ends it [4.12]."""
    card = action - Action.PLAY
    s.hand[s.seat] &= ~bit(card)
    s.hand_size[s.seat] -= 1
    s.tricks[s.played] = card
    s.played += 1
    if s.played != state.trick_start(s):
        s.seat = after(s.seat, 1)
    else:
        end_trick(s)


@jit
def end_trick(s: Row) -> None:
    """Give the trick to its winner, who leads next; after the twelfth the round is settled [4.12]."""
    first = s.played - SEATS
    winner = state.player_of(s, first + state.trick_best(s, first, SEATS))
    for k in range(first, first + SEATS):
        s.won[winner] |= bit(s.tricks[k])
    if s.played == state.PLAYS:
        settlement.settle_round(s)
    else:
        s.leaders[s.played >> 2] = winner
        s.seat = winner


# --- all phases [4, 7] --------------------------------------------------------------------------------------


@jit
def legal(s: Row, out: Any) -> int:
    """Write the legal actions of the seat to act into `out`, ascending; return how many [7]."""
    if s.phase == Phase.PLAY:
        return cards_into(out, 0, Action.PLAY, playable(s))
    if s.phase == Phase.DISCARD:
        return cards_into(out, 0, Action.DISCARD, discardable(s.hand[s.seat]))
    if s.phase == Phase.CUT:
        return cards_into(out, 0, Action.CUT, (1 << len(state.STYLES)) - 1)
    if s.phase == Phase.PILE:
        return cards_into(out, 0, Action.PILE, setup.free_piles(s))
    return legal_words(s, out)


@jit
def step(s: Row, action: int) -> None:
    """Apply a legal action [4]."""
    if s.phase == Phase.PLAY:
        step_play(s, action)
    elif s.phase == Phase.CUT:
        setup.step_cut(s, action)
    elif s.phase == Phase.PILE:
        setup.step_pile(s, action)
    elif s.phase == Phase.BID:
        step_bid(s, action)
    elif s.phase == Phase.TALON:
        step_talon(s, action)
    elif s.phase == Phase.DRAW:
        step_draw(s, action)
    elif s.phase == Phase.OFFER:
        step_offer(s, action)
    elif s.phase == Phase.DISCARD:
        step_discard(s, action)
    elif s.phase == Phase.CALL:
        step_call(s, action)
    elif s.phase == Phase.MONEY:
        step_money(s, action)
    elif s.phase == Phase.VALAT:
        step_valat(s, action)
    elif s.phase == Phase.CONTRA:
        step_contra(s, action)
    elif s.phase == Phase.PAGAT:
        step_pagat(s, action)
    else:
        raise ValueError("taroky: no step is known for the phase of this row")
