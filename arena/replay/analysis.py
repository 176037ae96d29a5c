"""What the decisions of a played game, or of bots in a run, cost, and why (`engines.search.judge`)."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from typing import Any

from ..errors import UsageError
from ..store import Store
from ..store.models import LeagueRun
from .listing import games_of, is_called
from .recorded import Recorded, stored

SIGMA = 1.96  # of a 95 % interval


@dataclass(frozen=True)
class Judged:
    """A decision of a played game.

    Attributes:
        game: the game as people name it.
        decision: number of the decision in the game.
        seat, bot: whose.
        phase: what was to be decided, in the words of the view.
        played, best: texts of the actions; the same where the decision is not costly.
        verdict: "costly", "level" or "open" (`engines.search.Verdict`).
        cost: what the best action is worth more than the played one; `error`: its standard error.
        reason: what happens oftener after one of them, in all its worlds; "" if nothing stands out.
        worlds: that were tried.
    """

    game: str
    decision: int
    seat: int
    bot: str
    phase: str
    played: str
    best: str
    verdict: str
    cost: float
    error: float
    reason: str
    worlds: int

    def plain(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


def analyse(game: Recorded, seats: Sequence[int] = (), worlds: int | None = None) -> Iterator[Judged]:
    """Yield what the decisions of a game cost.

    Forced ones are left out, and those that were made for a seat that had forfeited. A seat is judged by what
    it could see. The worlds follow from the number of the decision, so that the same game has the same
    answer.

    Args:
        game: what was played.
        seats: whose decisions; default: all.
        worlds: the most a decision (`engines.search.judge`); default: its own.

    Raises:
        UsageError: no such seat.
        GameError: too few worlds.
    """
    from engines.search.judge import MOST, events_of, judge

    if not all(0 <= seat < game.players for seat in seats):
        raise UsageError(f"{game.label} has seats 0 to {game.players - 1}, not {max(seats)}")
    events = events_of(game.game)
    for decision, (position, move) in enumerate(zip(game.positions(), game.moves, strict=False)):
        seat = position.seat
        if seat is None or (seats and seat not in seats) or len(position.legal_numbers()) < 2:
            continue
        if seat in game.lost and decision >= game.lost[seat].decision:
            continue
        view = position.view(seat)
        found = judge(view, move, decision, worlds=worlds or MOST)
        texts, told = position.texts, found.deciding()
        reason = ""
        if told is not None:
            event, after, best = told
            reason = f"{events[event]} in {after:.0%} of the worlds; after {texts[found.best]} in {best:.0%}"
        yield Judged(
            game.label, decision, seat, game.names[seat], view.phase, texts[move], texts[found.best],
            found.verdict.value, round(found.cost, 6), round(found.error, 6), reason, found.worlds,
        )  # fmt: skip


def analyse_games(
    store: Store,
    games: Mapping[str, Sequence[int]],
    worlds: int | None = None,
    workers: int | None = None,
    on_game: Callable[[int], None] = lambda games: None,
) -> Iterator[Judged]:
    """Yield what the decisions of stored games cost, game after game, in processes.

    Args:
        store: with the games.
        games: names of games, each with the seats whose decisions are judged (`seats_of`).
        worlds: as `analyse`.
        workers: processes; default: one a CPU core.
        on_game: called with 1 after each game.

    Raises:
        RunError: they were played under other rules.
    """
    tasks = [(label, tuple(own), worlds) for label, own in games.items()]
    workers = min(workers or len(os.sched_getaffinity(0)), len(tasks))
    if workers <= 1:
        found: Iterator[list[Judged]] = (_of_game(store, *task) for task in tasks)
        yield from _told(found, on_game)
        return
    url = store.engine.url.render_as_string(hide_password=False)
    with ProcessPoolExecutor(workers, get_context("spawn"), _open, (url,)) as pool:
        yield from _told(pool.map(_of_opened, *zip(*tasks, strict=True)), on_game)


def seats_of(store: Store, run: LeagueRun, bots: Sequence[str] = ()) -> dict[str, list[int]]:
    """Return the games of a run that bots sat in, each with their seats.

    Raises:
        UsageError: the run is not finished, or a bot is not in it.
    """
    for bot in bots:
        games_of(store, run, bot)
    return {one.game: own for one in games_of(store, run) if (own := _seats(one.names, bots))}


def seats_in(game: Recorded, bots: Sequence[str]) -> list[int]:
    """Return all seats of bots in a game.

    Raises:
        UsageError: a bot did not play.
    """
    for bot in bots:
        if not _seats(game.names, [bot]):
            raise UsageError(f"{bot} did not play {game.label}: there are {', '.join(game.names)}")
    return _seats(game.names, bots) if bots else []


def _seats(names: Sequence[str], bots: Sequence[str]) -> list[int]:
    """Return the seats of bots, of all if none is named."""
    return [at for at, name in enumerate(names) if not bots or any(is_called(name, bot) for bot in bots)]


def _told(found: Iterator[list[Judged]], on_game: Callable[[int], None]) -> Iterator[Judged]:
    for game in found:
        on_game(1)
        yield from game


_OPENED: list[Store] = []
"""The store of a worker process."""


def _open(url: str) -> None:
    _OPENED.append(Store(url))


def _of_opened(label: str, seats: tuple[int, ...], worlds: int | None) -> list[Judged]:
    return _of_game(_OPENED[0], label, seats, worlds)


def _of_game(store: Store, label: str, seats: tuple[int, ...], worlds: int | None) -> list[Judged]:
    return list(analyse(stored(store, label), seats, worlds))


@dataclass(frozen=True)
class PhaseTotal:
    """The decisions of one phase: how many, their mean cost and its standard error, shares of verdicts."""

    phase: str
    decisions: int
    cost: float
    error: float
    costly: float
    level: float

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean cost, by the worlds that set the prices.

        Which action was taken for the best is not in it. No cost is below 0.
        """
        return max(0.0, self.cost - SIGMA * self.error), self.cost + SIGMA * self.error


def totals(found: Sequence[Judged]) -> list[PhaseTotal]:
    """Return the totals of each phase, in the order in which the phases come first."""
    phases = {one.phase: [other for other in found if other.phase == one.phase] for one in found}
    return [
        PhaseTotal(
            phase,
            len(ones),
            sum(one.cost for one in ones) / len(ones),
            math.sqrt(sum(one.error**2 for one in ones)) / len(ones),
            sum(one.verdict == "costly" for one in ones) / len(ones),
            sum(one.verdict == "level" for one in ones) / len(ones),
        )
        for phase, ones in phases.items()
    ]


def costliest(found: Sequence[Judged]) -> list[Judged]:
    """Return the costly decisions, the one that surely cost most first."""
    costly = [one for one in found if one.verdict == "costly"]
    return sorted(costly, key=lambda one: (-(one.cost - SIGMA * one.error), one.game, one.decision))


def unit_of(game: str) -> tuple[float, str]:
    """Return what a cost is multiplied by for people, and the unit: points, or where places count a share."""
    from engines import registry
    from engines.search import preset

    if preset(game)[1].places:
        return 100.0, "% of the other seats"
    return 1.0, str(registry.home(game).words.get("unit", "points"))
