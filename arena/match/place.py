"""One bot of a match: its process, which is started again when it dies.

A death costs the game in which it happened, not the match: the games that waited are asked again, one at a
time, so that the one that kills it is found. If none does alone, the death costs the first of them. A
process is started again `RESTARTS` times a match at most, with the same account of CPU time and sleep; then,
or when a new process cannot be had or loaded, the rest of the match is lost. A `Bot` instance does not live
through it: its games go on with fresh ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..cell.frames import Decisions
from ..cell.log import NO_GAME, split
from ..jail import Fault, FaultKind, HostError, Killed, Limits, Program

if TYPE_CHECKING:
    from ..cell import BotProcess, GameZygote, Reply
    from ..jail.clock import Clock

RESTARTS = 3
# another process would not load, or has nothing left to use
FOR_GOOD = (FaultKind.IMPORT, FaultKind.CPU, FaultKind.WALL)

PIECES = 8192  # of a log that are kept: the longest match has half as many decisions
IN_PIECES = f"\n[this log is about another game too often: {PIECES} pieces of it are kept]\n"
FULL = "\n[this log is full: {} KiB are kept; what is printed from here on is lost]\n"


class NotPlaying:
    """A place whose bot is left out of the rest of the run: it has forfeited, and no process is started."""

    cpu_s = seen_cpu_s = slept_s = memory_mib = 0.0

    def __init__(self, why: str) -> None:
        self.fault: Fault | None = Fault(FaultKind.STALLED, why)

    def await_jail(self) -> None:
        """Nothing to wait for."""

    def ready(self) -> Fault | None:
        """Why it does not play."""
        return self.fault

    def ask(self, asked: Decisions) -> Reply:
        """Nobody asks a place that has forfeited every game."""
        raise NotImplementedError

    def printed(self) -> list[tuple[int, str]]:
        """Nothing."""
        return []

    def close(self) -> None:
        """Nothing to end."""


class Place:
    """A bot in its place of the line-up.

    Args:
        limits: what it may use, as it is told.
        held_to: the limits that its clock holds it to; default: those that it is told.

    Attributes:
        fault: why it has lost the rest of the match; None: it plays.
    """

    def __init__(
        self,
        zygote: GameZygote,
        program: Program,
        limits: Limits,
        seed: int,
        core: int | None,
        held_to: Limits | None = None,
    ) -> None:
        self.fault: Fault | None = None
        self._zygote = zygote
        self._what = (program, limits, seed, core)
        self._held_to = held_to or limits
        self._process = self._spawn()
        self._restarts = 0
        self._read = 0  # bytes of its process's log
        self._about = NO_GAME
        self._pieces: list[tuple[int, str]] = []
        self._room = PIECES

    def _spawn(self, before: Clock | None = None) -> BotProcess:
        """Return a process for the bot; `before`: the account of the one that has died."""
        process = self._zygote.spawn(*self._what, before=before)
        process.clock.limits = self._held_to
        return process

    @property
    def cpu_s(self) -> float:
        """CPU seconds charged so far, of all its processes."""
        return self._process.cpu_s

    @property
    def pid(self) -> int:
        """Its process's id."""
        return self._process.pid

    @property
    def seen_cpu_s(self) -> float:
        """`cpu_s` when its clock was last looked at, as at the end of every request; costs no system call."""
        return self._process.clock.charged

    @property
    def slept_s(self) -> float:
        """Seconds of its bank of sleep that are gone."""
        return self._process.clock.slept

    @property
    def memory_mib(self) -> float:
        """The most memory that one of its processes has had, in MiB as the limit counts it."""
        clock = self._process.clock
        return clock.read_memory() if self._process.fault is None else clock.peak_mib

    def await_jail(self) -> None:
        """Wait until its first process is jailed. Raises HostError: it cannot be."""
        self._process.await_jail()

    def ready(self) -> Fault | None:
        """Wait until the bot is loaded; None, or why it cannot play."""
        self.fault = self._process.ready()
        return self.fault

    def printed(self) -> list[tuple[int, str]]:
        """Return what it has printed since this was last called: game of the match (-1: none) and text."""
        data = self._process.printed(self._read)
        if data:
            self._read += len(data)
            pieces, self._about = split(data, self._about)
            self._keep(pieces)
            kib = self._process.limits.log_kib
            if self._read >= kib * 1024:
                self._pieces.append((self._about, FULL.format(kib)))
        pieces, self._pieces = self._pieces, []
        return pieces

    def _keep(self, pieces: list[tuple[int, str]]) -> None:
        """Keep pieces of its log as long as there is room."""
        self._pieces += pieces[: self._room]
        if len(pieces) > self._room > 0:
            self._pieces.append((NO_GAME, IN_PIECES))
        self._room = max(0, self._room - len(pieces))

    def close(self) -> None:
        """End its process."""
        self._process.close()

    def ask(self, asked: Decisions) -> Reply:
        """Ask as `BotProcess.ask`, but start a process that dies again; `fault` is set when all is lost."""
        reply = self._process.ask(asked)
        if reply.fault is None:
            return reply
        death, reply.fault = reply.fault, None
        if len(asked.rows) == 1:
            reply.faults[0] = death
            self._start_again(death, 1)
        elif self._start_again(death, len(asked.rows)):
            for row in range(len(asked.rows)):
                self._ask_alone(row, asked.part(row, row + 1), reply)
                if self.fault is not None:
                    break
            if not reply.faults and self.fault is None:
                reply.faults[0] = death
                reply.actions[0] = -1
        reply.fault = self.fault
        return reply

    def _ask_alone(self, row: int, alone: Decisions, reply: Reply) -> None:
        """Ask for one row of a request that has killed the process, and put the answer into its reply."""
        answer = self._process.ask(alone)
        reply.actions[row] = answer.actions[0]
        fault = answer.fault or answer.faults.get(0)
        if fault is not None:
            reply.faults[row] = fault
        if answer.fault is not None:
            self._start_again(answer.fault, 1)

    def _start_again(self, death: Fault, unanswered: int) -> bool:
        """Start a process in the place of one that has died; False, and `fault` is set, if there is none."""
        self.fault = death
        if death.kind in FOR_GOOD or self._restarts == RESTARTS:
            return False
        self._restarts += 1
        self._pieces = self.printed()  # before the next process has a log of its own
        self._read, self._about = 0, NO_GAME
        before = self._process.clock
        before.asked -= unanswered  # they are asked again
        try:
            self._process = process = self._spawn(before)
            self.fault = process.ready()
        except Killed:
            raise
        except HostError:
            if not self._zygote.alive:
                raise
            return False  # bots run by now, and one of them may want the match to be called off
        return self.fault is None
