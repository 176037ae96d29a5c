"""What one seat sees, for bots and people: `View`, and a position as text.

Not here: what a seat may know (a game's `redact`); a view only reads the redacted record.
"""

from __future__ import annotations

import copy
import difflib
import html
import random
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import core, scene
from .batches import Batches
from .core import States, copy_states
from .declaration import Value


class NoClock:
    """The clock of a view that no harness asks with: no limit."""

    left = allowed = per_decision = float("inf")
    used = 0.0
    decisions = 0


class View:
    """What one seat sees: the fields of the game's rules page by name, the legal actions, the raw record.

    In a match the harness adds `rng` (a `random.Random` of this game's own), `log(...)` and `clock`. A
    view is made for every decision, so it makes nothing before it is asked for.

    Args:
        game: the game.
        state: the redacted record, as a one-row batch.
        seat: the seat that looks.
        legal: numbers of its legal actions.
        rng: the random numbers, or what makes them when they are first asked for.
        log: what `view.log` is.
        clock: what `view.clock` is: CPU time in seconds, `left`, `per_decision`, `used`, `allowed`, and the
            `decisions` asked so far.
        texts: of all actions under the game's options, by number; found when they are first asked for.
    """

    __slots__ = ("_legal", "_rng", "_row", "_texts", "clock", "game_rules", "log", "seat", "state")

    def __init__(
        self,
        game: Batches,
        state: States,
        seat: int,
        legal: NDArray[np.int16],
        rng: random.Random | Callable[[], random.Random] = random.Random,
        log: Callable[..., None] = print,
        clock: Any = NoClock,
        texts: tuple[str, ...] | None = None,
    ) -> None:
        self.game_rules = game
        self.state = state
        self.seat = seat
        self._legal = legal
        self._rng = rng
        self.log = log
        self.clock = clock
        self._texts = texts

    @property
    def rng(self) -> random.Random:
        """Random numbers of this game's own, seeded by the harness; the same ones for the whole game."""
        if not isinstance(self._rng, random.Random):
            self._rng = self._rng()
        return self._rng

    @property
    def game(self) -> str:
        """Name of the game."""
        return self.game_rules.name

    @property
    def players(self) -> int:
        """Number of seats."""
        return int(self.state["players"][0])

    @property
    def options(self) -> dict[str, Value]:
        """All options of this game."""
        return self.game_rules.options_of(self.state)

    @property
    def legal(self) -> NDArray[np.int16]:
        """Numbers of the legal actions, ascending; empty if this seat is not to act."""
        return self._legal

    @property
    def texts(self) -> list[str]:
        """Text of the legal actions, in the order of `legal`."""
        texts = self._texts
        if texts is None:
            texts = self._texts = self.game_rules.set_up_of(self.state).texts
        return [texts[a] for a in self._legal.tolist()]

    def encode(self) -> NDArray[np.float32]:
        """Return the view as numbers, float32 [k]; `game_rules.columns` says what they mean."""
        return self.game_rules.encode(self.state, self.seat)[0]

    def legal_mask(self) -> NDArray[np.bool_]:
        """Whether each action is legal, bool [n_actions]."""
        mask = np.zeros(self.game_rules.n_actions, np.bool_)
        mask[self._legal] = True
        return mask

    def __getattr__(self, name: str) -> Any:
        if name in SLOTS:
            if name != "_row":  # of a view that is being made
                raise AttributeError(name)
            self._row = core.PlainRow(self.state[0])  # it has not been read yet
            return self._row
        field = self.game_rules.fields.get(name)
        if field is None:
            if name.startswith("__"):  # a protocol that asks around
                raise AttributeError(name)
            names = [*self.game_rules.fields, *View.__slots__, "legal", "texts", "players", "rng", "encode"]
            near = difflib.get_close_matches(name, names, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise AttributeError(f"a {self.game_rules.name} view has no {name!r}{hint}")
        return field.of(self._row, self.seat)

    def __copy__(self) -> View:
        return self._twin(self._rng)

    def __deepcopy__(self, memo: dict[int, Any]) -> View:
        return self._twin(copy.deepcopy(self.rng, memo))

    def _twin(self, rng: random.Random | Callable[[], random.Random]) -> View:
        row, legal = copy_states(self.state), self._legal.copy()
        return View(self.game_rules, row, self.seat, legal, rng, self.log, self.clock)

    def __reduce__(self) -> tuple[Any, ...]:
        # `log` and `clock` belong to the harness of this process: what comes out of a pickle prints
        return View, (self.game_rules, self.state, self.seat, self._legal, self.rng)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.game_rules.fields]

    def __repr__(self) -> str:
        return f"<View of {self.game}, seat {self.seat}, {len(self._legal)} legal actions; print it>"

    def _repr_html_(self) -> str:
        return as_html(str(self))

    def __str__(self) -> str:
        text = describe(self.game_rules, self.state, self.seat)
        return f"{text}\nlegal: {', '.join(self.texts)}" if len(self._legal) else text


SLOTS = frozenset(View.__slots__)


def as_html(text: str) -> str:
    """Text as a notebook shows it."""
    return f"<pre>{html.escape(text)}</pre>"


def describe(game: Batches, states: States, seat: int, onlooker: bool = False) -> str:
    """Return a one-row batch as text for people, as `seat` sees it; an onlooker sees all it holds."""
    row = core.PlainRow(states[0])
    head = f"{game.name}, {row.players} players"
    if onlooker and row.seed:  # a record's shuffles need none
        head += f", seed {row.seed}"
    to_act = "the game is over" if row.seat == core.OVER else f"seat {row.seat} to act"
    made = scene.drawn(game, scene.reader(game, row, seat), row.players, seat)
    body = scene.in_lines(made, row.players, seat)
    return f"{head}; {to_act}\n{body}"
