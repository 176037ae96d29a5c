"""What the laws of `test_laws.py` must know of Julepe."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

HOUSE = 5
ALL = (1 << 30) - 1


@st.composite
def setups(draw: st.DrawFn) -> tuple[int, dict[str, Any]]:
    return 5, {
        "rounds": draw(st.sampled_from([5, 1, 2, 12, 100])),
        "stake": draw(st.sampled_from([50, 10, 1000])),
        "village": draw(st.sampled_from(["urones", "vilalba"])),
        "nobody_safe": draw(st.sampled_from(["carry", "pay"])),
        "overtrump": draw(st.booleans()),
    }


def zero_sum(options: dict[str, Any]) -> bool:
    return True


def most_decisions(players: int, options: dict[str, Any]) -> int:
    return 39 * options["rounds"]


def bits(mask: int) -> list[int]:
    return [card for card in range(30) if mask >> card & 1]


def table(s: Any, who: int) -> list[int]:
    """Cards that a seat or the house has played in this round."""
    return [card for card in s.played[s.round_no, who].tolist() if card >= 0]


def pile_exists(s: Any) -> bool:
    return s.phase >= 2


def with_cards(s: Any) -> list[int]:
    """Seats (and the house) that have cards of their own: all until the pile is made, then those in."""
    seats = [p for p in range(5) if not (pile_exists(s) and s.outs[s.round_no] >> p & 1)]
    return [*seats, HOUSE]


def conserved(s: Any) -> None:
    """Nets and pot are 0 together, each of the 30 cards is in one place, and what is not in use is blank."""
    assert sum(s.net.tolist()) + s.pot == 0
    stock = s.stock.tolist()
    assert stock[s.left :] == [-1] * (24 - s.left)
    if s.seat == -1:
        assert s.pot == 0 and s.left == 0 and s.phase == 0 and s.trick == 0
        assert not any([*s.hand, *s.thrown, *s.drawn])
        return
    assert s.pot >= 5 * s.stake and s.pot % s.stake == 0
    where = stock[: s.left]
    for who in with_cards(s):
        assert s.hand[who] & s.thrown[who] == 0
        where += bits(s.hand[who]) + bits(s.thrown[who]) + table(s, who)
    assert sorted(where) == list(range(30))
    _drawn_and_given_up(s)


def _drawn_and_given_up(s: Any) -> None:
    """Drawn cards are still their owner's; the hands given up are the pile and without the ace of trumps."""
    ace = s.upcard[s.round_no] // 10 * 10 + 9
    pile: list[int] = []
    for p in range(5):
        own = s.hand[p] | s.thrown[p] | sum(1 << card for card in table(s, p))
        assert s.drawn[p] & ~own == 0 and s.drawn[p].bit_count() == max(0, s.exchanged[s.round_no, p])
        if p not in with_cards(s):
            assert s.hand[p].bit_count() == 5
            pile += bits(s.hand[p])
        assert not (s.outs[s.round_no] >> p & 1 and s.hand[p] >> ace & 1)
    assert len(pile) == len(set(pile))
    if pile_exists(s):
        hidden = min(s.left, len(pile))
        assert set(s.stock.tolist()[:hidden]) <= set(pile)
        assert not set(s.stock.tolist()[hidden : s.left]) & set(pile)


def redeal(s: Any, seat: int, rng: random.Random) -> None:
    """Other stock, hands, discards, draws of other seats and the house; other down cards of a blind dealer."""
    if s.seat == -1:
        return
    d = s.round_no % 5
    _swap_thrown(s, seat, rng)
    _shuffle_stock(s, rng)
    known = sum(1 << card for who in range(6) for card in table(s, who)) | 1 << s.upcard[s.round_no]
    if seat >= 0 and not (seat == d and s.village == 1 and s.phase <= 1):
        known |= s.hand[seat] | s.thrown[seat]
    hidden = bits(ALL & ~known)
    others = rng.sample(hidden, len(hidden))
    new = {**{card: card for card in range(30)}, **dict(zip(hidden, others))}
    for masks in (s.hand, s.thrown, s.drawn):
        for who in range(len(masks)):
            masks[who] = sum(1 << new[card] for card in bits(masks[who]))
    for k in range(s.left):
        s.stock[k] = new[s.stock[k]]


def _swap_thrown(s: Any, seat: int, rng: random.Random) -> None:
    """What others have thrown away, in their turn also how many, is hidden; the face-up card too."""
    for p in range(5):
        if p == seat or p not in with_cards(s) or s.exchanged[s.round_no, p] > 0:
            continue
        cards = bits(s.hand[p] | s.thrown[p])
        if s.phase == 2 and p == s.seat:
            s.thrown[p] = sum(
                1 << card for card in rng.sample(cards, rng.randint(0, min(len(cards), s.left)))
            )
        elif s.thrown[p]:
            s.thrown[p] = 1 << rng.choice(cards)
        s.hand[p] = sum(1 << card for card in cards) & ~s.thrown[p]


def _shuffle_stock(s: Any, rng: random.Random) -> None:
    """The pile that is left in another order, so that a seat that is out cannot tell where its cards are."""
    pile = min(s.left, 5 * s.outs[s.round_no].bit_count()) if pile_exists(s) else 0
    cards = s.stock.tolist()[:pile]
    rng.shuffle(cards)
    for k, card in enumerate(cards):
        s.stock[k] = card
