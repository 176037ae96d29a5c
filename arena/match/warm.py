"""Compiled code on disk: the first use of a game compiles for up to a minute, every later start loads it."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import engines
from engines import core
from engines.game import Game

from ..printable import Say, quiet

if TYPE_CHECKING:
    from ..cell import Reply
    from ..cell.frames import Decisions


EVERY_S = 10.0  # between two lines of a compilation


def warm_up(name: str, say: Say = quiet, by: Callable[[str], None] | None = None) -> None:
    """Load all that matches of a game run, and compile it on first use.

    So no worker compiles or waits for another.

    Args:
        say: gets a line when it will take long, and one every ten seconds of that.
        by: what compiles it; default: this process (`use_everything`).
    """
    if is_warm(name):
        return
    if core.JIT:
        takes = "20 to 60 s of CPU time, longer on a busy machine"
        say(f"compiling {name}: once, takes {takes}; later starts take under a second")
    with time_told(f"compiling {name}", say if core.JIT else quiet):
        (by or use_everything)(name)
    if (mark := _mark(name)) is not None:
        mark.touch()


def is_warm(name: str) -> bool:
    """Whether the code of a game was compiled and kept before."""
    mark = _mark(name)
    return mark is not None and mark.exists()


def _mark(name: str) -> Path | None:
    """Return the file that says so; None if no code is kept."""
    folder = core.cache_folder(core.LEARN + name)
    return folder / "ready" if folder is not None else None


@contextlib.contextmanager
def time_told(what: str, say: Say) -> Iterator[None]:
    """Say every ten seconds how long something has lasted."""
    began, over = time.monotonic(), threading.Event()

    def tell() -> None:
        while not over.wait(EVERY_S):
            say(f"{what}: {time.monotonic() - began:.0f} s")

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()


def use_everything(name: str) -> None:
    """Call every compiled function that matches and bots use, once."""
    game = engines.load(name)
    game.use_everything()
    use_what_matches_call(game)


def use_what_matches_call(game: Game) -> None:
    """Play a little without bots: at the first call of a compiled function Numba loads much of itself."""
    from ..cell.compiled import load_numba  # not before they are needed: `arena --help` comes by here
    from .batch import MatchGames
    from .setup import MatchSetup

    if core.JIT:
        load_numba()
    table = MatchGames(MatchSetup.of_games(game.name, range(2), range(game.players), game.check_options()[1]))
    table.ask_next([FirstLegal()] * game.players)


class FirstLegal:
    """Answers for no bot: the first legal action of every row."""

    seen_cpu_s = 0.0

    def ask(self, asked: Decisions) -> Reply:
        """As `place.Place.ask`."""
        from ..cell.asking import Reply, illegal_rows

        actions = asked.legal[asked.offsets[:-1]]
        illegal_rows(actions, asked.legal, asked.offsets)
        return Reply(actions)

    def printed(self) -> list[tuple[int, str]]:
        """Nothing."""
        return []
