"""What a format may know of a league beside its games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class LeagueField:
    """Who plays, and how much. Entrants are numbered from 0."""

    entrants: int
    seats: int
    deals: int  # deals that every entrant plays, on average
    # of every entrant, "" where nobody is named: bots of one owner are not seated together, unless there are
    # no others
    owners: tuple[str, ...] = ()
    candidates: tuple[int, ...] = ()  # of a gauntlet: those who are measured against the others
    joined: tuple[int, ...] = ()  # entrants that came after the start, in their order
    until: str = ""
    equal: float = 0.0  # Elo up to which two bots count as equal there

    def __post_init__(self) -> None:
        if len(set(self.owners)) == 1:  # nobody else is there whom they could harm
            object.__setattr__(self, "owners", ())

    def apart(self, members: Sequence[int]) -> bool:
        """Whether these may sit together: no owner has two different bots among them."""
        if not self.owners:
            return True
        owners = [self.owners[member] for member in set(members) if self.owners[member]]
        return len(set(owners)) == len(owners)

    def units(self) -> list[list[int]]:
        """Entrants that may not sit together are in one list."""
        by_owner: dict[str, list[int]] = {}
        for entrant in range(self.entrants):
            owner = self.owners[entrant] if self.owners else ""
            by_owner.setdefault(owner or f"/{entrant}", []).append(entrant)
        return list(by_owner.values())
