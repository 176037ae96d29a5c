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

from ..cluster.jobs import Job
from ..match.setup import Again
from ..moves import Moves
from ..store.packing import PlayedMatch
from .clerk import bot_name
from .plans import PlannedMatch, deal_secret, planned_matches, setup_of

if TYPE_CHECKING:
    from ..cluster.driver import Cluster
    from ..store import Store
    from ..store.matches import StoredGames
    from ..store.models import Audit, LeagueRun

MOST = 3  # matches with another answer, from which on a bot loses the run


def drawn(run: LeagueRun, planned: dict[int, PlannedMatch], share: float) -> list[int]:
    """The matches of a run in which bots are asked again, by the run's secret."""
    return [
        number
        for number, one in planned.items()
        if deal_secret(one.stage).number("audit", number) < share * 2**64
    ]


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
    planned, known = planned_matches(store, run), {(one.match, one.place) for one in store.audits(run)}
    numbers = drawn(run, planned, run.definition.audit if share is None else share)
    missing = [one for one in _asked(store, run, planned, numbers) if (one[0], one[1].place) not in known]
    playing: set[int] = set()
    entrants = [entry.bot for entry in store.entries(run)]
    asked = 0

    def jobs() -> Iterator[Job | None]:
        """Bots of matches with the same deals are not asked at the same time: they could tell each other."""
        left = list(missing)
        while left:
            free = (at for at, (number, _) in enumerate(left) if _deals(planned, number) not in playing)
            at = next(free, None)
            if at is None:
                yield None
                continue
            number, again = left.pop(at)
            playing.add(_deals(planned, number))
            setup = replace(setup_of(run, planned[number]), again=again)
            yield Job(setup, tuple(bot_name(entrants[one]) for one in planned[number].plan.line_up))

    for played in cluster.play(jobs(), store.source):
        number, found = played.setup.number, played.result.answered
        assert found is not None
        playing.discard(_deals(planned, number))
        store.add_audit(run, number, planned[number].plan.line_up[found.place], found)
        on_answer()
        asked += 1
    return asked


def _deals(planned: dict[int, PlannedMatch], number: int) -> int:
    return planned[number].plan.first_block


def _asked(
    store: Store, run: LeagueRun, planned: dict[int, PlannedMatch], numbers: Sequence[int]
) -> Iterator[tuple[int, Again]]:
    """Whom to ask about which match: the first place of each, then the second, and so on."""
    records = {match.number: match for match in store.matches(run, numbers)}
    for place in range(run.definition.players):
        for number, match in records.items():
            if match.decisions[place]:
                yield number, _record(match, place)


def _record(match: PlayedMatch, place: int) -> Again:
    lost = sorted(
        (game, seat, made, one.kind) for one in match.lost for game, seat, made in one.seats.tolist()
    )
    seated = {int(match.places[game, seat]) for game, seat, *_ in lost}
    dead = tuple(sorted(at for at in seated if not match.decisions[at]))
    return Again(place, Moves.of(match.moves), tuple(lost), dead)


def with_losses(games: StoredGames, audits: Sequence[Audit]) -> tuple[StoredGames, list[Counter[str]]]:
    """The games of a run as they count: who answered otherwise has lost them.

    Returns:
        The games, and by entrant the seats that it has lost so, as faults of the kind "repeat".
    """
    faults: list[Counter[str]] = [Counter() for _ in games.cpu_s]
    otherwise = {(one.match, one.entrant) for one in audits if one.now}
    times = Counter(entrant for _, entrant in otherwise)
    if not otherwise:
        return games, faults
    lost = games.lost.copy()
    for entrant, matches in times.items():
        mine = games.entrant == entrant
        if matches < MOST:
            own = [match for match, who in otherwise if who == entrant]
            mine &= np.isin(games.match, own)[:, None]
        faults[entrant]["repeat"] = int((mine & ~games.lost).sum())
        lost |= mine
    return replace(games, lost=lost), faults


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
