"""The worker's side of a bot: one bot's process, which is asked for actions.

What a bot answers is read and checked here (`frames` reads, `illegal_rows` checks). Whatever is raised while
its bytes are read is the bot's fault, never the host's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.core import brief, direct
from engines.game import Game
from leagues.limits import Limits

from ..jail.clock import Clock
from ..jail.outcomes import Failed, Fault, FaultKind, HostError, Layer
from ..jail.process import Process, told
from ..jail.program import Executable, Program
from ..jail.zygote import Zygote
from . import frames
from .frames import Decisions

LEGAL_PER_ROW = 64  # room for legal actions in the request memory, on average


Answer = tuple[NDArray[np.int16], list[frames.Words]]  # an action a row, and why rows have none


@dataclass(slots=True)
class Reply:
    """What came back for n rows."""

    actions: NDArray[np.int16]  # [n] legal actions; -1 where the row faulted
    faults: dict[int, Fault] = field(default_factory=dict)  # by row; the process lives on
    fault: Fault | None = None  # the process is dead: every action is -1


class BotProcess(Process):
    """One bot's process, made by `GameZygote.spawn`."""

    def __init__(
        self,
        zygote: Zygote,
        game: Game,
        bot: Program,
        limits: Limits,
        seed: int,
        core: int | None = None,
        layers: Sequence[Layer] | None = None,
        before: Clock | None = None,
        execute: Executable | None = None,
    ) -> None:
        self._game = game
        self._nonces = frames.nonces()
        self._room = max(LEGAL_PER_ROW * frames.MAX_ROWS, self._game.n_actions)
        size = frames.MAX_ROWS * (self._game.state.itemsize + 16) + 2 * self._room + 64
        super().__init__(zygote, bot, limits, seed, size, core, layers, None, before, execute)

    @property
    def cpu_s(self) -> float:
        """CPU seconds charged so far: all since the bot's first instruction."""
        if self.fault is None:
            self.clock.read()
        return self.clock.charged

    def ready(self) -> Fault | None:
        """Wait until the bot is loaded; None, or why it cannot play.

        Raises:
            HostError: the process could not be jailed.
        """
        if self.fault is not None:
            return self.fault
        if not self.jailed:
            self.await_jail()
        self._exchange(b"!", 0, self.nonce)
        self.clock.loaded = True
        return self.fault

    def ask(self, asked: Decisions) -> Reply:
        """One action for every row. Raises HostError: the zygote has ended."""
        n = len(asked.rows)
        if n <= frames.MAX_ROWS and len(asked.legal) <= self._room and self.fault is None:
            reply = self._ask(asked)
        else:
            reply = self._ask_in_parts(asked)
        return reply if self.fault is None else Reply(np.full(n, -1, np.int16), fault=self.fault)

    def _ask_in_parts(self, asked: Decisions) -> Reply:
        """`ask` for more rows or legal actions than a request holds."""
        n, first, offsets = len(asked.rows), 0, asked.offsets
        whole = Reply(np.full(n, -1, np.int16))
        while first < n and self.fault is None:
            begin = offsets[first]
            last = min(first + frames.MAX_ROWS, n)
            if offsets[last] > begin + self._room:
                last = int(np.searchsorted(offsets, begin + self._room, "right")) - 1
            reply = self._ask(asked.part(first, last))
            whole.actions[first:last] = reply.actions
            whole.faults |= {first + row: fault for row, fault in reply.faults.items()}
            first = last
        return whole

    def _ask(self, asked: Decisions) -> Reply:
        """One request; if the process ends by it, `fault` is set."""
        n = len(asked.rows)
        self.clock.asked += n
        answer = self._answer(asked)
        if answer is None:
            return Reply(np.full(n, -1, np.int16))
        actions, words = answer
        reply = Reply(actions)
        for said in words:
            fault = told(said.kind, said.text)
            reply.faults |= dict.fromkeys(range(said.first, said.first + said.rows), fault)
        refuse_illegal(self._game, asked, reply)
        return reply

    def _answer(self, asked: Decisions) -> Answer | None:
        """Return the process's answer to one request, unchecked; None: it has ended by it."""
        rows, games, seats, legal, offsets = asked
        n, m = len(rows), len(legal)
        begin, _, _, end = frames.layout(n, m, rows.itemsize)
        small = offsets.tobytes() + games.tobytes() + legal.tobytes() + seats.tobytes()
        if len(small) != end - begin:
            raise ValueError(
                "a request is rows [n], games int32 [n], seats int8 [n], legal int16 [m], offsets int32 [n "
                "+ 1]"
            )
        self.requests[: n * rows.itemsize] = rows
        self.requests[begin:end] = small
        nonce = next(self._nonces)
        return self._exchange(frames.BELL.pack(n, m, nonce), n, nonce)

    def _exchange(self, bell: bytes, n: int, nonce: int) -> Answer | None:
        """Ring and read the reply; None: the process has ended by it, and `fault` is set."""

        def exchange() -> Answer:
            self.tell(bell)
            return frames.read_reply(self.hear(frames.MAX_REPLY), n, nonce)

        return self._guarded(exchange)

    def _guarded(self, exchange: Callable[[], Answer]) -> Answer | None:
        """Return what an exchange gives; None: the process has ended by it, and `fault` is set."""
        try:
            return exchange()
        except Failed as failed:
            self.end(failed)
        except HostError:
            raise
        except Exception as error:  # whatever its bytes have brought about
            self.end(
                Failed(FaultKind.PROTOCOL, f"its reply cannot be read ({type(error).__name__}: {error})")
            )
        return None


def refuse_illegal(game: Game, asked: Decisions, reply: Reply) -> None:
    """Put -1 in place of every action that is not legal, and its fault beside it."""
    for row in illegal_rows(reply.actions, asked.legal, asked.offsets):
        if row not in reply.faults:
            action, legal = int(reply.actions[row]), asked.legal_of(row).tolist()
            text = game.illegal_text(asked.rows[row : row + 1], action, legal)
            if 0 <= action < len(legal):
                text += f"; if you meant the one at place {action}, answer view.legal[{action}]"
            reply.faults[row] = Fault(FaultKind.ILLEGAL, text)
        reply.actions[row] = -1


def illegal_rows(
    actions: NDArray[np.int16], legal: NDArray[np.int16], offsets: NDArray[np.int32]
) -> list[int]:
    """Return the rows whose action is not among their legal ones."""
    illegal = np.empty(len(actions), np.bool_)
    return np.flatnonzero(illegal).tolist() if marker()(actions, legal, offsets, illegal) else []


@brief
def mark_illegal(actions: Any, legal: Any, offsets: Any, illegal: Any) -> int:
    """Say of every row whether its action is none of its legal ones.

    Args:
        actions: int16 [n], any numbers.
        legal: int16, the legal actions of all rows, one after the other.
        offsets: int32 [n + 1], where each row's begin, and the end.
        illegal: bool [n], all of it is written.

    Returns:
        How many rows are illegal.
    """
    count = 0
    for i in range(len(actions)):
        found = False
        for k in range(offsets[i], offsets[i + 1]):
            if legal[k] == actions[i]:
                found = True
        illegal[i] = not found
        if not found:
            count += 1
    return count


@cache
def marker() -> Callable[..., int]:
    """`mark_illegal` for arrays of exactly these types (`direct`)."""
    actions, offsets, illegal = np.zeros(0, np.int16), np.zeros(1, np.int32), np.zeros(0, np.bool_)
    return direct(mark_illegal, actions, actions, offsets, illegal)
