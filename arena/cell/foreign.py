"""Play a bot in any language: a program that answers lines of JSON (docs/reference/protocol.md).

The lines are made and read here, in the worker; what a program writes is believed in nothing. Every line to
it has a number, `id`, which its answer must repeat.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.errors import TextError
from engines.view import View
from leagues.limits import WITH_INTERPRETERS, Limits

from ..jail import elf
from ..jail.clock import Clock
from ..jail.executed import Executed
from ..jail.outcomes import Failed, Fault, FaultKind, Layer
from ..jail.program import Executable, Program
from ..jail.zygote import Zygote
from .asking import Answer, BotProcess
from .frames import Decisions, Words
from .loaded import LAST_ACTION, derived_seed
from .manifest import BadManifest, read

if TYPE_CHECKING:
    from engines.game import Game

PROTOCOL = 1
LINE, PER_ANSWER = 256, 128  # bytes that an answer may have: in any case, and for every decision
# fields that are no facts but a calculation, which a program makes itself, on its own clock
CALCULATED = ("odds",)
SHOWN = 100  # characters of a wrong answer that a fault shows
# what a program is told of its limits
TOLD = (
    "cpu_ms_per_decision",
    "cpu_s_bank",
    "cpu_s_start",
    "cpu_s_match",
    "sleep_s_bank",
    "memory_mib",
    "log_kib",
)


class ForeignBot(BotProcess, Executed):
    """The process of a bot that is not Python, made by `GameZygote.spawn`."""

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
    ) -> None:
        self._number = 0
        self._seed = seed
        self._wrong = ""
        execute = None
        try:
            execute = executable(bot, limits if zygote.level in WITH_INTERPRETERS else Limits())
        except BadManifest as error:
            self._wrong = str(error)  # the process is made and ended, and nothing of the bot is ever started
        super().__init__(zygote, game, bot, limits, seed, core, layers, before, execute)

    def ready(self) -> Fault | None:
        """As `BotProcess.ready`: it must answer the first line."""
        if self.fault is not None:
            return self.fault

        def exchange() -> Answer:
            if self._wrong:
                raise Failed(FaultKind.IMPORT, self._wrong)
            if not self.jailed:
                self.await_jail()
            self.run()
            self._say(start_line(self._game.name, self._seed, self.limits), LINE)
            return np.zeros(0, np.int16), []

        self._guarded(exchange)
        self.clock.loaded = True
        return self.fault

    def _answer(self, asked: Decisions) -> Answer | None:
        def exchange() -> Answer:
            question = question_line(self._game, asked)
            said = self._say(question, LINE + PER_ANSWER * len(asked.rows))
            return read_actions(said.get("actions"), self._game, asked.rows)

        return self._guarded(exchange)

    def _say(self, line: dict[str, Any], most: int) -> dict[str, Any]:
        """Tell a line, with its number; returns the answer, which repeats it."""
        number, self._number = self._number, self._number + 1
        text = json.dumps({"id": number, **line}, separators=(",", ":"), default=int)
        answer = self.exchange(text.encode() + b"\n", most)
        said = None
        try:
            said = json.loads(answer.decode())
        except (ValueError, RecursionError) as error:
            raise Failed(FaultKind.PROTOCOL, f"answered {shown(answer)}, which is no JSON: {error}") from None
        if not isinstance(said, dict) or type(said.get("id")) is not int or said["id"] != number:
            raise Failed(
                FaultKind.PROTOCOL, f'answered {shown(answer)} to line {number}: an answer has "id": {number}'
            )
        return said


def executable(bot: Program, limits: Limits) -> Executable:
    """Return what a bot's manifest wants started.

    Raises:
        BadManifest: it is wrong, or wants what is not allowed or cannot be started here.
    """
    manifest = read(bot)
    if not manifest.interpreter and (what := elf.wrong(bot.files[manifest.program])):
        raise BadManifest(f"{manifest.program} {what}")
    return manifest.executable(dict(one.split("=", 1) for one in limits.interpreters))


def start_line(game: str, seed: int, limits: Limits) -> dict[str, Any]:
    """Return the first line: what will be played, and the limits. The seed has 32 bits."""
    told = {name: value for name, value in asdict(limits).items() if name in TOLD}
    number = derived_seed(seed, "program") >> 31
    return {"event": "start", "protocol": PROTOCOL, "game": game, "seed": number, "limits": told}


def question_line(game: Game, asked: Decisions) -> dict[str, Any]:
    """Return the decisions that wait for a bot, as it may see them."""
    decisions, rows, seats = [], asked.rows, asked.seats
    texts = game.set_up_of(rows).texts
    for i, number in enumerate(asked.games.tolist()):
        view = View(game, rows[i : i + 1], int(seats[i]), asked.legal_of(i), texts=texts)
        seen = {name: getattr(view, name) for name in game.fields if name not in CALCULATED}
        actions = view.legal.tolist()
        decisions.append(
            {"game": number, "seat": view.seat, "legal": view.texts, "numbers": actions, "view": seen}
        )
    first = View(game, rows[:1], int(seats[0]), asked.legal[:0])
    return {"event": "decisions", "players": first.players, "options": first.options, "decisions": decisions}


def read_actions(said: Any, game: Game, rows: Any) -> Answer:
    """Return the actions of an answer: one a row, by text or number; what is wrong with the others."""
    actions = np.full(len(rows), -1, np.int16)
    if not isinstance(said, list) or len(said) != len(rows):
        what = f"{len(said)} actions" if isinstance(said, list) else 'no list "actions"'
        text = f"the answer has {what} for {len(rows)} decisions"
        return actions, [Words(0, len(rows), FaultKind.TYPE, text)]
    words = []
    options = game.options_of(rows[:1])
    for i, one in enumerate(said):
        try:
            actions[i] = number_of(one, game, options)
        except TextError as error:
            words.append(Words(i, 1, FaultKind.ILLEGAL, str(error)))
        except TypeError as error:
            words.append(Words(i, 1, FaultKind.TYPE, str(error)))
    return actions, words


def number_of(one: Any, game: Game, options: Any) -> int:
    """Return the number of an action.

    Raises:
        TextError: the game has no such action.
        TypeError: it is neither a number nor text.
    """
    if isinstance(one, str):
        return game.action(one[:SHOWN], options)
    if type(one) is not int:
        raise TypeError(f"answered {json.dumps(one)[:SHOWN]}: an action is a whole number or its text")
    if not 0 <= one <= LAST_ACTION:
        raise TextError(f"answered {one}: {game.name} has actions 0 to {game.n_actions - 1}")
    return one


def shown(answer: bytes) -> str:
    """Return the begin of an answer, for a fault."""
    return repr(answer[:SHOWN].decode(errors="replace")) + ("..." if len(answer) > SHOWN else "")
