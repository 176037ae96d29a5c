"""The audit of a repeatable league: after a run, bots are asked again, each alone, about some of its matches.

In such a league a bot is a function of what it was shown and of its seed. Whoever answers otherwise knew
something in the match that was not in its view. It loses the match; with `MOST` such matches it loses all its
games of the run. Which matches are drawn is known to the run's secret alone.

A bot of a short run is drawn once or twice. So whoever answers otherwise once is asked about its other
matches too, until it has lost the run or the time for that is over (`MORE_S`, `MORE_SHARE`).
That time is each bot's own: friends who answer otherwise on purpose could use up a common one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..match.played import Moves, PlayedMatch
from ..match.setup import Again, MatchSetup
from ..printable import count
from .stages import deal_secret, setups

if TYPE_CHECKING:
    from ..cluster.driver import Cluster
    from ..store import Store
    from ..store.arrays import RunGames
    from ..store.models import Audit, LeagueRun

MOST = 3  # matches with another answer, from which on a bot loses the run
MORE_S = 60.0  # a worker's seconds for the other matches of each bot that answered otherwise, at least;
MORE_SHARE = 0.25  # and this share of what the matches of a bot have taken

Question = tuple[int, int]  # number of a match, place of the line-up


@dataclass(frozen=True)
class AuditDone:
    """What an audit did."""

    drawn: int  # times that a bot was asked about a match that was drawn
    more: int  # about another match, since it had answered otherwise
    more_s: float  # a worker's seconds that these took
    left: int  # matches of such bots that nobody was asked about, since time was over

    def __bool__(self) -> bool:
        """Whether anybody was asked, or should have been."""
        return self.drawn + self.more + self.left > 0

    def __str__(self) -> str:
        """Say it in a line."""
        told = f"asked bots again about {count(self.drawn, 'match')}"
        if self.more or self.left:
            told += f", and those that answered otherwise about {self.more} more ({self.more_s:.1f} s)"
        return f"{told}; time was over for {self.left} more" if self.left else told


def drawn(store: Store, run: LeagueRun, share: float) -> list[int]:
    """Return the matches of a run in which bots are asked again, by the run's secret."""
    secrets = [deal_secret(stage) for stage in store.runs.stages(run)]
    plans = store.runs.plans(run)
    return [one.number for one in plans if secrets[one.stage].number("audit", one.number) < share * 2**64]


def audit(store: Store, run: LeagueRun, cluster: Cluster) -> AuditDone:
    """Ask bots of a repeatable run again, and store what they answer; nobody is asked twice about a match."""
    return _Audit(store, run, cluster).ask(drawn(store, run, run.definition.audit))


class _Audit:
    """One audit of a run: what is known so far, and who is asked next."""

    def __init__(self, store: Store, run: LeagueRun, cluster: Cluster) -> None:
        self._store, self._run, self._cluster = store, run, cluster
        self._plans = store.runs.plans(run)
        audits = store.runs.audits(run)
        self._known = {(one.match, one.place) for one in audits}
        self._other = Counter(one.entrant for one in audits if one.now)  # matches by entrant
        self._spent_s: defaultdict[int, float] = defaultdict(float)  # by entrant

    def ask(self, numbers: Sequence[int]) -> AuditDone:
        """Ask all bots of these matches, then those that answered otherwise about their other ones."""
        places = range(self._run.definition.players)
        first = self._play([(number, place) for place in places for number in numbers], lambda one: True)
        entrants = len({entrant for plan in self._plans for entrant in plan.line_up}) or 1
        limit_s = max(MORE_S, MORE_SHARE * self._store.matches.wall_s(self._run) * len(places) / entrants)
        self._spent_s.clear()

        def is_open(question: Question) -> bool:
            number, place = question
            entrant = self._plans[number].line_up[place]
            return self._other[entrant] < MOST and self._spent_s[entrant] < limit_s

        more = self._play(self._of_others(), is_open)
        return AuditDone(first, more, sum(self._spent_s.values()), len(self._of_others()))

    def _of_others(self) -> list[Question]:
        """Return what bots were not asked yet that answered otherwise, and have not lost the run."""
        return [
            (plan.number, place)
            for plan in self._plans
            for place, entrant in enumerate(plan.line_up)
            if 0 < self._other[entrant] < MOST and (plan.number, place) not in self._known
        ]

    def _play(self, questions: Sequence[Question], wanted: Callable[[Question], bool]) -> int:
        """Ask all that is `wanted` when its turn comes; returns how often a bot was asked."""
        playing: set[int] = set()
        asked = 0
        for played in self._cluster.play(self._setups(questions, wanted, playing), self._store.bots.source):
            assert played.answered is not None
            place, entrant = played.answered.place, played.line_up[played.answered.place]
            playing.discard(self._block(played.number))
            self._store.runs.add_audit(self._run, played.number, entrant, played.answered)
            self._known.add((played.number, place))
            self._other[entrant] += bool(played.answered.now)
            self._spent_s[entrant] += played.wall_s
            asked += 1
        return asked

    def _setups(
        self, questions: Sequence[Question], wanted: Callable[[Question], bool], playing: set[int]
    ) -> Iterator[MatchSetup | None]:
        """Bots of matches with the same deals are not asked at the same time: they could tell each other."""
        left = [one for one in questions if one not in self._known]
        while left:
            free = (at for at, (number, _) in enumerate(left) if self._block(number) not in playing)
            at = next(free, None)
            if at is None:
                yield None
                continue
            number, place = left.pop(at)
            if not wanted((number, place)):
                continue
            match = next(self._store.matches.all(self._run, [number]))
            if match.decisions[place]:
                playing.add(self._block(number))
                setup = next(setups(self._store, self._run, [self._plans[number]]))
                yield replace(setup, again=_record(match, place))
            else:
                self._known.add((number, place))

    def _block(self, number: int) -> int:
        return self._plans[number].first_block


def _record(match: PlayedMatch, place: int) -> Again:
    lost = sorted((one.game, one.seat, one.decision, one.kind) for one in match.forfeits)
    dead = tuple(sorted({one.place for one in match.forfeits if not match.decisions[one.place]}))
    return Again(place, Moves.of(match.moves), tuple(lost), dead, match.cpu_s[place], match.slept_s[place])


def with_losses(games: RunGames, audits: Sequence[Audit]) -> RunGames:
    """Return the games of a run as they count after the audits.

    Whoever answered otherwise has lost them, by faults of kind "repeat".
    """
    faults = [Counter(kinds) for kinds in games.faults]
    otherwise = {(one.match, one.entrant) for one in audits if one.now}
    times = Counter(entrant for _, entrant in otherwise)
    lost = games.lost.copy()
    for entrant, matches in times.items():
        mine = games.entrant == entrant
        if matches < MOST:
            own = [match for match, who in otherwise if who == entrant]
            mine &= np.isin(games.match, own)[:, None]
        faults[entrant]["repeat"] = int((mine & ~games.lost).sum())
        lost |= mine
    return replace(games, lost=lost, faults=faults)


def told(run: LeagueRun, audits: Sequence[Audit], labels: Sequence[str]) -> list[str]:
    """Say what came of asking bots again, for the notes of a table."""
    other = Counter(one.entrant for one in audits if one.now)
    if not other:
        return []
    asked = Counter(one.entrant for one in audits)
    what = f"{len(audits)} times a bot of {run.label} was asked again, alone, about a match"
    lines = [f"{what}: {sum(other.values())} times it answered otherwise"]
    for entrant, times in sorted(other.items()):
        lost = "all its games" if times >= MOST else f"{times} match(es)"
        why = f"it answered otherwise in {times} of {count(asked[entrant], 'match')} when it was asked again"
        lines.append(f"{labels[entrant]} has lost {lost} of {run.label}: {why}")
    return lines
