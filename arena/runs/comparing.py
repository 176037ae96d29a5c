"""Compare two bots until it is known which is better.

This opens or resumes a comparison, plays batches, looks, and stops.

Where the game can tell luck, it is taken out of every block before the test looks: the same answer with fewer
games. A comparison is a run of its own (`compare#3`) with a schedule without end but for the most blocks; its
games are in no rating, since it stops when it is sure, which is a lucky moment for one of the two.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from leagues import definition
from leagues.comparison import Blocks, batches_of, blocks_of, elo_of_share, first_answer, whole_batches
from leagues.definition import Comparison, Question
from leagues.ratings.control import alarms_of
from leagues.ratings.intervals import interval
from leagues.ratings.sequential import SequentialTest

from ..cluster.driver import Cluster
from ..errors import UsageError
from ..intake.conditions import Conditions
from ..match.played import PlayedMatch
from ..store import Store
from ..store.models import LeagueRun
from .drive import finish, play
from .luck import weights_of
from .standings import keep_run_table, load_pool

DEALS = 10_000  # the most blocks of a comparison
DECISIONS = {"H1": "accepted", "H0": "rejected", "continue": "open"}


@dataclass(frozen=True)
class Answer:
    """Where a comparison stands. Differences are the first bot less the second, per game."""

    decision: str  # accepted: as good as `high`; rejected: no better than `low`; open
    bot: str
    against: str
    blocks: int
    stretches: int | None  # what counted as independent where blocks of one stretch depend on each other
    games: int
    stored: int = field(compare=False)  # all games, also of blocks that are not whole or came later
    llr: float
    lower: float
    upper: float
    least: int  # blocks before any decision; stretches, where they count
    points: float | None  # mean difference in points, without luck where the game can tell it
    points_low: float | None  # 95 % interval, as if the number of blocks had been fixed
    points_high: float | None
    elo: float | None  # from places; None: not known, or infinite
    alike: bool  # no block differs in what is asked
    estimate: float | None  # in the unit of the question
    raw_points: float | None  # mean difference in points as the cards fell
    luck_saved: float | None  # share of the variance that went with the luck; None: no luck is taken out
    skewness: float
    worst: tuple[
        tuple[int, float], ...
    ]  # the three worst blocks for the first bot: number, difference in points
    forfeits: str
    alarms: tuple[str, ...]  # bots whose luck chance does not explain


def comparison_from(
    conditions: Conditions,
    elo0: float = 0.0,
    elo1: float = 10.0,
    effect: float | None = None,
    deals: int = DEALS,
    seed: int | None = None,
) -> Comparison:
    """Return what a comparison asks and under what it is played: by Elo, or with `effect` by points.

    Args:
        elo0: rejected if the first bot is no more than this above the second.
        elo1: accepted if it is this much above.
        effect: mean / sd of a block's difference in points, instead of Elo.
        deals: the most blocks; no fewer than a decision needs.

    Raises:
        UsageError: out of range; names it.
    """
    low, high = (elo0, elo1) if effect is None else (0.0, effect)
    if low >= high:
        given = f"--elo0 {low:g} --elo1 {high:g}" if effect is None else f"--effect {high:g}"
        raise UsageError(f"{given}: what is accepted must be above what is rejected")
    question = Question("elo" if effect is None else "effect", low, high)
    if deals < (least := SequentialTest(alpha=question.alpha, rare=question.rare).least):
        raise UsageError(f"--deals {deals}: nothing is decided before {least} deals; ask for {least} or more")
    return Comparison.of(
        game=conditions.game,
        players=conditions.players,
        options=conditions.options,
        limits=conditions.limits,
        level=conditions.level,
        deals=deals,
        seed=seed,
        question=question,
    )


def field_of_game(conditions: Conditions, compared: Sequence[str]) -> list[str]:
    """Return the entrants of a game's own league, or of the named one, but `random` and the two compared.

    Raises:
        UsageError: there are none.
    """
    league = conditions.league or conditions.game
    others = [name for name in definition.load(league).entrants if name not in ("random", *compared)]
    if not others:
        raise UsageError(f"league {league} has no other bots: name them, --bots a,b")
    return others


def comparison_of(run: LeagueRun) -> Comparison:
    """Return what a stored comparison asks, and how. Raises UsageError: the run is no comparison."""
    if not isinstance(run.definition, Comparison):
        raise UsageError(f"{run.label} is no comparison: arena league resume {run.label} goes on with it")
    return run.definition


def look(store: Store, run: LeagueRun) -> Answer:
    """Return where a comparison stands.

    That is the first look, in the order of batches, at which the test decides; else the last.
    """
    question, batches = comparison_of(run).question, batches_of(store.runs.plans(run))
    pool, bots = load_pool(store, [run], luck=True), [entry.bot for entry in store.runs.entries(run)]
    number = {bot.id: at for at, bot in enumerate(pool.bots)}
    one, two = (number.get(bot.id, len(number) + at) for at, bot in enumerate(bots[:2]))
    weights = weights_of(run) if pool.results.luck is not None else None
    taken = blocks_of(pool.results, one, two, len(bots) > 2, weights)
    looks = [len(blocks) for blocks in whole_batches(batches, store.matches.stored(run))]
    seen, verdict = first_answer(pool.results, len(pool.bots), taken, question, looks)
    faults = "; ".join(f"{one.bot}: {n} {kind}" for one in pool.entered for kind, n in one.faults.items())
    names = [bot.label for bot in pool.bots]
    points = seen.observed(seen.points)
    size = len(points)
    mean = np.array([points.mean() if size else np.nan])
    error = np.array([points.std(ddof=1) / np.sqrt(size) if size > 1 else np.nan])
    low, high = interval(mean, error, np.array([size - 1]))
    worst = np.argsort(seen.points, kind="stable")[:3]
    return Answer(
        decision=DECISIONS[verdict.decision],
        bot=bots[0].label,
        against=bots[1].label,
        blocks=len(seen.block),
        stretches=size if seen.by_stretch else None,
        games=int(np.isin(pool.results.block, seen.block).sum()),
        stored=store.matches.counts()[run.key].games,
        llr=round(verdict.llr, 3),
        lower=round(verdict.lower, 3),
        upper=round(verdict.upper, 3),
        least=verdict.least,
        points=_finite(mean[0]),
        points_low=_finite(low[0]),
        points_high=_finite(high[0]),
        elo=_finite(elo_of_share(float(seen.places.mean()), seen.field)) if size else None,
        alike=size > 1 and not seen.values(question).any(),
        estimate=_finite(seen.in_units(verdict.effect, question)) if size else None,
        raw_points=_finite(seen.raw.mean()) if size else None,
        luck_saved=_saved(seen) if weights is not None and size > 1 else None,
        skewness=round(verdict.skewness, 2),
        worst=tuple((int(seen.block[i]), round(float(seen.points[i]), 3)) for i in worst),
        forfeits=faults,
        alarms=() if weights is None else tuple(alarms_of(pool.results, names, weights)),
    )


def _saved(seen: Blocks) -> float | None:
    """Share of the variance of block differences in points that went with the luck."""
    raw = float(seen.raw.var())
    return round(1 - float(seen.points.var()) / raw, 3) if raw > 0 else None


def _finite(number: float) -> float | None:
    return round(float(number), 3) if np.isfinite(number) else None


def play_until_known(
    store: Store,
    run: LeagueRun,
    cluster: Cluster,
    seconds: float | None = None,
    on_match: Callable[[], None] = lambda: None,
    on_look: Callable[[Answer], None] = lambda answer: None,
) -> Answer:
    """Play batches until the test decides, the time is up or the schedule ends; then say where it stands."""
    answer = look(store, run)
    stored, batches = store.matches.stored(run), batches_of(store.runs.plans(run))
    batch_of = {plan.number: at for at, batch in enumerate(batches) for plan in batch}
    left = [sum(plan.number not in stored for plan in batch) for batch in batches]
    deadline = None if seconds is None else time.monotonic() + seconds

    def enough() -> bool:
        return answer.decision != "open" or (deadline is not None and time.monotonic() > deadline)

    def look_again(match: PlayedMatch) -> None:
        nonlocal answer
        on_match()
        at = batch_of[match.number]
        left[at] -= 1
        if not any(left[: at + 1]) and answer.decision == "open":  # batches count in their order
            before, answer = answer.blocks, look(store, run)
            if answer.blocks > before:
                on_look(answer)

    if run.state == "playing" and not enough():
        if play(store, run, cluster, on_match=look_again, enough=enough):
            finish(store, run)
        answer = look(store, run)
    return close_if_known(store, run, answer)


def close_if_known(store: Store, run: LeagueRun, answer: Answer) -> Answer:
    """End a comparison that has its answer: nothing more is to be played."""
    if answer.decision != "open" and store.runs.find(run.label).state == "playing":
        keep_run_table(store, run)
        store.runs.close(run)
    return answer
