"""Choose which claimed match is played next, so that the same deals are not played at once or in a row."""

from __future__ import annotations

from collections import Counter, deque
from heapq import heapify, heappop, heappush
from itertools import count

from ..match.setup import MatchSetup

FRESH, LATELY, PLAYING = range(3)  # what is known of deals, the better the sooner


class Ready:
    """Matches that are claimed and not yet played, in the order in which they came.

    Bots of two matches at the same time, or one after the other on one worker, should not be asked about the
    same deals. A choice costs the logarithm of what waits: a large cluster has thousands of matches out.
    """

    def __init__(self) -> None:
        self._waiting: dict[int, deque[tuple[int, MatchSetup]]] = {}  # by deals, with when they came
        self._first: tuple[list[tuple[int, int]], ...] = (
            [],
            [],
            [],
        )  # heaps of when and deals, by what is known
        self._out: dict[int, int] = {}  # number and deals of matches that are being played
        self._playing: Counter[int] = Counter()  # how many of those have the deals
        self._lately: deque[int] = deque()  # deals of those that were played last
        self._late: Counter[int] = Counter()  # and how often they are there
        self._came, self._many = count(), 0

    def __len__(self) -> int:
        return self._many

    def add(self, setup: MatchSetup, deals: int) -> None:
        """Take a match; `deals` is equal for matches with the same deals."""
        self._waiting.setdefault(deals, deque()).append((next(self._came), setup))
        self._many += 1
        self._offer(deals)

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
            deals = self._lately.popleft()
            _take_one(self._late, deals)
            self._offer(deals)
        for known, heap in enumerate(self._first):
            while heap:
                came, deals = heappop(heap)
                waiting = self._waiting.get(deals)
                if waiting and waiting[0][0] == came and self._known(deals) == known:
                    return self._play(deals)
        raise IndexError("no match is ready")

    def ended(self, number: int) -> None:
        """Note that a match is not played any more."""
        if (deals := self._out.pop(number, None)) is not None:
            _take_one(self._playing, deals)
            self._lately.append(deals)
            self._late[deals] += 1
            self._offer(deals)

    def _play(self, deals: int) -> MatchSetup:
        waiting = self._waiting[deals]
        _, setup = waiting.popleft()
        self._many -= 1
        if not waiting:
            del self._waiting[deals]
        self._out[setup.number] = deals
        self._playing[deals] += 1
        self._offer(deals)
        return setup

    def _known(self, deals: int) -> int:
        return PLAYING if deals in self._playing else LATELY if deals in self._late else FRESH

    def _offer(self, deals: int) -> None:
        """Put the first match with these deals among those of which as much is known.

        Where it was before, it is passed over.
        """
        if waiting := self._waiting.get(deals):
            heap = self._first[self._known(deals)]
            heappush(heap, (waiting[0][0], deals))
            if len(heap) > 4 * len(self._waiting) + 64:  # most were passed over
                heap[:] = {(of[0][0], deals) for deals, of in self._waiting.items()}
                heapify(heap)


def _take_one(counted: Counter[int], one: int) -> None:
    counted[one] -= 1
    if not counted[one]:
        del counted[one]
