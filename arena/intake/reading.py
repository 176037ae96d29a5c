"""What a bot's source says without being run: its docstring, its games, its parameters, what can be called.

`inspect` parses it and executes nothing of it. A hostile source can make the parser take memory, time or the
process down: `inspect_jailed` has a stranger's parsed in a jailed process with limits.
"""

from __future__ import annotations

import ast
import atexit
import json
import os
import sys
import threading
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from leagues.limits import Level, Limits
from leagues.parameter import Parameter

from ..jail import facts
from ..jail.files import STORE
from ..jail.inside import CHANNEL, Inside
from ..jail.outcomes import LAYERS, Failed, HostError
from ..jail.process import Process
from ..jail.program import Program
from ..jail.zygote import Server, Zygote
from ..printable import printable

ENTRY_POINTS = ("act", "Bot", "act_batch")
TITLE_LENGTH = 200  # characters of a title that are kept; tables for people cut it shorter
PACKAGES = ()  # nothing beyond the standard library
LIMITS = Limits(cpu_s_start=5.0, cpu_s_bank=0.0, sleep_s_bank=2.0, memory_mib=512)
MAX_REPLY = 16 * 1024
MAX_GAMES, MAX_NAME = 100, 64  # games and parameters that are told, characters of a name
FILE = "source.py"
PARSING = threading.Lock()  # two threads in the parser may break it in Python 3.11 (before 3.11.8) and 3.12


class Unreadable(Exception):
    """A mistake in a bot's source, in one sentence, and its line (0: none)."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line = line


class Facts(NamedTuple):
    """What is known of a bot: first line of its docstring, its games and the line that names them, `TUNE`."""

    title: str
    games: tuple[str, ...]
    line: int
    tune: tuple[Parameter, ...] = ()


def inspect(data: bytes) -> Facts:
    """Read a bot's source.

    Raises:
        Unreadable: says what is wrong and where.
    """
    try:
        with PARSING:
            tree = ast.parse(data)
    except SyntaxError as error:
        coded = "; save the file as UTF-8" * ("codec can't decode" in error.msg)
        raise Unreadable(error.lineno or 0, f"syntax error: {error.msg}{coded}") from None
    except MemoryError:
        raise Unreadable(0, "cannot be read as Python: it takes too much memory to parse") from None
    except (ValueError, RecursionError) as error:
        raise Unreadable(0, f"cannot be read as Python: {error}") from None
    for node in tree.body:
        if isinstance(node, ast.AsyncFunctionDef) and node.name in ENTRY_POINTS:
            raise Unreadable(node.lineno, f"`{node.name}` is async: write `def {node.name}`")
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assigned = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    names = {
        target.id: node for node in assigned for target in _targets(node) if isinstance(target, ast.Name)
    }
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom | ast.Import)]
    imported = {alias.asname or alias.name for node in imports for alias in node.names}
    if not (defined | set(names) | imported) & set(ENTRY_POINTS):
        raise Unreadable(
            0, "a bot needs a function `act(view)`, a class `Bot` or a function `act_batch(views)`"
        )
    if "GAMES" not in names:
        raise Unreadable(0, "the line `GAMES = [...]` is missing: name the games that this bot plays")
    return Facts(_title(tree), _games(names["GAMES"]), names["GAMES"].lineno, _tune(names))


def _targets(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def _value(node: ast.Assign | ast.AnnAssign | None) -> object:
    """Return what a plain assignment gives a name; None if that is not written there."""
    try:
        return ast.literal_eval(node.value) if node is not None and node.value else None
    except (ValueError, TypeError, RecursionError, MemoryError):
        return None


def _tune(names: Mapping[str, ast.Assign | ast.AnnAssign]) -> tuple[Parameter, ...]:
    """Return the parameters that `TUNE` names, in its order."""
    if "TUNE" not in names:
        return ()
    line, ranges, found = names["TUNE"].lineno, _value(names["TUNE"]), list[Parameter]()
    for name, bounds in ranges.items() if isinstance(ranges, dict) else [("", ())]:
        pair = bounds if isinstance(bounds, tuple | list) and len(bounds) == 2 else (None, None)
        low, high = map(_number, pair)
        if not isinstance(name, str) or low is None or high is None or low >= high:
            raise Unreadable(
                line, 'TUNE must give each name a low and a high number: TUNE = {"limit": (15, 30)}'
            )
        if (value := _number(_value(names.get(name)))) is None:
            raise Unreadable(line, f"TUNE names {name!r}, but there is no line such as {name} = {low!r}")
        found.append(Parameter(name, low, high, value))
        if wrong := found[-1].wrong(value):
            raise Unreadable(names[name].lineno, f"{wrong}, as TUNE wants it")
    return tuple(found)


def _number(value: object) -> float | None:
    """Return a finite number that a float can be; None for anything else."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max:
        return value
    return None


def _games(node: ast.Assign | ast.AnnAssign) -> tuple[str, ...]:
    games = _value(node)
    if not isinstance(games, list | tuple) or not games or not all(isinstance(game, str) for game in games):
        raise Unreadable(node.lineno, 'GAMES must be a plain list of names, as in GAMES = ["taroky"]')
    return tuple(dict.fromkeys(games))


def _title(tree: ast.Module) -> str:
    """Return the docstring's first line, without characters that would disturb a terminal."""
    lines = (ast.get_docstring(tree) or "").strip().splitlines()
    text = "".join(c for c in (lines[0] if lines else "") if c.isprintable())
    return text if len(text) <= TITLE_LENGTH else text[: TITLE_LENGTH - 3] + "..."


# --- in a jailed process ------------------------------------------------------------------------------------


def inspect_jailed(data: bytes) -> Facts:
    """Inspect a source in a jailed process.

    Raises:
        Unreadable: says what is wrong and where, or that reading it takes too much.
        HostError: there is no such process.
    """
    try:
        return _inspected(data)
    except HostError:  # it or its fork server was killed, as for want of memory: another one is not
        _zygote().close()
        _zygote.cache_clear()
        return _inspected(data)


def _inspected(data: bytes) -> Facts:
    process = Process(_zygote(), Program("source", {FILE: data}), LIMITS, 0, room=4096)
    try:
        process.await_jail()
        process.run()
        return _facts(process.hear(MAX_REPLY))
    except Failed as failed:
        raise Unreadable(0, f"cannot be read as Python: {process.end(failed).text.splitlines()[0]}") from None
    except (ValueError, RecursionError, TypeError) as error:
        raise Unreadable(0, f"cannot be read as Python: {error}") from None
    finally:
        process.close()


@cache
def _zygote() -> Zygote:
    """Return the fork server that reads bots; it ends with this process.

    Nothing of a bot is executed in it, so where there is no wall the limits must do.
    """
    level = Level.TRUSTED if facts.missing(LAYERS[Level.STRICT]) else Level.STRICT
    zygote = Zygote(lambda: Server(__name__), level=level)
    atexit.register(zygote.close)
    return zygote


def _facts(reply: bytes) -> Facts:
    """Return the reply, of which nothing is believed but its form."""
    match json.loads(reply):
        case {"line": int(line), "error": str(text)}:
            raise Unreadable(line, printable(text))
        case {"line": int(line), "title": str(title), "games": [*games], "tune": [*tune]} if all(
            isinstance(game, str) for game in games
        ):
            parameters = tuple(Parameter(str(name), *map(_told, values)) for name, *values in tune)
            return Facts(printable(title), tuple(map(printable, games)), line, parameters)
    raise ValueError("the process that reads it does not answer as it should")


def _told(value: object) -> float:
    if isinstance(value, int | float):
        return value
    raise ValueError("a parameter is no number")


class Reader:
    """The fork server's hook (`jail.inside.Hook`)."""

    def check(self) -> None:
        """Read a small source.

        Raises:
            HostError: wrongly.
        """
        if inspect(b"GAMES = ['x']\ndef act(view): pass").games != ("x",):
            raise HostError("Python's parser does not work")

    def run(self, inside: Inside) -> None:
        """Read the source and reply."""
        try:
            facts = inspect(STORE.read(f"{STORE.folder}/{FILE}"))
            games = [game[:MAX_NAME] for game in facts.games[:MAX_GAMES]]
            tune = [(one.name[:MAX_NAME], *one[1:]) for one in facts.tune[:MAX_GAMES]]
            told: dict[str, Any] = {"line": facts.line, "title": facts.title, "games": games, "tune": tune}
        except Unreadable as error:
            told = {"line": error.line, "error": str(error)[:1000]}
        os.write(CHANNEL, json.dumps(told).encode())


def load() -> None:
    """Nothing: `prepare` has no libraries to load."""


def prepare(argument: str) -> Reader:
    """Return what the fork server loads."""
    return Reader()
