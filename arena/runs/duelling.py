"""Bots against each other at once: no Ray, no store, no league. Results come while it plays.

    import arena
    games = arena.play(["./my_bot.py", "banker"], "flip7", 100, seed=1)
    games.scores                      # int64 [games, seats], games.bots says which bot sat where
    games.difference(0, 1)            # mean per game and its 95 % interval, by deal

Every deal is played in all rotations of its seats, in a random circular order, as in a league. What is not
here: ratings (`leagues.ratings`), stopping when it is known (`arena.runs.comparing`).
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import engines
from engines.game import Game
from leagues.limits import Level
from leagues.plan import MatchPlan
from leagues.secret import Secret

from ..errors import BotError, UsageError
from ..intake.conditions import Conditions
from ..intake.registry import program_of
from ..jail.outcomes import FaultKind
from ..jail.program import Program
from ..match.played import Forfeited, Logged, PlayedMatch
from ..match.setup import MatchSetup
from ..match.warm import warm_up
from ..printable import Say, count, quiet

if TYPE_CHECKING:
    from ..cell.loaded import Player
    from ..jail.zygote import Server

DEALS = 1000  # of a duel
FIRST_DEALS, MOST_DEALS = 2, 64  # of a chunk: each has twice as many as the one before
Bots = Sequence[str | Callable[[Any], Any]]


@dataclass(frozen=True, eq=False)
class Games:
    """Played games, in arrays.

    Attributes:
        names: of the bots.
        deal: int64 [games], the deal of each.
        bots: int64 [games, seats], which bot sat where.
        scores: int64 [games, seats], as the cards fell.
        lost: bool [games, seats], whether the seat broke a rule.
        cpu_s: CPU seconds, by bot.
        decisions: asked, by bot.
        faults: bot and fault, in the order in which they happened.
        logs: bot and what it printed.
    """

    names: tuple[str, ...]
    deal: NDArray[np.int64]
    bots: NDArray[np.int64]
    scores: NDArray[np.int64]
    lost: NDArray[np.bool_]
    cpu_s: NDArray[np.float64]
    decisions: NDArray[np.int64]
    faults: tuple[tuple[int, Forfeited], ...] = ()
    logs: tuple[tuple[int, Logged], ...] = ()

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        means = ", ".join(f"{name} {mean:.2f}" for name, mean in zip(self.names, self.means))
        return (
            f"{count(len(self), 'game')} of {count(len(np.unique(self.deal)), 'deal')}, mean scores: {means}"
        )

    def __add__(self, other: Games) -> Games:
        return Games(
            self.names,
            np.concatenate([self.deal, other.deal]),
            np.concatenate([self.bots, other.bots]),
            np.concatenate([self.scores, other.scores]),
            np.concatenate([self.lost, other.lost]),
            self.cpu_s + other.cpu_s,
            self.decisions + other.decisions,
            self.faults + other.faults,
            self.logs + other.logs,
        )

    @property
    def counted(self) -> NDArray[np.int64]:
        """The scores as they count: who broke a rule has the lowest of its table."""
        return np.where(self.lost, self.scores.min(axis=1, keepdims=True), self.scores)

    @property
    def by_deal(self) -> NDArray[np.float64]:
        """Float [deals, bots]: the mean score of a bot's seats in a deal; nan where it had none."""
        _, deal = np.unique(self.deal, return_inverse=True)
        shape = (int(deal.max(initial=-1)) + 1, len(self.names))
        total, count = np.zeros(shape), np.zeros(shape)
        at = (np.repeat(deal, self.bots.shape[1]), self.bots.ravel())
        np.add.at(total, at, self.counted.ravel())
        np.add.at(count, at, 1)
        return np.divide(total, count, out=np.full(shape, np.nan), where=count > 0)

    @property
    def means(self) -> list[float]:
        """Mean score per game of each bot; every deal weighs the same."""
        deals = self.by_deal
        return [
            float(column[~np.isnan(column)].mean()) if not np.isnan(column).all() else float("nan")
            for column in deals.T
        ]

    def difference(self, one: int, other: int) -> tuple[float, float, float]:
        """How much more a bot makes per game than another: mean, and its 95 % interval by deal."""
        from leagues.ratings.intervals import t_quantile

        deals = self.by_deal
        margins = deals[:, one] - deals[:, other]
        margins = margins[~np.isnan(margins)]
        if not len(margins):
            return float("nan"), float("nan"), float("nan")
        mean = float(margins.mean())
        if len(margins) == 1:
            return mean, -float("inf"), float("inf")
        wide = float(t_quantile(0.975, len(margins) - 1)) * float(margins.std(ddof=1)) / len(margins) ** 0.5
        return mean, mean - wide, mean + wide


def play(
    bots: Bots,
    game: str | None = None,
    deals: int = DEALS,
    seed: int | None = None,
    *,
    league: str | None = None,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    level: str | None = None,
    interpreters: Sequence[str] = (),
    db: str | None = None,
) -> Games:
    """Play bots against each other.

    Args:
        bots: house bots by name, paths, stored bots, functions `act(view)`. If there are fewer than seats,
            they sit at the table several times.
        game: its name; None: the league's.
        deals: each in all rotations of the seats.
        seed: of the deals; default: a fresh one.
        league: as this league plays: table, options, limits, packages, level.
        players: seats at the table.
        options: of the game.
        level: how bots are separated. "trusted": they run in this process, where breakpoints and prints
            work; default: strict, and trusted where a bot is a function.
        interpreters: programs that may run a bot, as "node=/usr/bin/node".
        db: the store that stored bots come from.

    Returns:
        The games, in arrays.

    Raises:
        BotError, UsageError, GameError: what is wrong with bots, game or options; a bot that does not load.
        HostError: this host cannot hold bots apart.
    """
    if level is None and league is None and not all(isinstance(bot, str) for bot in bots):
        level = Level.TRUSTED
    conditions = Conditions.of(
        game, league, players=players, options=options, level=level, interpreters=interpreters
    )
    with Duel(bots, conditions, seed, db) as duel:
        return duel.play(deals)


class Duel:
    """A duel that goes on as long as one likes; use as a context manager.

    Args:
        conditions: under which they play; at level "trusted" in this process.
        early: the fork server's process, if it was started before (`arena.jail.early`).
    """

    def __init__(
        self,
        bots: Bots,
        conditions: Conditions,
        seed: int | None = None,
        db: str | None = None,
        early: Server | None = None,
        say: Say = quiet,
    ) -> None:
        self.game: Game = engines.load(conditions.game)
        self.conditions, self.players, self.options = conditions, conditions.players, conditions.options
        if not bots:
            raise UsageError("name at least one bot")
        self.seed = secrets.randbits(32) if seed is None else seed
        self.names = _names(bots)
        self._secret = Secret.of_seed(self.seed)
        self._seats = np.zeros(len(bots), np.int64)  # that each has had
        self._matches = 0
        self._deals = 0
        self._opened = contextlib.ExitStack()
        try:
            self._table = (  # where they play
                _Trusted(bots, self.game, say)
                if conditions.level == Level.TRUSTED
                else _Jailed(bots, self.game, conditions, db, early, say, self._opened)
            )
        except BaseException:
            self._opened.close()
            raise

    def __enter__(self) -> Duel:
        return self

    def __exit__(self, *error: object) -> None:
        self._opened.close()

    def play(self, n: int) -> Games:
        """Play the next `n` deals."""
        games = None
        for part in self.chunks(n):
            games = part if games is None else games + part
        return games or self._nothing()

    def chunks(self, n: int) -> Iterator[Games]:
        """Play the next `n` deals, a few at first, then more at a time; yields the games of each chunk."""
        size = FIRST_DEALS
        while n > 0:
            size = min(size, n, MOST_DEALS)
            yield self._chunk(size)
            n -= size
            size *= 2

    def _chunk(self, deals: int) -> Games:
        """Return some deals of one line-up, a match for every rotation."""
        line_up, games = self._line_up(), self._nothing()
        for rotation in range(self.players):
            plan = MatchPlan(self._matches, line_up, rotation, self._deals, deals)
            self._matches += 1
            conditions = self.options, self.conditions.limits, self.conditions.level
            setup = MatchSetup.of_plan(plan, self._secret, self.game.name, *conditions)
            if len(setup.seeds):  # else every game would repeat a seating
                games += self._games(self._table.play(setup))
        self._deals += deals
        for bot, fault in games.faults:
            if fault.kind == FaultKind.IMPORT:
                raise BotError(f"{self.names[bot]} cannot be loaded: {fault.text.strip()}")
        return games

    def _line_up(self) -> tuple[int, ...]:
        """Who sits at the next table: bots that had the fewest seats so far."""
        chosen: list[int] = []
        for _ in range(self.players):
            bot = min(
                range(len(self.names)),
                key=lambda bot: (
                    chosen.count(bot),
                    self._seats[bot],
                    self._secret.number("line-up", self._deals, bot),
                ),
            )
            chosen.append(bot)
            self._seats[bot] += 1
        return tuple(sorted(chosen))

    def _games(self, match: PlayedMatch) -> Games:
        lost, line_up = np.zeros(match.scores.shape, np.bool_), match.line_up
        for one in match.forfeits:
            lost[one.game, one.seat] = True
        cpu_s, decisions = np.zeros(len(self.names)), np.zeros(len(self.names), np.int64)
        np.add.at(cpu_s, list(line_up), match.cpu_s)
        np.add.at(decisions, list(line_up), match.decisions)
        return Games(
            self.names,
            match.blocks.astype(np.int64),
            np.array(line_up, np.int64)[match.places],
            match.scores,
            lost,
            cpu_s,
            decisions,
            tuple((line_up[one.place], one) for one in match.forfeits),
            tuple((line_up[one.place], one) for one in match.logs),
        )

    def _nothing(self) -> Games:
        k, bots = self.players, len(self.names)
        none = np.zeros((0, k), np.int64)
        return Games(
            self.names,
            np.zeros(0, np.int64),
            none,
            none,
            none.astype(np.bool_),
            np.zeros(bots),
            np.zeros(bots, np.int64),
        )


def _names(bots: Bots) -> tuple[str, ...]:
    """Return what bots are called in tables; those that would have one name are numbered."""
    plain = [
        bot if isinstance(bot, str) else str(getattr(bot, "__name__", type(bot).__name__)) for bot in bots
    ]
    return tuple(
        f"{name} ({plain[:at].count(name) + 1})" if plain.count(name) > 1 else name
        for at, name in enumerate(plain)
    )


# --- where they play ----------------------------------------------------------------------------------------


class _Jailed:
    """Bots in processes of their own."""

    def __init__(
        self,
        bots: Bots,
        game: Game,
        conditions: Conditions,
        db: str | None,
        early: Server | None,
        say: Say,
        opened: contextlib.ExitStack,
    ) -> None:
        from ..cell import GameZygote

        if not all(isinstance(bot, str) for bot in bots):
            raise UsageError('a function plays in this process: level="trusted", or leave it out')
        limits = conditions.limits
        self._programs, wrong = list[Program](), list[str]()
        for bot in bots:
            try:
                self._programs.append(program_of(str(bot), game.name, db))
            except UsageError as error:
                wrong.append(str(error))
        if wrong:
            raise UsageError("; ".join(wrong))
        warm_up(game.name, say)  # which may take a minute, so what is wrong with the bots was said before
        with ThreadPoolExecutor(1) as beside:  # fork server and this process load at the same time
            loaded = beside.submit(_load_what_is_used_first, game)
            self._zygote = opened.enter_context(
                GameZygote(game.name, conditions.level, limits.profile, tuple(limits.preload), early=early)
            )
            loaded.result()

    def play(self, setup: MatchSetup) -> PlayedMatch:
        from ..match.batch import play_match

        return play_match(setup, [self._programs[bot] for bot in setup.plan.line_up], self._zygote)


def _load_what_is_used_first(game: Game) -> None:
    """Load what would else be loaded between the first match and its result."""
    import_module("arena.match.batch")
    from leagues.ratings.intervals import t_quantile

    from ..match.warm import use_what_matches_call

    use_what_matches_call(game)
    t_quantile(0.5, 1)


class _Trusted:
    """Bots in this process."""

    def __init__(self, bots: Bots, game: Game, say: Say) -> None:
        self._game = game
        self._modules = [_module(bot, game.name) for bot in bots]
        warm_up(game.name, say)

    def play(self, setup: MatchSetup) -> PlayedMatch:
        from ..match.here import play_here

        seated = zip(setup.plan.line_up, setup.bot_seeds, strict=True)
        return play_here(setup, [self._player(self._modules[bot], seed) for bot, seed in seated])

    def _player(self, module: ModuleType, seed: int) -> Player:
        from ..cell.loaded import Player

        # nobody hears `view.log`, as there are thousands of games: `print` is there for a look
        return Player(module, self._game, seed, lambda *words, **how: None)


def _module(bot: str | Callable[[Any], Any], game: str) -> ModuleType:
    """Return a bot as a module of this process."""
    if not isinstance(bot, str):
        module = ModuleType(getattr(bot, "__name__", "bot"))
        vars(module).update(GAMES=[game], act=bot)
        return module
    from ..intake.debug import own_module

    return own_module(bot, game)
