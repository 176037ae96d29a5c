"""Playing a search for better parameters (`leagues.halving`): matches on Ray, luck-adjusted, each once.

What a match gave is kept in the store under all that it depends on. So a search that was stopped finds what
it has played, and goes the same way again. Its candidates are files in memory: the store never has them.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import engines
from engines import luck
from leagues.comparison import comparison_schedule, differences, elo_of_share
from leagues.definition import Comparison
from leagues.halving import HEATS, PLAYED, Round, Values
from leagues.plan import MatchPlan
from leagues.ratings.control import Weights
from leagues.ratings.results import Floats, Results
from leagues.secret import Secret

from ..cluster.driver import Cluster
from ..errors import BotError, UsageError, needs_extra
from ..intake.registry import check_plays
from ..intake.source import Source, read
from ..jail.outcomes import FaultKind
from ..match import identity
from ..match.played import PlayedMatch
from ..match.setup import MatchSetup
from ..places import write_text
from ..printable import Watch, first_line, number
from ..store import Store
from ..store.models import LeagueRun
from .comparing import Answer
from .luck import KEY

FALSE_GAINS = 0.01  # chance that values that gain nothing are called better: people search again and again
COLUMNS = ("block", "entrant", "score", "lost", "luck")
Kept = dict[str, list[list[int | float]]]
"""Of the games of a match, a row a game: what `COLUMNS` says."""


@dataclass(frozen=True)
class Tuned:
    """What a search has found."""

    bot: Source
    best: Source
    rounds: tuple[Round, ...]
    # the comparison of the two on fresh deals; None: the best values are those that it had
    run: LeagueRun | None = None
    answer: Answer | None = None  # of that comparison

    @property
    def better(self) -> bool:
        """Whether the best values are better for sure."""
        return self.answer is not None and self.answer.decision == "accepted"

    def write(self, path: Path) -> Path:
        """Write the best values beside the bot at `path`; return where they are."""
        files = self.best.program
        place = path / files.tuned if path.is_dir() else path.with_name(files.tuned)
        write_text(place, files.files[files.tuned].decode())
        return place


class SearchMatches:
    """The matches of a search; use as a context manager, which ends the display of its progress.

    Args:
        field: the packed bots that candidates are measured against; none: the bot as it is.
        asked: game, table, options, limits, level, seed; and in `deals` the most blocks.

    Attributes:
        cluster: where matches are played; to be set before the first.
        rounds: of the search.
    """

    cluster: Cluster

    def __init__(
        self, store: Store, bot: Source, field: Sequence[tuple[str, str]], asked: Comparison, watch: Watch
    ) -> None:
        self._store, self._bot, self._field, self._asked = store, bot, field, asked
        self._watch = watch
        one = comparison_schedule(asked.players, len(field), 1)
        blocks = sum(plan.blocks for plan in one[0] if plan.rotation == 0 and plan.line_up[0] == 0)
        self.rounds = asked.deals // (PLAYED * blocks)
        if not self.rounds:
            raise UsageError(
                f"--deals {asked.deals}: a round of the search plays {PLAYED * blocks}; give more"
            )
        batches = self.rounds * HEATS
        self._batches = comparison_schedule(asked.players, len(field), batches * blocks)
        self._secret = Secret.of_seed(asked.seed or 0)
        weights = luck.weights(game := engines.load(asked.game), asked.options)
        self._weights = None if weights is None else Weights(*weights)
        self._state = f"{identity.playing(asked.game)} {luck.version(game)}"
        each = len(one[0]) // 2 if field else len(one[0])  # without those of the bot as it is
        self._total, self._done = self.rounds * (PLAYED * each + HEATS * (len(one[0]) - each)), 0
        self._add: Callable[[int], object] | None = None
        self._opened = contextlib.ExitStack()

    def __enter__(self) -> SearchMatches:
        return self

    def __exit__(self, *error: object) -> None:
        self._opened.close()

    def play(self, candidates: Sequence[Values], batch: int) -> list[Floats]:
        """Play a batch with each candidate; see `leagues.halving.Play`."""
        sources = [self._bot.with_values(values) for values in candidates]
        files = {one.hash: one.packed for one in (*sources, self._bot)}
        jobs: dict[str, MatchSetup] = {}
        mine: list[list[str]] = []
        for source in sources:
            own = {self._name(source, plan): self._setup(source, plan) for plan in self._batches[batch]}
            jobs |= own
            mine.append(list(own))
        kept: dict[str, Kept] = self._store.runs.standings(list(jobs), self._state, Kept)
        left = [name for name in jobs if name not in kept]
        self._tell(len(jobs) - len(left), bool(left))
        numbered = (
            replace(jobs[name], plan=replace(jobs[name].plan, number=at)) for at, name in enumerate(left)
        )
        for match in self.cluster.play(
            numbered, lambda digest: files.get(digest) or self._store.bots.source(digest)
        ):
            name = left[match.number]
            kept[name] = self._results(jobs[name], match)
            self._store.runs.keep_standing(name, self._state, kept[name])
            self._tell(1, True)
        return [self._gains([kept[name] for name in names]) for names in mine]

    def told(self, known: Round) -> str:
        """Say what is best after a round, and what it is expected to gain."""
        field, elo = bool(self._field), self._asked.question.unit == "elo"
        gain = elo_of_share(known.gain, field) if elo else known.gain
        values = ", ".join(f"{one.name} = {value}" for one, value in zip(self._bot.tune, known.best))
        return (
            f"best so far {values}: {number(gain, 0 if elo else 2, sign=True)} {'Elo' if elo else 'points'}"
        )

    @property
    def fresh_seed(self) -> int:
        """Return a seed for deals that no candidate has played."""
        return self._secret.number("comparison") % 2**32

    def _tell(self, matches: int, playing: bool) -> None:
        """Count matches; what was played before the first that is played now does not count as speed."""
        if self._add is not None:
            self._add(matches)
        self._done += matches
        if playing and self._add is None:
            self._add = self._opened.enter_context(self._watch(self._total, self._done, "matches"))

    def _bots(self, source: Source) -> list[tuple[str, str]]:
        bot = self._bot
        return [(bot.name, source.hash), (bot.name, bot.hash), *self._field]

    def _setup(self, source: Source, plan: MatchPlan) -> MatchSetup:
        asked, bots = self._asked, self._bots(source)
        conditions = asked.limits, asked.level, identity.playing(asked.game)
        setup = MatchSetup.of_plan(plan, self._secret, asked.game, asked.options, *conditions)
        return replace(setup, bots=tuple(bots[at] for at in plan.line_up), strangers=True)

    def _name(self, source: Source, plan: MatchPlan) -> str:
        """Return under what a match is kept: a hash of all that it depends on but our own code."""
        asked = self._asked
        bots = [self._bots(source)[at] for at in plan.line_up]
        place = [plan.rotation, plan.first_block, plan.blocks, plan.line_up, plan.number]
        facts = asked.game, asked.players, asked.options, asked.level, repr(asked.limits), asked.seed
        return f"tune {identity.digest_of({'match': json.dumps([bots, place, facts])})}"

    def _results(self, setup: MatchSetup, match: PlayedMatch) -> Kept:
        """Return block, entrants, counted scores, forfeits and luck of the games of a match; a row a game."""
        for fault in match.forfeits:
            if fault.kind == FaultKind.IMPORT:
                name, _ = setup.bots[fault.place]
                raise BotError(f"{name} cannot be loaded: {first_line(fault.text)}")
        lost = match.lost_at(-1) >= 0
        score = np.where(lost, match.scores.min(axis=1, keepdims=True), match.scores)
        lucky = np.zeros(score.shape)
        if self._weights is not None and len(setup.seeds):
            game, key = engines.load(setup.game), KEY + setup.number
            lucky = luck.of_games(game, setup.players, setup.options, setup.seeds, match.moves, key)
        entrant = np.array(match.line_up)[match.places]
        columns: list[NDArray[Any]] = [match.blocks[:, None], entrant, score, lost.astype(np.int64), lucky]
        return {name: one.tolist() for name, one in zip(COLUMNS, columns, strict=True)}

    def _gains(self, matches: Sequence[Kept]) -> Floats:
        """Return what the candidate made more than the bot, by block, without luck where that is known."""
        block, entrant, score, lost, lucky = (
            np.array([row for match in matches for row in match[column]]) for column in COLUMNS
        )
        score = score.astype(np.float64)
        rank = np.where(lost > 0, -np.inf, score)
        adjusted = lucky if self._weights is not None else None
        results = Results(entrant, score, block[:, 0], rank, luck=adjusted)
        places = self._asked.question.unit == "elo"
        return differences(results, 0, 1, places, self._weights)[1]


def read_tunable(path: Path, game: str) -> Source:
    """Read a bot that is to be tuned."""
    source = read(path, own=True)
    check_plays(f"{path}: it", source.games, game)
    if not source.tune:
        raise BotError(f'{path}: it names no parameters: write TUNE = {{"limit": (15, 30)}} and limit = 20')
    if find_spec("optuna") is None:
        raise UsageError(needs_extra("arena tune", "tune"))
    return source


def picture_of(tuned: Tuned) -> str:
    """Draw the way of a search as SVG: what each candidate gained, by round, and what the best would.

    Larger dots have played more blocks.
    """
    gains = [gain for each in tuned.rounds for gain in (each.gain, *(one.gain for one in each.tried))] + [0.0]
    low, high = min(gains), max(gains)
    step, scale = 800 / len(tuned.rounds), 300 / (high - low or 1.0)
    dots, line = [], []
    for at, each in enumerate(tuned.rounds):
        x = 60 + step * (at + 0.5)
        line.append(f"{x:.1f},{350 - scale * (each.gain - low):.1f}")
        for one in each.tried:
            what = ", ".join(
                f"{p.name} = {value}" for p, value in zip(tuned.bot.tune, one.values, strict=True)
            )
            title = f"<title>{what}: {one.gain:+.3f} in {one.blocks} blocks</title>"
            y, size = 350 - scale * (one.gain - low), 1.5 + one.blocks**0.5 / 3
            dots.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}" fill="#888">{title}</circle>')
    zero = f'<path d="M60 {350 + scale * low:.1f}h800" stroke="#ccc"/>'
    best = f'<polyline points="{" ".join(line)}" fill="none" stroke="#06c" stroke-width="2"/>'
    words = [
        f'<text x="60" y="30">{tuned.bot.name}: gain over the bot as it was, by round; '
        "line: what the best of all so far is expected to gain</text>",
        f'<text x="5" y="55">{high:+.2f}</text><text x="5" y="355">{low:+.2f}</text>',
        f'<text x="60" y="385">1</text><text x="840" y="385">{len(tuned.rounds)}</text>',
    ]
    parts = [zero, *dots, best, *words]
    font = 'font-family="sans-serif" font-size="14"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 400" {font}>'
    return "\n".join([head, *parts, "</svg>", ""])
