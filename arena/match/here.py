"""Play a match in this very process, for one's own bots.

There is no sandbox and no clocks, and breakpoints work. The games are the same as in `batch`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..cell.asking import Reply, refuse_illegal
from ..cell.frames import Decisions
from ..jail import Fault
from .batch import MatchGames
from .played import PlayedMatch
from .setup import MatchSetup

if TYPE_CHECKING:
    from ..cell.loaded import Player


class Here:
    """A bot of this process, asked as one behind the wall is (`place.Place`)."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self.cpu_s = 0.0

    @property
    def seen_cpu_s(self) -> float:
        """As `Place.seen_cpu_s`."""
        return self.cpu_s

    def ask(self, asked: Decisions) -> Reply:
        """As `BotProcess.ask`."""
        began = time.thread_time()
        own: Any = asked.rows.copy()  # a bot may spoil its rows
        numbers, player = asked.games.tolist(), self._player
        views = player.views(own, numbers, asked.seats.tolist(), asked.legal, asked.offsets.tolist())
        answers, failed = player.answer_rows(views, numbers)
        reply = Reply(np.array(answers, np.int16), {row: Fault(kind, text) for row, kind, text in failed})
        refuse_illegal(player.game, asked, reply)
        self.cpu_s += time.thread_time() - began
        return reply

    def printed(self) -> list[tuple[int, str]]:
        """Nothing: what it prints is on the screen already."""
        return []


def play_here(setup: MatchSetup, players: Sequence[Player]) -> PlayedMatch:
    """Play a match with a loaded bot for each place."""
    began = time.monotonic()
    table, bots = MatchGames(setup), [Here(player) for player in players]
    while table.ask_next(bots):
        pass
    return table.result([bot.cpu_s for bot in bots], time.monotonic() - began, {"level": "in process"})
