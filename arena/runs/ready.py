"""Choose which claimed match is played next, so that the same deals are not played at once or in a row."""

from __future__ import annotations

from collections import deque

from ..match.setup import MatchSetup


class Ready:
    """Matches that are claimed and not yet played, in the order in which they came.

    Bots of two matches at the same time, or one after the other on one worker, should not be asked about the
    same deals.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[MatchSetup, int]] = []  # with their deals
        self._playing: dict[int, int] = {}  # number and deals
        self._lately: deque[int] = deque()  # deals of those that were played last

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, setup: MatchSetup, deals: int) -> None:
        """Take a match; `deals` is equal for matches with the same deals."""
        self._waiting.append((setup, deals))

    def next(self, lately: int) -> MatchSetup:
        """Return the match to play now.

        It is the first whose deals nobody plays now or has just played, if there is one; else one whose deals
        nobody plays now; else the first.

        Args:
            lately: so many matches that have ended count as just played.

        Raises:
            IndexError: there is none.
        """
        while len(self._lately) > lately:
            self._lately.popleft()
        playing = set(self._playing.values())
        known = playing.union(self._lately)
        places = range(len(self._waiting))
        at = next((at for at in places if self._waiting[at][1] not in known), None)
        if at is None:
            at = next((at for at in places if self._waiting[at][1] not in playing), 0)
        setup, deals = self._waiting.pop(at)
        self._playing[setup.number] = deals
        return setup

    def ended(self, number: int) -> None:
        """Note that a match is not played any more."""
        if (deals := self._playing.pop(number, None)) is not None:
            self._lately.append(deals)
