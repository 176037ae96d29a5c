"""Replay stored games, and check scores, forfeits and table.

Deals come from the secret, moves from the store.

Nothing is trusted but the secret, the schedule and the moves; bots are not asked again.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context

import numpy as np

from leagues.plan import MatchPlan

from ..errors import RunError, StoreError
from ..jail.outcomes import ALIVE
from ..match.played import Moves, PlayedMatch
from ..match.setup import MatchSetup
from ..match.steps import NextMoves, Steps
from ..printable import count
from ..store import Store
from ..store.models import LeagueRun
from ..store.packing import unpack_schedule
from ..store.runs import seal_of
from .grow import round_differences
from .guard import check_rules
from .stages import drawn_secret, fingerprint, setups
from .standings import make_table, run_table

Task = tuple[MatchSetup, PlayedMatch]
AHEAD = 4  # portions that wait for each process
PORTION = 32  # matches that are replayed together: a step of many games costs little more than of one


@dataclass(frozen=True)
class Verified:
    """How many matches and games of a run were replayed, and every difference, as sentences."""

    matches: int
    games: int
    differences: list[str]


def verify(
    store: Store,
    run: LeagueRun | str,
    workers: int | None = None,
    on_match: Callable[[int], None] = lambda games: None,
) -> Verified:
    """Replay every stored game of a run that is finished or aborted.

    Args:
        store: where it is.
        run: which one, or its label.
        workers: processes; default: one a CPU core.
        on_match: called with the number of games of each match that was replayed.

    Raises:
        RunError: it is still being played, has no games, or other code is installed now.
    """
    run = store.runs.find(run)
    if run.state == "playing":
        raise RunError(f"{run.label} is not finished: its deals are shown when nobody can learn from them")
    check_rules(store, run)
    differences = _secret_differences(store, run)
    broken: list[str] = []
    matches = games = 0
    tasks = _tasks(store, run, broken)
    for match, found in _replayed(tasks, workers or len(os.sched_getaffinity(0))):
        matches, games = matches + 1, games + match
        differences += found
        on_match(match)
    differences += broken
    if not broken:
        differences += round_differences(store, run)
    if run.state == "finished" and not broken:
        differences += _table_differences(store, run)
    if not games and not differences:
        raise RunError(f"{run.label} has no games: nothing was verified")
    return Verified(matches, games, differences)


def _replayed(tasks: Iterator[Task], workers: int) -> Iterator[tuple[int, list[str]]]:
    """Yield what `_replay` gives of each match; with one worker, all of it runs in this process."""
    portions = iter(lambda: list(islice(tasks, PORTION)), [])
    if workers == 1:
        for portion in portions:
            yield from _replay(portion)
        return
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        waiting = deque(pool.submit(_replay, one) for one in islice(portions, AHEAD * workers))
        while waiting:
            yield from waiting.popleft().result()
            waiting += [pool.submit(_replay, one) for one in islice(portions, 1)]


def _table_differences(store: Store, run: LeagueRun) -> list[str]:
    """Whether the table that was kept is the one that the games give."""
    try:
        if run_table(store, run) == make_table(store, [run]):
            return []
    except StoreError as error:
        return [str(error)]
    return [f"{run.label}: the table that was kept is not the one that these games give"]


def _secret_differences(store: Store, run: LeagueRun) -> list[str]:
    """Return what differs from what the run committed to.

    Check whether the secret is the one whose hash was published, whether definition, entrants and code are
    those that were bound to it, and whether the schedule was played to its end.
    """
    found = []
    entries = store.runs.entries(run)
    for stage in store.runs.stages(run):
        code, there = stage.code, [entry for entry in entries if entry.stage <= stage.number]
        facts = (stage.kind, stage.number, run.definition, there, code, stage.schedule)
        if stage.fingerprint != fingerprint(*facts):
            what = "definition, entrants, code or schedule"
            found.append(f"stage {stage.number}: {what} are not those that it was begun with")
        secret = drawn_secret(stage)
        if secret.hash != stage.secret_hash:
            found.append(f"stage {stage.number}: the secret does not have the hash that was published")
        if stage.commitment and secret.commitment(stage.fingerprint) != stage.commitment:
            found.append(f"stage {stage.number}: the commitment does not bind this secret and these entrants")
        rows = len(unpack_schedule(stage.schedule))
        if rows != stage.matches:
            found.append(
                f"stage {stage.number}: {rows} matches in its schedule, {stage.matches} were announced"
            )
    if seal_of(store.matches.digests(run)) != run.seal:
        found.append("the matches are not those that the run ended with: rows were changed, deleted or added")
    missing = set(range(len(store.runs.plans(run)))) - store.matches.stored(run)
    if run.state == "finished" and missing:
        found.append(f"{len(missing)} matches of the schedule are not stored, the first is {min(missing)}")
    return found


def _tasks(store: Store, run: LeagueRun, broken: list[str]) -> Iterator[Task]:
    """Yield what is to be replayed; a match that is not as the schedule has it is told in `broken`."""
    plans = store.runs.plans(run)
    stored, planned = store.matches.stored(run), set(range(len(plans)))
    broken += [f"match {number}: is not in the schedule" for number in sorted(stored - planned)]
    numbers = sorted(stored & planned)
    matches = _readable(store, run, numbers, broken)
    for setup in setups(store, run, (plans[number] for number in numbers)):
        if (match := next(matches)) is None:
            continue
        differences = _shape_differences(match, setup.plan)
        if (match.games_digest(), match.digest_now()) != (match.games_sha256, match.digest):
            broken.append(f"match {match.number}: was changed after it was stored")
        if differences:
            broken += differences
        elif len(setup.seeds):
            yield setup, match


def _readable(
    store: Store, run: LeagueRun, numbers: Sequence[int], broken: list[str]
) -> Iterator[PlayedMatch | None]:
    """Read matches by number, some at a time; None for one that is damaged, which is told in `broken`."""
    left = deque(numbers)
    while left:
        try:
            for match in store.matches.all(run, list(left)):
                left.popleft()
                yield match
            return
        except StoreError as error:
            broken.append(str(error))
            left.popleft()
            yield None


def _replay(tasks: Sequence[Task]) -> list[tuple[int, list[str]]]:
    """Replay matches of one run; returns the games of each and all its differences."""
    found = [_seating_differences(*task) for task in tasks]
    good = [task for task, different in zip(tasks, found) if not different]
    replayed = iter(_Replay(good).results() if good else ())
    return [(0, different) if different else next(replayed) for different in found]


def _seating_differences(setup: MatchSetup, match: PlayedMatch) -> list[str]:
    """Whether a match has the deals and the seats that the secret gives."""
    if setup.blocks.tolist() != match.blocks.tolist():
        return [f"match {match.number}: other deals than the schedule gives it"]
    if setup.places.tolist() != match.places.tolist():
        return [f"match {match.number}: other seats than the secret gives"]
    return []


class _Replay:
    """All games of some matches at once, and what is wrong with them."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        import engines

        self._setups, self._matches = zip(*tasks, strict=True)
        first: MatchSetup = self._setups[0]
        seeds = np.concatenate([setup.seeds for setup in self._setups])
        game = engines.load(first.game)
        self._steps = Steps(game, first.players, first.options, seeds, self._matches)
        self._lives = np.zeros(self._steps.lost_at.shape, np.bool_)  # whose process went on after the forfeit
        self._asked = np.zeros((len(tasks), first.players), np.int64)
        self._found: list[list[str]] = [[] for _ in tasks]
        self._illegal: dict[int, str] = {}  # the first illegal move of a match, which ends it
        for at, match in enumerate(self._matches):
            for one in match.forfeits:
                row = self._steps.ends[at] - len(match.blocks) + one.game
                self._lives[row, one.seat] = one.kind in ALIVE
                if not 0 <= one.decision < self._steps.lengths[row]:
                    self._tell(row, f"seat {one.seat} forfeited after the end of the game")

    def results(self) -> list[tuple[int, list[str]]]:
        """Replay them; returns the games of each and all its differences."""
        for step in self._steps:
            self._look(step)
        return [
            (0, [self._illegal[at]])
            if at in self._illegal
            else (len(setup.seeds), self._found[at] + self._end(at))
            for at, setup in enumerate(self._setups)
        ]

    def _tell(self, row: int, text: str) -> None:
        self._found[self._steps.of_match[row]].append(f"{self._where(row)}: {text}")

    def _where(self, row: int) -> str:
        at = self._steps.of_match[row]
        game = row - (self._steps.ends[at] - len(self._setups[at].seeds))
        return f"match {self._matches[at].number}, game {game}"

    def _look(self, step: NextMoves) -> None:
        """Look at the next move of the games; of a match with an illegal one, no more are made."""
        steps, (made, rows, _, legal, actions, seats) = self._steps, step
        fits = (actions >= 0) & (actions < steps.game.n_actions)
        fits[fits] = legal[fits, actions[fits]]
        for row in rows[~fits].tolist():
            at = int(steps.of_match[row])
            self._illegal.setdefault(at, f"{self._where(row)}: move {made + 1} is not legal")
            steps.going[steps.of_match == at] = False
        left = steps.going[rows]
        rows, legal, actions, seats = rows[left], legal[left], actions[left], seats[left]
        gone = steps.lost_at[rows, seats]
        asked = (legal.sum(axis=1) > 1) & (gone >= made)
        np.add.at(self._asked, (steps.of_match[rows], steps.places[rows, seats]), asked)
        for at in np.flatnonzero((gone <= made) & (actions != legal.argmax(axis=1))).tolist():
            self._tell(rows[at], f"seat {seats[at]} forfeited before move {made + 1}, but plays on")
        for at, other in np.argwhere(self._lives[rows] & (steps.lost_at[rows] == made)).tolist():
            if other != seats[at]:
                self._tell(rows[at], f"seat {other} forfeited at a decision of seat {seats[at]}")

    def _end(self, at: int) -> list[str]:
        """Compare how a match ended, and how often its bots were asked."""
        setup, match = self._setups[at], self._matches[at]
        where, found = f"match {match.number}", []
        game, end = self._steps.game, self._steps.ends[at]
        states = self._steps.states[end - len(setup.seeds) : end]
        if not game.over(states).all():
            found.append(f"{where}: a game that is not over")
        elif (game.scores(states) != match.scores).any():
            wrong = np.flatnonzero((game.scores(states) != match.scores).any(axis=1)).tolist()
            found.append(
                f"{where}: other scores in {count(len(wrong), 'game')}, the first is game {wrong[0]}"
            )
        lost = {(one.game, one.seat) for one in match.forfeits}
        for place, (counted, stored) in enumerate(
            zip(self._asked[at].tolist(), match.decisions, strict=True)
        ):
            its = np.argwhere(setup.places == place).tolist()
            never_loaded = not stored and all((game, seat) in lost for game, seat in its)
            if stored != counted and not never_loaded:
                found.append(f"{where}: place {place} was asked {counted} times, {stored} are stored")
        return found


def _shape_differences(match: PlayedMatch, plan: MatchPlan) -> list[str]:
    """Whether a match is the one of the schedule, its arrays fit together, and who forfeited sat there."""
    where = f"match {match.number}"
    if (match.line_up, match.rotation) != (plan.line_up, plan.rotation):
        return [f"{where}: another line-up or rotation than the schedule gives it"]
    if match.stage != plan.stage:
        return [f"{where}: stage {match.stage}, and not {plan.stage} as in the schedule"]
    if len(match.blocks) and not len(match.cpu_s) == len(match.decisions) == len(match.line_up):
        return [f"{where}: CPU time or decisions of another number of places"]
    if len(match.requests):
        counted = np.bincount(match.requests["place"], match.requests["decisions"], len(match.line_up))
        if counted.tolist() != match.decisions:
            return [f"{where}: CPU time of another number of decisions"]
    lengths, moves = Moves.of(match.moves).arrays
    if lengths.min(initial=0) < 0 or lengths.sum() != len(moves):
        return [f"{where}: moves that are not those of its games"]
    return [
        f"{where}, game {one.game}: a forfeit of seat {one.seat} by a bot that did not sit there"
        for one in match.forfeits
        if one.place < 0
    ]
