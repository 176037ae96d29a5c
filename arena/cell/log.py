"""What bots print, game by game: marks in a log say which game of the match the lines after them are about.

The bot's side writes them (`GameLog`), the worker's side reads them (`split`). A bot may write false marks:
they mislabel its own lines and nothing else.
"""

from __future__ import annotations

import io
import re
import sys
from typing import Any

MARK = "\x1e"
TRIED = "tried what no bot may do: "
"""Begins a line about what a bot tried that no bot may do. A bot can write such lines only about itself."""
NO_GAME = -1  # what is printed while a bot is loaded
_MARKS = re.compile(rb"\x1e(-?\d{1,9})\n")


class GameLog(io.TextIOWrapper):
    """Text for a descriptor, with a mark before the first line about another game.

    Attributes:
        game: that is being asked about; the caller sets it.
        said: the game of the last mark.
    """

    game = NO_GAME
    said = NO_GAME

    def write(self, text: str, /) -> int:
        """Write text, with a mark if it is about another game than the text before."""
        if self.game != self.said:
            self.said = self.game
            super().write(f"{MARK}{self.game}\n")
        return super().write(text)


FORBIDDEN = {
    **dict.fromkeys(("os.fork", "os.forkpty"), "fork"),
    **dict.fromkeys(("os.exec", "os.posix_spawn", "os.system", "subprocess.Popen"), "exec"),
    **dict.fromkeys(("socket.__new__", "socket.connect", "socket.getaddrinfo"), "socket"),
}
"""Events of Python's audit that no bot's process gets done, and what people call them."""


def note_attempts(log: GameLog) -> None:
    """Write into a bot's log, once each, what it tries that no bot may do: the kernel refuses it anyway."""
    noted = set[str]()

    def hear(event: str, _: Any) -> None:
        what = FORBIDDEN.get(event)
        if what is not None and what not in noted:
            noted.add(what)
            print(f"{TRIED}{what}", file=log)

    sys.addaudithook(hear)


class NoLog:
    """Where nobody asks which game a line is about."""

    game: Any = NO_GAME


def split(data: bytes, game: int = NO_GAME) -> tuple[list[tuple[int, str]], int]:
    """Return the pieces of a log, each with its game.

    Args:
        game: what they are about until the first mark.

    Returns:
        Game and text of every piece that is not empty, and the game at the end.
    """
    first, *rest = _MARKS.split(data)
    pieces = [(game, first)]
    pieces += [(int(mark), text) for mark, text in zip(rest[::2], rest[1::2], strict=True)]
    return [(at, text.decode(errors="replace")) for at, text in pieces if text], pieces[-1][0]
