"""The audit of a repeatable league: after a run, bots are asked again, each alone, about some of its matches.

In such a league a bot is a function of what it was shown and of its seed. Whoever answers otherwise knew
something in the match that was not in its view. It loses the match; with `MOST` such matches it loses all its
games of the run. Which matches are drawn is known to the run's secret alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..match.played import PlayedMatch
from ..match.setup import Again, MatchSetup
from ..moves import Moves
from .plans import deal_secret, setups

if TYPE_CHECKING:
    from ..cluster.driver import Cluster
    from ..store import Store
    from ..store.matches import RunGames
    from ..store.models import Audit, LeagueRun

MOST = 3  # matches with another answer, from which on a bot loses the run


def drawn(store: Store, run: LeagueRun, share: float) -> list[int]:
    """The matches of a run in which bots are asked again, by the run's secret."""
    secrets = [deal_secret(stage) for stage in store.stages(run)]
    plans = store.plans(run)
    return [one.number for one in plans if secrets[one.stage].number("audit", one.number) < share * 2**64]


def audit(
    store: Store,
    run: LeagueRun,
    cluster: Cluster,
    share: float | None = None,
    on_answer: Callable[[], None] = lambda: None,
) -> int:
    """Ask bots of a repeatable run again, and store what they answer; nobody is asked twice about a match.

    Args:
        store: where the run is.
        run: all its matches are stored.
        cluster: where they are asked.
        share: of the matches; default: the league's.
        on_answer: called after a bot was asked about a match.

    Returns:
        How many bots were asked, each about one match.

    Raises:
        MatchFailed: nobody can be asked there.
    """
    plans, known = store.plans(run), {(one.match, one.place) for one in store.audits(run)}
    numbers = drawn(store, run, run.definition.audit if share is None else share)
    missing = [one for one in _asked(store, run, numbers) if (one[0], one[1].place) not in known]
    playing: set[int] = set()
    asked = 0

    def again() -> Iterator[MatchSetup | None]:
        """Bots of matches with the same deals are not asked at the same time: they could tell each other."""
        ready = {one.number: one for one in setups(store, run, [plans[number] for number in numbers])}
        left = list(missing)
        while left:
            free = (at for at, (number, _) in enumerate(left) if plans[number].first_block not in playing)
            at = next(free, None)
            if at is None:
                yield None
                continue
            number, record = left.pop(at)
            playing.add(plans[number].first_block)
            yield replace(ready[number], again=record)

    for played in cluster.play(again(), store.source):
        assert played.answered is not None
        playing.discard(plans[played.number].first_block)
        store.add_audit(run, played.number, played.line_up[played.answered.place], played.answered)
        on_answer()
        asked += 1
    return asked


def _asked(store: Store, run: LeagueRun, numbers: Sequence[int]) -> Iterator[tuple[int, Again]]:
    """Whom to ask about which match: the first place of each, then the second, and so on."""
    records = {match.number: match for match in store.matches(run, numbers)}
    for place in range(run.definition.players):
        for number, match in records.items():
            if match.decisions[place]:
                yield number, _record(match, place)


def _record(match: PlayedMatch, place: int) -> Again:
    lost = sorted((one.game, one.seat, one.decision, one.kind) for one in match.forfeits)
    dead = tuple(sorted({one.place for one in match.forfeits if not match.decisions[one.place]}))
    return Again(place, Moves.of(match.moves), tuple(lost), dead)


def with_losses(games: RunGames, audits: Sequence[Audit]) -> RunGames:
    """The games of a run as they count: who answered otherwise has lost them, by faults of kind "repeat"."""
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
    if not audits:
        return []
    other = Counter(one.entrant for one in audits if one.now)
    what = f"{len(audits)} times a bot of {run.label} was asked again, alone, about a match"
    lines = [f"{what}: {sum(other.values())} times it answered otherwise"]
    for entrant, times in sorted(other.items()):
        lost = "all its games" if times >= MOST else f"{times} match(es)"
        why = "it answered otherwise when it was asked again"
        lines.append(f"{labels[entrant]} has lost {lost} of {run.label}: {why}")
    return lines
