"""Tzogous 37: pot-limit betting on two-card scores, 2 to 6 players, four pots a hand.

Seven cards a seat are spent in four rounds (two, two, two, and one beside a shared card); suited ace-king, 37, is the best
score. About 130 decisions a game for two seats, 400 for six. Numbers in docstrings refer to `docs/rules/tzogous37.md`.

Here are the rules, a hand from the shuffle to its pots. Beside this module: `tzogous37_state` has the vocabulary and the record,
`tzogous37_worlds` what a seat may know and random worlds, `tzogous37_text` the texts and the fields of a view, and
`tzogous37_tools` estimates for bots.
"""

from __future__ import annotations

from typing import Any

from ..core import I64, OVER, SHUFFLE, Row, bit, cards_into, count, fill, has, jit, lowest
from .state import (
    ANTE,
    AWARD,
    BET1,
    BET2,
    CALL,
    CHECK,
    COMMUNITY,
    DEAL,
    DISCARD,
    DRAW,
    E_CALL,
    E_CHECK,
    E_COMMUNITY,
    E_DRAW,
    E_FOLD,
    E_HAND,
    E_JOKER,
    E_LOSE,
    E_RAISE,
    E_RESHUFFLE,
    E_TAKE,
    E_TIE,
    E_WIN,
    EMPTY,
    END,
    FOLD,
    GIVE,
    HAND,
    JOKER,
    KINDS,
    LAY,
    LOG,
    MOST_DRAWS,
    MOST_RAISE,
    NOBODY,
    PLACE,
    PLACE1,
    PLACE2,
    PUBLIC,
    RAISE,
    RAISE_MAX,
    ROUNDS,
    SHOWDOWN,
    STACKS_GAME,
    STACKS_ROUND,
    SURVIVE,
    SWAP,
    USE_JOKER,
    add_card,
    all_cards,
    drop_card,
    face_up,
    first_seat,
    hand_number,
    high_bet,
    multiset_into,
    pot_size,
    seat_score,
    to_call,
    value,
    with_chips,
    without_all_in_play,
)

# --- moving cards, noting events ------------------------------------------------------------------------------------------


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
        ones, twos = without_all_in_play(s, ones, twos)
    return multiset_into(out, ones, twos)


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
    if (
        s.shuffle & 63 < 63
    ):  # later reshuffles of one hand share a number: it may not run into the next hand's
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
