"""Inside a bot's process: load the bot, then answer one request after the other until the process is killed.

Everything here runs beside the bot's own code and can be changed by it: nothing here is trusted by the worker.
"""

from __future__ import annotations

import contextlib
import importlib.machinery
import importlib.util
import io
import linecache
import mmap
import operator
import os
import random
import sys
import traceback
from array import array
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import blake2b
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from engines.errors import TextError
from engines.game import Game
from engines.view import View

from . import wire
from .limits import FaultKind

LAST_ACTION = 2**15 - 1
MAX_FRAMES = 12  # of a traceback
_SHOWN = (int, float, complex, str, bytes, type(None), np.generic)  # types whose repr is not the bot's code


class BadBot(Exception):
    """The module is no bot for this game; the text says why."""


class BadAnswer(Exception):
    """The bot's answer is no action."""

    def __init__(self, kind: FaultKind, text: str) -> None:
        super().__init__(text)
        self.kind = kind


def derived_seed(seed: int, purpose: str, game: int = 0) -> int:
    """A 63-bit seed for one purpose and game of a match: a keyed hash, so none tells anything about another."""
    digest = blake2b(f"{seed}/{purpose}/{game}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1


# --- loading -------------------------------------------------------------------------------------------------------------


def module_name(source: Path) -> str:
    """The name to import a bot under: its own, unless that would hide a module that others import."""
    name = source.stem
    free = name.isidentifier() and name not in sys.stdlib_module_names and name not in sys.modules
    if free and importlib.util.find_spec(name) is None:
        return name
    return "bot_" + "".join(c if c.isalnum() else "_" for c in name)


def load_module(source: Path) -> ModuleType:
    """Import a bot from its file or folder; whatever its code raises goes to the caller."""
    packed = source.name.removesuffix(".py") == source.name
    path = source / "__init__.py" if packed else source
    folders = [str(source)] if packed else None
    name = _in_memory[0].package if _in_memory else module_name(source)
    loader = MemoryLoader(name, str(path), _in_memory[0].files) if _in_memory else None
    spec = importlib.util.spec_from_file_location(name, path, loader=loader, submodule_search_locations=folders)
    if spec is None or spec.loader is None:
        raise BadBot(f"{source.name} is no Python module: a bot is a .py file or a folder with __init__.py")
    _folders.update(folders or ())
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class MemoryFinder:
    """Imports a bot's modules from files that were read before the process gave up opening any."""

    def __init__(self, source: Path) -> None:
        self.folder = source if source.is_dir() else source.parent
        paths = [path for path in sorted(source.rglob("*")) if path.is_file()] if source.is_dir() else [source]
        self.files = {str(path): path.read_bytes() for path in paths}
        self.package = module_name(source)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """The module of this name, if it is the bot's."""
        first, *rest = name.split(".")
        if first != self.package:
            return None
        place = self.folder.joinpath(*rest)
        for file, folders in ((place / "__init__.py", [str(place)]), (place.with_suffix(".py"), None)):
            if str(file) in self.files:
                return importlib.util.spec_from_file_location(
                    name, file, loader=MemoryLoader(name, str(file), self.files), submodule_search_locations=folders
                )
        return None


class MemoryLoader(importlib.machinery.SourceFileLoader):
    """Loads a module, and data files beside it (`pkgutil.get_data`), from memory."""

    def __init__(self, name: str, path: str, files: dict[str, bytes]) -> None:
        super().__init__(name, path)
        self.files = files

    def get_data(self, path: Any) -> bytes:
        """A file of the bot's.

        Raises:
            FileNotFoundError: it has no such file.
        """
        try:
            return self.files[str(path)]
        except KeyError:
            raise FileNotFoundError(path) from None

    def path_stats(self, path: Any) -> Any:
        """None: there is no compiled code to look for."""
        raise OSError


_in_memory: list[MemoryFinder] = []
_folders: set[str] = set()  # of the bots that are loaded


def import_from_memory(source: Path) -> None:
    """Read a bot's files now; `load_module` will then need none."""
    _in_memory.append(MemoryFinder(source))
    sys.meta_path.insert(0, _in_memory[0])


def check_games(module: ModuleType, game: str) -> None:
    """Whether the module says that it plays this game.

    Raises:
        BadBot: it does not; says what is there.
    """
    games = getattr(module, "GAMES", None)
    if not isinstance(games, list | tuple) or not all(isinstance(name, str) for name in games):
        raise BadBot(f"GAMES is missing or no list of names: add GAMES = [{game!r}]")
    if game not in games:
        raise BadBot(f"this bot does not play {game}: GAMES = {list(games)!r}")


# --- playing -------------------------------------------------------------------------------------------------------------


class Player:
    """A loaded bot: what it keeps per game (its `Bot` instances, its random numbers), and how its answers are read."""

    def __init__(self, module: ModuleType, game: Game, seed: int, log: Callable[..., None]) -> None:
        check_games(module, game.name)
        self.game = game
        self.seed = seed
        self.log = log
        self.randoms: dict[int, random.Random] = {}
        self.bots: dict[int, Callable[[View], Any]] = {}
        self.numbers: dict[str, int] = {}
        self.act_batch = getattr(module, "act_batch", None)
        self.make_bot = getattr(module, "Bot", None)
        self.act = getattr(module, "act", None)
        if not any(callable(f) for f in (self.act_batch, self.make_bot, self.act)):
            raise BadBot("there is no act(view), no class Bot and no act_batch(views)")

    def rng(self, game: int) -> random.Random:
        """The random numbers of one game of the match: made when first asked for, kept to its end."""
        if game not in self.randoms:
            self.randoms[game] = random.Random(derived_seed(self.seed, "rng", game))
        return self.randoms[game]

    def bot(self, game: int, seat: int) -> Callable[[View], Any]:
        """`act` of the `Bot` that plays one game of the match; each game has its own."""
        if game not in self.bots:
            self.bots[game] = self.make_bot(seat, derived_seed(self.seed, "bot", game)).act  # type: ignore[misc]
        return self.bots[game]

    def views(self, rows: Any, games: Sequence[int], seats: Sequence[int], legal: Any, ends: Sequence[int]) -> list[View]:
        """One view a row. They share the rows, which are this request's private copy."""
        game, rng, log = self.game, self.rng, self.log
        return [
            View(game, rows[i : i + 1], seats[i], legal[ends[i] : ends[i + 1]], partial(rng, number), log)
            for i, number in enumerate(games)
        ]

    def answer_rows(self, views: list[View], games: Sequence[int]) -> tuple[list[int], list[tuple[int, str, str]]]:
        """One action a view (-1: that row failed), and the failures as (row, kind, text)."""
        if callable(self.act_batch):
            return self._answer_at_once(views)
        actions, failed = [-1] * len(views), []
        make_bot = callable(self.make_bot)
        act: Any = self.act
        for i, view in enumerate(views):
            try:
                if make_bot:
                    act = self.bots.get(games[i]) or self.bot(games[i], view.seat)
                answer = act(view)
                actions[i] = answer if type(answer) is int and 0 <= answer <= LAST_ACTION else self.number(answer, view)
            except MemoryError:
                raise
            except BaseException as error:  # SystemExit and its like too
                failed.append((i, *failure(error)))
        return actions, failed

    def _answer_at_once(self, views: list[View]) -> tuple[list[int], list[tuple[int, str, str]]]:
        actions, failed = [-1] * len(views), []
        try:
            answers = list(self.act_batch(views))  # type: ignore[misc]
            if len(answers) != len(views):
                raise BadAnswer(FaultKind.TYPE, f"act_batch gave {len(answers)} answers for {len(views)} views")
        except MemoryError:
            raise
        except BaseException as error:
            kind, text = failure(error)
            return actions, [(i, kind, text) for i in range(len(views))]
        for i, answer in enumerate(answers):
            try:
                actions[i] = self.number(answer, views[i])
            except MemoryError:
                raise
            except BaseException as error:
                failed.append((i, *failure(error)))
        return actions, failed

    def number(self, answer: Any, view: View) -> int:
        """The action that an answer names: a whole number (anything with `__index__` but a bool) or the action's text.

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
            raise BadAnswer(FaultKind.TYPE, f"answered {shown} ({kind}): an action is a whole number or its text") from None
        if not 0 <= number <= LAST_ACTION:
            shown = str(number) if number.bit_length() < 64 else f"a number of {number.bit_length()} bits"
            raise BadAnswer(FaultKind.ILLEGAL, f"answered {shown}: {self.game.name} has actions 0 to {self.game.n_actions - 1}")
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


# --- last words ------------------------------------------------------------------------------------------------------------


def failure(error: BaseException) -> tuple[str, str]:
    """Kind and text of what a bot's code raised."""
    if isinstance(error, BadAnswer):
        return error.kind, str(error)
    try:
        return FaultKind.EXCEPTION, last_words(error)
    except MemoryError:
        raise
    except BaseException:  # its own __str__ raised
        return FaultKind.EXCEPTION, f"raised {type(error).__name__}, whose text cannot be shown"


def shown_name(filename: str) -> str:
    """A file as the bot's author knows it: a module of a bot's folder with its place in it, any other by its name alone."""
    path = Path(filename)
    for parent in path.parents:
        if str(parent) in _folders:
            return str(path.relative_to(parent.parent))
    return path.name


def last_words(error: BaseException) -> str:
    """One sentence, then the traceback without the frames of this module; the bot's files by their names in its folder."""
    report = traceback.TracebackException.from_exception(error, limit=-MAX_FRAMES, compact=True)
    here = str(Path(__file__).parent)
    stack = [frame for frame in report.stack if not frame.filename.startswith((here, "<frozen importlib"))]
    report.stack = traceback.StackSummary.from_list(stack)
    for frame in report.stack:
        frame.filename = shown_name(frame.filename)
    if isinstance(error, SyntaxError) and report.filename:
        report.filename = shown_name(report.filename)
    lines = list(report.format(chain=False))
    where = f" ({stack[-1].filename}, line {stack[-1].lineno})" if stack else ""
    return f"raised {lines[-1].strip()[:300]}{where}\n{''.join(lines)[: wire.MAX_TEXT]}"


# --- the process's loop ----------------------------------------------------------------------------------------------------


class Log(io.RawIOBase):
    """A descriptor that may be full: what does not fit is dropped without an error."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, data: Any) -> int:
        """Write what fits; say that it was all."""
        with contextlib.suppress(OSError):
            os.write(self._fd, data)
        return len(data)


def open_log() -> Callable[..., None]:
    """Make descriptor 1 the standard output and error of Python code; returns what `view.log` is."""
    stream = io.TextIOWrapper(io.BufferedWriter(Log(1)), "utf-8", "backslashreplace", line_buffering=True)
    sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = stream  # type: ignore[misc]
    return partial(print, file=stream)


def send(n: int, status: int, nonce: int, actions: bytes = b"", words: bytes = b"") -> None:
    """Write one reply frame."""
    frame = wire.REPLY.pack(n, status, len(words), 0, nonce) + actions + words
    while frame:
        frame = frame[os.write(wire.REPLY_FD, frame) :]


def fail(kind: FaultKind, text: str, nonce: int) -> None:
    """Say why this process ends; the caller ends it."""
    send(0, wire.FAILED, nonce, words=wire.pack_words([(-1, kind, text)]))


def serve(player: Player, memory: mmap.mmap, game: Game) -> None:
    """Answer requests for ever."""
    source = memoryview(memory)
    while bell := os.read(wire.BELL_FD, wire.BELL.size):
        n, m, nonce = wire.BELL.unpack(bell)
        at_ends, at_games, at_legal, at_seats, end = wire.layout(n, m, game.state.itemsize)
        private = bytearray(source[:end])  # compiled code wants writable rows, and a bot may spoil its own copy
        rows = np.frombuffer(private, game.state, n)
        legal = np.frombuffer(private, np.int16, m, at_legal)
        ends = source[at_ends:at_games].cast("i").tolist()
        games = source[at_games:at_legal].cast("i").tolist()
        seats = source[at_seats:end].cast("b").tolist()
        try:
            actions, failed = player.answer_rows(player.views(rows, games, seats, legal, ends), games)
        except MemoryError as error:
            fail(FaultKind.MEMORY, last_words(error), nonce)
            return
        send(n, wire.OK, nonce, array("h", actions).tobytes(), wire.pack_words(failed) if failed else b"")


def play(source: Path, game: Game, seed: int, memory: mmap.mmap, nonce: int) -> None:
    """Load the bot, say that it is ready, answer. Returns when the bot cannot go on (the worker has been told)."""
    log = open_log()
    random.seed(derived_seed(seed, "random"))
    np.random.seed(derived_seed(seed, "numpy") & 0xFFFFFFFF)
    linecache.clearcache()
    try:
        player = Player(load_module(source), game, seed, log)
    except BadBot as error:
        return fail(FaultKind.IMPORT, str(error), nonce)
    except MemoryError as error:
        return fail(FaultKind.MEMORY, last_words(error), nonce)
    except BaseException as error:
        return fail(FaultKind.IMPORT, failure(error)[1], nonce)
    send(0, wire.OK, nonce)
    serve(player, memory, game)
