"""What the decisions of a played game, or of bots in a run, cost, and why (`engines.search.judge`)."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from engines.core import States
from engines.position import Position
from engines.view import View

from ..cluster.cores import cores
from ..cluster.relay import run_all
from ..cluster.start import cluster
from ..errors import Damaged, UsageError
from ..jail.outcomes import HostError
from ..match.warm import time_told
from ..printable import Say, count, quiet
from ..store import Store
from ..store.analyses import Judged, Kept
from ..store.models import LeagueRun
from .listing import games_of, is_called
from .recorded import Recorded, stored
from .scenes import deal_of, scene

SIGMA = 1.96  # of a 95 % interval
APART = 0.1  # an event is a reason only where its shares of the worlds differ by so much
VALUE_WORLDS = 400  # in which each action is tried for its value
Task = tuple[str, tuple[int, ...], int | None]
"""A game, the seats that are judged, and the worlds."""


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
    for decision, (position, move, past) in enumerate(islice(_with_past(game), len(game.moves))):
        seat = position.seat
        if seat is None or (seats and seat not in seats) or len(position.legal_numbers()) < 2:
            continue
        if seat in game.lost and decision >= game.lost[seat].decision:
            continue
        view = position.view(seat)
        found = judge(view, move, decision, worlds=worlds or MOST, past=past)
        texts, told, reason = position.texts, found.deciding(), ""
        if told is not None and abs(told[1] - told[2]) >= APART:
            event, after, then = told
            then_in = f"after {texts[found.best]} in {then:.0%}"
            reason = f"{events[event]} in {after:.0%} of the worlds; {then_in}"
        if found.best != found.played:
            reason = "; ".join(filter(None, [reason, _said(view, "doubted")]))
        yield Judged(
            game.label, decision, seat, game.names[seat], view.phase, texts[move], texts[found.best],
            found.verdict.value, round(float(found.values[0]), 6), round(found.cost, 6),
            round(found.error, 6), found.given.round(6).tolist(), found.given_errors.round(6).tolist(),
            reason, found.worlds, round(found.told, 2),
        )  # fmt: skip


def values(game: Recorded, decision: int) -> dict[str, Any]:
    """Estimate every action of the seat to act in the worlds of `analyse`, and in its unit.

    Args:
        game: what was played.
        decision: its number; that of a game in play, which nobody has made yet, is the number of moves.

    Returns:
        `values`: actions, their values and standard errors, the best first; `about`: what the figures are.

    Raises:
        UsageError: there is nothing to decide.
    """
    from engines import registry
    from engines.search import action_values, preset
    from engines.search.beliefs import past_of
    from engines.search.judge import LEAST

    position = game.at(decision)
    if position.seat is None or len(position.legal_numbers()) < 2:
        raise UsageError("there is nothing to decide here")
    view, (times, unit), how = position.view(position.seat), unit_of(game.game), preset(game.game)[1]
    _, _, before = next(islice(_with_past(game), decision, None))
    past, kind = past_of(view.game_rules, *before, view.seat), "worlds that fit what the others did"
    means, errors = action_values(view, VALUE_WORLDS, decision, settings=how, past=past)
    if past.told < LEAST:
        kind = "uniform worlds"
        if past.told:
            how = replace(how, told=0)
            means, errors = action_values(view, VALUE_WORLDS, decision, settings=how)
    instead = registry.home(view.game).words.get("last", {})  # never better: a fold where one may check
    tried = [k for k, text in enumerate(view.texts) if instead.get(text) not in view.texts]
    order = sorted(tried, key=lambda k: (-means[k], k))
    found = [(view.texts[k], times * float(means[k]), times * float(errors[k])) for k in order]
    part = deal_of(scene(view.game_rules, view.state, view.seat)).partition(" ")[0] or "game"
    end = f"played on by a simple rule to the end of the {_said(view, 'until') or part}"
    about = f"{unit}, ± standard error, from {VALUE_WORLDS} {kind}, {end}"
    return {"values": found, "about": "; ".join(filter(None, [about, _said(view, "doubted")]))}


def _said(view: View, what: str) -> str:
    """Return what the game's words say of the kind of phase of a view; "": nothing."""
    from engines import registry

    said: str = registry.home(view.game).words.get(what, {}).get(view.phase.split()[0], "")
    return said


def _with_past(game: Recorded) -> Iterator[tuple[Position, int, tuple[States, list[int]]]]:
    """Yield every position of a game, the move (last: -1), and what was before in its stage."""
    from engines.search.playouts import stages

    rows, moves, stage = list[bytes](), list[int](), -1
    for position, move in zip(game.positions(), [*game.moves, -1], strict=True):
        now = position.states
        if stage != stages(now)[0]:
            rows, moves, stage = [], [], int(stages(now)[0])
        yield position, move, (np.frombuffer(b"".join(rows), now.dtype) if rows else now[:0], moves)
        rows.append(now.tobytes())  # NumPy joins records field by field, a hundred times slower
        moves.append(move)


def analyse_games(
    store: Store,
    games: Mapping[str, Sequence[int]],
    worlds: int | None = None,
    workers: int | None = None,
    address: str | None = None,
    on_game: Callable[[int], None] = lambda games: None,
    save: bool = False,
    say: Say = quiet,
) -> Iterator[Judged]:
    """Yield what the decisions of stored games cost, game after game, as Ray tasks.

    What was saved of them is not asked again, so an analysis that was stopped goes on where it was.

    Args:
        store: with the games.
        games: names of games, each with the seats whose decisions are judged (`seats_of`).
        worlds: as `analyse`.
        workers: games at a time; default: one a CPU core, of a cluster all of its.
        address: of a running Ray cluster; default: a Ray of this machine alone.
        on_game: called with 1 after each game.
        save: keep each game's in the store when it is done.
        say: hears how long it will take, when the first game is done.

    Raises:
        RunError: they were played under other rules, or no cluster is there.
    """
    tasks: list[Task] = []
    for (label, own), known in zip(games.items(), saved_of(store, games, worlds), strict=True):
        if known is None:
            tasks.append((label, tuple(own), worlds))
        else:
            on_game(1)
            yield from known
    held = dict[int, list[Judged]]()  # what ended before the game of its turn
    turn = 0
    for at, found in _in_tasks(store, tasks, workers, address, say):
        if save:
            keep(store, tasks[at][0], tasks[at][1], found, worlds)
        on_game(1)
        held[at] = found
        while turn in held:
            yield from held.pop(turn)
            turn += 1


def _in_tasks(
    store: Store, tasks: Sequence[Task], workers: int | None, address: str | None, say: Say
) -> Iterator[tuple[int, list[Judged]]]:
    """Yield each task's place and decisions; the first is timed here, to say how long all will take."""
    if not tasks:
        return
    with time_told("compiling the evaluator", say):
        next(analyse(stored(store, tasks[0][0]), tasks[0][1], 64), None)
    began = time.perf_counter()
    yield 0, judged(stored(store, tasks[0][0]), *tasks[0][1:])
    rest, seconds = tasks[1:], time.perf_counter() - began
    if not rest:
        return
    here = address is None and min(workers or cores(), len(rest)) <= 1
    with nullcontext() if here else cluster(workers, address, say) as nodes:
        many = 1 if nodes is None else min(nodes.workers, len(rest))
        left = math.ceil(seconds * len(rest) / many)
        about = f"{left} s" if left < 100 else f"{math.ceil(left / 60)} min"
        say(f"analysing {count(len(rest), 'more game')}: about {about} on {count(many, 'core')}")
        if nodes is None:
            yield from enumerate((judged(stored(store, task[0]), *task[1:]) for task in rest), 1)
            return

        def given(task: Task) -> tuple[Any, ...]:
            game = stored(store, task[0])
            return game, *task[1:], made_by(game.game).made_by

        yield from ((1 + at, found) for at, found in run_all(judged, rest, many, given))


def judged(game: Recorded, seats: tuple[int, ...], worlds: int | None, by: str = "") -> list[Judged]:
    """Return what `analyse` yields, in a worker by the same evaluator as where it is asked for."""
    if by not in ("", made_by(game.game).made_by):
        raise HostError("its evaluator is another one: install the same version on every node")
    return list(analyse(game, seats, worlds))


def keep(
    store: Store, label: str, seats: Sequence[int], found: Sequence[Judged], worlds: int | None = None
) -> None:
    """Keep the analysis of some seats of a stored game."""
    run, number = _place(store, label)
    own = made_by(run.game, worlds)
    rows = {seat: own._replace(decisions=[one for one in found if one.seat == seat]) for seat in seats}
    store.analyses.keep(run, number, rows)


def saved_of(
    store: Store, games: Mapping[str, Sequence[int]], worlds: int | None = None
) -> Iterator[list[Judged] | None]:
    """Yield what was kept of seats of games of one run by this code, in as many worlds or more.

    None: that was not kept of all these seats, or is damaged.
    """
    if not games:
        return
    run, _ = _place(store, next(iter(games)))
    numbers = [int(label.rpartition("/")[2]) for label in games]
    own = made_by(run.game, worlds)
    every = store.analyses.of_run(run, numbers if len(numbers) == 1 else (), damaged=False)
    for number, seats in zip(numbers, games.values(), strict=True):
        known = [one for seat, one in every.get(number, {}).items() if seat in seats]
        whole = len(known) == len(seats) and all(
            one.made_by == own.made_by and one.worlds >= own.worlds for one in known
        )
        yield _judged(known) if whole else None


def saved(store: Store, label: str) -> tuple[list[Judged], str]:
    """Return all that was kept of a stored game, by decision, and what it was made by; nothing: ([], "")."""
    run, number = _place(store, label)
    known = list(store.analyses.of_run(run, [number]).get(number, {}).values())
    return _judged(known), "; ".join(dict.fromkeys(one.by for one in known))


def saved_costs(store: Store, label: str) -> dict[str, Any]:
    """Return what was kept of a stored game as `in_units` does; {}: nothing; `lost`: why it is lost."""
    try:
        found, by = saved(store, label)
    except Damaged as error:  # the game can be watched all the same
        return {"lost": str(error)}
    return in_units(store.runs.find(label.partition("/")[0]).game, found, by) if by else {}


def in_units(game: str, found: Sequence[Judged], by: str) -> dict[str, Any]:
    """Return costs for people: `by` what they were made, their `unit`, and `decisions` with values in it."""
    times, unit = unit_of(game)
    decisions = [
        {name: getattr(one, name) for name in ("decision", "seat", "played", "best", "verdict", "reason")}
        | {name: round(times * getattr(one, name), 3) for name in ("value", "cost", "error")}
        for one in found
    ]
    return {"by": by, "unit": unit, "decisions": decisions}


def cost_line(game: str, one: Judged) -> str:
    """Return what a costly decision cost and what was better: `7s cost 3.10 +- 0.60 chips; better: Ks`."""
    times, unit = unit_of(game)
    return f"{one.played} cost {times * one.cost:.2f} +- {times * one.error:.2f} {unit}; better: {one.best}"


def made_by(game: str, worlds: int | None = None) -> Kept:
    """Return an analysis by this evaluator and its code before anything is judged."""
    from engines.core.compile import source_hash
    from engines.search.judge import MOST

    return Kept(f"judge, code {source_hash(f'search-{game}')}", worlds or MOST, [])


def _place(store: Store, label: str) -> tuple[LeagueRun, int]:
    """Return the run of a game and its number there."""
    run, _, number = label.partition("/")
    return store.runs.find(run), int(number)


def _judged(rows: Sequence[Kept]) -> list[Judged]:
    return sorted((one for row in rows for one in row.decisions), key=lambda one: one.decision)


def seats_of(store: Store, run: LeagueRun, bots: Sequence[str] = ()) -> dict[str, list[int]]:
    """Return the games of a run that bots sat in, each with their seats."""
    for bot in bots:
        games_of(store, run, bot)
    return {one.game: own for one in games_of(store, run) if (own := _seats(one.names, bots))}


def seats_in(game: Recorded, bots: Sequence[str]) -> list[int]:
    """Return all seats of bots in a game. Raises UsageError: a bot did not play."""
    for bot in bots:
        if not _seats(game.names, [bot]):
            raise UsageError(f"{bot} did not play {game.label}: there are {', '.join(game.names)}")
    return _seats(game.names, bots) if bots else []


def _seats(names: Sequence[str], bots: Sequence[str]) -> list[int]:
    """Return the seats of bots, of all if none is named."""
    return [at for at, name in enumerate(names) if not bots or any(is_called(name, bot) for bot in bots)]


@dataclass(frozen=True)
class PhaseTotal:
    """The decisions of one phase: how many, their mean cost and its standard error, shares of verdicts.

    The error is that of a mean over games, whose decisions depend on each other; of one game alone that over
    its decisions. So it holds both the spread of the costs and the error of the prices.
    """

    phase: str
    decisions: int
    cost: float
    error: float
    costly: float
    level: float

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean cost in games like these; NaN where one value tells no spread.

        It may reach below 0, as costs do: they are priced in other worlds than those that chose the best.
        """
        return self.cost - SIGMA * self.error, self.cost + SIGMA * self.error


def totals(found: Sequence[Judged]) -> list[PhaseTotal]:
    """Return the totals of each phase, in the order in which the phases come first."""
    names = dict.fromkeys(one.phase for one in found)
    phases = {phase: [one for one in found if one.phase == phase] for phase in names}
    return [
        PhaseTotal(
            phase,
            len(ones),
            sum(one.cost for one in ones) / len(ones),
            _error(ones),
            sum(one.verdict == "costly" for one in ones) / len(ones),
            sum(one.verdict == "level" for one in ones) / len(ones),
        )
        for phase, ones in phases.items()
    ]


def _error(ones: Sequence[Judged]) -> float:
    """Return the standard error of the mean cost of decisions: of a ratio of sums over games."""
    mean, sums = sum(one.cost for one in ones) / len(ones), dict[object, float]()
    single = len({one.game for one in ones}) == 1
    for one in ones:
        group = one.decision if single else one.game
        sums[group] = sums.get(group, 0.0) + one.cost - mean
    n = len(sums)
    return math.sqrt(sum(part**2 for part in sums.values()) * n / (n - 1)) / len(ones) if n > 1 else math.nan


def costliest(found: Sequence[Judged]) -> list[Judged]:
    """Return the costly decisions, the one that surely cost most first."""
    costly = [one for one in found if one.verdict == "costly"]
    return sorted(costly, key=lambda one: (-(one.cost - SIGMA * one.error), one.game, one.decision))


def unit_of(game: str) -> tuple[float, str]:
    """Return what a cost is multiplied by for people, and the unit: points, or where places count a share."""
    from engines import registry
    from engines.search import preset

    if preset(game)[1].places:
        return 100.0, "% chance to beat an opponent"
    return 1.0, str(registry.home(game).words.get("unit", "points"))
