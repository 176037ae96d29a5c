"""Taroky, the Czech tarock game: four seats, 54 cards, 12 tricks a round, chips for money cards, calls and card points.

Four rounds by default, about 290 decisions. One seat, Povinnost, plays with a secret partner, the holder of a called trump;
or one seat plays Prever, alone against three. Numbers in brackets are the sections of `docs/rules/taroky.md`.

Here are the rules, a round from the shuffle to its settlement. Beside this module: `taroky_state` has the vocabulary and the
record, `taroky_worlds` what a seat may know and random worlds, `taroky_text` the fields of a view and text for people.
"""

from __future__ import annotations

from typing import Any

from .. import core
from ..core import Row, bit, cards_into, count, fill, has, jit, lowest
from .state import (
    ACCEPT,
    ANNOUNCE,
    BIDA,
    BIDDING,
    CALL,
    CALLED_VALAT,
    CALLING,
    CHOICE,
    CONCEAL,
    CONTRA,
    CONTRA_CALL,
    COUNTED,
    CUT,
    CUT_STYLE,
    CUTTING,
    DISCARD,
    DISCARDING,
    DRAW,
    DRAWING,
    FIVES,
    HAND,
    I64_0,
    II,
    KEEP,
    MONEY,
    N_CARDS,
    NOBODY,
    OFFER,
    OFFERED,
    PAGAT,
    PAGAT_CALL,
    PAGAT_CARD,
    PASS,
    PILE,
    PILES,
    PLAIN,
    PLAY,
    PLAYING,
    PLAYS,
    PREVER,
    RECEIVERS,
    REJECT,
    SUITS,
    TALON,
    TRICKS,
    TRUMPS,
    UNCALLED_VALAT,
    UNI,
    VALAT,
    VALAT_CALL,
    VIII,
    XIX,
    XV,
    after,
    base_of,
    card_points,
    declarers,
    holder,
    is_declarer,
    money_balance,
    money_of,
    suit_of,
    trick_best,
    trick_start,
)

# --- set-up: shuffle, dealer (3) -------------------------------------------------------------------------------------------

DEAL_SHUFFLE, DRAW_SHUFFLE = 0, 1  # places of the shuffles in a hand


@jit
def start(s: Row) -> None:
    """Go to the first shuffle: for the draw of the dealer or for round 1 (3)."""
    s.finished = 0
    fill(s.drawn, NOBODY)
    clear_round(s)
    s.lead = NOBODY
    s.dealer = s.first_dealer
    s.shuffle = DRAW_SHUFFLE if s.first_dealer < 0 else DEAL_SHUFFLE
    s.seat = core.SHUFFLE


@jit
def clear_round(s: Row) -> None:
    """Blank all that belongs to one round, but for its dealer and Povinnost."""
    s.phase = NOBODY
    s.deciding = NOBODY
    s.style = NOBODY
    s.prever = NOBODY
    s.rejections = 0
    s.called = NOBODY
    s.partner = NOBODY
    s.valat = NOBODY
    s.pagat = NOBODY
    s.played = 0
    s.shown = 0
    fill(s.piles, NOBODY)
    fill(s.bids, NOBODY)
    fill(s.side, NOBODY)
    fill(s.offers, NOBODY)
    fill(s.contras, NOBODY)
    fill(s.leads, NOBODY)
    fill(s.tricks, NOBODY)
    fill(s.order, NOBODY)
    fill(s.talon, NOBODY)
    for seat in range(4):
        s.size[seat] = 0
        s.discards[seat] = 0
        s.money[seat] = 0
        s.hand[seat] = 0
        s.discard[seat] = 0
        s.won[seat] = 0


@jit
def deck(s: Row, out: Any) -> int:
    """All 54 cards, at every shuffle (3)."""
    for card in range(N_CARDS):
        out[card] = card
    return N_CARDS


@jit
def deal(s: Row, cards: Any) -> None:
    """Take the shuffled deck: draw for the deal, or ask for the cut (3)."""
    if s.dealer < 0:
        draw_dealer(s, cards)
        s.shuffle = DEAL_SHUFFLE
        return
    for i in range(N_CARDS):
        s.order[i] = cards[i]
    s.phase = CUTTING
    s.seat = after(s.dealer, 3)


@jit
def draw_dealer(s: Row, cards: Any) -> None:
    """The dealer is the seat with the most card points, ties to the higher card number (3)."""
    best = -1
    for seat in range(4):
        s.drawn[seat] = cards[seat]
        rank = card_points(bit(cards[seat])) * N_CARDS + cards[seat]
        if rank > best:
            best = rank
            s.dealer = seat


# --- cut, piles, Povinnost (4.1, 4.2) --------------------------------------------------------------------------------------


@jit
def choose_style(s: Row, style: int) -> None:
    """The cutter's choice (4.1)."""
    s.style = style
    if style == CHOICE:
        s.phase = PILES
        s.seat = after(s.dealer, 1)
    else:
        hand_out(s)


@jit
def free_piles(s: Row) -> int:
    """Mask of the piles 0..3 that nobody has taken (4.1)."""
    free = I64_0
    for pile in range(4):
        if s.piles[pile] == NOBODY:
            free |= bit(pile)
    return free


@jit
def take_pile(s: Row, pile: int) -> None:
    """A seat takes a pile; the dealer gets the last one without a decision (4.1)."""
    s.piles[pile] = s.seat
    s.seat = after(s.seat, 1)
    if s.seat == s.dealer:
        s.piles[lowest(free_piles(s))] = s.dealer
        hand_out(s)


@jit
def hand_out(s: Row) -> None:
    """Talon and hands from the deck in the chosen style (3); then Povinnost and the bidding."""
    offset = N_CARDS // 2 if s.style == CUT_STYLE else 0
    for i in range(N_CARDS):
        card = s.order[(i + offset) % N_CARDS]
        if i < 6:
            s.talon[i] = card
        else:
            s.hand[receiver(s, i - 6)] |= bit(card)
    fill(s.order, NOBODY)
    fill(s.size, HAND)
    if s.finished == 0:
        find_povinnost(s)
    s.phase = BIDDING
    s.seat = s.lead


@jit
def receiver(s: Row, i: int) -> int:
    """The seat that gets the i-th dealt card."""
    place = RECEIVERS[s.style, i]
    return s.piles[place] if s.style == CHOICE else after(s.dealer + 1, place)


@jit
def find_povinnost(s: Row) -> None:
    """Round 1: the holder of II, else of III, and so on to VIII (4.2)."""
    for card in range(II, VIII + 1):
        for seat in range(4):
            if has(s.hand[seat], card):
                s.lead = seat
                s.deciding = card
                return


# --- bid (4.3) -------------------------------------------------------------------------------------------------------------


@jit
def bid(s: Row, action: int) -> None:
    """Povinnost and the others in turn say `pass` or `prever` (4.3)."""
    prever = action == PREVER
    s.bids[s.seat] = prever
    s.seat = after(s.seat, 1)
    if s.seat != s.lead and not (prever and s.prever_override == 0):
        return
    for k in range(4):
        if s.bids[after(s.lead, k)] == 1:
            s.prever = after(s.lead, k)
    if s.prever >= 0:
        for seat in range(4):
            s.side[seat] = seat == s.prever
        s.phase = TALON
        s.seat = s.prever
    else:
        s.side[s.lead] = 1
        for place in range(4):
            take_talon(s, place, s.lead)
        s.phase = DRAWING
        s.seat = after(s.lead, 1)


# --- talon and discard (4.4 to 4.6) ----------------------------------------------------------------------------------------


@jit
def take_talon(s: Row, place: int, seat: int) -> None:
    """A seat takes one card of the talon into its hand."""
    s.hand[seat] |= bit(s.talon[place])
    s.size[seat] += 1
    s.talon[place] = NOBODY


@jit
def prever_talon(s: Row, action: int) -> None:
    """Prever keeps the half of the talon that it looks at, or refuses it (4.4)."""
    half = 3 * s.rejections
    if action == REJECT:
        for place in range(half, half + 3):
            s.shown |= bit(s.talon[place])
        s.rejections += 1
        if s.rejections == 1:
            return
        half = 0
    for place in range(half, half + 3):
        take_talon(s, place, s.prever)
    open_discard(s)


@jit
def draw_or_offer(s: Row, action: int) -> None:
    """The second and third player take their talon card, or offer it unseen to the fourth (4.5)."""
    offer = 0 if s.offers[0] == NOBODY or s.offers[0] == OFFER else 1
    owner = after(s.lead, 1 + offer)
    s.offers[offer] = action
    if action == OFFER:
        s.phase = OFFERED
        s.seat = after(s.lead, 3)
        return
    take_talon(s, 4 + offer, after(s.lead, 3) if action == ACCEPT else owner)
    s.phase = DRAWING
    s.seat = after(s.lead, 2)
    if offer == 1:
        open_discard(s)


@jit
def discardable(hand: int) -> int:
    """Mask of the cards that may be discarded: plain ones, else trumps but I, XXI and Skyz (4.6)."""
    plain = hand & PLAIN
    return plain if plain != 0 else hand & TRUMPS & ~FIVES


@jit
def open_discard(s: Row) -> None:
    """Ask the next seat, from Povinnost on, that has more than 12 cards; if none, go on (4.6)."""
    for k in range(4):
        seat = after(s.lead, k)
        if s.size[seat] > HAND:
            s.phase = DISCARDING
            s.seat = seat
            return
    s.phase = CALLING if s.prever < 0 else MONEY
    s.seat = s.lead


@jit
def discard(s: Row, card: int) -> None:
    """Put one card away (4.6)."""
    s.hand[s.seat] &= ~bit(card)
    s.discard[s.seat] |= bit(card)
    s.size[s.seat] -= 1
    s.discards[s.seat] += 1
    if s.size[s.seat] == HAND:
        open_discard(s)


# --- call and money cards (4.7, 4.8) ---------------------------------------------------------------------------------------


@jit
def second_call(hand: int) -> int:
    """The card that may be called besides XIX: the highest of XVIII to XV not held, if XIX is held; else -1 (4.7)."""
    if not has(hand, XIX):
        return NOBODY
    for card in range(XIX - 1, XV - 1, -1):
        if not has(hand, card):
            return card
    return NOBODY


@jit
def call(s: Row, card: int) -> None:
    """Povinnost calls a card; who has it in hand is the partner, else Povinnost is alone (4.7)."""
    s.called = card
    s.partner = holder(s, card)
    s.phase = MONEY


@jit
def announce_money(s: Row, action: int) -> None:
    """Every seat's money cards are announced and paid; Povinnost may hide Uni and Bida (4.8)."""
    for seat in range(4):
        money = money_of(s.hand[seat])
        if seat == s.lead and action == CONCEAL:
            money &= ~(UNI | BIDA)
        s.money[seat] = money
    for seat in range(4):
        s.chips[seat] += money_balance(s, seat)
    s.phase = VALAT_CALL
    s.seat = s.lead


# --- calls: Valat, contra, Pagat (4.9 to 4.11) -----------------------------------------------------------------------------


@jit
def call_valat(s: Row, action: int) -> None:
    """Valat or pass, from Povinnost on; the first Valat ends the asking (4.9)."""
    if action == VALAT:
        s.valat = s.seat
        s.side[s.seat] = is_declarer(s, s.seat)
    s.seat = after(s.seat, 1)
    if action == VALAT or s.seat == s.lead:
        s.phase = CONTRA_CALL
        ask_contra(s, claimant(s))


@jit
def claimant(s: Row) -> int:
    """The seat whose claim is doubled: Valat caller, else Prever, else Povinnost (4.10)."""
    if s.valat >= 0:
        return s.valat
    return s.prever if s.prever >= 0 else s.lead


@jit
def contra_level(s: Row) -> int:
    """How many of contra, rhea and supra were said."""
    level = 0
    while level < 3 and s.contras[level] >= 0:
        level += 1
    return level


@jit
def contra_side(s: Row, level: int) -> bool:
    """Whether the word of this level (0 to 2) is the declarers' (True) or the opponents' (4.10)."""
    claims = s.side[claimant(s)] == 1
    return claims if level == 1 else not claims


@jit
def contra_after(s: Row) -> int:
    """The seat after which the asking at the level now open began (4.10)."""
    level = contra_level(s)
    return s.contras[level - 1] if level > 0 else claimant(s)


@jit
def ask_contra(s: Row, seat: int) -> None:
    """Ask the next seat after this one; with Prever those of the wrong side are left out; else go on (4.10)."""
    first, level = contra_after(s), contra_level(s)
    seat = after(seat, 1)
    while level < 3 and seat != first:
        if s.prever < 0 or is_declarer(s, seat) == contra_side(s, level):
            s.seat = seat
            return
        seat = after(seat, 1)
    open_pagat(s)


@jit
def call_contra(s: Row, action: int) -> None:
    """Pass, or the word of the level, which opens the next one (4.10)."""
    if action != PASS:
        s.contras[action - CONTRA] = s.seat
        s.side[s.seat] = is_declarer(s, s.seat)
    ask_contra(s, s.seat)


@jit
def open_pagat(s: Row) -> None:
    """Ask for the Pagat, unless Valat was called (4.11)."""
    s.seat = s.lead
    if s.valat >= 0 and s.pagat_with_valat == 0:
        open_play(s)
    else:
        s.phase = PAGAT_CALL


@jit
def call_pagat(s: Row, action: int) -> None:
    """Pagat or pass, from Povinnost on (4.11)."""
    if action == PAGAT:
        s.pagat = s.seat
    s.seat = after(s.seat, 1)
    if action == PAGAT or s.seat == s.lead:
        open_play(s)


# --- play (4.12) -----------------------------------------------------------------------------------------------------------


@jit
def open_play(s: Row) -> None:
    """Povinnost leads the first trick (4.12)."""
    s.phase = PLAYING
    s.seat = s.lead
    s.leads[0] = s.lead


@jit
def may_follow(hand: int, led: int) -> int:
    """Mask of the cards of a hand that may be played to a led suit: that suit, else trumps, else all (4.12)."""
    follow = hand & SUITS[led]
    if follow == 0:
        follow = hand & TRUMPS
    return follow if follow != 0 else hand


@jit
def playable(s: Row) -> int:
    """Mask of the cards that the seat to act may play (4.12)."""
    hand = s.hand[s.seat]
    if s.played & 3 == 0:
        return hand
    return may_follow(hand, suit_of(s.tricks[trick_start(s)]))


@jit
def play(s: Row, card: int) -> None:
    """A card to the trick; the fourth ends it (4.12)."""
    s.hand[s.seat] &= ~bit(card)
    s.size[s.seat] -= 1
    s.tricks[s.played] = card
    s.played += 1
    if s.played & 3 != 0:
        s.seat = after(s.seat, 1)
    else:
        end_trick(s)


@jit
def end_trick(s: Row) -> None:
    """The winner takes the cards and leads; after the twelfth trick the round is settled (4.12)."""
    first = s.played - 4
    trick = first >> 2
    winner = after(s.leads[trick], trick_best(s, first, 4))
    for k in range(first, first + 4):
        s.won[winner] |= bit(s.tricks[k])
    if s.played == PLAYS:
        settle_round(s)
    else:
        s.leads[trick + 1] = winner
        s.seat = winner


# --- settlement (5) --------------------------------------------------------------------------------------------------------


@jit
def of_side(masks: Any, side: int) -> int:
    """Union of the masks of the seats of a side."""
    union = I64_0
    for seat in range(4):
        if has(side, seat):
            union |= masks[seat]
    return union


@jit
def result_kind(s: Row, side: int, points: int) -> int:
    """Index into KINDS, negative if the declarers lost (5, main payment 1 to 3)."""
    tricks = count(of_side(s.won, side)) >> 2
    if s.valat >= 0:
        declares = s.side[s.valat] == 1
        made = tricks == TRICKS if declares else tricks == 0
        return CALLED_VALAT if made == declares else -CALLED_VALAT
    if tricks == TRICKS:
        return UNCALLED_VALAT
    if tricks == 0:
        return -UNCALLED_VALAT
    return COUNTED if points >= 54 else -COUNTED


@jit
def main_payment(s: Row, kind: int, points: int) -> int:
    """Chips a head of the main payment (5)."""
    if abs(kind) == COUNTED:
        base = base_of(points, 3 if s.prever >= 0 else 2)
    else:
        base = 40 if abs(kind) == CALLED_VALAT else 20
    base <<= contra_level(s)
    if s.prever >= 0 and kind < 0 and s.valat < 0:
        base <<= s.rejections
    return base


@jit
def pagat_player(s: Row) -> int:
    """The seat that played the I to the last trick, else -1."""
    for k in range(4):
        if s.tricks[PLAYS - 4 + k] == PAGAT_CARD:
            return after(s.leads[TRICKS - 1], k)
    return NOBODY


@jit
def pagat_bonus(s: Row, side: int) -> int:
    """Pagat bonus a head, positive if it goes to the declarers (5)."""
    if s.valat >= 0 and s.pagat_with_valat == 0:
        return 0
    player = pagat_player(s)
    trumps = 0
    for k in range(PLAYS - 4, PLAYS):
        trumps += s.tricks[k] >= PAGAT_CARD
    made = player >= 0 and trumps == 1
    if s.pagat >= 0:
        player = s.pagat
        chips = 4 if made else -s.pagat_fail
    elif player >= 0:
        chips = 2 if made else -2
    else:
        return 0
    return chips if has(side, player) else -chips


@jit
def settle_round(s: Row) -> None:
    """Pay the round, note its result, go to the next round or the end (5)."""
    side = declarers(s)
    points = card_points(of_side(s.won, side) | of_side(s.discard, side))
    kind = result_kind(s, side, points)
    main = main_payment(s, kind, points)
    bonus = pagat_bonus(s, side)
    pay = (main if kind > 0 else -main) + bonus
    note = s.finished
    s.declarers[note] = side
    s.points[note] = points
    s.kind[note] = kind
    s.bonus[note] = bonus
    s.pay[note] = pay
    for seat in range(4):
        s.chips[seat] += share(pay, side, seat)
        s.change[note, seat] = share(pay, side, seat) + money_balance(s, seat)
    next_round(s)


@jit
def share(pay: int, side: int, seat: int) -> int:
    """What a seat gets when every declarer's payment a head is `pay` (5, settlement)."""
    if not has(side, seat):
        return -pay
    return 3 * pay if count(side) == 1 else pay


@jit
def next_round(s: Row) -> None:
    """Povinnost moves on and deals the round after (3); after the last round the game is over."""
    lead = s.lead
    clear_round(s)
    s.finished += 1
    if s.finished == s.rounds:
        s.dealer = NOBODY
        s.lead = NOBODY
        s.seat = core.OVER
        return
    s.dealer = lead
    s.lead = after(lead, 1)
    s.shuffle = s.finished * core.HAND_SHUFFLES + DEAL_SHUFFLE
    s.seat = core.SHUFFLE


@jit
def score(s: Row, out: Any) -> None:
    """Net chips of every seat (5)."""
    for seat in range(4):
        out[seat] = s.chips[seat]


# --- legal actions and steps (4, 7) ----------------------------------------------------------------------------------------


@jit
def legal(s: Row, out: Any) -> int:
    """Write the legal actions of the seat to act into `out`, ascending; return how many (7)."""
    if s.phase == PLAYING:
        return cards_into(out, 0, PLAY, playable(s))
    if s.phase == DISCARDING:
        return cards_into(out, 0, DISCARD, discardable(s.hand[s.seat]))
    if s.phase == CUTTING:
        return cards_into(out, 0, CUT, 0x1FF)
    if s.phase == PILES:
        return cards_into(out, 0, PILE, free_piles(s))
    return words(s, out)


@jit
def words(s: Row, out: Any) -> int:
    """`legal` for the phases that ask for a word: one that is always there and perhaps a second one."""
    hand = s.hand[s.seat]
    first, second = PASS, NOBODY
    if s.phase == BIDDING:
        second = PREVER
    elif s.phase == TALON:
        first, second = KEEP, REJECT
    elif s.phase == DRAWING:
        first, second = DRAW, OFFER
    elif s.phase == OFFERED:
        first, second = REJECT, ACCEPT
    elif s.phase == CALLING:
        first = CALL
        card = second_call(hand)
        second = CALL + XIX - card if card >= 0 else NOBODY
    elif s.phase == MONEY:
        first, second = ANNOUNCE, CONCEAL if count(hand & TRUMPS) <= 2 else NOBODY
    elif s.phase == VALAT_CALL:
        second = VALAT
    elif s.phase == CONTRA_CALL:
        level = contra_level(s)
        second = CONTRA + level if is_declarer(s, s.seat) == contra_side(s, level) else NOBODY
    elif has(hand, PAGAT_CARD):
        second = PAGAT
    out[0] = first
    if second < 0:
        return 1
    out[1] = second
    return 2


@jit
def step(s: Row, action: int) -> None:
    """Apply a legal action (4)."""
    if s.phase == PLAYING:
        play(s, action - PLAY)
    elif s.phase == DISCARDING:
        discard(s, action - DISCARD)
    elif s.phase == CUTTING:
        choose_style(s, action - CUT)
    elif s.phase == PILES:
        take_pile(s, action - PILE)
    elif s.phase == BIDDING:
        bid(s, action)
    elif s.phase == TALON:
        prever_talon(s, action)
    elif s.phase in (DRAWING, OFFERED):
        draw_or_offer(s, action)
    elif s.phase == CALLING:
        call(s, XIX - (action - CALL))
    elif s.phase == MONEY:
        announce_money(s, action)
    elif s.phase == VALAT_CALL:
        call_valat(s, action)
    elif s.phase == CONTRA_CALL:
        call_contra(s, action)
    else:
        call_pagat(s, action)
