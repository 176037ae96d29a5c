"""Playing a match: a line-up of bots, each in a process of its own, plays all its games in lock-step.

    worker (this module)        states of all games, clocks, forfeits; alone knows seeds and hidden cards
      └── zygote                a fork server with NumPy, Numba and the game's compiled code; nothing else
            ├── bot, place 0    gets redacted records, answers with actions
            └── bot, place 1 ...

The worker asks the bot that most games wait for about all of them at once, plays its answers on to the next
decisions in compiled code (`lockstep`), and goes on. So games gather where a request is due, and a request,
whose price is mostly that of waking a process, is as full as it can be: in a game of four, twice to three
times as full as if all bots were asked in turn. Decisions with one legal action are played here and never
reach a bot.

Three outcomes, never mixed. The bot broke a rule: a forfeit, data in the result. A broken answer or a death
costs that game (`place`), too many deaths the rest of the match; the lowest legal action plays on for it, so
that the others' result stands. We
failed: `HostError`, the match is played again elsewhere. The host lacks something: `HostError` too, with
what is missing.

The result depends only on the `MatchSetup` and the bots' code, not on the machine, the load or what else is
played.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

import engines
from engines import core
from engines.game import Game

from ..cell.frames import Decisions
from ..cell.log import NO_GAME
from ..jail import Fault, FaultKind, Program
from ..printable import printable
from . import lockstep
from .place import NotPlaying, Place
from .played import REQUEST, Forfeited, Logged, Moves, PlayedMatch
from .setup import MatchSetup

if TYPE_CHECKING:
    from ..cell import GameZygote, Reply

FIRST_MOVES = 512  # room for the actions of a game; grows when needed


def play_match(
    setup: MatchSetup,
    programs: Sequence[Program],
    zygote: GameZygote,
    core_number: int | None = None,
) -> PlayedMatch:
    """Play a match. Raises HostError: we failed; nobody loses anything."""
    began = time.monotonic()
    table = MatchGames(setup)
    limits = setup.limits.for_match(len(setup.seeds))
    bots: list[Place | NotPlaying] = []
    left_out = dict(setup.left_out)
    load_s: list[float] = []
    try:
        for place, (program, seed) in enumerate(zip(programs, setup.bot_seeds, strict=True)):
            if place in left_out:
                bots.append(NotPlaying(left_out[place]))
            else:
                bots.append(Place(zygote, program, limits, seed, core_number))
        for bot in bots:
            bot.await_jail()  # what fails until here is the host's: no bot's code has run
        for place, bot in enumerate(bots):
            table.note_death(place, bot.ready())
            table.spent[place] = bot.cpu_s  # until now: of no request
            load_s.append(round(table.spent[place], 6))
            table.note_log(place, bot)
        while not _is_late(setup, began, bots) and table.ask_next(bots):
            pass
        result = table.result([bot.cpu_s for bot in bots], time.monotonic() - began, zygote.host)
        return replace(
            result,
            memory_mib=[round(bot.memory_mib, 1) for bot in bots],
            slept_s=[round(bot.slept_s, 3) for bot in bots],
            load_s=load_s,
        )
    finally:
        for bot in bots:
            bot.close()


def _is_late(setup: MatchSetup, began: float, bots: Sequence[Askable]) -> bool:
    """Whether a trial ends here."""
    if setup.ends_s is None:
        return False
    return max(time.monotonic() - began, sum(bot.seen_cpu_s for bot in bots)) > setup.ends_s


class Askable(Protocol):
    """A bot that can be asked: `place.Place`, or `here.Here`."""

    @property
    def seen_cpu_s(self) -> float:
        """CPU seconds at the end of the last request."""

    def ask(self, asked: Decisions) -> Reply:
        """Return an action for every row."""

    def printed(self) -> list[tuple[int, str]]:
        """Return what it has printed since: game of the match (-1: none) and text."""


class MatchGames:
    """All games of a match: their states, what is legal, who sits where, who has forfeited."""

    def __init__(self, setup: MatchSetup) -> None:
        self.game: Game = engines.load(setup.game)
        self._setup = setup
        n, most, self._trial = len(setup.seeds), self.game.n_actions, setup.ends_s is not None
        self.states = self.game.new(n, setup.seeds, setup.players, **setup.options)
        self.places = setup.places.astype(np.int64, order="C")  # as compiled code reads it
        self.legal = np.zeros((n, most), np.int16)
        self.counts = np.zeros(n, np.int64)
        self.waits = np.full(n, lockstep.OVER, np.int64)
        self.moves = np.zeros((n, FIRST_MOVES), np.int16)
        self.made = np.zeros(n, np.int64)
        self.cards = core.work(self.game.deck_size)
        self.lost = np.zeros((n, setup.players), np.bool_)  # by game and seat
        self.forfeits: list[Forfeited] = []
        self.logs: list[Logged] = []
        self.asked = [0] * len(setup.bot_seeds)
        self.spent = [0.0] * len(setup.bot_seeds)  # CPU seconds until the last reply
        self.requests: list[tuple[int, int, float]] = []  # place, decisions, CPU seconds
        # what one place is asked, written anew for every request; never where a bot can see it before it is
        # redacted
        self._games = np.empty(n, np.int64)
        self._records = self.game.blank(n, setup.players)
        self._seats = np.empty(n, np.int8)
        self._gathered = np.empty(n * most, np.int16)
        self._offsets = np.empty(n + 1, np.int32)
        self._waiting = np.empty(len(setup.bot_seeds), np.int64)
        self._rows, self._shown = core.rows(self.states), core.rows(self._records)
        self._play_on, self._gather, self._fullest = lockstep.calls_for(self.game)
        for i in range(n):
            self.counts[i] = core.legal_row(self._rows, i, self.legal[i])
        self._go_on(np.arange(n))

    def result(self, cpu_s: Sequence[float], wall_s: float, host: dict[str, Any]) -> PlayedMatch:
        """Return what came out, once all games are over; of a trial that ends before, points so far."""
        return PlayedMatch.of(
            self._setup,
            scores=self.game.points(self.states) if self._trial else self.game.scores(self.states),
            moves=Moves([self.moves[i, :made] for i, made in enumerate(self.made.tolist())]),
            forfeits=self.forfeits,
            cpu_s=[round(used, 6) for used in cpu_s],
            decisions=self.asked,
            wall_s=round(wall_s, 6),
            host=host,
            logs=self.logs,
            requests=np.array(self.requests, REQUEST),
        )

    def ask_next(self, bots: Sequence[Askable]) -> bool:
        """Ask the bot that most games wait for about all of them in which it has a choice.

        Play its answers, and the only legal action elsewhere. Return False when all games are over.
        """
        place = self._fullest(self.waits, self._waiting)
        if place < 0:
            return False
        n = self._gather(
            self._rows,
            place,
            self.waits,
            self.legal,
            self.counts,
            self._games,
            self._shown,
            self._seats,
            self._gathered,
            self._offsets,
        )
        games = self._games[: self._waiting[place]]
        actions = self._ask(place, bots[place], games[:n]) if n else np.empty(0, np.int16)
        if n < len(games):
            actions = np.concatenate([actions, self.legal[games[n:], 0]])
        self._advance(games, actions)
        return True

    def _ask(self, place: int, bot: Askable, games: NDArray[np.int64]) -> NDArray[np.int16]:
        """Return the bot's answers for these games, which are gathered; -1 where it forfeits."""
        n = len(games)
        self.asked[place] += n
        asked = Decisions(
            self._records[:n],
            games.astype(np.int32),
            self._seats[:n],
            self._gathered[: self._offsets[n]],
            self._offsets[: n + 1],
        )
        reply = bot.ask(asked)
        before, self.spent[place] = self.spent[place], bot.seen_cpu_s
        self.requests.append((place, n, max(0.0, self.spent[place] - before)))
        for k, fault in reply.faults.items():
            self._forfeit(int(games[k]), int(self._seats[k]), place, fault)
        self.note_log(place, bot)
        if reply.fault is not None:
            self._lose(place, reply.fault)
        return reply.actions

    def forfeit_as(self, lost: Sequence[tuple[int, int, int, str]]) -> None:
        """Let seats forfeit that forfeited here without being asked: with other games of their place."""
        for game, seat, made, kind in lost:
            asked = self.states[game]["seat"] == seat and self.counts[game] > 1
            if self.made[game] == made and not self.lost[game, seat] and not asked:
                self._forfeit(game, seat, int(self.places[game, seat]), Fault(FaultKind(kind), ""))

    def note_log(self, place: int, bot: Askable) -> None:
        """Keep what a bot has just printed, by the decisions that it was asked for."""
        for game, text in bot.printed():
            known = 0 <= game < len(self.made)  # the number is the bot's word
            decision = int(self.made[game]) if known else 0
            self.logs.append(Logged(game if known else NO_GAME, place, decision, printable(text)))

    def note_death(self, place: int, fault: Fault | None) -> None:
        """Forfeit every game of a place that was lost before it was asked; without a fault, do nothing."""
        if fault is not None:
            self._lose(place, fault)
            self._go_on(np.flatnonzero(self.waits == place))

    def _lose(self, place: int, fault: Fault) -> None:
        """Make a place forfeit every game that is not over."""
        for i in np.flatnonzero(self.counts):
            for seat in np.flatnonzero(self.places[i] == place):
                self._forfeit(int(i), int(seat), place, fault)

    def _forfeit(self, game: int, seat: int, place: int, fault: Fault) -> None:
        if not self.lost[game, seat]:
            self.lost[game, seat] = True
            kind = FaultKind(fault.kind).value
            self.forfeits.append(Forfeited(game, seat, place, int(self.made[game]), kind, fault.text))

    def _go_on(self, games: NDArray[np.int64]) -> None:
        """Play on what no place is to be asked about."""
        self._advance(games, np.full(len(games), -1, np.int16))

    def _advance(self, games: NDArray[np.int64], actions: NDArray[np.int16]) -> None:
        """Apply an action to each of these games (-1: none) and play on, making room for moves as needed."""
        while self._play_on(
            self._rows,
            games,
            actions,
            self.places,
            self.lost,
            self.legal,
            self.counts,
            self.waits,
            self.moves,
            self.made,
            self.cards,
        ):
            self.moves = np.concatenate([self.moves, np.zeros_like(self.moves)], axis=1)
            games = np.flatnonzero(self.waits == lockstep.FULL)
            actions = np.full(len(games), -1, np.int16)
