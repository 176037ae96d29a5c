"""Jolly Zoliky: is there a plan for a Jolly turn? A quick answer that spares the look-ahead most searches.

In a Jolly turn all naturals but one must find a place [4.4]. The plan leaves out the order of the steps,
which of two like melds is the oldest, the points of the opening, and where spare jokers go: without a plan
there is no completion. The lowest natural of a suit is placed first, so that it has few ways: on a run end,
with at most one card between (three cards to a run end are a new run), in a set, in a joker's stead, in a new
run as its lowest natural, in a new set; or it is kept. Not here: the search over steps that settles a
position for good (`lookahead`).

The plan changes no answer, only how long the search takes. Random play hardly meets the difference; a table
with many melds does. Of the hardest positions in `positions`, the legal actions of "Jolly turn" take 1.4 ms
with the plan and 63 ms without, those of "Jolly turn, open" 12 ms and 159 s. `too_needy` alone, without
the search over ways, does not help there. `tests/engines/zoliky/test_lookahead.py` counts what is spared.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import I64, NOBODY, U64, Row, bit, cleared, count, has, jit, lowest, scratch
from .hands import folded, mirrored, set_ranks
from .melds import SET, end_bits, has_fresh_pure, high_end, lacking, meld_jokers, run_jokers
from .memo import OPEN_QUESTION, YES, key_of, mix, recall, remember
from .state import ACES, ALL_LANES, MOST_HELD, PLACE, POSITIONS

# --- what cards can go where --------------------------------------------------------------------------------


@jit
def in_new_meld(hand: int, jokers: int) -> int:
    """Naturals of a mask that can lie in a new meld with the others and 0, 1, 2 or more jokers."""
    if jokers >= 2:
        return hand
    cells = mirrored(hand)
    if jokers == 1:
        in_runs = cells & (cells << 1 | cells >> 1 | cells << 2 | cells >> 2)
    else:
        run = cells & cells >> 1 & cells >> 2
        in_runs = run | run << 1 | run << 2
    return hand & (folded(in_runs) | set_ranks(hand, jokers) * ALL_LANES)


@jit
def chained(cells: int, hi: int, lo: int, jokers: int) -> int:
    """Find the positions of a mirrored hand that continue runs on the table."""
    up, down = hi & cells, lo & cells
    if jokers > 0:
        up, down = up | hi << 1 & cells, down | lo >> 1 & cells
    before = I64(-1)
    while before != up | down:
        before = up | down
        up, down = up | up << 1 & cells, down | down >> 1 & cells
        if jokers > 0:
            up, down = up | up << 2 & cells, down | down >> 2 & cells
    return up | down


# --- the ways of a natural ----------------------------------------------------------------------------------

HI, LO, NEW = 0, 1, 2
RUN, NEW_SET, ON_SET, IN_STEAD, KEEP = range(5)


class Way(NamedTuple):
    """A way to place a natural. A run is drawn as four places: n a natural of the hand, J a joker.

    The second place is the natural itself, which is the lowest of its suit; of an ace above the king it is
    the fourth.
    """

    kind: int
    run: str = "...."
    side: int = NEW  # the run end on the table to which these cards are laid
    top: bool = False  # an ace above the king
    partners: int = 0  # the next suits, as bits, whose naturals lie in the new set


WAYS = (
    Way(RUN, ".n..", HI),
    Way(RUN, ".n..", LO),
    Way(ON_SET),
    Way(IN_STEAD),
    Way(RUN, ".nnn"),
    *(Way(NEW_SET, partners=partners) for partners in (0b011, 0b101, 0b110, 0b111)),
    Way(KEEP),
    Way(RUN, ".nn.", LO),
    Way(RUN, "Jn..", HI),
    Way(RUN, ".nJ.", LO),
    Way(RUN, ".nJn"),
    Way(RUN, ".nnJ"),
    Way(RUN, "Jnn."),
    Way(RUN, "JnJ."),
    *(Way(NEW_SET, partners=partners) for partners in (0b001, 0b010, 0b100, 0b000)),
    Way(RUN, "...n", HI, top=True),
    Way(RUN, "..nn", HI, top=True),
    Way(RUN, ".nnn", top=True),
    Way(RUN, "..Jn", HI, top=True),
    Way(RUN, ".Jnn", top=True),
    Way(RUN, ".nJn", top=True),
)
"""Those without jokers first: a plan is found soon."""


def _places(way: Way, marks: str) -> int:
    """Return the places of a picture that show one of these marks, as bits."""
    return sum(1 << i for i, mark in enumerate(way.run) if mark in marks)


def _end(way: Way) -> int:
    """Return the place that lies at the run end on the table, as a bit; 0 for a new run."""
    cards = _places(way, "nJ")
    return 0 if way.side == NEW else cards & -cards if way.side == HI else 1 << cards.bit_length() - 1


def _column(values: Any) -> NDArray[np.int64]:
    return np.array(list(values), np.int64)


KIND = _column(way.kind for way in WAYS)
SIDE = _column(way.side for way in WAYS)
BASE = _column(10 if way.top else -1 for way in WAYS)  # from the natural's bit to the picture's first place
NATURALS = _column(_places(way, "n") for way in WAYS)
JOKERS = _column(
    _places(way, "J") if way.kind == RUN else max(0, 2 - way.partners.bit_count()) for way in WAYS
)
"""Of a run the places of its jokers, of a new set how many it needs."""
END = _column(_end(way) for way in WAYS)
PARTNERS = _column(way.partners for way in WAYS)
RUN_WAYS = _column(i for i, way in enumerate(WAYS) if way.kind == RUN)
SET_WAYS: NDArray[np.int64] = np.array(
    [
        [
            sum(
                1 << i
                for i, w in enumerate(WAYS)
                if w.kind == NEW_SET and w.partners & ~held == 0 and JOKERS[i] <= jokers
            )
            for jokers in range(3)
        ]
        for held in range(8)
    ],
    np.int64,
)
"""The ways into a new set, as bits, by the partners in hand and 0, 1, 2 or more jokers."""
ON_SET_WAY, IN_STEAD_WAY, KEEP_WAY = (
    1 << [way.kind for way in WAYS].index(kind) for kind in (ON_SET, IN_STEAD, KEEP)
)

# --- a level of the plan ------------------------------------------------------------------------------------

LEVEL = np.dtype(
    [  # pairs of masks: what is there once, what is there twice
        ("hand", np.int64, 2),
        ("ends", np.int64, (2, 2)),  # positions that run ends take, upper (HI) and lower (LO)
        ("joker_ends", np.int64, (2, 2)),  # those of them where a joker may lie instead
        ("in_set", np.int64, 2),  # naturals that sets of 3 take
        ("in_stead", np.int64, 2),  # naturals that free a joker
        ("second", np.int64),  # naturals that free a joker of a set of 3 once another one lies there
        ("owed", np.int64),  # a natural that cannot be kept
        ("spare", np.int64),  # jokers
        ("kept", np.int64),  # 1: a natural is kept; until then a joker must be
        ("card", np.int64),  # the natural to be placed
        ("ways", np.int64),  # those it may still go, as bits
    ],
    align=True,
)
LEVELS = MOST_HELD + 3  # the last for a copy of the first
BUDGET = 4096  # levels; a plan that is not refuted by then counts as found


@jit
def add(pair: Any, cards: int) -> None:
    """Add cards to a pair of masks (once, twice)."""
    pair[1] |= pair[0] & cards
    pair[0] |= cards


@jit
def remove(pair: Any, cards: int) -> None:
    """Remove cards from a pair of masks (once, twice)."""
    twice = cards & pair[1]
    pair[1] &= ~twice
    pair[0] &= twice | ~cards


@jit
def first_level(s: Row, level: Any) -> None:
    """Write what the hand holds and the table takes into `level`."""
    p = s.seat
    level.hand[0], level.hand[1], level.spare = s.hand[p], s.twice[p], s.jokers[p] - 1
    if s.owed != NOBODY:
        level.owed = bit(PLACE[s.owed]) & ~s.twice[p]
    for i in range(s.n_melds):
        m = s.melds[i]
        if m & SET:
            count_set(level, m)
        else:
            count_run(level, m)


@jit
def count_set(level: Any, m: int) -> None:
    """Count what a set on the table takes."""
    if high_end(m) == 4:
        add(level.in_stead, lacking(m))
        return
    add(level.in_set, lacking(m))
    if meld_jokers(m) > 0:
        level.second |= lacking(m)


@jit
def count_run(level: Any, m: int) -> None:
    """Count what a run on the table takes."""
    stuck = run_jokers(m) & ~mirrored(level.hand[0])
    above, below = end_bits(m)
    add(level.in_stead, folded(run_jokers(m)))
    open_end(level, I64(HI), above, stuck & above >> 1 == 0)
    open_end(level, I64(LO), below, stuck & below << 1 == 0)


@jit
def open_end(level: Any, side: int, position: int, takes_joker: bool) -> None:
    """Add a run end that takes the natural of this position, or a joker."""
    add(level.ends[side], position & POSITIONS)
    if takes_joker:
        add(level.joker_ends[side], position & POSITIONS)


# --- which ways are open ------------------------------------------------------------------------------------


@jit
def open_ways(level: Any, x: int) -> int:
    """Return the ways that a natural, the lowest one of its suit, may go, as bits."""
    jokers = jokers_to_come(level) + 1 - level.kept  # none need be kept if a natural is
    ways = run_ways(level, x, jokers) | SET_WAYS[partners_of(level.hand[0], x), min(jokers, 2)]
    if level.in_set[0] & x:
        ways |= ON_SET_WAY
    if level.in_stead[0] & x:
        ways |= IN_STEAD_WAY
    if not level.kept and not level.owed & x:
        ways |= KEEP_WAY
    return ways


@jit
def run_ways(level: Any, x: int, jokers: int) -> int:
    """Return the ways of a natural into runs, as bits: those whose naturals, jokers and run end are there."""
    cells, at, ways = mirrored(level.hand[0]), lowest(x), I64(0)
    for way in RUN_WAYS:
        base = at + BASE[way]
        if base > at and not x & ACES:
            break
        side, end = SIDE[way], END[way] << base
        at_end = side == NEW or (level.joker_ends if END[way] & JOKERS[way] else level.ends)[side, 0] & end
        fits = NATURALS[way] & ~(cells >> base) == 0 and JOKERS[way] & ~(POSITIONS >> base) == 0
        if fits and at_end and count(JOKERS[way]) <= jokers:
            ways |= bit(way)
    return ways


@jit
def partners_of(hand: int, x: int) -> int:
    """Which of the next three suits (bits 0 - 2) have a natural of the rank of x in hand."""
    at = lowest(x)
    return (
        I64(has(hand, at + 16 & 63)) | I64(has(hand, at + 32 & 63)) << 1 | I64(has(hand, at + 48 & 63)) << 2
    )


@jit
def jokers_to_come(level: Any) -> int:
    """Bound on the jokers that can be spared, with those that the hand can still free."""
    hand, in_stead = level.hand, level.in_stead
    return level.spare + count(hand[0] & (in_stead[0] | level.second)) + count(hand[1] & in_stead[1])


# --- does the hand need more jokers than it can have? -------------------------------------------------------


@jit
def too_needy(level: Any) -> bool:
    """Whether the hand needs more jokers than it can have.

    A needy natural takes a share of a joker, a lonely one two jokers. One natural may be kept, then no joker
    must be.
    """
    needy = needy_cards(level)
    lonely = needy & ~beside_a_joker(level)
    needs, jokers = 2 * count(lonely) + joker_groups(needy & ~lonely), jokers_to_come(level)
    if needs <= jokers:
        return False
    if level.kept:
        return True
    saved = 2 if lonely & ~level.owed else 1
    return needs - saved > jokers + 1


@jit
def needy_cards(level: Any) -> int:
    """Find the naturals that need a joker."""
    hand = level.hand[0]
    at_ends = folded(chained(mirrored(hand), level.ends[HI, 0], level.ends[LO, 0], I64(0)))
    return hand & ~(level.in_set[0] | level.in_stead[0] | level.second | at_ends | in_new_meld(hand, I64(0)))


@jit
def beside_a_joker(level: Any) -> int:
    """Naturals that one joker helps into a new meld, or over a gap to a run end."""
    hand = level.hand[0]
    over_gap = mirrored(hand) & (level.joker_ends[HI, 0] << 1 | level.joker_ends[LO, 0] >> 1)
    return in_new_meld(hand, I64(1)) | folded(over_gap)


@jit
def joker_groups(needy: int) -> int:
    """Bound from below how many jokers these naturals need."""
    groups = I64(0)
    while needy != 0:
        groups += 1
        x = needy & -needy
        needy &= ~(near_above(x) | ALL_LANES << (lowest(x) & 15))
    return groups


@jit
def near_above(x: int) -> int:
    """Return a natural and the four positions above it; of an ace the four below it as the highest card, too.

    A joker has at most two hand cards on each side, `n n J n n`: it joins cards at most 4 apart.
    """
    near = x | x << 1 | x << 2 | x << 3 | x << 4
    return near | I64(0x7C00) << (lowest(x) - 1) if x & ACES else near


# --- to go a way --------------------------------------------------------------------------------------------


@jit
def go(level: Any, way: int) -> None:
    """Place the natural of this level this way."""
    x, kind = level.card, KIND[way]
    if kind == KEEP:
        level.kept = 1
        lay(level, x, I64(-1))
        return
    level.owed &= ~x
    if kind == RUN:
        lay_run(level, way, lowest(x) + BASE[way])
    elif kind == NEW_SET:
        lay(level, x | partner_cards(x, PARTNERS[way]), JOKERS[way])
    elif kind == ON_SET:
        lay_on_set(level, x)
    else:
        remove(level.in_stead, x)
        lay(level, x, I64(-1))


@jit
def lay(level: Any, cards: int, jokers: int) -> None:
    """Take these positions and jokers out of the hand."""
    remove(level.hand, folded(cards))
    level.spare -= jokers


@jit
def lay_run(level: Any, way: int, base: int) -> None:
    """Lay the cards of a picture at this place: one end is used up, or none, and new ones are there."""
    side, naturals, jokers = SIDE[way], NATURALS[way] << base, JOKERS[way] << base
    lay(level, naturals, count(jokers))
    if side != NEW:
        use_end(level, side, END[way] << base, END[way] & JOKERS[way] != 0)
    above, below = ends_of(naturals | jokers)
    if side != LO:
        open_end(level, I64(HI), above, jokers & above >> 1 == 0)
    if side != HI:
        open_end(level, I64(LO), below, jokers & below << 1 == 0)


@jit
def ends_of(cards: int) -> tuple[int, int]:
    """Return the positions above and below cards that lie in a row."""
    return cards << 1 & ~cards, cards >> 1 & ~cards


@jit
def use_end(level: Any, side: int, end: int, joker: bool) -> None:
    """Use up a run end: the one with a joker there if only a natural is laid."""
    remove(level.ends[side], end)
    if joker:
        remove(level.joker_ends[side], end)
    for i in range(2):
        level.joker_ends[side, i] &= level.ends[side, i]


@jit
def lay_on_set(level: Any, x: int) -> None:
    """Lay a natural on a set of 3: its jokers can be swapped from now on."""
    rank = ALL_LANES << (lowest(x) & 15)
    lay(level, x, I64(0))
    remove(level.in_set, x)
    add(level.in_stead, level.second & rank & ~x)
    level.second &= ~rank


@jit
def partner_cards(x: int, partners: int) -> int:
    """Return the naturals of the rank of x in these of the next three suits (bits 0 - 2)."""
    at, cards = lowest(x), I64(0)
    for k in range(3):
        if has(partners, k):
            cards |= bit(at + 16 * (k + 1) & 63)
    return cards


# --- the search ---------------------------------------------------------------------------------------------


@jit
def look_on(level: Any) -> bool:
    """Choose the natural with the fewest ways; False if the jokers cannot do."""
    if too_needy(level):
        return False
    forget(level)
    fewest = I64(64)
    for suit in range(4):
        lane = level.hand[0] & I64(0x3FFE) << (16 * suit)
        if lane != 0:
            ways = open_ways(level, lane & -lane)
            if count(ways) < fewest:
                level.card, level.ways, fewest = lane & -lane, ways, count(ways)
    return True


@jit
def forget(level: Any) -> None:
    """Drop what the hand cannot use, so that levels which mean the same are the same."""
    cells = mirrored(level.hand[0])
    for i in range(2):
        level.ends[HI, i] &= cells | cells >> 1
        level.ends[LO, i] &= cells | cells << 1
        level.joker_ends[HI, i] &= cells >> 1
        level.joker_ends[LO, i] &= cells << 1
        level.in_set[i] &= level.hand[i]
        level.in_stead[i] &= level.hand[i]
    level.second &= level.hand[0]
    level.card = level.ways = 0


@jit
def level_key(level: Any) -> Any:
    """All that decides a level as a key of the table."""
    key = mix(U64(level.second)) + U64(level.owed)
    for i in range(2):
        key = mix(key + U64(level.hand[i]))
        key = mix(key + U64(level.in_set[i]))
        key = mix(key + U64(level.in_stead[i]))
        for side in range(2):
            key = mix(key + U64(level.ends[side, i]))
            key = mix(key + U64(level.joker_ends[side, i]))
    return key_of(mix(key + U64(2 * level.spare + level.kept + 16)))


@jit
def has_plan(s: Row, memo: Any) -> bool:
    """Whether the hand of a Jolly turn could go out at all; if not, the turn cannot be completed [4.4]."""
    levels, keys = scratch(LEVELS, LEVEL), scratch(LEVELS, np.uint64)
    levels[0] = cleared(1, LEVEL)[0]
    first_level(s, levels[0])
    if s.opened[s.seat] or has_fresh_pure(s):
        return plan_from(levels, keys, memo)
    cells = mirrored(s.hand[s.seat])
    levels[LEVELS - 1] = levels[0]
    starts = cells & cells >> 1 & cells >> 2
    while starts != 0:
        levels[0] = levels[LEVELS - 1]
        lay_pure_run(levels[0], starts & -starts)
        if plan_from(levels, keys, memo):
            return True
        starts &= starts - 1
    return False


@jit
def lay_pure_run(level: Any, x: int) -> None:
    """Lay the run of three that begins at a position."""
    cards = x | x << 1 | x << 2
    level.owed &= ~folded(cards)
    lay(level, cards, I64(0))
    above, below = ends_of(cards)
    open_end(level, I64(HI), above, True)
    open_end(level, I64(LO), below, True)


@jit
def plan_from(levels: Any, keys: Any, memo: Any) -> bool:
    """Whether the naturals of the first level can be placed, depth first, with a table of settled levels."""
    if not look_on(levels[0]):
        return False
    d = I64(0)
    keys[0] = level_key(levels[0])
    answer = recall(memo, keys[0])
    for _ in range(BUDGET):
        if answer == OPEN_QUESTION and levels[d].hand[0] == 0 and levels[d].spare >= 0:
            answer = YES
        if answer == YES:
            for i in range(d):
                remember(memo, keys[i] | U64(1))
            return True
        if answer == OPEN_QUESTION and next_way(levels, d):
            d += 1
            keys[d] = level_key(levels[d])
            answer = recall(memo, keys[d])
            continue
        if answer == OPEN_QUESTION:
            remember(memo, keys[d])
        if d == 0:
            return False
        d -= 1
        answer = OPEN_QUESTION
    return True


@jit
def next_way(levels: Any, d: int) -> bool:
    """Go the next way that is left for the natural of level d, to level d + 1; False if none leads on."""
    level = levels[d]
    while level.ways != 0:
        way = lowest(level.ways)
        level.ways &= level.ways - 1
        levels[d + 1] = level
        go(levels[d + 1], way)
        if look_on(levels[d + 1]):
            return True
    return False
