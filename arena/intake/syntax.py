"""What a bot's source says without being run: its docstring, its games, its parameters, what can be called.

Pure Python on bytes. A hostile source can make the parser take memory, time or the process down: `reading`
has a place for that.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from typing import NamedTuple

from leagues.parameter import Parameter

ENTRY_POINTS = ("act", "Bot", "act_batch")
TITLE_LENGTH = 200  # characters of a title that are kept; tables for people cut it shorter


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
        tree = ast.parse(data)
    except SyntaxError as error:
        raise Unreadable(error.lineno or 0, f"syntax error: {error.msg}") from None
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
        raise Unreadable(0, 'the line `GAMES = ["taroky"]` is missing: which games does this bot play?')
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
    """Return a finite number; None for anything else."""
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
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
