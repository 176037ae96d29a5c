"""Balanced line-ups: every pair of entrants meets equally often, or nearly so, in few line-ups.

The entrants are the numbers of a circle (modulo m), and a line-up stands for all that come from it by adding
1, 2, ... to its members: everybody plays equally often, and how often two entrants meet depends on their
difference alone. So a few **base** line-ups are to be found whose differences are spread evenly (Bose 1939,
On the construction of balanced incomplete block designs, Annals of Eugenics 9). One entrant may be fixed,
outside the circle. Where the differences come out exactly even, this is a design: the planes of 7, 9, 13, 16,
21 and 25 entrants are found so.

How many line-ups a league can have is not known here; that is `schedule`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
TRIES = 24  # starts of the search for base line-ups


@dataclass(frozen=True)
class Design:
    """What line-ups are developed from."""

    entrants: int
    seats: int
    # base line-ups without the fixed entrant; each gives one line-up for every number of the circle
    full: int
    fixed: int  # base line-ups with the fixed entrant (the last one); with them the circle is one shorter
    short: bool  # whether the line-ups of evenly spaced members come on top
    outside: bool  # whether there is a fixed entrant

    @property
    def circle(self) -> int:
        """Numbers that go round."""
        return self.entrants - self.outside

    @property
    def spaced(self) -> int:
        """Members of a line-up that are evenly spaced on the circle."""
        return self.seats - self.outside

    @property
    def line_ups(self) -> int:
        """How many line-ups there are."""
        short = self.circle // self.spaced if self.short else 0
        return self.circle * (self.full + self.fixed) + short


def designs(entrants: int, seats: int, most: int) -> Iterator[Design]:
    """Designs of up to `most` line-ups in which everybody plays equally often; 2 to entrants - 1 seats."""
    for full in range(1, most // (entrants - 1) + 1):
        for short in (False, True):
            found = [_with_one_fixed(entrants, seats, full, short)]
            if not short or entrants % seats == 0:  # evenly spaced line-ups fit on a circle of all entrants
                found.insert(0, Design(entrants, seats, full, 0, short, outside=False))
            yield from (design for design in found if design is not None and design.line_ups <= most)


def _with_one_fixed(entrants: int, seats: int, full: int, short: bool) -> Design | None:
    """One entrant outside the circle; None: it cannot play as often as the others."""
    circle = entrants - 1
    if short and (seats == 2 or circle % (seats - 1)):
        return None
    alone = circle // (seats - 1) if short else 0  # it plays fixed * circle + alone line-ups,
    # the others full * seats + fixed * (seats - 1) + short
    fixed, rest = divmod(full * seats + short - alone, circle - seats + 1)
    fits = rest == 0 and fixed >= 0 and fixed + short > 0
    return Design(entrants, seats, full, fixed, short, outside=True) if fits else None


def developed(design: Design) -> Ints:
    """Return the most even line-ups that are found for a design, [line-ups, seats], always the same."""
    circle, steps = design.circle, np.arange(design.circle)
    made = []
    for base in _base(design):
        moved = (base + steps[:, None]) % circle
        made.append(_with_fixed(moved, design) if len(base) < design.seats else moved)
    if design.short:
        apart = circle // design.spaced
        even = np.arange(design.spaced) * apart + np.arange(apart)[:, None]
        made.append(_with_fixed(even, design) if design.outside else even)
    return np.concatenate(made)


def _with_fixed(moved: Ints, design: Design) -> Ints:
    """Return these line-ups with the fixed entrant, which has the last number."""
    return np.column_stack([moved, np.full(len(moved), design.entrants - 1)])


def _base(design: Design) -> list[Ints]:
    """Return base line-ups whose differences are as even as a few descents from random starts make them.

    The first one always has 0 and 1, so that all entrants hang together.
    """
    sizes = [design.seats] * design.full + [design.seats - 1] * design.fixed
    rng = np.random.default_rng([design.entrants, *sizes])
    met, weight = _short_meetings(design)
    pairs = sum(size * (size - 1) // 2 for size in sizes)
    even = (2 * pairs + met[1:] @ (3 - weight[1:])) % (design.circle - 1) == 0  # a design could exist
    best, spread = list[Ints](), 0
    for _ in range(TRIES):
        base = [rng.permutation(design.circle)[:size] for size in sizes]
        base[0] = np.concatenate([[0, 1], 2 + rng.permutation(design.circle - 2)[: design.seats - 2]])
        counts = _descend(base, met, weight, design.circle)
        if not best or np.ptp(counts) < spread:
            best, spread = base, int(np.ptp(counts))
        if spread <= (0 if even else 1):
            break
    return best


def _short_meetings(design: Design) -> tuple[Ints, Ints]:
    """Count by difference how often two places meet.

    In the evenly spaced line-ups, and by one difference of a base line-up (twice at half the circle).
    """
    half = design.circle // 2
    met, weight = np.zeros(half + 1, np.int64), np.ones(half + 1, np.int64)
    if design.circle % 2 == 0:
        weight[half] = 2
    if design.short:
        apart = design.circle // design.spaced
        met[apart::apart] = 1
    return met, weight


def _descend(base: list[Ints], met: Ints, weight: Ints, circle: int) -> Ints:
    """Exchange members of base line-ups, each for the best number, until nothing gets more even.

    Args:
        met: by difference, meetings that are there anyway.
        weight: by difference, meetings that one more makes.

    Returns:
        How often two entrants of each difference meet, from difference 1 on.
    """
    fold = np.minimum(np.arange(circle), circle - np.arange(circle))
    numbers = np.arange(circle)
    counts = np.zeros(len(met), np.int64)
    for members in base:
        of, to = np.triu_indices(len(members), 1)
        np.add.at(counts, fold[(members[of] - members[to]) % circle], 1)
    better = True
    while better:
        better = False
        for number, members in enumerate(base):
            for at in range(2 if number == 0 else 0, len(members)):
                others = np.delete(members, at)
                left = counts.copy()
                np.subtract.at(left, fold[(members[at] - others) % circle], 1)
                after = np.repeat(left[None, :], circle, axis=0)  # [number that comes, difference]
                np.add.at(after, (numbers[:, None], fold[(numbers[:, None] - others) % circle]), 1)
                # squares of meetings over all pairs: half the circle has half the pairs
                cost = ((met + weight * after) ** 2 @ (3 - weight)).astype(np.int64)
                cost[others] = np.iinfo(np.int64).max
                best = int(np.argmin(cost))
                if cost[best] < cost[members[at]]:
                    members[at], counts, better = best, after[best], True
    return (met + weight * counts)[1:]
