"""Tzogous 37: hidden information [6]. What a seat may know of a record, and random worlds that agree with it.

A world is the present hand as it may have been dealt and played. `determinize` plays it back from the last
card moved to the deal, with a token for every card, its face known or not: a placed card returns to its hand
without any choice; which card of a hand was drawn or taken unseen is drawn by lot; a card that the viewer saw
must be where it was seen. Then the faces that are left go to the other tokens. Every deal with every choice
of hidden cards that agrees with all that the viewer has seen is as likely as any other; how clever a choice
was does not count.

What was hidden in earlier hands stays unknown: no rule can ask for it again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import (
    I64,
    NOBODY,
    OVER,
    Row,
    below,
    bit,
    cleared,
    count,
    fill,
    has,
    jit,
    scratch,
    shuffle_with,
)
from . import state
from .state import HIDDEN, JOKER, MOVES, PACK, PLACES, SEATS, Move, Phase

HAND = 16  # room for a hand
TRIES = 1000

PAST = np.dtype(
    [
        ("card", np.int16, PACK),  # face of each token, HIDDEN
        ("tokens", np.int64),
        ("most", np.int64),  # as many as there are cards
        ("hand", np.int16, (SEATS, HAND)),  # tokens in each hand
        ("size", np.int64, SEATS),  # how many
        ("sure", np.int64, SEATS),  # how many of them have a known face at least, whatever was drawn by lot
        ("slot", np.int16, PLACES),  # token on each place of the table, -1
        ("shared", np.int64),  # token of the community card, -1
        ("deck", np.int16, PACK),  # tokens of the deck, the next card last
        ("left", np.int64),
        ("lifted", np.int64),  # token between hand and place while a joker is taken back
        ("back", np.int64),  # 1 while before a reshuffle: discards are tokens that it put into the deck
        ("shown", np.int16, PACK),  # ... of them those whose face the viewer saw among the discards
        ("n_shown", np.int64),
        ("unshown", np.int16, PACK),  # ... the others
        ("n_unshown", np.int64),
        ("ones", np.int64),  # the cards that no token is known to be, as a multiset (`state.add_card`)
        ("twos", np.int64),
        ("who", np.int16, MOVES),  # the token that each move moved
    ],
    align=True,
)
"""Work space: a hand that is played back."""


# --- what a seat may know [6] -------------------------------------------------------------------------------


@jit
def redact(s: Row, seat: int) -> None:
    """Blank other hands, the deck, every card on the table or in the past that the seat does not know [6]."""
    who = seat if seat >= 0 else state.ONLOOKER
    for p in range(s.players):
        if p != seat:
            s.hand[p] = 0
            s.doubled[p] = 0
    fill(s.deck_cards, NOBODY)
    for place in range(PLACES):
        if s.table[place] >= 0 and not has(s.knows[place], who):
            s.table[place] = HIDDEN
    nobody, mask, hidden = np.int8(0), np.int8(bit(who)), np.int8(HIDDEN)
    for i in range(MOVES):  # all in bytes, nothing read by a condition: so many are done at a time
        card, known = s.move_card[i], np.int8(s.move_knows[i] & mask)
        s.move_card[i] = card if known != nobody else hidden


# --- a world [6] --------------------------------------------------------------------------------------------


@jit
def determinize(s: Row, rng: Any) -> None:
    """Make the row a world that could have happened [6]."""
    if s.seat != OVER:
        imagine(s, cleared(1, PAST)[0], rng)


@jit
def imagine(s: Row, w: Any, rng: Any) -> None:
    """Play the hand back until no lot drawn contradicts what was seen, then deal the faces [6]."""
    lay_out(s, w)
    tries = 1
    while not play_back(s, w, rng) and tries < TRIES:
        lay_out(s, w)
        tries += 1
    if tries == TRIES:  # never seen; the cards of the present alone still agree with each other
        lay_out(s, w)
    deal_faces(w, rng)
    write_present(s, w)
    if tries < TRIES:
        write_past(s, w)


@jit
def lay_out(s: Row, w: Any) -> None:
    """Tokens for all that lies somewhere now, in the order in which `write_present` reads them."""
    w.tokens = 0
    w.back = 0
    w.most = s.decks * (52 + s.jokers)
    w.ones, w.twos = state.all_cards(s)
    for p in range(s.players):
        lay_hand(s, w, p)
    for place in range(PLACES):
        w.slot[place] = NOBODY if s.table[place] == NOBODY else new_token(w, I64(s.table[place]))
    w.shared = NOBODY if s.community == NOBODY else new_token(w, s.community)
    w.left = s.left
    for i in range(s.left):
        w.card[w.tokens + i] = HIDDEN
        w.deck[i] = w.tokens + i
    w.tokens += s.left


@jit
def lay_hand(s: Row, w: Any, p: int) -> None:
    """Tokens for a hand; their faces are known if it is the viewer's."""
    w.size[p] = 0
    w.sure[p] = s.held[p] if s.hand[p] != 0 else 0
    if s.hand[p] == 0:
        for _ in range(s.held[p]):
            into_hand(w, p, new_token(w, HIDDEN))
        return
    cards = scratch(PACK, np.int16)
    for i in range(state.multiset_into(cards, s.hand[p], s.doubled[p])):
        into_hand(w, p, new_token(w, I64(cards[i])))


@jit
def deal_faces(w: Any, rng: Any) -> None:
    """Give the cards that no token is known to be to the other tokens. Their order is random."""
    cards = scratch(PACK, np.int16)
    n = state.multiset_into(cards, w.ones, w.twos)
    shuffle_with(cards, n, rng)
    for token in range(w.tokens):
        if w.card[token] < 0:
            n -= 1
            w.card[token] = cards[n]


@jit
def write_present(s: Row, w: Any) -> None:
    """Put the faces of the tokens where they lie now."""
    token = 0
    for p in range(s.players):
        hidden = s.hand[p] == 0
        for _ in range(s.held[p]):
            if hidden:
                s.hand[p], s.doubled[p] = state.add_card(s.hand[p], s.doubled[p], I64(w.card[token]))
            token += 1
    for place in range(PLACES):
        if s.table[place] != NOBODY:
            s.table[place] = w.card[token]
            token += 1
    if s.community != NOBODY:
        token += 1
    for i in range(s.left):
        s.deck_cards[i] = w.card[token + i]


@jit
def write_past(s: Row, w: Any) -> None:
    """Say in the moves of this hand which cards they moved."""
    for number in range(s.moves - 1, first_move(s) - 1, -1):
        i = number % MOVES
        if s.move_card[i] == HIDDEN:
            s.move_card[i] = w.card[w.who[i]]


# --- tokens -------------------------------------------------------------------------------------------------


@jit
def new_token(w: Any, card: int) -> int:
    """Return a new token with this face, or with none known (below 0)."""
    token = w.tokens
    if token == w.most:
        return NOBODY
    w.tokens += 1
    w.card[token] = HIDDEN
    return token if card < 0 or name(w, token, card) else NOBODY


@jit
def name(w: Any, token: int, card: int) -> bool:
    """Say what face a token has; false if all cards of this face are other tokens."""
    if w.card[token] == card:
        return True
    if w.card[token] >= 0 or not has(w.ones, card):
        return False
    w.card[token] = card
    w.ones, w.twos = state.drop_card(w.ones, w.twos, card)
    return True


@jit
def into_hand(w: Any, p: int, token: int) -> None:
    """Put a token into a hand, which has room for it unless the record contradicts itself."""
    if w.size[p] < HAND:
        w.hand[p, w.size[p]] = token
        w.size[p] += 1


@jit
def onto_deck(w: Any, token: int) -> None:
    """Put a token on top of the deck, which has room for it unless the record contradicts itself."""
    if w.left < PACK:
        w.deck[w.left] = token
        w.left += 1


@jit
def out_of_hand(w: Any, p: int, i: int) -> int:
    """Take the i-th token of a hand."""
    token = I64(w.hand[p, i])
    w.size[p] -= 1
    w.hand[p, i] = w.hand[p, w.size[p]]
    return token


@jit
def from_hand(w: Any, p: int, card: int, rng: Any) -> int:
    """Take a card that came into the hand of seat p out again.

    Return its token; -1 if it cannot be there.

    A hidden card may be any of the hand. A card that was seen is the token with its face, or else one whose
    face is not known. So many ways there are to choose that one, so likely are the choices by lot that have
    led here: they are kept with that chance, out of the most ways that there could be.
    """
    size = w.size[p]
    if size == 0:
        return NOBODY
    if card < 0:
        w.sure[p] = max(0, w.sure[p] - 1)
        return out_of_hand(w, p, below(rng, size))
    same, blank = faces(w, p, card), faces(w, p, HIDDEN)
    known = same * max(1, count(w.ones) + count(w.twos))  # the more cards no token is known to be
    if same > 0 and below(rng, known + blank * has(w.ones, card)) < known:
        w.sure[p] = max(0, w.sure[p] - 1)
        return out_of_hand(w, p, nth_with(w, p, card, 0))
    if blank == 0 or below(rng, max(blank, size - w.sure[p])) >= blank:
        return NOBODY
    token = out_of_hand(w, p, nth_with(w, p, HIDDEN, below(rng, blank)))
    return token if name(w, token, card) else NOBODY


@jit
def faces(w: Any, p: int, card: int) -> int:
    """How many tokens of a hand have this face."""
    n = 0
    for i in range(w.size[p]):
        n += w.card[w.hand[p, i]] == card
    return n


@jit
def nth_with(w: Any, p: int, card: int, n: int) -> int:
    """Place in a hand of the token with this face that has `n` such before it."""
    i = 0
    while w.card[w.hand[p, i]] != card or n > 0:
        n -= w.card[w.hand[p, i]] == card
        i += 1
    return i


@jit
def from_discards(w: Any, card: int, rng: Any) -> int:
    """Return the token of a card that went to the discards; -1 if there is none.

    Discards that still lie are in no other place, so they get new tokens. Those that a reshuffle put into the
    deck are tokens already.
    """
    if w.back == 0:
        return new_token(w, card)
    if card < 0:
        if w.n_unshown == 0:
            return NOBODY
        i = below(rng, w.n_unshown)
        token = I64(w.unshown[i])
        w.n_unshown -= 1
        w.unshown[i] = w.unshown[w.n_unshown]
        return token
    for i in range(w.n_shown):
        token = I64(w.shown[i])
        if w.card[token] == card:
            w.n_shown -= 1
            w.shown[i] = w.shown[w.n_shown]
            return token
    return NOBODY


@jit
def from_place(w: Any, place: int, card: int, rng: Any) -> int:
    """Return the token of a card laid on a place."""
    token = I64(w.slot[place])
    w.slot[place] = NOBODY
    if token == NOBODY:
        return from_discards(w, card, rng)
    return token if card < 0 or name(w, token, card) else NOBODY


# --- playing back -------------------------------------------------------------------------------------------


@jit
def first_move(s: Row) -> int:
    """Return the number of the first move of this hand that the record holds."""
    number = s.moves
    oldest = max(0, s.moves - MOVES)
    while number > oldest and s.move_kind[(number - 1) % MOVES] != Move.HAND:
        number -= 1
    return number


@jit
def play_back(s: Row, w: Any, rng: Any) -> bool:
    """Take back all moves of this hand, the latest first; false if the lots contradict what was seen."""
    for number in range(s.moves - 1, first_move(s) - 1, -1):
        i = number % MOVES
        kind = s.move_kind[i]
        if kind == Move.RESHUFFLE:
            if not undo_reshuffle(s, w, number, rng):
                return False
        else:
            token = undo(s, w, number, rng)
            if token < 0:
                return False
            w.who[i] = token
    return True


@jit
def undo(s: Row, w: Any, number: int, rng: Any) -> int:
    """Take back one move; return its token, -1 if it contradicts what was seen."""
    i = number % MOVES
    kind, p, card = s.move_kind[i], I64(s.move_seat[i]), I64(s.move_card[i])
    if kind == Move.PLACE:
        return undo_laying(w, p, 2 * p + (s.move_time[i] & 1), card, rng)
    if kind == Move.JOKER:
        return undo_joker(s, w, number, p, card, rng)
    if kind == Move.GIVE:
        place = I64(s.move_card[(number - 1) % MOVES])
        token = undo_laying(w, p, place, card, rng)
        w.slot[place] = w.lifted
        return token
    if kind == Move.TAKE:
        w.lifted = from_hand(w, p, card, rng)
        return w.lifted
    if kind == Move.LOSE:
        w.lifted = from_discards(w, card, rng)
        return w.lifted
    if kind == Move.DRAW:
        token = from_hand(w, p, card, rng)
    elif kind == Move.COMMUNITY:
        token = w.shared
    else:
        token = from_discards(w, card, rng)
    if token >= 0:
        onto_deck(w, token)
    return token


@jit
def undo_laying(w: Any, p: int, place: int, card: int, rng: Any) -> int:
    """Return a card that seat p laid on a place to its hand."""
    token = from_place(w, place, card, rng)
    if token >= 0:
        into_hand(w, p, token)
        w.sure[p] += card >= 0
    return token


@jit
def undo_joker(s: Row, w: Any, number: int, p: int, place: int, rng: Any) -> int:
    """Put a joker that seat p used back into its hand [4.5]."""
    if s.joker_use == state.LAY:
        token = undo_laying(w, p, place, JOKER, rng)
        w.slot[place] = w.lifted
        return token
    if number == s.moves - 1 and s.phase == Phase.GIVE:
        token = from_hand(w, p, JOKER, rng)
    else:
        token = from_discards(w, JOKER, rng)
    if token >= 0:
        into_hand(w, p, token)
        w.sure[p] += 1
    return token


# --- reshuffles ---------------------------------------------------------------------------------------------


@jit
def undo_reshuffle(s: Row, w: Any, number: int, rng: Any) -> bool:
    """Turn the deck back into the discards that it was made of [3]."""
    if not lay_table(s, w, number, rng):
        return False
    early = I64(s.move_card[number % MOVES])  # drawn before, in the tie-break draw that waited
    if not 0 <= early <= w.left:
        return False
    ones, twos = known_discards(s, number)
    w.n_shown = 0
    w.n_unshown = 0
    for i in range(w.left - early):
        token = I64(w.deck[i])
        card = I64(w.card[token])
        if card >= 0 and has(ones, card):
            ones, twos = state.drop_card(ones, twos, card)
            w.shown[w.n_shown] = token
            w.n_shown += 1
        else:
            w.unshown[w.n_unshown] = token
            w.n_unshown += 1
    for i in range(early):
        w.deck[i] = w.deck[w.left - early + i]
    w.left = early
    w.back = 1
    return name_shown(w, ones, twos, rng)


@jit
def name_shown(w: Any, ones: int, twos: int, rng: Any) -> bool:
    """Cards seen among the discards of a reshuffle, and not since, are tokens of it without a known face."""
    cards = scratch(PACK, np.int16)
    for k in range(state.multiset_into(cards, ones, twos)):
        blank = 0
        for i in range(w.n_unshown):
            blank += w.card[w.unshown[i]] < 0
        if blank == 0:
            return False
        pick, i = below(rng, blank), 0
        while w.card[w.unshown[i]] >= 0 or pick > 0:
            pick -= w.card[w.unshown[i]] < 0
            i += 1
        token = I64(w.unshown[i])
        if not name(w, token, I64(cards[k])):
            return False
        w.n_unshown -= 1
        w.unshown[i] = w.unshown[w.n_unshown]
        w.shown[w.n_shown] = token
        w.n_shown += 1
    return True


@jit
def lay_table(s: Row, w: Any, number: int, rng: Any) -> bool:
    """Tokens for the cards that lay on the table at this reshuffle: they were discarded after it."""
    time = s.move_time[number % MOVES] >> 1
    for earlier in range(number - 1, first_move(s) - 1, -1):
        i = earlier % MOVES
        place = place_laid(s, earlier)
        if s.move_time[i] >> 1 == time and place >= 0 and w.slot[place] == NOBODY:
            w.slot[place] = from_discards(w, face_laid(s, earlier), rng)
            if w.slot[place] == NOBODY:
                return False
    return True


@jit
def known_discards(s: Row, number: int) -> tuple[int, int]:
    """Return the cards that the viewer knows this reshuffle to have put into the deck, as a multiset [3]."""
    now = s.move_time[number % MOVES] >> 1
    since = NOBODY  # round of the reshuffle before, if there was one
    ones, twos, covered, covered_in = 0, 0, 0, now
    for earlier in range(number - 1, first_move(s) - 1, -1):
        i = earlier % MOVES
        time, place, card = s.move_time[i] >> 1, place_laid(s, earlier), I64(s.move_card[i])
        if time != covered_in:
            covered, covered_in = 0, time
        if place >= 0:
            card = face_laid(s, earlier)
            if not has(covered, place) and time < now and time >= since and card >= 0:
                ones, twos = state.add_card(ones, twos, card)
            covered |= bit(place)
        elif s.move_kind[i] == Move.RESHUFFLE:
            since = max(since, time)
        elif since == NOBODY and s.move_kind[i] == Move.JOKER:
            ones, twos = state.add_card(ones, twos, JOKER)
        elif since == NOBODY and (s.move_kind[i] == Move.TIE or s.move_kind[i] == Move.LOSE) and card >= 0:
            ones, twos = state.add_card(ones, twos, card)
    return ones, twos


@jit
def place_laid(s: Row, number: int) -> int:
    """Return the place of the table on which a move laid a card, -1 if it laid none there."""
    i = number % MOVES
    kind = s.move_kind[i]
    if kind == Move.PLACE:
        return 2 * s.move_seat[i] + (s.move_time[i] & 1)
    if kind == Move.GIVE:
        return I64(s.move_card[(number - 1) % MOVES])
    if kind == Move.JOKER and s.joker_use == state.LAY:
        return I64(s.move_card[i])
    return NOBODY


@jit
def face_laid(s: Row, number: int) -> int:
    """Return the card that a move laid on the table, HIDDEN if the viewer does not know it."""
    i = number % MOVES
    return JOKER if s.move_kind[i] == Move.JOKER else I64(s.move_card[i])
