"""The player behind the wall: what the fork server loads for a game, and the loop that answers requests.

`prepare` runs in the fork server; everything else in a bot's process, beside the bot's own code, which can
change it.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import os
import random
import sys
from functools import partial
from typing import Any

import numba
import numpy as np

import engines
from engines import core, registry
from engines.game import Game

from ..jail.imports import program_module
from ..jail.inside import CHANNEL, Inside
from ..jail.outcomes import FaultKind
from . import compiled, frames
from .loaded import BadBot, BotClock, Player, derived_seed, set_tuned
from .log import NO_GAME, GameLog, note_attempts
from .words import failure, last_words

PACKAGES: tuple[str, ...] = (
    "numpy",
    "numba",
    "llvmlite",
    "engines",
)  # what bots may import beyond the standard library
LOADED = ("numpy.fft", "numpy.linalg", "numpy.ma", "numpy.polynomial", "numpy.random", "numpy.lib.format")
LEGAL = np.dtype(np.int16)  # of actions


def load() -> None:
    """Load what every game needs: parts of NumPy, and Numba until it can load compiled code.

    Bots get SciPy where their league preloads it, and only then.
    """
    for name in LOADED:
        __import__(name)
    if core.JIT:
        compiled.load_numba()


def prepare(argument: str) -> PlayHook:
    """Load a game with its kernels, and what else bots use; `argument` is the game's name.

    Bots may then import the game's package, too, if it has one of its own.
    """
    global PACKAGES
    game = engines.load(argument)
    PACKAGES = tuple(dict.fromkeys([*PACKAGES, registry.home(argument).package.partition(".")[0]]))
    engines.names()
    game.use_everything()
    np.linalg.inv(np.eye(2))
    if core.JIT:
        numba.njit(lambda x: x + 1)(
            1
        )  # starts the compiler, for bots that bring compiled functions of their own
    compiled.install()
    return PlayHook(game)


class LogPipe(io.RawIOBase):
    """A descriptor that may be full: what does not fit is dropped without an error."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, data: Any) -> int:
        """Write what fits; say that it was all."""
        with contextlib.suppress(OSError):
            os.write(self._fd, data)
        return len(data)


def open_log() -> GameLog:
    """Make descriptor 1 the standard output and error of Python code."""
    stream = GameLog(io.BufferedWriter(LogPipe(1)), "utf-8", "backslashreplace", line_buffering=True)
    sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = stream  # type: ignore[misc]  # final, for others
    return stream


class PlayHook:
    """A game that bots can be asked to play: the fork server's hook (`jail.inside.Hook`)."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def check(self) -> None:
        """Compute with NumPy and the engine. Raises ArithmeticError: wrongly."""
        matrix = np.random.default_rng(1).random((4, 4))
        if not np.allclose(np.linalg.inv(matrix) @ matrix, np.eye(4)) or not np.isclose(
            np.fft.fft(np.ones(8))[0], 8
        ):
            raise ArithmeticError("NumPy computes wrongly")
        self.game.playout(self.game.new(2, seed=1), seed=1)

    def run(self, inside: Inside) -> None:
        """Load the bot, say that it is ready, answer.

        Returns when the bot cannot go on (the worker has been told).
        """
        log = open_log()
        random.seed(derived_seed(inside.seed, "random"))
        np.random.seed(derived_seed(inside.seed, "numpy") & 0xFFFFFFFF)
        linecache.clearcache()
        note_attempts(log)
        try:
            module = program_module(inside.name, inside.is_folder)
            set_tuned(module)
            clock = BotClock(inside.limits, inside.began, inside.asked)
            player = Player(module, self.game, inside.seed, partial(print, file=log), clock, log)
        except BadBot as error:
            return fail(FaultKind.IMPORT, str(error), inside.nonce)
        except MemoryError as error:
            return fail(FaultKind.MEMORY, last_words(error), inside.nonce)
        except BaseException as error:
            return fail(FaultKind.IMPORT, failure(error)[1], inside.nonce)
        log.flush()
        os.write(CHANNEL, frames.reply(inside.nonce, b"", ()))
        serve(player, memoryview(inside.requests), self.game, log)


def fail(kind: FaultKind, text: str, nonce: int) -> None:
    """Say why this process ends; the caller ends it."""
    os.write(CHANNEL, frames.last_reply(nonce, kind, text))


def serve(player: Player, requests: memoryview, game: Game, log: GameLog) -> None:
    """Answer requests for ever."""
    while bell := os.read(CHANNEL, frames.BELL.size):
        try:
            reply = answer(player, requests, game, bell)
        except MemoryError as error:
            return fail(FaultKind.MEMORY, last_words(error), frames.BELL.unpack(bell)[2])
        if log.said != NO_GAME:  # something was printed: the worker reads it with this answer
            log.flush()
        log.game = NO_GAME
        os.write(CHANNEL, reply)


def answer(player: Player, requests: memoryview, game: Game, bell: bytes) -> bytes:
    """Return the reply to one request.

    Its copy of the request is free when it returns, so that the next one gets the same memory, which is near
    the processor still.
    """
    n, m, nonce = frames.BELL.unpack(bell)
    at_numbers, at_legal, at_seats, end = frames.layout(n, m, game.state.itemsize)
    # compiled code wants writable rows, and a bot may spoil its own copy
    private = bytearray(requests[:end])
    rows: Any = np.ndarray(n, game.state, private)
    legal: Any = np.ndarray(m, LEGAL, private, at_legal)
    numbers = requests[at_numbers:at_legal].cast("i").tolist()
    ends, games, seats = numbers[: n + 1], numbers[n + 1 :], bytes(requests[at_seats:end])
    actions, failed = player.answer_rows(player.views(rows, games, seats, legal, ends), games)
    return frames.reply(nonce, actions.tobytes(), failed)
