"""Tzogous 37, for the search.

It defines the rollout policy, what is searched, which worlds are likely, and what a pot leaves.

The rollout policy bets and uses jokers as the bot `odds37` does, but takes its chance from a formula instead
of sampled worlds. Playouts of a placement go on to the end of the hand.
"""

from __future__ import annotations

from math import exp, log
from typing import Any

import numpy as np

from ..core import HIDDEN, I64, NO_ACTION, NOBODY, Row, below, cleared, count, fill, has, jit, legal, scratch
from . import state, tools
from .state import BETS, MOVES, PACK, RAISE, ROUNDS, SEATS, Action, Bet, Move, Phase
from .tools import PAIRED
from .worlds import face_laid, first_move

PRESET = {"playouts": 500, "noise": 0.0, "gate": 1.0, "model": True}  # see engines.search.preset
TRIFLE = 0.5  # chips: a decision that costs less does not matter
EVENTS = "the seat wins chips in the pot", "the seat loses more than it has paid so far"
"""What `happened` tells, by bit."""

RESPECT = 1.8  # a bet of the pot, 1/3 of the pot after the call, leaves the weaker 60 % of the opposition out
RAISE_FIRST, RAISE_AGAIN = 0.62, 0.70  # chances to win from which the player raises
BLUFFS = 0.3
MOST_WEAK = 0.9
JOKER_ANTES = 3
"""What a joker in hand is worth when a pot ends, in antes; nothing after the last betting of a hand."""
OTHER_PAIR = 4
"""One of so many placements is not of the best pair of the hand but of another one."""
CHANCES = np.array(
    [
        [[0.60, 0.22, -0.56], [1.24, 0.43, -0.75]],
        [[0.84, 0.18, -0.56], [0.86, 0.19, -0.56]],
        [[2.35, 0.36, -0.52], [2.59, 0.47, -0.75]],
        [[2.03, 0.28, 0.0], [1.71, 0.33, 0.0]],
    ]
)
"""[round - 1, betting]: log odds to beat one opponent with 25 points, for each point more, and for each by
which the one card that is known of it is above 8.

Fitted to the share of worlds that `odds37` wins, 97 000 decisions; the error is 0.04 to 0.1.
"""
AFTER_JOKER = 5.0, 0.3
"""The same where a joker takes the place of one card of a pair that is not known."""
SPARE, SPARE_LATE = 4, 1
"""A joker is used for a gain of more than so many antes, the second number in round 3, the last chance."""
SIZES = 3
"""Raises that are searched: a third, two thirds and all of what is allowed, at least the smallest."""
USUAL_CARD = 8
"""A card of which nothing is known, to the formula above."""
UNLIKELY = 0.1
"""Chance that a player bets otherwise than the quick player would."""
RAISES = np.array([[0.18, 0.91], [0.0, 0.84]])
RAISE_SPREAD, CALL_MORE, CALL_SPREAD, ANYHOW = 0.19, 0.40, 0.23, 0.02
"""How house bots bet by what the policy believes (`told`): the share of raises whatever they hold, and the
chance to win at which half of the others raise, without and with chips to call; the chance beyond the odds of
the pot at which half call; the spreads; the share that is random. By likelihood from 3 347 house bots' bets.
"""
GIFT = 0
"""2s: about what the card that is given for a joker is worth."""


@jit
def is_betting(s: Row) -> bool:
    """Whether the seat to act bets."""
    return s.phase in (Phase.BET1, Phase.BET2)


@jit
def happens(chance: float, rng: Any) -> bool:
    """Return True with this chance."""
    return below(rng, 1 << 20) < chance * (1 << 20)


@jit
def policy(s: Row, out: Any, rng: Any) -> int:
    """Return the action of the rollout policy."""
    if not is_betting(s):
        return Action.PLACE + tools.planned_card(s, 0)
    joker, gain = best_joker(s)
    if joker != NOBODY and gain * s.pot > s.ante * (SPARE_LATE if s.round_no == 3 else SPARE):
        return joker
    call, pot = state.to_call(s, s.seat), s.pot
    chance = believed(chance_to_win(s, s.seat, int(s.phase == Phase.BET2)), call, pot)
    raises = raise_action(s, state.raise_limits(s, s.seat)[1])
    if call == 0:
        if raises != NOBODY and (chance > RAISE_FIRST or happens(BLUFFS, rng)):
            return raises
        return Action.CHECK + 0
    if raises != NOBODY and chance > RAISE_AGAIN:
        return raises
    return Action.CALL + 0 if chance * (pot + call) > call else Action.FOLD + 0


@jit
def chance_to_win(s: Row, p: int, betting: int) -> float:
    """Chance that seat p wins the pot by its own cards against any cards that the others may have."""
    chance, score = 1.0, tools.hoped_score(s, p, betting)
    for other in range(s.players):
        if other != p and has(s.alive, other):
            chance *= chance_against(s, p, other, score, betting)
    return chance


@jit
def chance_against(s: Row, p: int, other: int, score: int, betting: int) -> float:
    """Chance of seat p with this score against another seat, by what it knows of that one's cards."""
    known, seen = 0, USUAL_CARD
    if s.round_no < ROUNDS:
        for place in range(2 * other, 2 * other + 1 + betting):
            if s.table[place] != NOBODY and has(s.knows[place], p):
                known += 1
                seen = state.value(I64(s.table[place]))
        if known == 2:
            return showdown(score, state.pair_score(I64(s.table[2 * other]), I64(s.table[2 * other + 1])))
    elif betting == 1:  # the community card is in both scores
        score -= state.value(I64(s.community)) - tools.TYPICAL_COMMUNITY
    odds = CHANCES[s.round_no - 1, betting]
    return likelihood(odds[0] + odds[1] * (score - 25) + odds[2] * (seen - USUAL_CARD))


@jit
def likelihood(log_odds: float) -> float:
    """Log odds as a chance."""
    return 1 / (1 + exp(-log_odds))


@jit
def showdown(mine: int, theirs: int) -> float:
    """1 for a win, a half for a tie, else 0."""
    return 1.0 if mine > theirs else 0.5 if mine == theirs else 0.0


@jit
def believed(chance: float, call: int, pot: int) -> float:
    """Return the chance against those who would bet as much."""
    weak = min(MOST_WEAK, RESPECT * call / (pot + call))
    return max(0.0, (chance - weak) / (1 - weak))


@jit
def best_joker(s: Row) -> tuple[int, float]:
    """Return the use of a joker that gains most chance, and how much."""
    me, best, most = s.seat, NOBODY, 0.0
    if s.phase != Phase.BET2 or not state.may_use_joker(s, me):
        return best, most
    score, now, call, pot = (
        tools.hoped_score(s, me, 1),
        chance_to_win(s, me, 1),
        state.to_call(s, me),
        s.pot,
    )
    for place in range(2 * s.players):
        other = place // 2
        if other != me and has(s.alive, other):
            against = max(0.01, chance_against(s, me, other, score, 1))
            after = min(1.0, now / against * chance_after_joker(s, place, score))
            gain = believed(after, call, pot) - believed(now, call, pot)
            if gain > most:
                best, most = Action.USE_JOKER + place, gain
    return best, most


@jit
def chance_after_joker(s: Row, place: int, score: int) -> float:
    """Chance to beat the owner of a place when a joker has put a poor card there."""
    other = place ^ 1
    if has(s.knows[other], s.seat):
        return showdown(score, state.pair_score(GIFT, I64(s.table[other])))
    return likelihood(AFTER_JOKER[0] + AFTER_JOKER[1] * (score - 25))


@jit
def raise_action(s: Row, chips: int) -> int:
    """Return the action that raises by so many chips; NOBODY for none."""
    if chips == 0:
        return NOBODY
    steps = chips // s.step
    return RAISE + steps if steps <= state.MOST_RAISE else Action.RAISE_MAX + 0


@jit
def candidates(s: Row, out: Any, rng: Any) -> int:
    """In the bettings fold, check or call, three sizes of raise, and the best use of a joker; else all."""
    if not is_betting(s):
        return legal(s, out)
    joker = best_joker(s)[0]
    call = state.to_call(s, s.seat)
    n = 0
    if call > 0:
        out[n] = Action.FOLD
        n += 1
    out[n] = Action.CALL if call > 0 else Action.CHECK
    n += 1
    least, most = state.raise_limits(s, s.seat)
    for parts in range(1, SIZES + 1):
        raises = raise_action(s, most if parts == SIZES else part_of(s, parts, least, most))
        if raises != NOBODY and raises != out[n - 1]:
            out[n] = raises
            n += 1
    if joker != NOBODY:
        out[n] = joker
        n += 1
    return n


@jit
def part_of(s: Row, parts: int, least: int, most: int) -> int:
    """So many parts of the largest raise, in whole steps, as far as it has an action of its own."""
    steps = min(parts * most // SIZES // s.step, state.MOST_RAISE)
    return I64(max(least, steps * s.step))


# --- worlds -----------------------------------------------------------------------------------------------


@jit
def believable(s: Row, rng: Any) -> bool:
    """Return whether the others bet as players with their cards would."""
    me = s.seat
    for p in range(s.players):
        if p != me and s.paid[p] > 0 and s.round_no < ROUNDS:
            place_again(s, p, me, below(rng, 3) + 1 if below(rng, OTHER_PAIR) == 0 else 0)
    return not is_betting(s) or happens(chance_of_bets(s), rng)


@jit
def chance_of_bets(s: Row) -> float:
    """Chance that the others who are still in bet in this pot as they did, with the cards that they have."""
    paid, bets = cleared(SEATS, np.int64), cleared(SEATS, np.int64)
    chance, betting, high, pot = 1.0, 0, 0, 0
    for p in range(s.players):
        paid[p] = min(s.ante, s.paid[p])
        pot += paid[p]
    for number in range(first_bet(s), s.wagers):
        i = number % BETS
        if s.bet_time[i] & 1 != betting:
            betting, high = 1, 0
            fill(bets, 0)
        p = I64(s.bet_seat[i])
        call = high - bets[p]
        if p != s.seat and has(s.alive, p):
            believes = believed(chance_to_win(s, p, betting), call, pot)
            chance *= UNLIKELY + (1 - UNLIKELY) * chance_of_bet(s.bet_kind[i], believes, call, pot)
        if s.bet_kind[i] == Bet.RAISE:
            call += s.bet_steps[i] * s.step
        if s.bet_kind[i] == Bet.CALL or s.bet_kind[i] == Bet.RAISE:
            call = min(call, s.paid[p] - paid[p])
            bets[p] += call
            paid[p] += call
            pot += call
            high = max(high, bets[p])
    return chance


@jit
def told(s: Row, w: Row, action: int) -> float:
    """How likely a bet of this pot is with the cards of a world; nothing once a joker has moved cards."""
    p, uses = s.seat, 0
    for q in range(s.players):
        uses += w.joker_uses[q] - s.joker_uses[q]
    if not is_betting(s) or action > Action.RAISE_MAX or uses > 0:
        return 0.0
    s.hand[p], s.doubled[p] = w.hand[p], w.doubled[p]
    for place in range(2 * p, 2 * p + 2):
        if s.table[place] != NOBODY:
            s.table[place] = w.table[place]
        elif w.table[place] != NOBODY:
            s.hand[p], s.doubled[p] = state.add_card(s.hand[p], s.doubled[p], I64(w.table[place]))
    call, raises, calls = state.to_call(s, p), 0.0, 1.0
    believes = believed(chance_to_win(s, p, int(s.phase == Phase.BET2)), call, s.pot)
    if state.raise_limits(s, p)[1] > 0:
        bluffs, half = RAISES[int(call > 0)]
        raises = bluffs + (1 - bluffs) * likelihood((believes - half) / RAISE_SPREAD)
    if call > 0:
        calls = likelihood((believes - call / (s.pot + call) - CALL_MORE) / CALL_SPREAD)
    chance = raises if action > RAISE else (1 - raises) * (1 - calls if action == Action.FOLD else calls)
    return log(ANYHOW / 2 + (1 - ANYHOW) * chance)


@jit
def first_bet(s: Row) -> int:
    """Return the number of the first bet of this round that the record holds."""
    number, oldest, now = s.wagers, max(0, s.wagers - BETS), s.round_no - 1
    while number > oldest:
        i = (number - 1) % BETS
        if s.bet_kind[i] == Bet.WIN or s.bet_time[i] >> 1 != now:
            break
        number -= 1
    return number


@jit
def chance_of_bet(kind: int, chance: float, call: int, pot: int) -> float:
    """Chance that the quick player bets so with this chance to win."""
    if call == 0:
        raises = 1.0 if chance > RAISE_FIRST else BLUFFS
        return raises if kind == Bet.RAISE else 1 - raises
    if chance > RAISE_AGAIN:
        likely = Bet.RAISE
    else:
        likely = Bet.CALL if chance * (pot + call) > call else Bet.FOLD
    return 1.0 if kind == likely else 0.0


@jit
def place_again(s: Row, p: int, viewer: int, order: int) -> None:
    """Exchange cards of seat p as its best split would have them.

    These are the cards on the table and in hand that the viewer does not know.
    """
    first, second = I64(s.table[2 * p]), I64(s.table[2 * p + 1])
    open1 = first != NOBODY and not has(s.knows[2 * p], viewer)
    open2 = second != NOBODY and not has(s.knows[2 * p + 1], viewer)
    if not open1 and not open2:
        return
    if open1:
        s.hand[p], s.doubled[p] = state.add_card(s.hand[p], s.doubled[p], first)
    if open2:
        s.hand[p], s.doubled[p] = state.add_card(s.hand[p], s.doubled[p], second)
    cards = scratch(PACK, np.int16)
    n = state.multiset_into(cards, s.hand[p], s.doubled[p])
    if open1 and (open2 or second == NOBODY):
        pairs = scratch(PAIRED, np.int16)
        k = order % tools.split_pairs(cards, n, pairs)
        shown_last = 1 if s.round_no == 3 else 0
        lay(s, p, 0, I64(cards[pairs[2 * k + shown_last]]))
        if open2:
            lay(s, p, 1, I64(cards[pairs[2 * k + 1 - shown_last]]))
    elif open1:
        lay(s, p, 0, I64(cards[tools.partner_card(cards, n, second)]))
    else:
        lay(s, p, 1, I64(cards[tools.partner_card(cards, n, first)]))


@jit
def lay(s: Row, p: int, slot: int, card: int) -> None:
    """Put a card of the hand of seat p on one of its places."""
    s.hand[p], s.doubled[p] = state.drop_card(s.hand[p], s.doubled[p], card)
    s.table[2 * p + slot] = card


# --- the end of a pot -------------------------------------------------------------------------------------


@jit
def stage(s: Row) -> int:
    """Return the pot: hand and round."""
    return int((s.shuffle >> 6) * 8 + s.round_no)


@jit
def horizon(s: Row) -> int:
    """Return the end of the pot in a betting; a card that is placed is missing in all pots of the hand."""
    return stage(s) + 1 if is_betting(s) else (stage(s) // 8 + 1) * 8


@jit
def outlook(s: Row, out: Any) -> None:
    """Chips won so far, and what jokers in hand are worth while the hand goes on."""
    for p in range(s.players):
        out[p] = s.net[p] + JOKER_ANTES * s.ante * count(s.hand[p] >> state.JOKER)


@jit
def shown(s: Row, action: int) -> int:
    """Return what the others see of an action: HIDDEN for a placed card."""
    return HIDDEN if action >= Action.PLACE and s.phase != Phase.GIVE else action


@jit
def put_back(s: Row, w: Row, action: int) -> int:
    """Put back the cards that a seat had, and those that it had laid; the world tells which one it places."""
    p, own = s.seat, I64(w.move_card[s.moves % MOVES])
    if s.shuffle >> 6 != w.shuffle >> 6 or w.moves - s.moves >= MOVES or s.phase == Phase.GIVE:
        return NO_ACTION  # of a card that is given not all seats know which it is
    s.hand[p], s.doubled[p] = w.hand[p], w.doubled[p]
    for number in range(w.moves - 1, s.moves - 1, -1):
        kind, card = w.move_kind[number % MOVES], face_laid(w, number)
        if w.move_seat[number % MOVES] == p:
            if kind == Move.PLACE or kind == Move.GIVE or kind == Move.JOKER:
                s.hand[p], s.doubled[p] = state.add_card(s.hand[p], s.doubled[p], card)
            elif kind == Move.TAKE or kind == Move.DRAW:
                s.hand[p], s.doubled[p] = state.drop_card(s.hand[p], s.doubled[p], card)
    if state.multiset_into(scratch(PACK, np.int16), s.hand[p], s.doubled[p]) != s.held[p]:
        return NO_ACTION
    for place in range(state.PLACES):
        if s.table[place] == state.HIDDEN:
            s.table[place] = face_laid(w, s.lain[place])
    for number in range(max(first_move(w), s.moves - MOVES), s.moves):
        if s.move_card[number % MOVES] == state.HIDDEN:
            s.move_card[number % MOVES] = w.move_card[number % MOVES]
    if action < HIDDEN:
        return action
    return Action.PLACE + own if w.moves > s.moves and own >= 0 else NO_ACTION


@jit
def happened(s: Row, before: Row, seat: int) -> int:
    """Tell what the pot brought a seat."""
    gained = s.net[seat] - before.net[seat]
    return int(gained > 0) | int(gained < -before.paid[seat]) << 1
