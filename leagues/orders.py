"""Circular orders as they were before `circles`: almost balanced at tables of 4, 6, 8, 9 and 10.

Stored runs that were played by them are still read by them. No new run is.
"""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=32)
def balanced_orders(places: int) -> tuple[tuple[int, ...], ...]:
    """Circular orders of the places 0, 1, ... that together are balanced.

    For a prime number of places the order j is 0, j, 2 j, ... (modulo the places), j = 1 .. places - 1: every
    ordered pair is adjacent exactly once. For other even numbers the rows of a row-complete Latin square
    (Williams 1949, Australian Journal of Scientific Research A 2, 149-168): once within the rows, and once
    more where the ends meet for a pair in (places - 1), as 4 and 6 places have no exact design (Tillson 1980,
    Journal of Combinatorial Theory B 29, 68-74). For other odd numbers the same rows and their mirror images:
    each pair twice within the rows.
    """
    if places < 2 or all(places % divisor for divisor in range(2, places)):
        steps = range(1, max(places, 2))
        return tuple(tuple(step * at % places for at in range(places)) for step in steps)
    zigzag = [(at + 1) // 2 if at % 2 else -(at // 2) for at in range(places)]
    rows = [tuple((place + row) % places for place in zigzag) for row in range(places)]
    return tuple(rows if places % 2 == 0 else [*rows, *(row[::-1] for row in rows)])
