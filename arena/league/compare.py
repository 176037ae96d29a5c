"""Comparing two bots until it is known which is better: opens or resumes a comparison, plays batches, looks, stops.

A comparison is a run of its own (`compare#3`) with a schedule without end but for the most blocks; its games are in no
rating, since it stops when it is sure, which is a lucky moment for one of the two.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from leagues.comparison import (
    comparison_schedule,
    differences,
    elo_of_share,
    gate_in_units,
    share_of_elo,
    whole_batches,
)
from leagues.definition import fingerprint
from leagues.ratings import Gate, gsprt, stop_adjusted
from leagues.ratings.errors import interval
from leagues.ratings.results import Floats
from leagues.schedule import MatchPlan, Secret

from ..cluster import driver
from ..match.setup import MatchResult, MatchSetup
from ..store import Bot, LeagueRun, Store
from .open import setup_of
from .play import store_match
from .table import load_pool, run_table

NAME = "compare"
DECISIONS = {"H1": "accepted", "H0": "rejected", "continue": "open"}


@dataclass(frozen=True)
class Question:
    """What is asked: is the first bot `low` or `high` better than the second.

    `unit` is "elo" (by places at the table), "points" (per game) or "effect" (mean / sd of a block's points).
    """

    unit: str
    low: float
    high: float
    alpha: float = 0.05
    beta: float = 0.05
    rare: float = 0.02


@dataclass(frozen=True)
class Answer:
    """Where a comparison stands. Differences are the first bot less the second, per game."""

    decision: str  # accepted: as good as `high`; rejected: no better than `low`; open
    bot: str
    against: str
    blocks: int
    games: int
    llr: float
    lower: float
    upper: float
    least: int  # blocks before any decision
    points: float | None  # mean difference in points
    points_low: float | None  # 95 % interval, as if the number of blocks had been fixed
    points_high: float | None
    elo: float | None  # from places
    estimate: float | None  # in the unit of the question ...
    adjusted: float | None  # ... and with the lucky moment of the stop taken out
    skewness: float
    worst: tuple[
        tuple[int, float], ...
    ]  # the three worst blocks for the first bot: number, difference in points
    forfeits: str


def open_comparison(
    store: Store,
    game: str,
    players: int,
    options: dict[str, object],
    bots: Sequence[Bot],
    question: Question,
    *,
    blocks: int,
    level: str,
    limits: dict[str, object],
    seed: int | None,
) -> tuple[LeagueRun, bool]:
    """The unfinished comparison with these bots and this question, else a new one; and whether it is new.

    Args:
        store: where it is kept.
        game: the game's name.
        players: seats at a table.
        options: complete options.
        bots: the two, then the field.
        question: the hypotheses; another question is another comparison.
        blocks: most blocks.
        level: how bots are separated.
        limits: what differs from the default limits.
        seed: a known seed; None: a fresh secret.
    """
    entrants = [
        {"name": bot.name, "version": bot.version, "kind": bot.kind, "hash": bot.hash} for bot in bots
    ]
    definition = {
        "name": NAME,
        "game": game,
        "players": players,
        "options": options,
        "entrants": entrants,
        "deals": blocks,
        "seed": seed,
        "level": level,
        "limits": limits,
        "comparison": {**question.__dict__, "field": len(bots) - 2},
    }
    mark = fingerprint(definition)
    same = [run for run in store.runs(name=NAME) if run.fingerprint == mark]
    if same and (same[-1].finished is None or seed is not None):
        return same[-1], False
    secret = Secret.fresh() if seed is None else Secret.of_seed(seed)
    run = LeagueRun(
        name=NAME,
        number=0,
        game=game,
        definition=definition,
        fingerprint=mark,
        secret=secret.key.hex(),
        secret_hash=secret.hash,
        matches=sum(map(len, batches_of(players, len(bots) - 2, blocks))),
    )
    return store.add_run(run, bots), True


def batches_of(players: int, field: int, blocks: int) -> tuple[tuple[MatchPlan, ...], ...]:
    """The whole schedule of a comparison, batch by batch."""
    return comparison_schedule(players, field, blocks)


def question_of(run: LeagueRun) -> Question:
    """What a stored comparison asks."""
    asked = dict(run.definition["comparison"])
    asked.pop("field")
    return Question(**asked)


def look(store: Store, run: LeagueRun) -> Answer:
    """Where a comparison stands: the first look, in the order of batches, at which the test decides; else the last."""
    question, facts = question_of(run), run.definition
    batches = batches_of(facts["players"], facts["comparison"]["field"], facts["deals"])
    pool = load_pool(store, [run])
    bots = store.entrants(run)
    one, two = (next(i for i, bot in enumerate(pool.bots) if bot.id == asked.id) for asked in bots[:2])
    block, points = differences(pool.results, one, two, places=False)
    found = _Blocks(
        block, points, differences(pool.results, one, two, places=True)[1], facts["comparison"]["field"] > 0
    )
    seen = found.until(0)
    for blocks in whole_batches(batches, store.finished_matches(run)):
        seen = found.until(len(blocks))
        if gsprt(seen.values(question), seen.gate(question)).decision != "continue":
            break
    batch = max(plan.first_block + plan.blocks for plan in batches[0])
    faults = "; ".join(f"{one.bot}: {n} {kind}" for one in pool.entered for kind, n in one.faults.items())
    games = int(np.isin(pool.results.block, seen.block).sum())
    return _answer(question, seen, (bots[0].label, bots[1].label), games, batch, faults)


@dataclass(frozen=True)
class _Blocks:
    """Block differences, the first bot less the second."""

    block: Floats
    points: Floats
    places: Floats
    field: bool  # measured against other bots, not each other

    def until(self, blocks: int) -> _Blocks:
        """Those with a lower number."""
        seen = self.block < blocks
        return _Blocks(self.block[seen], self.points[seen], self.places[seen], self.field)

    def values(self, question: Question) -> Floats:
        """What the test looks at."""
        return self.places if question.unit == "elo" else self.points

    def gate(self, question: Question) -> Gate:
        """The test, in sds of a block."""
        rates = (question.alpha, question.beta, question.rare)
        if question.unit == "effect":
            return Gate(question.low, question.high, *rates)
        low, high = question.low, question.high
        if question.unit == "elo":
            low, high = share_of_elo(low, self.field), share_of_elo(high, self.field)
        return gate_in_units(self.values(question), low, high, *rates)

    def in_units(self, effect: float, question: Question) -> float | None:
        """An effect in the unit of the question; None where it is not finite."""
        if question.unit == "effect" or not np.isfinite(effect):
            return _finite(effect)
        value = effect * float(self.values(question).std())
        return _finite(elo_of_share(value, self.field) if question.unit == "elo" else value)


def _answer(
    question: Question, seen: _Blocks, labels: tuple[str, str], games: int, batch: int, faults: str
) -> Answer:
    gate, size = seen.gate(question), len(seen.block)
    verdict = gsprt(seen.values(question), gate)
    mean = np.array([seen.points.mean() if size else np.nan])
    error = np.array([seen.points.std(ddof=1) / np.sqrt(size) if size > 1 else np.nan])
    low, high = interval(mean, error, np.array([size - 1]))
    adjusted = verdict.effect
    if verdict.decision != "continue":
        adjusted = stop_adjusted(verdict.effect, gate, batch, 4 * size)
    worst = np.argsort(seen.points, kind="stable")[:3]
    return Answer(
        decision=DECISIONS[verdict.decision],
        bot=labels[0],
        against=labels[1],
        blocks=size,
        games=games,
        llr=round(verdict.llr, 3),
        lower=round(verdict.lower, 3),
        upper=round(verdict.upper, 3),
        least=verdict.least,
        points=_finite(mean[0]),
        points_low=_finite(low[0]),
        points_high=_finite(high[0]),
        elo=_finite(elo_of_share(float(seen.places.mean()), seen.field)) if size else None,
        estimate=seen.in_units(verdict.effect, question) if size else None,
        adjusted=seen.in_units(adjusted, question) if size else None,
        skewness=round(verdict.skewness, 2),
        worst=tuple((int(seen.block[i]), round(float(seen.points[i]), 3)) for i in worst),
        forfeits=faults,
    )


def _finite(number: float) -> float | None:
    return round(float(number), 3) if np.isfinite(number) else None


def play_until_known(
    store: Store,
    run: LeagueRun,
    workers: int,
    address: str | None = None,
    seconds: float | None = None,
    on_match: Callable[[MatchSetup, MatchResult], None] = lambda setup, result: None,
    on_look: Callable[[Answer], None] = lambda answer: None,
) -> Answer:
    """Play batches until the test decides, the time is up or the schedule ends; then say where it stands.

    Raises:
        RunError: a match could not be played; what was finished is stored.
    """
    answer = look(store, run)
    facts, entrants = run.definition, store.entrants(run)
    batches = batches_of(facts["players"], facts["comparison"]["field"], facts["deals"])
    plans = {plan.number: plan for batch in batches for plan in batch}
    done = store.finished_matches(run)
    missing = [number for number in plans if number not in done]
    deadline = None if seconds is None else time.monotonic() + seconds
    stop = False

    def todo() -> Iterator[tuple[MatchSetup, list[tuple[str, str, bytes]]]]:
        for number in missing:
            if stop or (deadline is not None and time.monotonic() > deadline):
                return
            setup = setup_of(run, plans[number])
            line_up = [entrants[place] for place in plans[number].line_up]
            if setup.games:
                yield setup, [(bot.name, bot.hash, bot.source) for bot in line_up]
            else:
                _store_empty(store, run, plans[number])
                left[waiting[number]] -= 1

    if answer.decision == "open" and missing:
        waiting = {plan.number: at for at, batch in enumerate(batches) for plan in batch}
        left = [sum(plan.number not in done for plan in batch) for batch in batches]
        for setup, result in driver.play_all(todo(), workers, address):
            store_match(store, run, plans[setup.number], setup, result)
            on_match(setup, result)
            left[waiting[setup.number]] -= 1
            if not left[waiting[setup.number]] and not stop:
                answer = look(store, run)
                on_look(answer)
                stop = answer.decision != "open"
        answer = look(store, run)
    if run.finished is None and answer.decision != "open":
        store.finish_run(run, run_table(store, run).plain())
    return answer


def _store_empty(store: Store, run: LeagueRun, plan: MatchPlan) -> None:
    """Store a match without games: every rotation of it would repeat a seating."""
    setup = MatchSetup(plan.number, run.game, run.definition["players"], run.definition["options"], (), ())
    store_match(store, run, plan, setup, MatchResult(np.zeros((0, 0), np.int64), [], [], [], [], 0.0, {}))
