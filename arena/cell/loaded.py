"""A loaded bot: how it is asked and how its answers are read.

The same code asks bots behind the wall (`loop`) and, for `arena trace` and debuggers, in the harness's own
process. Behind the wall everything here runs beside the bot's own code and can be changed by it: nothing here
is trusted by the worker.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import operator
import random
import sys
import time
from array import array
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import blake2b
from itertools import repeat
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from engines.errors import TextError
from engines.game import Game
from engines.view import View
from leagues.limits import Limits

from ..jail.imports import free_name
from ..jail.outcomes import FaultKind
from ..jail.program import TUNED
from .log import NoLog
from .words import BadAnswer, came_from, failure

LAST_ACTION = 2**15 - 1
FAILED = -1  # in place of an action
_PLAIN = {int, np.int16}  # types of answers that are numbers without a question
_SHOWN = (int, float, complex, str, bytes, type(None), np.generic)  # types whose repr is not the bot's code


Answers = tuple["array[int]", list[tuple[int, FaultKind, str]]]


class BotClock:
    """`view.clock`: the account of CPU time of this bot in this match, worked out in its own process.

    The worker believes none of it: it reads the kernel's clocks (`arena.jail.clock`).

    Args:
        began: CPU seconds of this process that are not charged to the bot.
        decisions: asked of it before, by a process that has died.
    """

    __slots__ = ("_began", "_limits", "decisions")

    def __init__(self, limits: Limits, began: float | None = None, decisions: int = 0) -> None:
        self._limits = limits
        self._began = time.process_time() if began is None else began
        self.decisions = decisions

    @property
    def used(self) -> float:
        """CPU seconds used in this match so far, loading included."""
        return time.process_time() - self._began

    @property
    def allowed(self) -> float:
        """CPU seconds that may have been used by now; more with every decision."""
        return self._limits.cpu_s(self.decisions)

    @property
    def left(self) -> float:
        """CPU seconds that may be used now, for this decision and those asked with it; below 0 it is lost."""
        return self.allowed - self.used

    @property
    def per_decision(self) -> float:
        """CPU seconds that every decision adds."""
        return self._limits.cpu_ms_per_decision / 1000

    def __repr__(self) -> str:
        return f"{self.left:.3f} s CPU left, {self.per_decision:.3f} a decision, {self.decisions} decisions"


class BadBot(Exception):
    """The module is no bot for this game; the text says why."""


def derived_seed(seed: int, purpose: str, game: int = 0) -> int:
    """Return a 63-bit seed for one purpose and game of a match: a keyed hash, so none tells of another."""
    digest = blake2b(f"{seed}/{purpose}/{game}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1


def load_from_disk(source: Path) -> ModuleType:
    """Import one's own bot from its file or folder, unprotected; what its code raises goes to the caller."""
    folder = source.is_dir()
    if folder and not (source / "__init__.py").is_file():
        raise BadBot(f"{source.name} is a program in another language, which plays behind the wall only")
    path = source / "__init__.py" if folder else source
    name = free_name(source.stem)
    spec = importlib.util.spec_from_file_location(
        name, path, submodule_search_locations=[str(source)] if folder else None
    )
    if spec is None or spec.loader is None:
        raise BadBot(f"{source.name} is no Python module: a bot is a .py file or a folder with __init__.py")
    came_from(str(source.parent))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    set_tuned(module)
    return module


def set_tuned(module: ModuleType) -> None:
    """Give a module the parameters of the file beside it, if there is one."""
    main = Path(str(module.__file__))
    file = main.with_name(TUNED) if main.name == "__init__.py" else main.with_suffix(f".{TUNED}")
    if file.is_file():
        vars(module).update(json.loads(file.read_text(encoding="utf-8")))


def check_games(module: ModuleType, game: str) -> None:
    """Whether the module says that it plays this game. Raises BadBot: it does not; says what is there."""
    games = getattr(module, "GAMES", None)
    if not isinstance(games, list | tuple) or not all(isinstance(name, str) for name in games):
        raise BadBot(f"GAMES is missing or no list of names: add GAMES = [{game!r}]")
    if game not in games and tuple(games) != ("*",):
        raise BadBot(f"this bot does not play {game}: GAMES = {list(games)!r}")


class Request:
    """What one request asks about: the rows, which are the bot's own, and what their views show besides."""

    __slots__ = ("ends", "games", "legal", "player", "rows", "seats")

    def __init__(
        self,
        player: Player,
        rows: Any,
        games: Sequence[int],
        seats: Sequence[int],
        legal: Any,
        ends: Sequence[int],
    ) -> None:
        self.player = player
        self.rows = rows
        self.games = games
        self.seats = seats
        self.legal = legal
        self.ends = ends

    def part(self, name: str, i: int) -> Any:
        """Return what slot `name` of the view of row `i` holds."""
        if name == "state":
            return self.rows[i : i + 1]
        if name == "seat":
            return self.seats[i]
        if name == "_legal":
            return self.legal[self.ends[i] : self.ends[i + 1]]
        if name == "_rng":
            return partial(self.player.rng, self.games[i])
        if name == "log":
            return self.player.log_of(self.games[i])
        if name == "clock":
            return self.player.clock
        return self.player.game.set_up_of(self.rows).texts if name == "_texts" else self.player.game


class AskedView(View):
    """Show one row of a request to a bot.

    What the view holds is taken from the request when the bot first asks for it: most bots use little of it,
    and to make it all costs more than a simple bot's whole decision.
    """

    __slots__ = ("_i", "_request")

    def __init__(self, request: Request, i: int) -> None:
        self._request = request
        self._i = i

    @property
    def legal(self) -> Any:
        """Numbers of the legal actions, ascending."""
        request, i = self._request, self._i
        return request.legal[request.ends[i] : request.ends[i + 1]]

    def __getattr__(self, name: str) -> Any:
        if name in _PARTS:  # an empty slot
            value = self._request.part(name, self._i)
            setattr(self, name, value)
            return value
        return super().__getattr__(name)


_PARTS = frozenset({"_legal", "_rng", "_texts", "clock", "game_rules", "log", "seat", "state"})


class Player:
    """Run a loaded bot.

    This is what is kept per game (its `Bot` instances, its random numbers), and how its answers are read.

    Args:
        log: what `view.log` is.
        clock: what `view.clock` is; default: the usual limits, from now on.
        desk: its attribute `game` is set to the number of the game that is asked about.
    """

    def __init__(
        self,
        module: ModuleType,
        game: Game,
        seed: int,
        log: Callable[..., None],
        clock: BotClock | None = None,
        desk: Any = None,
    ) -> None:
        check_games(module, game.name)
        self.game = game
        self.seed = seed
        self.log = log
        self.clock = clock or BotClock(Limits())
        self.desk = desk or NoLog()  # is told which game is asked about
        self.randoms: dict[int, random.Random] = {}
        self.bots: dict[int, Callable[[View], Any]] = {}
        self.numbers: dict[str, int] = {}
        self.act_batch: Any = getattr(module, "act_batch", None)
        self.make_bot: Any = getattr(module, "Bot", None)
        self.act = getattr(module, "act", None)
        if isinstance(self.act, type):
            raise BadBot("act is a class: name it Bot, so that each game gets an object of its own")
        if not any(callable(f) for f in (self.act_batch, self.make_bot, self.act)):
            for name in ("Bot", "act"):
                if (found := getattr(module, name, None)) is not None:
                    what = f"{name} is an object of {type(found).__name__}, which cannot be called"
                    raise BadBot(f"{what}: write act(view), or class Bot with act(self, view)")
            raise BadBot("there is no act(view), no class Bot and no act_batch(views)")

    def rng(self, game: int) -> random.Random:
        """Return the random numbers of one game of the match: made when first asked for, kept to its end."""
        if game not in self.randoms:
            self.randoms[game] = random.Random(derived_seed(self.seed, "rng", game))
        return self.randoms[game]

    def bot(self, game: int, seat: int) -> Callable[[View], Any]:
        """`act` of the `Bot` that plays one game of the match; each game has its own."""
        if game not in self.bots:
            self.bots[game] = self.make_bot(seat, derived_seed(self.seed, "bot", game)).act
        return self.bots[game]

    def views(
        self, rows: Any, games: Sequence[int], seats: Sequence[int], legal: Any, ends: Sequence[int]
    ) -> list[View]:
        """One view a row. They share the rows, which are this request's private copy."""
        self.clock.decisions += len(games)
        request = Request(self, rows, games, seats, legal, ends)
        return list(map(AskedView, repeat(request), range(len(games))))

    def log_of(self, game: int) -> Callable[..., None]:
        """`view.log` of one game of the match."""
        return partial(self._log_about, game) if callable(self.act_batch) else self.log

    def _log_about(self, game: int, *words: Any, **how: Any) -> None:
        """`view.log` of a bot that is asked about many games at once."""
        self.desk.game = game
        self.log(*words, **how)

    def answer_rows(self, views: list[View], games: Sequence[int]) -> Answers:
        """One action a view (-1: that row failed), and the failures as (row, kind, text), ascending."""
        if callable(self.act_batch):
            return self._answer_at_once(views)
        answers: list[Any] = []
        failed: dict[int, tuple[FaultKind, str]] = {}
        take, desk, act = answers.append, self.desk, self.act
        bots = self.bots if callable(self.make_bot) else None
        for game, view in zip(games, views, strict=True):
            desk.game = game
            try:
                if bots is not None:
                    act = bots.get(game) or self.bot(game, view.seat)
                take(act(view))  # type: ignore[misc]  # there is a Bot, if there is no act
            except MemoryError:
                raise
            except BaseException as error:  # SystemExit and its like too
                failed[len(answers)] = failure(error)
                take(FAILED)
        return self._numbers(answers, views, failed)

    def _answer_at_once(self, views: list[View]) -> Answers:
        try:
            answers = self.act_batch(list(views))  # a list of its own: it may take views off
            numbers = type(answers) is np.ndarray and answers.ndim == 1 and answers.dtype.kind in "iu"
            answers = answers.tolist() if numbers else list(answers)
            if len(answers) != len(views):
                raise BadAnswer(
                    FaultKind.TYPE, f"act_batch gave {len(answers)} answers for {len(views)} views"
                )
        except MemoryError:
            raise
        except BaseException as error:
            kind, text = failure(error)
            return array("h", [FAILED] * len(views)), [(i, kind, text) for i in range(len(views))]
        return self._numbers(answers, views, {})

    def _numbers(
        self, answers: list[Any], views: list[View], failed: dict[int, tuple[FaultKind, str]]
    ) -> Answers:
        """Return the actions that answers name; rows that have failed already have FAILED."""
        if not failed and _PLAIN.issuperset(map(type, answers)):
            with contextlib.suppress(OverflowError):
                actions = array("h", answers)
                if min(actions, default=0) >= 0:
                    return actions, []
        numbers = [FAILED] * len(answers)
        for i, answer in enumerate(answers):
            try:
                if i not in failed:
                    numbers[i] = self.number(answer, views[i])
            except MemoryError:
                raise
            except BaseException as error:
                failed[i] = failure(error)
        return array("h", numbers), [(i, *failed[i]) for i in sorted(failed)]

    def number(self, answer: Any, view: View) -> int:
        """Return the action that an answer names.

        The answer is a whole number (anything with `__index__` but a bool) or the action's text.

        Raises:
            BadAnswer: it is neither, or no action of the game.
        """
        if isinstance(answer, str):
            return self._number_of_text(str(answer), view)
        try:
            if isinstance(answer, bool | np.bool_):
                raise TypeError
            number = operator.index(answer)
        except TypeError:
            shown = f"{answer!r:.200}" if isinstance(answer, _SHOWN) else "an object"
            kind = type(answer).__name__
            raise BadAnswer(
                FaultKind.TYPE, f"answered {shown} ({kind}): an action is a whole number or its text"
            ) from None
        if not 0 <= number <= LAST_ACTION:
            shown = str(number) if number.bit_length() < 64 else f"a number of {number.bit_length()} bits"
            raise BadAnswer(
                FaultKind.ILLEGAL,
                f"answered {shown}: {self.game.name} has actions 0 to {self.game.n_actions - 1}",
            )
        return number

    def _number_of_text(self, text: str, view: View) -> int:
        if not self.numbers:  # one set of options a match, so one table of texts
            self.numbers = {name: number for number, name in enumerate(self.game.actions(view.options))}
        try:
            return self.numbers[text]
        except KeyError:
            pass
        try:
            return self.game.action(text[:200], view.options)
        except TextError as error:
            raise BadAnswer(FaultKind.ILLEGAL, str(error)) from None
