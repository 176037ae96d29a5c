"""One game at a time.

`Position` plays by text or number, brings its own shuffles if wanted, and shows what seats see.
"""

from __future__ import annotations

from operator import index as as_index
from typing import Any

import numpy as np

from . import core
from .batches import Batches
from .core import States, copy_states
from .errors import GameError, IllegalAction, ShuffleError, TextError
from .view import View, as_html, describe

MANY = 1 << 15
"""No game has so many actions."""


class Position:
    """One game at a time: `pos.seat`, `pos.legal()`, `pos.play("play Ks")`, `pos.view(seat)`, `print(pos)`.

    Made by `Game.position`.
    """

    # fmt: off
    __slots__ = (
        "_given", "_n", "_numbers", "_out", "_play", "_redact", "_rows", "_seat", "_states",
        "game", "options", "players", "shuffles", "texts",
    )
    # fmt: on

    def __init__(
        self, game: Batches, states: States, given: list[list[int]] | None = None, record: bool = False
    ) -> None:
        self._adopt(game, states)
        self._given = given
        self.shuffles: list[tuple[str, ...]] | None = [] if record or given is not None else None
        core.start_rows(self._rows)
        if self.shuffles is None:
            core.step_rows(self._rows, np.full(1, core.NO_ACTION), self._out)
        else:
            self._bring_shuffles()
        self._n = core.legal_row(self._rows, 0, self._out)

    def _adopt(self, game: Batches, states: States) -> None:
        set_up = game.set_up_of(states)
        self.game = game
        self._states = states
        self.players = int(states["players"][0])
        self.options = dict(set_up.options)
        self.texts = set_up.texts
        self._numbers = set_up.numbers
        self._n = 0
        self._rows: Any = core.rows(states)
        self._seat: Any = states["seat"]
        # the legal actions; while an action is played, the cards of a shuffle
        self._out: Any = core.work(max(game.n_actions, game.deck_size))
        self._play, self._redact = game.direct_calls

    @classmethod
    def of(cls, game: Batches, states: States) -> Position:
        """Return a position from one row of a batch (copied): a state, a view's world, a constructed one.

        Raises:
            GameError: not exactly one whole row of this game, such as a view: see `Game.determinize`.
        """
        states = game._checked(states)
        if len(states) != 1:
            raise GameError(f"a position is one row, got {len(states)}: use states[i:i+1]")
        position = cls.__new__(cls)
        position._adopt(game, copy_states(states))
        position._given = None
        position.shuffles = None
        position._n = core.legal_row(position._rows, 0, position._out)
        return position

    @property
    def states(self) -> States:
        """A copy of its record, a one-row batch; compiled functions take it as `(pos.states, 0, ...)`.

        To write into it changes nothing here: `Position.of` makes a position of a changed one.
        """
        return copy_states(self._states)

    @property
    def seat(self) -> int | None:
        """Seat to act; None when the game is over."""
        seat: int = self._seat.item()
        return seat if seat >= 0 else None

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self._n == 0 and self._seat.item() == core.OVER

    def legal(self) -> list[str]:
        """Text of the legal actions, by ascending number; empty when the game is over."""
        texts = self.texts
        return [texts[a] for a in self._out[: self._n].tolist()]

    def legal_numbers(self) -> list[int]:
        """Numbers of the legal actions, ascending."""
        return self._out[: self._n].tolist()

    def play(self, action: str | int) -> None:
        """Play an action, as text or number, for the seat to act. An error changes nothing.

        Raises:
            TextError: the game has no such text, or it is no text and no whole number.
            IllegalAction: not legal now; the message names the legal ones.
            ShuffleError: a shuffle from outside is missing or wrong.
        """
        number: Any = self._numbers.get(action) if type(action) is str else action
        if type(number) is not int or not 0 <= number < MANY:
            number = self._number(action)
        if self.shuffles is not None:
            return self._play_recorded(number)
        n = self._play(self._rows, 0, number, self._out, self._n, False)
        if n < 0:
            raise IllegalAction(self.game.illegal_text(self._states, number))
        self._n = n

    def view(self, seat: int | None = None) -> View:
        """Return what a seat sees (default: the seat to act; -1: an onlooker)."""
        to_act: int = self._seat.item()
        if seat is None:
            seat = to_act
        elif type(seat) is not int or not -1 <= seat < self.players:
            seat = self._viewer(seat)
        row = copy_states(self._states)
        self._redact(core.rows(row), 0, seat)
        legal = np.array(self._out[: self._n if seat == to_act else 0])
        return View(self.game, row, seat, legal, texts=self.texts)

    def scores(self) -> list[int]:
        """Return the final scores by seat.

        Raises:
            GameError: the game is not over.
        """
        if not self.over:
            raise GameError(f"{self.game.name}: the game is not over: there are no final scores yet")
        return self.game.scores(self._states)[0].tolist()

    def copy(self) -> Position:
        """Return a copy, as `copy.copy` does, that goes its own way, with the rest of the given shuffles."""
        twin = Position.__new__(Position)
        twin.game, twin.players, twin.options, twin.texts = self.game, self.players, self.options, self.texts
        twin._numbers, twin._n = self._numbers, self._n
        twin._given = None if self._given is None else list(self._given)
        twin.shuffles = None if self.shuffles is None else list(self.shuffles)
        twin._states = states = copy_states(self._states)
        twin._rows, twin._seat = core.rows(states), states["seat"]
        twin._out = self._out.copy()
        twin._play, twin._redact = self._play, self._redact
        return twin

    def __copy__(self) -> Position:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Position:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.game, self._states, self._given, self.shuffles)

    def __repr__(self) -> str:
        seat = self.seat
        now = "over" if self.over else f"seat {seat} to act, {self._n} legal actions"
        return f"<Position of {self.game.name}, {self.players} players; {now}; print it>"

    def _repr_html_(self) -> str:
        return as_html(str(self))

    def __str__(self) -> str:
        return describe(self.game, self._states, core.OVER, onlooker=True)

    def _viewer(self, seat: Any) -> int:
        try:
            number = as_index(seat)
        except TypeError:
            raise GameError(f"a seat is a whole number, not {seat!r}") from None
        if not -1 <= number < self.players:
            raise GameError(
                f"{self.game.name}: a seat to view from must be -1 .. {self.players - 1}, not {number}"
            )
        return number

    def _number(self, action: Any) -> int:
        """Return the number of an action that is no plain one.

        Raises:
            TextError, IllegalAction: as `play`.
        """
        if type(action) is str:
            return self.game.action(action, self.options, self.legal)
        if isinstance(action, bool | np.bool_):
            raise TextError(f"an action is text or a whole number; {action!r} is a bool, which is no action")
        try:
            number = as_index(action)
        except TypeError:
            raise TextError(f"an action is text or a whole number, not {action!r}") from None
        if not 0 <= number < self.game.n_actions:
            raise IllegalAction(self.game.illegal_text(self._states, number))
        return number

    def _play_recorded(self, number: int) -> None:
        """`play` where the shuffles are brought or kept: all or nothing."""
        before, given, kept = copy_states(self._states), list(self._given or ()), len(self.shuffles or ())
        n = core.play_row(self._rows, 0, number, self._out, self._n, True)
        if n == -1:
            raise IllegalAction(self.game.illegal_text(self._states, number))
        try:
            self._bring_shuffles()
        except GameError:
            self._states.view(np.uint8)[:] = before.view(np.uint8)
            self._given = given
            del (self.shuffles or [])[kept:]
            self._n = core.legal_row(self._rows, 0, self._out)
            raise
        self._n = core.legal_row(self._rows, 0, self._out)

    def _bring_shuffles(self) -> None:
        """Do the due shuffles one by one, from outside or from the seed, and keep them."""
        assert self.shuffles is not None
        while self._seat[0] == core.SHUFFLE:
            n = core.due_row(self._rows, 0, self._out)
            cards = self._out[:n]
            if self._given is None:
                core.shuffle_row(self._rows, 0, cards)
            else:
                self._take_given(cards)
            self.shuffles.append(tuple(self.game.cards[card] for card in cards.tolist()))
            core.take_row(self._rows, 0, cards)

    def _take_given(self, cards: Any) -> None:
        assert self._given is not None and self.shuffles is not None
        which = f"{self.game.name}: shuffle {len(self.shuffles) + 1}"
        if not self._given:
            raise ShuffleError(f"{which} is missing: {len(cards)} cards are to be shuffled now")
        given = self._given.pop(0)
        if sorted(given) != sorted(cards.tolist()):
            names = " ".join(self.game.cards[card] for card in cards.tolist())
            raise ShuffleError(
                f"{which} is not a permutation of the {len(cards)} cards that are due: {names}"
            )
        for i, card in enumerate(given):
            cards[i] = card


def _rebuilt(
    game: Batches, states: States, given: list[list[int]] | None, shuffles: list[tuple[str, ...]] | None
) -> Position:
    """Return a position with a row of its own, from what `Position` is made of."""
    position = Position.of(game, states)
    position._given = None if given is None else list(given)
    position.shuffles = None if shuffles is None else list(shuffles)
    return position
