"""A terminal: single keys, a screen that is drawn anew, a line that is asked for. Nothing of games."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence

from arena.printable import wrapped

ARROWS = {"\x1b[C": "right", "\x1b[D": "left", "\x1b[A": "left", "\x1b[B": "right"}
ARROWS |= {key.replace("[", "O"): name for key, name in ARROWS.items()}


@contextlib.contextmanager
def keys() -> Iterator[Callable[[], str]]:
    """Single keys of the terminal while this is open: yields a function that waits for the next one.

    Arrows are `left` and `right`; Ctrl-C is "\\x03"; "" is the end of input.
    """
    import termios
    import tty

    fd = sys.stdin.fileno()
    before = termios.tcgetattr(fd)

    def key() -> str:
        data = os.read(fd, 32).decode(errors="replace")
        return ARROWS.get(data, data[:1])

    try:
        tty.setcbreak(fd, termios.TCSADRAIN)  # what was typed ahead counts
        sys.stdout.write("\x1b[?1049h\x1b[?25l")  # a screen of its own, no cursor
        yield key
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, before)
        sys.stdout.write("\x1b[?25h\x1b[?1049l")
        sys.stdout.flush()


def draw(head: str, past: Sequence[str], last: str, foot: str) -> None:
    """Fill the screen: a head, what came before as far as it fits, the last lines, and a line below.

    Where the head and the last lines alone do not fit, the end of them is shown.
    """
    width, height = shutil.get_terminal_size()
    tops, ends, foots, *before = (
        wrapped(part, max(width - 1, 10)).split("\n") for part in (head, last, foot, *past)
    )
    room = max(1, height - len(foots) - 1)
    while before and len(tops) + sum(map(len, before)) + len(ends) > room:
        before.pop(0)
    body = [*tops, *itertools.chain(*before), *ends][-room:]
    sys.stdout.write("\x1b[H\x1b[2J" + "\r\n".join([*body, "", *foots]))
    sys.stdout.flush()


def ask(prompt: str) -> str:
    """Return a line of input, typed at the bottom of the screen."""
    import termios

    fd = sys.stdin.fileno()
    now = termios.tcgetattr(fd)
    plain = termios.tcgetattr(fd)
    plain[3] |= termios.ICANON | termios.ECHO
    termios.tcsetattr(fd, termios.TCSADRAIN, plain)
    try:
        sys.stdout.write(f"\r\x1b[K\x1b[?25h{prompt}")
        sys.stdout.flush()
        return sys.stdin.readline().strip()
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, now)
        sys.stdout.write("\x1b[?25l")
