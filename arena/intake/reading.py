"""Reading a stranger's source in a jailed process, with limits on its time and memory.

`inspect_jailed` asks; the rest runs in the process: it parses, and executes nothing of the bot.
"""

from __future__ import annotations

import atexit
import json
import os
from functools import cache
from typing import Any

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
from .syntax import Facts, Unreadable, inspect

PACKAGES = ()  # nothing beyond the standard library
LIMITS = Limits(cpu_s_start=5.0, cpu_s_bank=0.0, sleep_s_bank=2.0, memory_mib=512)
MAX_REPLY = 16 * 1024
MAX_GAMES, MAX_NAME = 100, 64  # games and parameters that are told, characters of a name
FILE = "source.py"


def inspect_jailed(data: bytes) -> Facts:
    """`syntax.inspect` in a jailed process.

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
            parameters = tuple(Parameter(str(name), *map(_number, values)) for name, *values in tune)
            return Facts(printable(title), tuple(map(printable, games)), line, parameters)
    raise ValueError("the process that reads it does not answer as it should")


def _number(value: object) -> float:
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
