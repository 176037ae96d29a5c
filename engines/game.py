"""The Python side of an engine: `Game` for batches, `Position` for one game, `View` for what a seat sees.

An engine module builds one `Game` from its tables and its eight compiled functions (see `core`). Everything is checked here,
once, before anything is changed; the compiled core trusts its caller.
"""

from __future__ import annotations

import difflib
import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import index as as_index
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import core
from .errors import GameError, IllegalAction, OptionError, ShuffleError, TextError

States: TypeAlias = NDArray[np.void]
Value: TypeAlias = int | bool | str
MAX_SEED = 2**64 - 1


@dataclass(frozen=True)
class Option:
    """An option of a game. Its type is the default's: bool, str (one of `choices`) or int (`low` .. `high`)."""

    name: str
    default: Value
    meaning: str
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        if isinstance(self.default, bool):
            return "true or false"
        return " or ".join(self.choices) if self.choices else f"{self.low} to {self.high}"

    def encode(self, value: Any) -> int:
        """The integer that stands in the state for this value.

        Raises:
            OptionError: wrong type or out of range.
        """
        if isinstance(self.default, bool):
            if isinstance(value, bool | np.bool_):
                return int(value)
        elif self.choices:
            if isinstance(value, str) and value in self.choices:
                return self.choices.index(value)
        elif isinstance(value, int | np.integer) and not isinstance(value, bool) and self.low <= value <= self.high:
            return int(value)
        raise OptionError(f"option {self.name} = {value!r}: allowed is {self.allowed}")

    def decode(self, number: int) -> Value:
        """The value for the integer in the state."""
        if isinstance(self.default, bool):
            return bool(number)
        return self.choices[number] if self.choices else int(number)

    def parse(self, text: str) -> Value:
        """The value for text from a command line or a file.

        Raises:
            OptionError: not a value of this option.
        """
        value: Any = text
        if isinstance(self.default, bool):
            value = {"true": True, "false": False}.get(text.lower(), text)
        elif not self.choices:
            try:
                value = int(text)
            except ValueError:
                value = text
        return self.decode(self.encode(value))


@dataclass(frozen=True)
class Field:
    """Something that a view shows: read from the record when asked for. `read(s, seat)` gets a plain row and the viewer."""

    name: str
    type: str
    meaning: str
    read: Callable[[Any, int], Any]


def state_dtype(options: Sequence[Option], fields: Sequence[tuple[Any, ...]]) -> np.dtype[np.void]:
    """The record of a game: the header that all games share, one int32 per option, then the game's own fields."""
    header: list[tuple[Any, ...]] = [
        ("seed", np.uint64),  # blank 0; the driver's alone, never in a view
        ("shuffle", np.int32),  # the shuffle that is due or was last: hand * 64 + place in the hand
        ("players", np.int8),
        ("seat", np.int8),  # to act; core.SHUFFLE or core.OVER
    ]
    return np.dtype([*header, *((o.name, np.int32) for o in options), *fields], align=True)


def copy_states(states: States) -> States:
    """A copy that is equal byte for byte, padding included (`states.copy()` leaves padding undefined)."""
    states = np.ascontiguousarray(states)
    return states.view(np.uint8).copy().view(states.dtype)


class Game:
    """A game's rules and its tables. One number of players and one set of options a batch.

    Args:
        name: as in `engines.load(name)`.
        state: record type, made by `state_dtype`.
        options: the option table.
        players: fewest, default and most seats.
        cards: text of every card, by card number.
        actions: text of every action, by number; or, where the text depends on the options, a function of them (a dict).
        fields: what a view shows, in the order of the rules page.
        rules: the eight compiled functions by name (`core.RULES`).
        check: extra check of options that hang together: `check(players, options)` raises `OptionError`.
        deck_size: the most cards that one shuffle can hold.
        show: a position as text for people, `show(s, seat)`; default: the fields, one a line.
    """

    def __init__(
        self,
        *,
        name: str,
        state: np.dtype[np.void],
        options: Sequence[Option],
        players: tuple[int, int, int],
        cards: Sequence[str],
        actions: Sequence[str] | Callable[[dict[str, Value]], Sequence[str]],
        n_actions: int,
        fields: Sequence[Field],
        rules: dict[str, Any],
        deck_size: int,
        check: Callable[[int, dict[str, Value]], None] | None = None,
        show: Callable[[Any, int], str] | None = None,
    ) -> None:
        core.bind(state, name, rules)
        self.name = name
        self.state = state
        self.options = {option.name: option for option in options}
        self.min_players, self.players, self.max_players = players
        self.cards = tuple(cards)
        self.n_actions = n_actions
        self.fields = {field.name: field for field in fields}
        self.rules = rules
        self.deck_size = deck_size
        self._check = check
        self._show = show
        self._card_numbers = {text: number for number, text in enumerate(self.cards)}
        self._actions = actions

    def __repr__(self) -> str:
        return f"engines.load({self.name!r})"

    # --- options and text ------------------------------------------------------------------------------------------------

    def check_options(self, players: Any = None, options: Mapping[str, Any] | None = None) -> tuple[int, dict[str, Value]]:
        """Players and the complete options, checked.

        Raises:
            OptionError: says which one and what is allowed.
        """
        players = self.players if players is None else players
        span = f"{self.min_players}" if self.min_players == self.max_players else f"{self.min_players} to {self.max_players}"
        if isinstance(players, bool) or not isinstance(players, int | np.integer):
            raise OptionError(f"{self.name}: players = {players!r}: allowed is a whole number, {span}")
        if not self.min_players <= players <= self.max_players:
            raise OptionError(f"{self.name} is for {span} players, not {players}")
        complete = {name: option.default for name, option in self.options.items()}
        for name, value in (options or {}).items():
            self.option(name)
            try:
                complete[name] = self.options[name].decode(self.options[name].encode(value))
            except OptionError as error:
                raise OptionError(f"{self.name}: {error}") from None
        if self._check is not None:
            self._check(int(players), complete)
        return int(players), complete

    def option(self, name: str) -> Option:
        """The option of this name.

        Raises:
            OptionError: there is none; says the nearest.
        """
        if name not in self.options:
            near = difflib.get_close_matches(name, self.options, 1)
            hint = f"did you mean {near[0]}?" if near else f"options: {', '.join(self.options)}"
            raise OptionError(f"{self.name} has no option {name!r}; {hint}")
        return self.options[name]

    def options_of(self, states: States) -> dict[str, Value]:
        """The options of a batch (of its first row)."""
        return {name: option.decode(int(states[name][0])) for name, option in self.options.items()}

    def actions(self, options: Mapping[str, Value] | None = None) -> tuple[str, ...]:
        """Text of every action by number, under these (complete) options."""
        if not callable(self._actions):
            return _texts(tuple(self._actions))
        return _texts(tuple(self._actions(dict(options or self.check_options()[1]))))

    def action(self, text: str, options: Mapping[str, Value] | None = None) -> int:
        """Number of an action's text.

        Raises:
            TextError: the game has no such action.
        """
        texts = self.actions(options)
        try:
            return _numbers(texts)[text]
        except (KeyError, TypeError):
            near = difflib.get_close_matches(str(text), texts, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise TextError(f"{self.name} has no action {text!r}{hint}") from None

    def card(self, text: str) -> int:
        """Number of a card's text.

        Raises:
            TextError: the game has no such card.
        """
        try:
            return self._card_numbers[text]
        except (KeyError, TypeError):
            raise TextError(f"{self.name} has no card {text!r}; cards look like {', '.join(self.cards[:3])}") from None

    # --- batches ---------------------------------------------------------------------------------------------------------

    def blank(self, n: int, players: int | None = None, **options: Any) -> States:
        """`n` rows with number of players and options set and everything else 0; not started."""
        players, complete = self.check_options(players, options)
        states = np.zeros(n, self.state)
        states["players"] = players
        for name, value in complete.items():
            states[name] = self.options[name].encode(value)
        return states

    def new(self, n: int, seed: ArrayLike = 0, players: int | None = None, **options: Any) -> States:
        """`n` games, shuffled, at their first decision (a game may be over at once).

        Args:
            n: number of games.
            seed: game i has the seed `seed + i` (modulo 2**64); or an array of `n` seeds.
            players: number of seats.
            options: by name; the rest by default.

        Raises:
            OptionError: bad players, options or seed.
        """
        states = self.blank(n, players, **options)
        states["seed"] = _seeds(seed, n)
        core.open_games(core.rows(states), core.work(self.deck_size))
        return states

    def seats(self, states: States) -> NDArray[np.int64]:
        """Seat to act in every row; -1 where the game is over."""
        return states["seat"].astype(np.int64)

    def over(self, states: States) -> NDArray[np.bool_]:
        """Which rows are over."""
        return np.asarray(states["seat"] == core.OVER)

    def legal_mask(self, states: States) -> NDArray[np.bool_]:
        """Legal actions, bool [n, n_actions]; all false where the game is over."""
        states = self._checked(states)
        mask = np.zeros((len(states), self.n_actions), np.bool_)
        core.legal_mask(core.rows(states), mask, core.work(self.n_actions))
        return mask

    def step(self, states: States, actions: ArrayLike) -> None:
        """Apply one action a row, in place; rows that are over are ignored.

        Raises:
            IllegalAction: names the first bad row; nothing is changed.
        """
        states = self._checked(states, writable=True)
        numbers = np.asarray(actions)
        if numbers.shape != (len(states),) or (numbers.size and numbers.dtype.kind not in "iu"):
            raise IllegalAction(f"{self.name}: actions must be {len(states)} integers, got {numbers.dtype} {numbers.shape}")
        numbers = np.ascontiguousarray(numbers, np.int64)
        bad = core.first_illegal(core.rows(states), numbers, core.work(self.n_actions))
        if bad >= 0:
            raise IllegalAction(f"row {bad}: {self._illegal(states[bad : bad + 1], int(numbers[bad]))}")
        core.step_rows(core.rows(states), numbers, core.work(self.deck_size))

    def views(self, states: States, seats: ArrayLike | None = None) -> States:
        """Copies of the rows, redacted for the seat to act (or for `seats`, one a row or one for all; -1: an onlooker)."""
        states = self._checked(states)
        views = copy_states(states)
        who = np.empty(len(states), np.int64)
        who[:] = self.seats(states) if seats is None else np.asarray(seats)
        if who.size and (who.min() < -1 or (who >= states["players"]).any()):
            raise GameError(f"{self.name}: a seat to view from must be -1 .. {int(states['players'][0]) - 1}")
        core.redact_rows(core.rows(views), who)
        return views

    def determinize(self, views: States, seed: int = 0) -> States:
        """For every view a random world that agrees with what it shows, with a seed of its own.

        A world of the seat to act's view is playable; row i depends on its view, the seed and i only.
        """
        worlds = copy_states(self._checked(views))
        core.determinize_rows(core.rows(worlds), _seeds(seed, 1)[0], np.zeros(1, np.uint64))
        return worlds

    def playout(self, states: States, seed: int = 0) -> int:
        """Play every row to its end by uniformly random legal actions, in place.

        Returns:
            Decisions made, forced ones included.
        """
        states = self._checked(states, writable=True)
        return int(
            core.playout_rows(
                core.rows(states),
                _seeds(seed, 1)[0],
                core.work(self.n_actions),
                core.work(self.deck_size),
                np.zeros(1, np.uint64),
            )
        )

    def scores(self, states: States) -> NDArray[np.int64]:
        """Final scores, int64 [n, players], in the units of the rules page.

        Raises:
            GameError: a row is not over; says which.
        """
        states = self._checked(states)
        running = np.flatnonzero(states["seat"] != core.OVER)
        if running.size:
            raise GameError(f"{self.name}: row {running[0]} is not over: there are no final scores yet")
        players = int(states["players"][0]) if len(states) else self.players
        out = np.zeros((len(states), players), np.int64)
        core.score_rows(core.rows(states), out)
        return out

    def position(
        self,
        seed: int = 0,
        players: int | None = None,
        shuffles: Iterable[Sequence[str]] | None = None,
        record: bool = False,
        **options: Any,
    ) -> Position:
        """One game, at its first decision.

        Args:
            seed: the seed of its shuffles.
            players: number of seats.
            shuffles: the shuffles from outside, in order of need, each the cards as text in shuffled order; the seed is not used.
            record: keep every shuffle in `position.shuffles`.
            options: by name.

        Raises:
            OptionError, ShuffleError, TextError.
        """
        states = self.blank(1, players, **options)
        states["seed"] = _seeds(seed, 1)
        given = None if shuffles is None else [[self.card(card) for card in cards] for cards in shuffles]
        return Position(self, states, given, record)

    def _checked(self, states: States, writable: bool = False) -> States:
        if not isinstance(states, np.ndarray) or states.dtype != self.state or states.ndim != 1:
            raise GameError(f"{self.name}: states must be a one-dimensional array of {self.name} records")
        if writable and not (states.flags.writeable and states.flags.c_contiguous):
            raise GameError(f"{self.name}: states must be writable and contiguous to be played on")
        # compiled code exists for one kind of array; a read-only or strided one is copied
        return states if states.flags.writeable and states.flags.c_contiguous else copy_states(states)

    def _illegal(self, states: States, action: int) -> str:
        """The message for an action that is not legal in a one-row batch."""
        out = core.work(self.n_actions)
        n = core.legal_row(core.rows(states), 0, out)
        texts = self.actions(self.options_of(states))
        name = repr(texts[action]) if 0 <= action < self.n_actions else f"number {action}"
        if int(states["seat"][0]) == core.OVER:
            return f"action {name} after the end of the game ({self.name})"
        legal = ", ".join(repr(texts[out[k]]) for k in range(n))
        return f"illegal action {name} for seat {int(states['seat'][0])} ({self.name}); legal: {legal}"


@lru_cache(maxsize=64)
def _texts(texts: tuple[str, ...]) -> tuple[str, ...]:
    return texts


@lru_cache(maxsize=64)
def _numbers(texts: tuple[str, ...]) -> dict[str, int]:
    return {text: number for number, text in enumerate(texts)}


def _seeds(seed: ArrayLike, n: int) -> NDArray[np.uint64]:
    """`n` seeds: `seed + i` modulo 2**64, or the given array."""
    if isinstance(seed, np.ndarray):
        if seed.shape != (n,) or seed.dtype != np.uint64:
            raise OptionError(f"seeds must be {n} uint64, got {seed.dtype} {seed.shape}")
        return seed
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed <= MAX_SEED:
        raise OptionError(f"seed = {seed!r}: allowed is a whole number from 0 to 2**64 - 1")
    with np.errstate(over="ignore"):
        return np.uint64(seed) + np.arange(n, dtype=np.uint64)


class Position:
    """One game at a time: `pos.seat`, `pos.legal()`, `pos.play("play Ks")`, `pos.view(seat)`, `print(pos)`.

    Made by `Game.position`. `states` is its one-row batch; compiled functions take it as `(pos.states, 0, ...)`.
    """

    def __init__(self, game: Game, states: States, given: list[list[int]] | None = None, record: bool = False) -> None:
        self._adopt(game, states)
        self._given = given
        self.shuffles: list[tuple[str, ...]] | None = [] if record or given is not None else None
        if self.shuffles is None:
            core.open_games(self._rows, self._cards)
        else:
            core.start_row(self._rows, 0)
            self._bring_shuffles()
        self._n = core.legal_row(self._rows, 0, self._out)

    def _adopt(self, game: Game, states: States) -> None:
        self.game = game
        self.states = states
        self.players = int(states["players"][0])
        self.options = game.options_of(states)
        self.texts = game.actions(self.options)
        self._numbers = _numbers(self.texts)
        self._rows = core.rows(states)
        self._seat = states["seat"]
        self._out = core.work(game.n_actions)
        self._cards = core.work(game.deck_size)
        self._none = core.work(0)

    @classmethod
    def of(cls, game: Game, states: States) -> Position:
        """A position from one row of a batch (copied): a state, a view's world, a constructed one.

        Raises:
            GameError: not exactly one row.
        """
        if len(states) != 1:
            raise GameError(f"a position is one row, got {len(states)}: use states[i:i+1]")
        position = cls.__new__(cls)
        position._adopt(game, copy_states(states))
        position._given = None
        position.shuffles = None
        position._n = core.legal_row(position._rows, 0, position._out)
        return position

    @property
    def seat(self) -> int | None:
        """Seat to act; None when the game is over."""
        seat = int(self._seat[0])
        return seat if seat >= 0 else None

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return bool(self._seat[0] == core.OVER)

    def legal(self) -> list[str]:
        """Text of the legal actions, by ascending number; empty when the game is over."""
        texts = self.texts
        return [texts[a] for a in self._out[: self._n].tolist()]

    def legal_numbers(self) -> list[int]:
        """Numbers of the legal actions, ascending."""
        return self._out[: self._n].tolist()

    def play(self, action: str | int) -> None:
        """Play an action, as text or number, for the seat to act.

        Raises:
            TextError: the game has no such text.
            IllegalAction: not legal now; the message names the legal ones.
            ShuffleError: a shuffle from outside is missing or wrong.
            In each case nothing is changed.
        """
        if type(action) is str:
            try:
                number = self._numbers[action]
            except KeyError:
                number = self.game.action(action, self.options)
        else:
            number = self._number(action)
        if self.shuffles is None:
            n = core.play_row(self._rows, 0, number, self._out, self._n, self._cards)
            if n < 0:
                raise IllegalAction(self.game._illegal(self.states, number))
            self._n = n
        else:
            self._play_recorded(number)

    def view(self, seat: int | None = None) -> View:
        """What a seat sees (default: the seat to act; -1: an onlooker)."""
        seat = int(self._seat[0]) if seat is None else seat
        row = self.game.views(self.states, seat)
        legal = np.array(self.legal_numbers() if seat == self.seat else [], np.int16)
        return View(self.game, row, seat, legal)

    def scores(self) -> list[int]:
        """Final scores by seat.

        Raises:
            GameError: the game is not over.
        """
        if not self.over:
            raise GameError(f"{self.game.name}: the game is not over: there are no final scores yet")
        return self.game.scores(self.states)[0].tolist()

    def copy(self) -> Position:
        """A copy that goes its own way (with the rest of the given shuffles, if any)."""
        twin = Position.of(self.game, self.states)
        twin._given = None if self._given is None else list(self._given)
        twin.shuffles = None if self.shuffles is None else list(self.shuffles)
        return twin

    def __str__(self) -> str:
        return describe(self.game, self.states, core.OVER, onlooker=True)

    def _number(self, action: Any) -> int:
        try:
            number = as_index(action)
        except TypeError:
            raise TextError(f"an action is text or a whole number, not {action!r}") from None
        if isinstance(action, bool) or not 0 <= number < self.game.n_actions:
            raise IllegalAction(self.game._illegal(self.states, number))
        return number

    def _play_recorded(self, number: int) -> None:
        """`play` where the shuffles are brought or kept: all or nothing."""
        before, given, kept = copy_states(self.states), list(self._given or ()), len(self.shuffles or ())
        n = core.play_row(self._rows, 0, number, self._out, self._n, self._none)
        if n == -1:
            raise IllegalAction(self.game._illegal(self.states, number))
        try:
            self._bring_shuffles()
        except GameError:
            self.states.view(np.uint8)[:] = before.view(np.uint8)
            self._given = given
            del (self.shuffles or [])[kept:]
            self._n = core.legal_row(self._rows, 0, self._out)
            raise
        self._n = core.legal_row(self._rows, 0, self._out)

    def _bring_shuffles(self) -> None:
        """Do the due shuffles one by one, from outside or from the seed, and keep them."""
        assert self.shuffles is not None
        while self._seat[0] == core.SHUFFLE:
            n = core.due_row(self._rows, 0, self._cards)
            cards = self._cards[:n]
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
            raise ShuffleError(f"{which} is not a permutation of the {len(cards)} cards that are due: {names}")
        for i, card in enumerate(given):
            cards[i] = card


class View:
    """What one seat sees: the fields of the game's rules page by name, the legal actions, the raw record.

    In a match the harness adds `rng` (a `random.Random` of this game's own) and `log(...)`. A view is made for every decision, so
    it makes nothing before it is asked for.

    Args:
        game: the game.
        state: the redacted record, as a one-row batch.
        seat: the seat that looks.
        legal: numbers of its legal actions.
        rng: the random numbers, or what makes them when they are first asked for.
        log: what `view.log` is.
    """

    __slots__ = ("_legal", "_rng", "_row", "game_rules", "log", "seat", "state")

    def __init__(
        self,
        game: Game,
        state: States,
        seat: int,
        legal: NDArray[np.int16],
        rng: random.Random | Callable[[], random.Random] = random.Random,
        log: Callable[..., None] = print,
    ) -> None:
        self.game_rules = game
        self.state = state
        self.seat = seat
        self._legal = legal
        self._rng = rng
        self.log = log

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
        texts = self.game_rules.actions(self.options)
        return [texts[a] for a in self._legal.tolist()]

    def __getattr__(self, name: str) -> Any:
        if name == "_row":  # an empty slot: the record has not been read yet
            self._row = core.PlainRow(self.state[0])
            return self._row
        field = self.game_rules.fields.get(name)
        if field is None:
            names = [*self.game_rules.fields, *View.__slots__, "legal", "texts", "players", "rng"]
            near = difflib.get_close_matches(name, names, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise AttributeError(f"a {self.game_rules.name} view has no {name!r}{hint}")
        return field.read(self._row, self.seat)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.game_rules.fields]

    def __str__(self) -> str:
        text = describe(self.game_rules, self.state, self.seat)
        return f"{text}\nlegal: {', '.join(self.texts)}" if len(self._legal) else text


def describe(game: Game, states: States, seat: int, onlooker: bool = False) -> str:
    """A one-row batch as text for people, as `seat` sees it (onlooker: everything that the row holds)."""
    row = core.PlainRow(states[0])
    head = f"{game.name}, {row.players} players"
    if onlooker:
        head += f", seed {row.seed}"
    to_act = "the game is over" if row.seat == core.OVER else f"seat {row.seat} to act"
    body = game._show(row, seat) if game._show else _field_lines(game, row, seat)
    return f"{head}; {to_act}\n{body}"


def _field_lines(game: Game, row: Any, seat: int) -> str:
    return "\n".join(f"{name}: {_plain_text(field.read(row, seat))}" for name, field in game.fields.items())


def _plain_text(value: Any) -> str:
    if isinstance(value, str):
        return value or "-"
    if isinstance(value, list | tuple):
        nested = any(isinstance(item, list | tuple) for item in value)
        return (" | " if nested else " ").join(_plain_text(item) for item in value) or "-"
    return json.dumps(value) if isinstance(value, dict) else str(value)
