"""Tzogous 37: the rules, a hand from the shuffle to its pots, in the order of docs/rules/tzogous37.md.

What can be read off a row is in `state`; what a seat may know, and random worlds, in `worlds`.
"""

from __future__ import annotations

from typing import Any

from ..core import (
    I64,
    NOBODY,
    OVER,
    SHUFFLE,
    Row,
    below,
    bit,
    cards_into,
    clear,
    count,
    fill,
    has,
    jit,
    lowest,
    n_set,
    nth,
)
from . import state, table
from .state import JOKER, PUBLIC, RAISE, ROUNDS, Action, Bet, Move, Phase

USE_JOKER, PLACE = int(Action.USE_JOKER), int(Action.PLACE)

# --- set-up and chance [3] ----------------------------------------------------------------------------------


@jit
def start(s: Row) -> None:
    """Nothing played, every stack full; hand 0 is to be shuffled [3]."""
    clear(s, "table knows lain drawn turn target community first")
    clear(s, "move_kind move_seat move_card move_knows bet_kind bet_seat")
    table.fill_stacks(s)
    open_hand(s, 0)


@jit
def open_hand(s: Row, hand: int) -> None:
    """Take in all cards; the next hand is to be shuffled, or the game is over [4.1]."""
    clear(s, "hand doubled held joker_uses deck_cards left")
    if hand < s.hands and s.stacks != state.STACKS_GAME:
        table.fill_stacks(s)
    if hand == s.hands or count(s.rich) < 2:
        s.phase = Phase.OVER
        s.seat = OVER
        return
    s.round_no = 0
    s.shuffle = hand * 64
    s.phase = Phase.DEAL
    s.seat = SHUFFLE


@jit
def deck(s: Row, out: Any) -> int:
    """Return the whole pack for a hand, the discards for a reshuffle; by card number [3]."""
    ones, twos = state.all_cards(s) if s.phase == Phase.DEAL else state.discards(s)
    return state.multiset_into(out, ones, twos)


@jit
def deal(s: Row, cards: Any) -> None:
    """Deal a hand in blocks of seven and keep the rest, or take the discards as the new deck [3]."""
    used = 0
    if s.phase == Phase.DEAL:
        table.note_move(s, Move.HAND, NOBODY, NOBODY, PUBLIC, 0)
        used = deal_hands(s, cards)
        s.round_no = 1
        s.phase = Phase.ANTE
    else:
        table.note_move(s, Move.RESHUFFLE, NOBODY, n_set(s.drawn), PUBLIC, 0)
    s.left = len(cards) - used
    for i in range(s.left):
        s.deck_cards[i] = cards[len(cards) - 1 - i]
    go_on(s)


@jit
def deal_hands(s: Row, cards: Any) -> int:
    """Seven cards to every seat that has chips, lowest seat first; how many were dealt [3]."""
    used = 0
    for p in range(s.players):
        if s.chips[p] > 0:
            for _ in range(state.HAND):
                table.pick_up(s, p, I64(cards[used]))
                used += 1
    return used


@jit
def deck_is_ready(s: Row) -> bool:
    """Whether a card can be drawn; else the discards are to be shuffled first [3]."""
    if s.left > 0:
        return True
    # later reshuffles of one hand share a number: it may not run into the next hand's
    if s.shuffle & 63 < 63:
        s.shuffle += 1
    s.seat = SHUFFLE
    return False


# --- the course of a round [4.1] ----------------------------------------------------------------------------

RESTING = sum(1 << phase for phase in (Phase.DISCARD, Phase.GIVE, Phase.DEAL, Phase.OVER))  # as bits


@jit
def go_on(s: Row) -> None:
    """Go on until a seat is to act, a shuffle is due or the game is over [4.1]."""
    going = True
    while going:
        if s.phase == Phase.BET1 or s.phase == Phase.BET2:
            going = next_bettor(s)
        elif s.phase == Phase.PLACE1 or s.phase == Phase.PLACE2:
            going = next_placer(s)
        elif s.phase == Phase.ANTE:
            open_round(s)
        elif s.phase == Phase.SURVIVE:
            s.seat = lowest(s.alive)
            going = False
        elif s.phase == Phase.DRAW:
            going = draw_for_joker(s)
        elif s.phase == Phase.COMMUNITY:
            going = turn_up_community(s)
        elif s.phase == Phase.SHOWDOWN:
            going = decide_pots(s)
        elif s.phase == Phase.AWARD:
            win(s, lowest(s.alive), state.in_steps(s, s.pot))
            close_round(s)
        elif has(RESTING, s.phase):
            going = False
        else:
            raise ValueError("tzogous37: no way on is known for the phase of this row")


@jit
def open_round(s: Row) -> None:
    """Antes of all seats with chips; without two of them the hand ends [4.1]."""
    if s.stacks == state.STACKS_ROUND:
        table.fill_stacks(s)
    if count(s.rich) < 2:
        open_hand(s, state.hand_number(s) + 1)
        return
    clear(s, "table knows lain")
    s.alive = s.rich
    s.first = state.first_from(s.alive, (state.hand_number(s) + s.round_no - 1) % s.players)
    for p in range(s.players):
        if has(s.alive, p):
            table.put_in(s, p, s.ante)
    clear(s, "bet high")
    s.phase = Phase.PLACE1


@jit
def win(s: Row, p: int, steps: int) -> None:
    """Seat p gets so many smallest chips out of the pot [5.2]."""
    amount = steps * s.step
    s.chips[p] += amount
    s.net[p] += amount
    if amount > 0:
        s.rich |= bit(p)
    table.note_bet(s, Bet.WIN, p, steps)


@jit
def close_round(s: Row) -> None:
    """Close the round after the pots are paid, and begin the next round or hand [4.1]."""
    for p in range(s.players):
        s.net[p] -= s.paid[p]
    clear(s, "bet high paid alive pot level community first")
    if s.round_no == ROUNDS:
        open_hand(s, state.hand_number(s) + 1)
        return
    s.round_no += 1
    s.phase = Phase.ANTE


# --- placement [4.2] ----------------------------------------------------------------------------------------


@jit
def next_placer(s: Row) -> bool:
    """Let the first alive seat from F on with an empty slot act; True if none has one: all turn up [4.2]."""
    slot = 0 if s.phase == Phase.PLACE1 else 1
    empty = 0
    for p in range(s.players):
        empty |= I64(s.table[2 * p + slot] == NOBODY) << p
    empty &= s.alive
    if empty != 0:
        s.seat = state.first_from(empty, s.first)
        return False
    if state.face_up(s.round_no, slot):
        table.turn_up(s, slot)
    open_betting(s, slot)
    return True


@jit
def place(s: Row, card: int) -> None:
    """`place X`: placed [4.2], by a folder or survivor [4.4], or given with a joker [4.5]."""
    mine = bit(s.seat)
    if s.phase == Phase.GIVE:
        swap(s, card)
    elif s.phase == Phase.PLACE1:
        table.spend(s, 0, card, mine)
    elif s.phase == Phase.PLACE2:
        table.spend(s, 1, card, mine)
    elif s.phase == Phase.DISCARD or s.phase == Phase.SURVIVE:
        table.spend(s, 1, card, PUBLIC if state.face_up(s.round_no, 1) else mine)
        if s.phase == Phase.DISCARD:  # a folder's card: the betting goes on
            s.turn = state.seat_after(s, s.seat)
        s.phase = Phase.BET1 if s.phase == Phase.DISCARD else Phase.AWARD
    else:
        raise ValueError("tzogous37: no placing is known for the phase of this row")


# --- betting [4.3, 4.4] -------------------------------------------------------------------------------------


@jit
def open_betting(s: Row, second: int) -> None:
    """No bets; every alive seat with chips must act; F leads betting 1, the seat after it betting 2 [4.3]."""
    clear(s, "bet high")
    s.phase = Phase.BET2 if second == 1 else Phase.BET1
    s.last_raise = s.ante
    s.due = state.with_chips(s)
    s.turn = state.seat_after(s, s.first) if second == 1 else s.first


@jit
def next_bettor(s: Row) -> bool:
    """Return the next seat that must act is to act; else betting ends [4.3]."""
    alone = s.alive & (s.alive - 1) == 0
    p = NOBODY if alone else next_due(s)
    s.turn = NOBODY
    if p >= 0:
        s.seat = p
        return False
    s.due = 0
    s.last_raise = 0
    clear(s, "bet high")
    after_betting(s, alone)
    return True


@jit
def after_betting(s: Row, alone: bool) -> None:
    """Set the phase after a betting; a last seat takes the pot, in betting 1 after a card [4.1, 4.4]."""
    if s.phase == Phase.BET2:
        s.phase = Phase.AWARD if alone else Phase.SHOWDOWN
    elif s.round_no == ROUNDS:
        s.phase = Phase.AWARD if alone else Phase.COMMUNITY
    else:
        s.phase = Phase.SURVIVE if alone else Phase.PLACE2


@jit
def next_due(s: Row) -> int:
    """Return the first seat from `turn` on that must act, -1 if there is none [4.3].

    A seat that has matched the highest bet need not act when no other alive seat has chips.
    """
    rich = state.with_chips(s)
    while s.due != 0:
        p = state.first_from(s.due, s.turn)
        if s.bet[p] < s.high or rich & ~bit(p) != 0:
            return p
        s.due &= ~bit(p)
    return NOBODY


@jit
def legal_bets(s: Row, out: Any) -> int:
    """`fold`, `check` or `call`, the raises, and the jokers that may be used before [4.3, 4.5]."""
    p = s.seat
    out[0] = Action.FOLD
    out[1] = Action.CHECK if state.to_call(s, p) == 0 else Action.CALL
    n = 2
    first, raises, beyond = raises_in_steps(s, p)
    for k in range(first, first + raises):
        out[n] = RAISE + k
        n += 1
    if beyond:
        out[n] = Action.RAISE_MAX
        n += 1
    if state.may_use_joker(s, p):
        n = legal_jokers(s, p, out, n)
    return n


@jit
def raises_in_steps(s: Row, p: int) -> tuple[int, int, int]:
    """Find the smallest raise in steps, how many from it on, and 1 if RAISE_MAX is more [4.3, 7]."""
    low, most = state.raise_limits(s, p)
    if most == 0:
        return 0, 0, 0
    first, last = state.in_steps(s, low), state.in_steps(s, most)
    return first, max(0, min(last, state.MOST_RAISE) + 1 - first), I64(last > state.MOST_RAISE)


@jit
def sample_bet(s: Row, out: Any, rng: Any) -> int:
    """One of `legal_bets`, each as likely as the others; only jokers have to be listed."""
    p = s.seat
    if state.may_use_joker(s, p):
        return I64(out[below(rng, legal_bets(s, out))])
    first, raises, beyond = raises_in_steps(s, p)
    k = below(rng, 2 + raises + beyond)
    if k >= 2:
        return RAISE + first + k - 2 if k < 2 + raises else Action.RAISE_MAX + 0
    if k == 0:
        return Action.FOLD + 0
    return Action.CHECK + 0 if state.to_call(s, p) == 0 else Action.CALL + 0


@jit
def bet(s: Row, action: int) -> None:
    """`fold`, `check`, `call` or `raise`: the turn ends [4.3]."""
    p = s.seat
    s.joker_used = 0
    s.due &= ~bit(p)
    s.turn = state.seat_after(s, p)
    if action == Action.FOLD:
        fold(s, p)
    elif action == Action.CHECK:
        table.note_bet(s, Bet.CHECK, p, 0)
    elif action == Action.CALL:
        table.note_bet(s, Bet.CALL, p, 0)
        table.put_in(s, p, state.to_call(s, p))
    elif action == Action.RAISE_MAX:
        raise_by(s, p, state.in_steps(s, state.raise_limits(s, p)[1]))
    else:
        raise_by(s, p, action - RAISE)


@jit
def fold(s: Row, p: int) -> None:
    """Seat p is out of the pot; with one card on the table it spends a second one at once [4.4]."""
    table.note_bet(s, Bet.FOLD, p, 0)
    s.alive &= ~bit(p)
    if s.phase == Phase.BET1 and s.round_no < ROUNDS:
        s.phase = Phase.DISCARD
        s.turn = NOBODY


@jit
def raise_by(s: Row, p: int, steps: int) -> None:
    """Call and raise by so many smallest chips: all other alive seats with chips must act again [4.3]."""
    amount = steps * s.step
    table.note_bet(s, Bet.RAISE, p, steps)
    table.put_in(s, p, state.to_call(s, p) + amount)
    s.last_raise = max(s.last_raise, amount)
    s.due = state.with_chips(s) & ~bit(p)


# --- jokers [4.5] -------------------------------------------------------------------------------------------


@jit
def legal_jokers(s: Row, p: int, out: Any, n: int) -> int:
    """Every card on the table of another seat is a target [4.5]."""
    for target in range(2 * s.players):
        if s.table[target] != NOBODY and target >> 1 != p:
            out[n] = USE_JOKER + target
            n += 1
    return n


@jit
def use_joker(s: Row, target: int) -> None:
    """`joker S K`: the card to give comes next; with `lay` the joker takes the place of the target [4.5]."""
    p = s.seat
    s.joker_used = 1
    s.joker_uses[p] += 1
    table.note_move(s, Move.JOKER, p, target, PUBLIC, state.betting_of(s, p))
    if s.joker_use == state.SWAP:
        s.target = target
        s.phase = Phase.GIVE
    else:
        lay_joker(s, p, target)


@jit
def lay_joker(s: Row, p: int, target: int) -> None:
    """Replace the target by the joker; the target's card is lost, and a card is to be drawn [4.5]."""
    lost, knows = I64(s.table[target]), I64(s.knows[target])
    table.play_out(s, p, JOKER)
    s.table[target] = JOKER
    s.knows[target] = PUBLIC
    s.lain[target] = s.moves - 1
    table.note_move(s, Move.LOSE, p, lost, knows, state.betting_of(s, p))
    s.turn = p
    s.phase = Phase.DRAW


@jit
def swap(s: Row, card: int) -> None:
    """Exchange the target for the card given: the joker is discarded, a card is to be drawn [4.5]."""
    p, target = s.seat, s.target
    taken, knew = I64(s.table[target]), I64(s.knows[target])
    half = state.betting_of(s, p)
    knows = PUBLIC if state.face_up(s.round_no, target & 1) else bit(p) | bit(target >> 1)
    table.play_out(s, p, JOKER)
    table.play_out(s, p, card)
    table.lie_down(s, target, card, knows)
    table.note_move(s, Move.GIVE, p, card, knows, half)
    table.pick_up(s, p, taken)
    table.note_move(s, Move.TAKE, p, taken, knew | bit(p), half)
    s.target = NOBODY
    s.turn = p
    s.phase = Phase.DRAW


@jit
def draw_for_joker(s: Row) -> bool:
    """Return the user of a joker draws one card and is still to act [4.5]."""
    if deck_is_ready(s):
        p = s.turn
        card = table.draw_card(s)
        table.pick_up(s, p, card)
        half = state.betting_of(s, p)
        table.note_move(s, Move.DRAW, p, card, bit(p), half)
        s.phase = Phase.BET2 if half == 1 else Phase.BET1
        s.turn = NOBODY
        s.seat = p
    return False


# --- showdown [5] -------------------------------------------------------------------------------------------


@jit
def turn_up_community(s: Row) -> bool:
    """Round 4: the shared card is turned up before betting 2 [4.1]."""
    if not deck_is_ready(s):
        return False
    s.community = table.draw_card(s)
    table.note_move(s, Move.COMMUNITY, NOBODY, s.community, PUBLIC, 1)
    open_betting(s, 1)
    return True


@jit
def decide_pots(s: Row) -> bool:
    """Show down, pay pot by pot, the main pot first; false: a tie-break waits for a shuffle [5.2, 5.3]."""
    table.turn_up(s, 0)
    table.turn_up(s, 1)
    while s.tied != 0 or next_pot(s):
        most = 1 if s.sudden_death == 1 else state.MOST_DRAWS
        if count(s.tied) == 1 or s.draws == most:
            split_pot(s)
        elif not tie_break(s):
            return False
    close_round(s)
    return True


@jit
def next_pot(s: Row) -> bool:
    """Go to the next pot and set `tied` to its best seats; false after the last one [5.2]."""
    level = state.next_level(s)
    if level == 0:
        return False
    s.level = level
    s.tied = state.best_seats(s)
    return True


@jit
def tie_break(s: Row) -> bool:
    """One draw: a card to each tied seat from F on, the highest stay in; false: a shuffle is due [5.3]."""
    best = -1
    p = s.first
    for _ in range(s.players):
        if has(s.tied, p):
            if s.drawn[p] == NOBODY:
                if not deck_is_ready(s):
                    return False
                s.drawn[p] = table.draw_card(s)
            best = max(best, state.value(I64(s.drawn[p])))
        p = state.seat_after(s, p)
    for _ in range(s.players):  # once round: from F again
        if has(s.tied, p):
            card = I64(s.drawn[p])
            table.note_move(s, Move.TIE, p, card, PUBLIC, 1)
            if state.value(card) < best:
                s.tied &= ~bit(p)
        p = state.seat_after(s, p)
    fill(s.drawn, NOBODY)
    s.draws += 1
    return True


@jit
def split_pot(s: Row) -> None:
    """Pay this pot to the tied seats; left-over steps go one each to the first of them from F on [5.3]."""
    steps = state.in_steps(s, state.chips_in_pot(s))
    seats = count(s.tied)
    share, extra = steps // seats, steps % seats
    p = s.first
    for _ in range(s.players):
        if has(s.tied, p):
            win(s, p, share + (1 if extra > 0 else 0))
            extra -= 1
        p = state.seat_after(s, p)
    s.tied = 0
    s.draws = 0


@jit
def score(s: Row, out: Any) -> None:
    """Chips won - chips put over the whole game [5.4]."""
    for p in range(s.players):
        out[p] = s.net[p]


# --- the actions [7] ----------------------------------------------------------------------------------------


@jit
def legal(s: Row, out: Any) -> int:
    """Write the legal actions of the seat to act, ascending; return how many [4, 7]."""
    if s.phase == Phase.BET1 or s.phase == Phase.BET2:
        return legal_bets(s, out)
    return cards_into(out, 0, PLACE, placeable(s))


@jit
def sample(s: Row, out: Any, rng: Any) -> int:
    """Return a legal action, each as likely as the others: at a random place of `legal` [4, 7]."""
    if s.phase == Phase.BET1 or s.phase == Phase.BET2:
        return sample_bet(s, out, rng)
    cards = placeable(s)
    return PLACE + nth(cards, below(rng, count(cards)))


@jit
def placeable(s: Row) -> int:
    """Mask of the cards that may be placed, or given with a joker [4.2, 4.5]."""
    hand = s.hand[s.seat]
    if s.phase == Phase.GIVE:
        hand, _ = state.drop_card(hand, 0, JOKER)
    return hand & state.KINDS


@jit
def step(s: Row, action: int) -> None:
    """Apply a legal action and go on [4]."""
    if action >= PLACE:
        place(s, action - PLACE)
    elif action >= USE_JOKER:
        use_joker(s, action - USE_JOKER)
    else:
        bet(s, action)
    go_on(s)
