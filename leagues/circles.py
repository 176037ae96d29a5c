"""Circular orders of a table in which everybody has everybody else on the left equally often.

Who sits left of whom moves results by more than close bots differ, and orders drawn one by one are balanced
only in the long run. Here some blocks in a row share a design, relabelled at random, so that every single
order is still as likely as any other: a split of all ordered pairs into circles (directed Hamiltonian cycles
of the complete graph). Tables of 4 and 6 have none (Tillson 1980, Journal of Combinatorial Theory B 29,
68-74); there every pair comes twice.
"""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=32)
def circles(places: int) -> tuple[tuple[int, ...], ...]:
    """Circular orders of the places 0, 1, ... in which everybody is left of everybody else once.

    At tables of 4 and 6 twice. Beyond 10 an even number has the rows of a row-complete Latin square (Williams
    1949, Australian Journal of Scientific Research A 2, 149-168): once within the rows, and once more where
    their ends meet for a pair in (places - 1).
    """
    if places in FOUND:
        return tuple(tuple(map(int, circle)) for circle in FOUND[places].split())
    if places % 2:
        return _odd(places)
    zigzag = _zigzag(places)
    return tuple(tuple((place + row) % places for place in zigzag) for row in range(places))


FOUND = {
    2: "01",
    4: "0123 0132 0213 0231 0312 0321",
    6: "012453 015423 021354 021435 032514 034152 043125 045231 051342 053241",
    8: "01423675 02516437 03124576 04635271 05472613 06532174 07341562",
    10: "9243501786 9576834120 9810267453 9031462758 9364705182 9607138425 9165230487 9408563721 9732806154",
}
"""For even numbers, found by search: those for 10 are three and their images under x -> x + 3 modulo 9."""


def _odd(places: int) -> tuple[tuple[int, ...], ...]:
    """Return both directions of Walecki's circles.

    The last place, then a zigzag through the others, turned step by step (Alspach 2008, The wonderful
    Walecki construction, Bulletin of the ICA 52, 7-20).
    """
    around, last = places - 1, places - 1
    zigzag = _zigzag(around)
    circles = [(last, *((at + turn) % around for at in zigzag)) for turn in range(around // 2)]
    return (*circles, *(circle[::-1] for circle in circles))


def _zigzag(places: int) -> list[int]:
    """0, 1, -1, 2, -2, ... modulo the places: its steps 1, -2, 3, ... are all different."""
    return [((at + 1) // 2 if at % 2 else -(at // 2)) % places for at in range(places)]
