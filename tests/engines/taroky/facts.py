"""What the laws in `test_laws.py` must know of Taroky. Nothing here asks the engine what a seat may know."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

DECK = (1 << 54) - 1
TRUMPS = DECK ^ ((1 << 32) - 1)
KINGS = 1 << 7 | 1 << 15 | 1 << 23 | 1 << 31
PLAIN = DECK & ~TRUMPS & ~KINGS
XIX = 50
CUT, PILE, BID, TALON, DRAW, OFFER, DISCARD, CALL, MONEY, VALAT, CONTRA, PAGAT, PLAY = range(13)


def setups() -> st.SearchStrategy[tuple[int, dict[str, Any]]]:
    options = {
        "rounds": st.integers(1, 5),
        "first_dealer": st.integers(-1, 3),
        "ace_high": st.booleans(),
        "pagat_fail": st.integers(4, 20),
        "pagat_with_valat": st.booleans(),
        "prever_override": st.booleans(),
    }
    return st.tuples(st.just(4), st.fixed_dictionaries({}, optional=options))


def conserved(s: Any) -> None:
    """Every card is at exactly one place, the public counts are true, chips add up to 0."""
    assert sum(s.totals) == 0
    if s.phase < 0:
        assert not any(s.hand) and not any(s.won) and not any(s.hand_size)
        return
    if s.phase in (CUT, PILE):
        assert sorted(s.order) == list(range(54))
        return
    trick = [s.tricks[k] for k in range(s.played // 4 * 4, s.played)]
    talon = [card for card in s.talon if card >= 0]
    places = [*s.hand, *s.discards, *s.won, *(1 << card for card in trick + talon)]
    assert sum(places) == DECK and sum(mask.bit_count() for mask in places) == 54
    for seat in range(4):
        assert s.hand_size[seat] == s.hand[seat].bit_count() and s.discard_count[seat] == s.discards[seat].bit_count()
    assert all(card == -1 for card in s.order)


def redeal(s: Any, seat: int, rng: random.Random) -> None:
    """Exchange cards that `seat` cannot see, in place; and, as long as nothing tells, who the partner is."""
    if s.phase < 0:
        return
    if s.phase in (CUT, PILE):
        s.order = rng.sample(list(s.order), 54)
        return
    _swap_hidden(s, seat, rng)
    if s.phase == CALL or s.called < 0:
        return
    _hide_partner_elsewhere(s, seat, rng)


def _swap_hidden(s: Any, seat: int, rng: random.Random) -> None:
    """Deal the unseen cards anew: talon, other hands, and others' secret (plain) discards; the called card stays where it is."""
    called = 1 << s.called if s.called >= 0 else 0
    others = [p for p in range(4) if p != seat]
    places = [i for i in range(6) if s.talon[i] >= 0 and not _sees_talon(s, seat, i)]
    plain, loose = 0, 0
    for p in others:
        plain |= s.discards[p] & PLAIN
        loose |= s.hand[p] & ~called
    for i in places:
        loose |= 1 << s.talon[i]
    pool_plain = _cards((plain | loose) & PLAIN)
    rng.shuffle(pool_plain)
    counts = {p: (s.discards[p] & PLAIN).bit_count() for p in others}
    for p in others:
        s.discards[p] = (s.discards[p] & ~PLAIN) | _mask(pool_plain.pop() for _ in range(counts[p]))
    pool = pool_plain + _cards(loose & ~PLAIN)
    rng.shuffle(pool)
    for i in places:
        s.talon[i] = pool.pop()
    for p in others:
        kept = s.hand[p] & called
        s.hand[p] = kept | _mask(pool.pop() for _ in range(s.hand_size[p] - kept.bit_count()))
    assert not pool


def _sees_talon(s: Any, seat: int, place: int) -> bool:
    """Prever sees the half that it decides on; a refused half is seen by all."""
    shown = {0: (), 1: (0, 1, 2), 2: range(6)}[s.rejections]
    half = {0: (0, 1, 2), 1: (3, 4, 5), 2: ()}[s.rejections]
    return place in shown or (s.phase == TALON and seat == s.prever and place in half)


def _hide_partner_elsewhere(s: Any, seat: int, rng: random.Random) -> None:
    """No call was made that shows a side and the card is in a hand the viewer cannot see: any hidden hand may have it."""
    holders = [p for p in range(4) if s.hand[p] >> s.called & 1]
    if s.valat >= 0 or s.contras[0] >= 0 or not holders or holders[0] == seat:
        return
    choices = [p for p in range(4) if p != seat and s.hand_size[p] and (p != s.povinnost or s.called == XIX)]
    if len(choices) < 2:
        return
    old, new = holders[0], rng.choice(choices)
    if new != old:
        given = 1 << rng.choice(_cards(s.hand[new]))
        s.hand[old] = s.hand[old] & ~(1 << s.called) | given
        s.hand[new] = s.hand[new] & ~given | 1 << s.called
    s.partner = new


def _cards(mask: int) -> list[int]:
    return [card for card in range(54) if mask >> card & 1]


def _mask(cards: Any) -> int:
    return sum(1 << card for card in cards)


def zero_sum(options: dict[str, Any]) -> bool:
    return True


def most_decisions(players: int, options: dict[str, Any]) -> int:
    return 85 * int(options["rounds"])
