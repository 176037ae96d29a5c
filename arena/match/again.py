"""Asking a bot again: a match that was played, with one of its bots alone. All others play from the record.

The bot gets the same seed, the same requests in the same order, and answers in a process of its own. A bot
that is a function of what it was shown and of its seed answers as it did. What it answers is compared and not
played, so the match goes the way that it went.

A death is compared like an answer, and the process is started again as in the match (`place`). Otherwise a
bot could die once, at the price of one game, and nobody would compare its later answers. Only a bot that was
over its CPU time or its sleep is not asked further: clocks decide that, and it lost the rest of the match.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from engines.view import View

from ..cell.asking import Reply
from ..cell.frames import Decisions
from ..jail import Fault, FaultKind, Limits, Program
from ..printable import shortened
from .batch import MatchGames
from .place import Place
from .played import Answered, PlayedMatch
from .setup import Again, MatchSetup

if TYPE_CHECKING:
    from ..cell import GameZygote

SLACK = 3.0  # times what it took: what the clocks measure may differ from what they did
SPARE_S = 5.0  # of CPU time beyond that
BY_CLOCK = (FaultKind.CPU, FaultKind.WALL)
TEXT = 600  # characters of a bot's last output that an answer keeps
BUDGETS = ("cpu_ms_per_decision", "cpu_s_bank", "cpu_s_start")


def ask_again(
    setup: MatchSetup,
    again: Again,
    program: Program,
    zygote: GameZygote,
    core_number: int | None = None,
) -> PlayedMatch:
    """Ask one bot of a match again; return no games: `answered` says what came of it."""
    began, table, limits = time.monotonic(), MatchGames(setup), setup.limits.for_match(len(setup.seeds))
    bot = Place(zygote, program, limits, setup.bot_seeds[again.place], core_number, _loose(limits, again))
    try:
        bot.await_jail()
        fault = bot.ready()
        asked = _Asked(table, again, bot)
        if fault is not None:
            asked.answered = Answered(again.place, 0, now=_told(fault))
        players = [
            asked if place == again.place else _Recorded(table, again) for place in range(setup.players)
        ]
        for place in again.dead:
            table.note_death(place, Fault(FaultKind.IMPORT, ""))
        while not asked.over and table.ask_next(players):
            table.forfeit_as(again.lost)
        cpu_s = [0.0] * setup.players
        cpu_s[again.place] = bot.cpu_s
        nothing = PlayedMatch.of(setup, np.zeros((0, setup.players), np.int64), [], cpu_s)
        wall_s = time.monotonic() - began
        return replace(nothing, wall_s=wall_s, host=zygote.host, answered=asked.answered)
    finally:
        bot.close()


def _told(fault: Fault) -> str:
    """Return a fault in words: of what a bot said, the begin and the end."""
    return f"fault {fault.kind}: {shortened(fault.text, TEXT)}" if fault.text else f"fault {fault.kind}"


def _loose(limits: Limits, again: Again) -> Limits:
    """Return what the bot may use now, by what it took when the match was played.

    With the whole budget of a match a bot that sees that it is asked again could spend it each time, at no
    price: the time for its other matches would be over before it has lost the run.
    """
    cpu_s_match = min(SLACK * limits.cpu_s_match, SLACK * again.cpu_s + SPARE_S)
    sleep_s_bank = limits.sleep_s_bank + (SLACK - 1) * again.slept_s
    looser = {name: getattr(limits, name) * SLACK for name in BUDGETS}
    return replace(limits, cpu_s_match=cpu_s_match, sleep_s_bank=sleep_s_bank, **looser)


@dataclass
class _Recorded:
    """A place that plays what it played."""

    table: MatchGames
    again: Again
    seen_cpu_s: float = 0.0

    def ask(self, asked: Decisions) -> Reply:
        """As `BotProcess.ask`."""
        reply = Reply(np.zeros(len(asked.rows), np.int16))
        for row, (game, seat) in enumerate(zip(asked.games.tolist(), asked.seats.tolist(), strict=True)):
            made = int(self.table.made[game])
            # also where it forfeited: it may have answered before the request ended its last process
            reply.actions[row] = self.again.moves[game][made]
            kind = self.again.fault_at(game, seat, made)
            if kind is not None:
                reply.faults[row] = Fault(FaultKind(kind), "")
        return reply

    def printed(self) -> list[tuple[int, str]]:
        """Nothing."""
        return []


class _Asked(_Recorded):
    """The place whose bot is asked again."""

    def __init__(self, table: MatchGames, again: Again, bot: Place) -> None:
        super().__init__(table, again)
        self._bot = bot
        self._ended = False  # here a clock ended it when the match was played
        self.answered = Answered(again.place, 0)

    @property
    def over(self) -> bool:
        """Whether there is nothing more to compare."""
        return self._ended or self.answered.now != ""

    def ask(self, asked: Decisions) -> Reply:
        """As `BotProcess.ask`: what it played, whatever the bot answers now."""
        recorded = super().ask(asked)
        self._ended = any(fault.kind in BY_CLOCK for fault in recorded.faults.values())
        if self._ended:
            return recorded
        reply = self._bot.ask(asked)
        self.answered = replace(self.answered, decisions=self.answered.decisions + len(asked.rows))
        for row in range(len(asked.rows)):
            fault, was = reply.faults.get(row) or reply.fault, recorded.faults.get(row)
            same = fault.kind == was.kind if fault and was else fault is was
            if not same or (fault is None and reply.actions[row] != recorded.actions[row]):
                now = int(reply.actions[row]) if fault is None else fault
                then = was or int(recorded.actions[row])
                self._note(asked, row, then, now)
                break
        return recorded

    def _note(self, asked: Decisions, row: int, then: int | Fault, now: int | Fault) -> None:
        """Keep the first answer that is another one."""
        game, seat = int(asked.games[row]), int(asked.seats[row])
        view = View(self.table.game, asked.rows[row : row + 1], seat, asked.legal_of(row))

        def told(answer: int | Fault) -> str:
            if isinstance(answer, Fault):
                return _told(answer)
            return view.texts[view.legal.tolist().index(answer)]

        self.answered = replace(
            self.answered, game=game, seat=seat, decision=int(self.table.made[game]), view=str(view),
            then=told(then), now=told(now),
        )  # fmt: skip
