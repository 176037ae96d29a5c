"""Jolly Zoliky: cards, melds and meld steps, the shape rules alone (rules 1 and 4.3; docs/rules/zoliky.md).

Whether a turn can still be completed after a step is the business of `zoliky_turn`; deals, turns and scores are in `zoliky`.

Natural cards are bits of an int64, one lane of 16 bits a suit: bit `16*suit + position`, position 1 (ace) .. 13 (king). A hand is
two masks (`h1`: kinds held at least once, `h2`: kinds held twice) and a number of jokers. `mirrored` shows the ace at position
14 too. Bits 0 and 15 of a lane stay empty, so that shifts by one or two never meet the next suit.

A meld is one integer:

    run   bits 1..14 the positions held by jokers, 15..16 suit, 17..20 lowest position, 21..24 highest position
    set   bits 0..3 the natural suits, 17..20 rank + 1, 21..24 number of cards, bit 25
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import I64, Row, bit, cards_into, count, has, jit, lowest

RANKS = "A23456789TJQK"
SUITS = "shdc"
JOKER = 52
N_KINDS = 53
CARDS = (*(rank + suit for suit in SUITS for rank in RANKS), "JK")
ACES = 0x0002_0002_0002_0002
TENS = 0x3C02_3C02_3C02_3C02  # A T J Q K: ten points (the ace at the low end of a run has one)
FIRST_OF_RUN = 0x1FFE_1FFE_1FFE_1FFE  # positions 1..12, where a run can begin
LANE = 0xFFFF
ALL_LANES = 0x0001_0001_0001_0001
OPENING_POINTS = 36

SUIT_AT, LOW_AT, HIGH_AT = 15, 17, 21
SUIT_FIELD, LOW_FIELD, HIGH_FIELD = 3 << SUIT_AT, 15 << LOW_AT, 15 << HIGH_AT
SET = 1 << 25
JOKERS_FIELD = 0x7FFE

# --- actions (rules 7) -----------------------------------------------------------------------------------------------------

DRAW_STOCK, DRAW_DISCARD, DRAW_JOLLY, DISCARD = 0, 1, 2, 3
RUN, NEW_SET, LAY_HI, LAY_LO, LAY_SET = 56, 296, 478, 522, 566
JOKER_HI, JOKER_LO, JOKER_SET, SWAP_RUN, SWAP_SET, N_ACTIONS = 618, 662, 706, 719, 771, 823
RUN_JOKERS = ((), (0,), (1,), (2,), (0, 2))
SET_SUITS = tuple(sum(1 << s for s in suits) for n in (3, 2, 1) for suits in combinations(range(4), n))
SET_SUITS = SET_SUITS[3::-1] + SET_SUITS[4:]  # three suits: by the one that is missing

PLACE: NDArray[np.int64] = np.array([16 * (k // 13) + k % 13 + 1 for k in range(52)] + [0], np.int64)
"""Bit number of a kind."""
KIND: NDArray[np.int64] = np.array([b // 16 * 13 + (b % 16 - 1) % 13 for b in range(64)], np.int64)
"""Kind of a bit number (position 14 is the ace too)."""
RUN_POINTS: NDArray[np.int64] = np.cumsum([0, *range(1, 10), 10, 10, 10, 10, 10]).astype(np.int64)
"""Points of the positions 1..p together (rules 1)."""
RANK_POINTS: NDArray[np.int64] = np.array([10, *range(2, 10), 10, 10, 10, 10], np.int64)
"""Points of a card of a set, by rank."""
SUIT_LANES: NDArray[np.int64] = np.array([sum((m >> s & 1) << 16 * s for s in range(4)) for m in range(16)], np.int64)
"""Lane bits (position 0) of a set of suits."""
SETS_OF: NDArray[np.int64] = np.array(
    [
        [sum(1 << v for v, m in enumerate(SET_SUITS) if m & ~suits == 0 and 3 - m.bit_count() <= jokers) for jokers in range(3)]
        for suits in range(16)
    ],
    np.int64,
)
"""Which of the 14 new sets of a rank can be laid with these suits in hand and 0, 1, 2 or more jokers."""


def _step_tables() -> NDArray[np.int64]:
    """One row an action: naturals used (mask), jokers used (a swap: -1), cards that leave the hand, change of the meld's
    integer, and which melds are eligible: `meld & mask == value`.
    """
    table = np.zeros((N_ACTIONS, 6), np.int64)

    def row(action: int, naturals: int, jokers: int, change: int, mask: int = 0, value: int = 0) -> None:
        table[action] = naturals, jokers, naturals.bit_count() + jokers, change, mask, value

    def natural(suit: int, pos: int) -> int:
        return 1 << (16 * suit + (1 if pos == 14 else pos))

    for suit in range(4):
        run = SET | SUIT_FIELD, suit << SUIT_AT
        for low in range(1, 13):
            for p, jokers in enumerate(RUN_JOKERS):
                held = sum(natural(suit, low + i) for i in range(3) if i not in jokers)
                meld = sum(1 << (low + i) for i in jokers) | suit << SUIT_AT | low << LOW_AT | (low + 2) << HIGH_AT
                row(RUN + (suit * 12 + low - 1) * 5 + p, held, len(jokers), meld)
        for i in range(11):
            hi, lo = i + 4, i + 1
            at_hi = run[0] | HIGH_FIELD, run[1] | (hi - 1) << HIGH_AT
            at_lo = run[0] | LOW_FIELD, run[1] | (lo + 1) << LOW_AT
            row(LAY_HI + suit * 11 + i, natural(suit, hi), 0, 1 << HIGH_AT, *at_hi)
            row(LAY_LO + suit * 11 + i, natural(suit, lo), 0, -(1 << LOW_AT), *at_lo)
            row(JOKER_HI + suit * 11 + i, 0, 1, (1 << HIGH_AT) + (1 << hi), at_hi[0] | 1 << (hi - 1), at_hi[1])
            row(JOKER_LO + suit * 11 + i, 0, 1, (1 << lo) - (1 << LOW_AT), at_lo[0] | 1 << (lo + 1), at_lo[1])
        for rank in range(13):
            kind, pos = suit * 13 + rank, rank + 1
            a_set = SET | LOW_FIELD | HIGH_FIELD | 1 << suit, SET | pos << LOW_AT
            row(LAY_SET + kind, natural(suit, pos), 0, (1 << HIGH_AT) + (1 << suit), a_set[0], a_set[1] | 3 << HIGH_AT)
            row(SWAP_RUN + kind, natural(suit, pos), -1, -(1 << pos), run[0] | 1 << pos, run[1] | 1 << pos)
            row(SWAP_SET + kind, natural(suit, pos), -1, 1 << suit, a_set[0], a_set[1] | 4 << HIGH_AT)
    for rank in range(13):
        for v, suits in enumerate(SET_SUITS):
            held = sum(natural(suit, rank + 1) for suit in range(4) if suits >> suit & 1)
            row(NEW_SET + rank * 14 + v, held, 3 - suits.bit_count(), SET | suits | (rank + 1) << LOW_AT | 3 << HIGH_AT)
        mask = SET | LOW_FIELD | HIGH_FIELD
        row(JOKER_SET + rank, 0, 1, 1 << HIGH_AT, mask, SET | (rank + 1) << LOW_AT | 3 << HIGH_AT)
    return table


_STEPS = _step_tables()
NATURALS, JOKERS, COST, CHANGE, FIND_MASK, FIND_VALUE = (np.ascontiguousarray(_STEPS[:, i]) for i in range(6))


def _action_texts() -> list[str]:
    """The text of every action, by number."""

    def card(suit: int, pos: int) -> str:
        return RANKS[(pos - 1) % 13] + SUITS[suit]

    texts = ["draw stock", "draw discard", "draw jolly"] + [f"discard {c}" for c in CARDS]
    for suit in range(4):
        for low in range(1, 13):
            for jokers in RUN_JOKERS:
                texts.append("run " + " ".join("JK" if i in jokers else card(suit, low + i) for i in range(3)))
    for rank in range(13):
        for suits in SET_SUITS:
            naturals = [card(suit, rank + 1) for suit in range(4) if suits >> suit & 1]
            texts.append("set " + " ".join(naturals + ["JK"] * (3 - len(naturals))))
    hi = [card(suit, pos) for suit in range(4) for pos in range(4, 15)]
    lo = [card(suit, pos) for suit in range(4) for pos in range(1, 12)]
    texts += [f"lay {c} hi" for c in hi] + [f"lay {c} lo" for c in lo] + [f"lay {c} set" for c in CARDS[:52]]
    texts += [f"lay JK {c} hi" for c in hi] + [f"lay JK {c} lo" for c in lo] + [f"lay JK {rank} set" for rank in RANKS]
    return texts + [f"swap {c} run" for c in CARDS[:52]] + [f"swap {c} set" for c in CARDS[:52]]


ACTIONS = tuple(_action_texts())

# --- hands -----------------------------------------------------------------------------------------------------------------


@jit
def mirrored(h: int) -> int:
    """A mask of naturals with the aces at position 14 too."""
    return h | (h & ACES) << 13


@jit
def folded(m: int) -> int:
    """A mask of run positions as naturals: position 14 is the ace."""
    return (m & ~(ACES << 13)) | (m >> 13 & ACES)


@jit
def take(s: Row, p: int, cards: int) -> None:
    """Take one natural of each kind of a mask out of the hand of seat p."""
    twice = cards & s.h2[p]
    s.h2[p] &= ~twice
    s.h1[p] &= twice | ~cards


@jit
def put(s: Row, p: int, cards: int) -> None:
    """Put one natural of each kind of a mask into the hand of seat p."""
    s.h2[p] |= cards & s.h1[p]
    s.h1[p] |= cards


@jit
def take_kind(s: Row, p: int, kind: int) -> None:
    """Take one card (a kind, or JOKER) out of the hand of seat p."""
    s.held[p] -= 1
    if kind == JOKER:
        s.jokers[p] -= 1
    else:
        take(s, p, bit(PLACE[kind]))


@jit
def put_kind(s: Row, p: int, kind: int) -> None:
    """Put one card (a kind, or JOKER) into the hand of seat p."""
    s.held[p] += 1
    if kind == JOKER:
        s.jokers[p] += 1
    else:
        put(s, p, bit(PLACE[kind]))


@jit
def kinds_into(out: Any, n: int, base: int, mask: int) -> int:
    """Write `base + kind` for every natural of a mask into `out` from place n on, ascending; return the new length."""
    for suit in range(4):
        n = cards_into(out, n, base + 13 * suit, mask >> (16 * suit + 1) & 0x1FFF)
    return n


@jit
def hand_points(h: int) -> int:
    """Most points that the naturals of a mask can have in melds (rules 1)."""
    low = h & ~TENS
    by_bit = count(low & 0x02A8_02A8_02A8_02A8) + 2 * count(low & 0x00CC_00CC_00CC_00CC)
    return 10 * count(h & TENS) + by_bit + 4 * count(low & 0x00F0_00F0_00F0_00F0) + 8 * count(low & 0x0300_0300_0300_0300)


# --- melds -----------------------------------------------------------------------------------------------------------------


@jit
def meld_jokers(m: int) -> int:
    """Number of jokers in a meld."""
    if m & SET:
        return (m >> HIGH_AT & 15) - count(m & 15)
    return count(m & JOKERS_FIELD)


@jit
def meld_points(m: int) -> int:
    """Points of a meld (rules 1)."""
    if m & SET:
        return RANK_POINTS[(m >> LOW_AT & 15) - 1] * (m >> HIGH_AT & 15)
    return RUN_POINTS[m >> HIGH_AT & 15] - RUN_POINTS[(m >> LOW_AT & 15) - 1]


@jit
def is_pure(m: int) -> bool:
    """Whether a meld is a run without joker (rules 1)."""
    return m & (SET | JOKERS_FIELD) == 0


@jit
def fresh_points(s: Row) -> int:
    """Points of the melds laid in this turn, all together."""
    points = I64(0)
    for i in range(s.n_melds - s.fresh, s.n_melds):
        points += meld_points(I64(s.melds[i]))
    return points


@jit
def has_fresh_pure(s: Row) -> bool:
    """Whether one of the melds laid in this turn is a pure run."""
    for i in range(s.n_melds - s.fresh, s.n_melds):
        if is_pure(I64(s.melds[i])):
            return True
    return False


@jit
def first_eligible(s: Row) -> int:
    """Index of the first meld that the mover may lay cards on: before the opening only fresh ones (rules 4.3)."""
    return I64(0) if s.opened[s.seat] else I64(s.n_melds - s.fresh)


@jit
def wanted(s: Row, first: int) -> tuple[int, int, int, int, int, int, int, int]:
    """What the melds from index `first` on take (rules 4.3), as masks.

    Returns:
        Positions at upper ends, at lower ends; those of them where a joker may go (upper, lower); naturals that a set of
        3 lacks; ranks whose set of 3 takes a joker; positions held by jokers of runs; naturals for which a joker stands in
        a set of 4.
    """
    hi = lo = joker_hi = joker_lo = in_set = joker_set = swap_run = swap_set = I64(0)
    for i in range(first, s.n_melds):
        m = I64(s.melds[i])
        low, high = m >> LOW_AT & 15, m >> HIGH_AT & 15
        if m & SET:
            lacks = SUIT_LANES[~m & 15] << low
            if high == 4:
                swap_set |= lacks
            else:
                in_set |= lacks
                if count(m & 15) >= 2:
                    joker_set |= bit(low - 1)
            continue
        lane = (m >> SUIT_AT & 3) << 4
        swap_run |= (m & JOKERS_FIELD) << lane
        if high < 14:
            hi |= bit(lane + high + 1)
            if not has(m, high):
                joker_hi |= bit(lane + high + 1)
        if low > 1:
            lo |= bit(lane + low - 1)
            if not has(m, low):
                joker_lo |= bit(lane + low - 1)
    return hi, lo, joker_hi, joker_lo, in_set, joker_set, swap_run, swap_set


# --- meld steps (rules 4.3) ------------------------------------------------------------------------------------------------


@jit
def _new_runs(out: Any, n: int, h: int, jokers: int) -> int:
    m = mirrored(h)
    natural = m & m >> 1 & m >> 2
    first = middle = last = both = I64(0)
    if jokers > 0:
        first, middle, last = m >> 1 & m >> 2 & FIRST_OF_RUN, m & m >> 2, m & m >> 1 & FIRST_OF_RUN
    if jokers > 1:
        both = m >> 1 & FIRST_OF_RUN
    starts = natural | first | middle | last | both
    while starts != 0:
        b = lowest(starts)
        starts &= starts - 1
        base = RUN + ((b >> 4) * 12 + (b & 15) - 1) * 5
        which = natural >> b & 1 | (first >> b & 1) << 1 | (middle >> b & 1) << 2 | (last >> b & 1) << 3 | (both >> b & 1) << 4
        n = cards_into(out, n, base, which)
    return n


@jit
def suits_of(h: int, pos: int) -> int:
    """The suits of which a mask holds the natural of a position 1..13, as 4 bits."""
    m = h >> pos
    return m & 1 | m >> 15 & 2 | m >> 30 & 4 | m >> 45 & 8


@jit
def _new_sets(out: Any, n: int, h: int, jokers: int) -> int:
    ranks = (h | h >> 16 | h >> 32 | h >> 48) & LANE
    while ranks != 0:
        pos = lowest(ranks)
        ranks &= ranks - 1
        n = cards_into(out, n, NEW_SET + (pos - 1) * 14, SETS_OF[suits_of(h, pos), min(jokers, 2)])
    return n


@jit
def _ends_into(out: Any, n: int, base: int, mask: int) -> int:
    """Actions at run ends: `mask` holds the lowest position of the block of 11 at bit 1 of every lane."""
    for suit in range(4):
        n = cards_into(out, n, base + 11 * suit, mask >> (16 * suit + 1) & 0x7FF)
    return n


@jit
def new_melds(s: Row, out: Any, n: int) -> int:
    """Write the new melds that the mover's hand has the cards for into `out` from place n on; return the new length."""
    p = s.seat
    h, jokers = I64(s.h1[p]), I64(s.jokers[p])
    return _new_sets(out, _new_runs(out, n, h, jokers), h, jokers)


@jit
def lay_offs(s: Row, out: Any, n: int) -> int:
    """Write the lay-offs and swaps that the shape rules allow into `out` from place n on, ascending; return the new length."""
    first = first_eligible(s)
    if first == s.n_melds:
        return n
    h, jokers = I64(s.h1[s.seat]), I64(s.jokers[s.seat])
    hi, lo, joker_hi, joker_lo, in_set, joker_set, swap_run, swap_set = wanted(s, first)
    m = mirrored(h)
    n = _ends_into(out, n, LAY_HI, (hi & m) >> 3)
    n = _ends_into(out, n, LAY_LO, lo & m)
    n = kinds_into(out, n, LAY_SET, in_set & h)
    if jokers > 0:
        n = _ends_into(out, n, JOKER_HI, joker_hi >> 3)
        n = _ends_into(out, n, JOKER_LO, joker_lo)
        n = cards_into(out, n, JOKER_SET, joker_set)
    if s.opened[s.seat]:
        n = kinds_into(out, n, SWAP_RUN, folded(swap_run) & h)
        n = kinds_into(out, n, SWAP_SET, swap_set & h)
    return n


@jit
def steps(s: Row, out: Any, n: int) -> int:
    """Write the steps that the shape rules allow and that leave a card into `out` from place n on; return the new length."""
    size = s.held[s.seat]
    if size > 3:
        n = new_melds(s, out, n)
    return lay_offs(s, out, n) if size > 1 else n


@jit
def _find(s: Row, first: int, mask: int, value: int) -> int:
    for i in range(first, s.n_melds):
        if s.melds[i] & mask == value:
            return i
    return I64(s.n_melds)


@jit
def target(s: Row, action: int) -> int:
    """Index of the meld that a step changes: the oldest eligible one; the next free index for a new meld (rules 4.3)."""
    if action < LAY_HI:
        return I64(s.n_melds)
    i = _find(s, first_eligible(s), FIND_MASK[action], FIND_VALUE[action])
    if JOKER_SET <= action < SWAP_RUN:
        while count(s.melds[i] & 15) < 2 or s.melds[i] & FIND_MASK[action] != FIND_VALUE[action]:
            i += 1
    elif SWAP_RUN <= action < SWAP_SET and (action - SWAP_RUN) % 13 == 0:
        i = min(i, _find(s, I64(0), FIND_MASK[action] ^ 2 ^ 1 << 14, FIND_VALUE[action] ^ 2 ^ 1 << 14))
    return i


@jit
def change(s: Row, action: int, i: int) -> int:
    """What a step adds to the integer of meld i. The ace takes the joker at position 1 before the one at 14."""
    if SWAP_RUN <= action < SWAP_SET and (action - SWAP_RUN) % 13 == 0 and not has(I64(s.melds[i]), 1):
        return -(I64(1) << 14)
    return CHANGE[action]


@jit
def place(s: Row, action: int, i: int) -> None:
    """Apply a meld step to meld i, its target: cards, table, owed cards and the opening (rules 4.2, 4.3)."""
    p = s.seat
    if i == s.n_melds:
        s.n_melds += 1
        s.fresh += 1
        s.melds[i] = CHANGE[action]
    else:
        s.melds[i] += change(s, action, i)
    take(s, p, NATURALS[action])
    s.jokers[p] -= JOKERS[action]
    s.held[p] -= COST[action]
    pay(s, action)
    if not s.opened[p] and fresh_points(s) >= OPENING_POINTS and has_fresh_pure(s):
        s.opened[p] = 1


@jit
def pay(s: Row, action: int) -> None:
    """The cards that a step puts on the table are no longer owed; the joker of a swap is (rules 4.2)."""
    if s.owed >= 0 and has(NATURALS[action], PLACE[s.owed]):
        s.owed = -1
    s.owed_jokers = max(s.owed_jokers - JOKERS[action], 0)


def meld_cards(m: int) -> tuple[str, ...]:
    """A meld as text cards; a joker of a run with the card it stands for: `4h 5h JK(6h)`."""
    low, high = m >> LOW_AT & 15, m >> HIGH_AT & 15
    if m & SET:
        naturals = [RANKS[low - 1] + SUITS[suit] for suit in range(4) if m >> suit & 1]
        return (*naturals, *["JK"] * (high - len(naturals)))
    suit = SUITS[m >> SUIT_AT & 3]
    cards = [RANKS[(pos - 1) % 13] + suit for pos in range(low, high + 1)]
    return tuple(f"JK({card})" if m >> pos & 1 else card for pos, card in enumerate(cards, low))


def meld_of(cards: str) -> int:
    """The integer of a meld from text as `meld_cards` gives it: `4h 5h JK(6h)`, `7h 7d JK`. The shape is not checked."""
    texts = cards.split()
    kinds = [CARDS.index(text.removeprefix("JK(").removesuffix(")")) for text in texts]
    ranks = {kind % 13 for kind in kinds if kind != JOKER}
    low = 1 + min(kinds) % 13
    if len(ranks) == 1:
        suits = sum(1 << kind // 13 for kind in kinds if kind != JOKER)
        return SET | suits | low << LOW_AT | len(kinds) << HIGH_AT
    low = 1 + kinds[0] % 13
    jokers = sum(1 << (low + i) for i, text in enumerate(texts) if text.startswith("JK"))
    return jokers | kinds[0] // 13 << SUIT_AT | low << LOW_AT | (low + len(kinds) - 1) << HIGH_AT
