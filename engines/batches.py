"""The Python side of an engine: its tables, and batches of its games.

An engine builds one `Game` (`game`) from tables and compiled functions; all is checked here and in
`Position`.

Rows from outside: a batch that a game keeps (`core.keep`) was checked when it was made, and only compiled
code has written into it since: it goes through as it is. Every other array is checked at every call, since
anybody may have written into it. What is checked follows from the ranges that a game declares (`record`) and
from its `valid`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import core, registry
from .core import States, copy_states
from .declaration import ENCODING, Column, Field, Option, SetUp, Suit, Value, width_of
from .errors import GameError, IllegalAction, OptionError, TextError, in_brief, nearest
from .parallel import share
from .record import OPTIONS_AT, PLAYERS_AT, Record, words_of
from .seeds import seeds_of

SET_UPS_KEPT = 64
MANY_ROWS = 1 << 20
WRONG_FORM = {
    core.BLANK: "is not started: game.new(n) makes games",
    core.WHOLE: "is a whole state and no view: game.views(states) makes views",
    core.VIEW: "is a view, in which hidden cards are blank: game.determinize(views, seed) makes whole states",
}
"""What to do about a row of this form where another form is wanted."""


class Batches:
    """A game's rules and its tables. One number of players and one set of options a batch.

    Args:
        name: as in `engines.load(name)`.
        record: what a state holds, with the range of everything.
        players: fewest, default and most seats.
        cards: text of every card, by card number.
        actions: text of every action, by number; or, where the text depends on the options, a function of
            them (a dict).
        fields: what a view shows, in the order of the rules page.
        rooms: the modules that have the nine compiled functions (`core.RULES`).
        check: extra check of options that hang together: `check(players, options)` raises `OptionError`.
        deck_size: the most cards that one shuffle can hold, at most `core.MOST_CARDS`.
        n_actions: how many actions there are, where their texts depend on the options.
        tools: modules of compiled functions for bots; each has `use_all(states)`, which calls every one of
            them.
        columns: what `encode` writes, in order; a game without them has no encoding.
        aim: what orders rating tables: "points" or the "place" at the table.
        zero_sum: whether the final scores add up to 0.
        title: the name for people; default: the name with a capital letter.
        suits: what the last letter of a card's text stands for, where people read suits; as `suits.FRENCH`.
        sections: sections of the rules page by the first word of the phase: what `?` shows in `arena play`;
            4 for a phase that is not here.

    Raises:
        ValueError: a function is missing, or the rooms are not in the package registered for the game.
    """

    def __init__(
        self,
        *,
        name: str,
        record: Record,
        players: tuple[int, int, int],
        cards: Sequence[str],
        actions: Sequence[str] | Callable[[dict[str, Value]], Sequence[str]],
        fields: Sequence[Field],
        rooms: Sequence[ModuleType],
        deck_size: int,
        check: Callable[[int, dict[str, Value]], None] | None = None,
        n_actions: int | None = None,
        tools: Sequence[ModuleType] = (),
        columns: Sequence[Column] = (),
        aim: str = "points",
        zero_sum: bool = False,
        title: str = "",
        suits: Mapping[str, Suit] | None = None,
        sections: Mapping[str, str] | None = None,
    ) -> None:
        if deck_size > core.MOST_CARDS:
            raise ValueError(f"{name}: deck_size = {deck_size}: a shuffle can have {core.MOST_CARDS} cards")
        registry.check(name, rooms[0].__name__)
        self.rules = core.rules_in(name, rooms)
        core.bind(record.dtype, name, self.rules, record.blanks)
        self.name, self.record, self.state = name, record, record.dtype
        self.options = {option.name: option for option in record.options}
        self.min_players, self.players, self.max_players = players
        self.cards = tuple(cards)
        self.n_actions = len(actions) if n_actions is None else n_actions  # type: ignore[arg-type]
        self.fields = {field.name: field for field in fields}
        self.deck_size = deck_size
        self.tools, self.aim, self.zero_sum = tuple(tools), aim, zero_sum
        self.title, self.suits, self.sections = title or name.capitalize(), suits or {}, sections or {}
        self.columns, self.encoding, self.encoding_size = tuple(columns), ENCODING, width_of(columns)
        self._check = check
        self._card_numbers = {text: number for number, text in enumerate(self.cards)}
        self._actions = actions if callable(actions) else tuple(actions)
        self._set_ups: dict[bytes, SetUp] = {}
        self._firsts: dict[tuple[Value, ...], bytearray] = {}

    def __repr__(self) -> str:
        return f"engines.load({self.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return registry.load, (self.name,)

    # --- options and text -----------------------------------------------------------------------------------

    def check_options(
        self, players: Any = None, options: Mapping[str, Any] | None = None
    ) -> tuple[int, dict[str, Value]]:
        """Players and the complete options, checked.

        Raises:
            OptionError: says which one and what is allowed.
        """
        players = self.players if players is None else players
        low, high = self.min_players, self.max_players
        span = f"{low}" if low == high else f"{low} to {high}"
        if isinstance(players, bool) or not isinstance(players, int | np.integer):
            raise OptionError(f"{self.name}: players = {players!r}: allowed is a whole number, {span}")
        if not low <= players <= high:
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
        """Return the option of this name.

        Raises:
            OptionError: there is none; says the nearest.
        """
        if name not in self.options:
            hint = nearest(name, self.options, f"options: {', '.join(self.options)}")
            raise OptionError(f"{self.name} has no option {name!r}; {hint}")
        return self.options[name]

    def options_of(self, states: States) -> dict[str, Value]:
        """Return the options of a batch.

        Raises:
            GameError: the batch is empty.
        """
        if not len(states):
            raise GameError(f"{self.name}: an empty batch has no options")
        return dict(self.set_up_of(states).options)

    def set_up_of(self, states: States) -> SetUp:
        """Return what follows from players and options of a batch with rows; kept, as all ask for it.

        Raises:
            GameError: the first row has a number of players or an option that the game does not have.
        """
        end = OPTIONS_AT + len(self.options)
        key = states[:1].tobytes()[PLAYERS_AT * 8 : end * 8]
        if key not in self._set_ups:
            header = np.frombuffer(states[:1].tobytes()[: end * 8], np.int64)
            options, bounds = self._decoded(header)
            if len(self._set_ups) >= SET_UPS_KEPT:
                self._set_ups.clear()
            texts = self.actions(options)
            self._set_ups[key] = SetUp(options, texts, self.action_numbers(texts), bounds)
        return self._set_ups[key]

    def _decoded(self, header: NDArray[np.int64]) -> tuple[dict[str, Value], NDArray[np.uint8]]:
        """Return the options in the header of a row, checked, and the bounds of its numbers, as bytes."""
        try:
            players = int(header[PLAYERS_AT])
            if not self.min_players <= players <= self.max_players:
                raise GameError(
                    f"has players = {players}: allowed is {self.min_players} to {self.max_players}"
                )
            bounds = self.record.bounds(header)
            numbers = header[OPTIONS_AT:].tolist()
            options = {name: option.decode(n) for (name, option), n in zip(self.options.items(), numbers)}
            if self._check is not None:
                self._check(players, options)
        except GameError as error:
            raise GameError(f"{self.name}: row 0 is no {self.name} game: {error}") from None
        return options, bounds.view(np.uint8)

    def actions(self, options: Mapping[str, Value] | None = None) -> tuple[str, ...]:
        """Text of every action by number, under these (complete) options."""
        if not callable(self._actions):
            return self._actions
        return tuple(self._actions(dict(options or self.check_options()[1])))

    def action(
        self,
        text: str,
        options: Mapping[str, Value] | None = None,
        legal: Callable[[], Sequence[str]] | None = None,
    ) -> int:
        """Return the number of an action's text.

        Raises:
            TextError: the game has no such action; it names what is legal, if `legal` gives that.
        """
        texts = self.actions(options)
        try:
            return self.action_numbers(texts)[text]
        except (KeyError, TypeError):
            known = texts if legal is None else legal()
            whole = [one for one in known if one.endswith(f" {text}")]  # "VI" for "play VI"
            near = (whole or difflib.get_close_matches(str(text), known, 1))[:3]
            hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
            if legal is not None and (not near or near[0][-1].isdecimal()):
                hint = f"; legal: {in_brief(known)}"
            raise TextError(f"{self.name} has no action {text!r}{hint}") from None

    @staticmethod
    @lru_cache(maxsize=64)
    def action_numbers(texts: tuple[str, ...]) -> dict[str, int]:
        """Return the number of every action by its text, for texts as `actions` gives them."""
        return {text: number for number, text in enumerate(texts)}

    def card(self, text: str) -> int:
        """Return the number of a card's text.

        Raises:
            TextError: the game has no such card.
        """
        try:
            return self._card_numbers[text]
        except (KeyError, TypeError):
            raise TextError(
                f"{self.name} has no card {text!r}; cards look like {', '.join(self.cards[:3])}"
            ) from None

    # --- batches --------------------------------------------------------------------------------------------

    def blank(self, n: int, players: int | None = None, **options: Any) -> States:
        """`n` rows with number of players and options set and everything else 0; not started.

        Raises:
            OptionError: bad players or options, or no room for so many rows.
        """
        return self._copies(n, players, options, started=False)

    def _copies(self, n: int, players: int | None, options: dict[str, Any], started: bool) -> States:
        """`n` rows that are blank, or started: their first shuffle is due."""
        players, complete = self.check_options(players, options)
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
            raise OptionError(f"{self.name}: n = {n!r}: allowed is a whole number of games, from 0")
        try:
            if n > MANY_ROWS:  # no room for a bytearray is an error that prints a line of its own
                np.empty(int(n), self.state)
            return np.frombuffer(self._first_row(players, complete, started) * int(n), self.state)
        except (MemoryError, OverflowError):
            raise OptionError(
                f"{self.name}: n = {n}: no room in memory for so many games of {self.state.itemsize} bytes"
            ) from None

    def _first_row(self, players: int, complete: Mapping[str, Value], started: bool) -> bytearray:
        """Return the bytes of a row that is blank or started; kept, as every new game begins with a copy."""
        key = (started, players, *complete.values())
        if key not in self._firsts:
            if len(self._firsts) >= SET_UPS_KEPT:
                self._firsts.clear()
            row = np.zeros(1, self.state)
            row["players"] = players
            for name, value in complete.items():
                row[name] = self.options[name].encode(value)
            if started:
                core.start_rows(core.rows(row))
            self._firsts[key] = bytearray(row.tobytes())
        return self._firsts[key]

    def new(self, n: int, seed: ArrayLike = 0, players: int | None = None, **options: Any) -> States:
        """`n` games, shuffled, at their first decision (a game may be over at once).

        The batch can be read like any array, and only `step` and `playout` change it: so its rows need no
        check. For rows to write into take a copy, `states.copy()`, which is checked at every call.

        Args:
            n: number of games.
            seed: game i has the seed `seed + i` (modulo 2**64); or an array of `n` seeds.
            players: number of seats.
            options: by name; the rest by default.

        Raises:
            OptionError: bad players, options or seed, or no room for so many games.
        """
        states = self._copies(n, players, options, started=True)
        states["seed"] = seeds_of(seed, n)
        core.step_rows(core.rows(states), np.full(n, core.NO_ACTION), core.work(self.deck_size))
        return core.keep(states)

    def keep(self, states: States) -> States:
        """Return a copy of whole states that is checked once, and then like a batch of `new`.

        Raises:
            GameError: no batch of whole states of this game; says which row and why.
        """
        return core.keep(copy_states(self._checked(states, core.PLAYABLE)))

    def seats(self, states: States) -> NDArray[np.int64]:
        """Seat to act in every row; -1 where the game is over."""
        return states["seat"].astype(np.int64)

    def over(self, states: States) -> NDArray[np.bool_]:
        """Which rows are over."""
        return np.asarray(states["seat"] == core.OVER)

    def legal_mask(self, states: States) -> NDArray[np.bool_]:
        """Legal actions, bool [n, n_actions]; all false where the game is over.

        Raises:
            GameError: a row is no whole state, such as a view: see `determinize`.
        """
        states = self._checked(states)
        mask = np.zeros((len(states), self.n_actions), np.bool_)
        core.legal_mask(core.rows(states), mask, core.work(self.n_actions))
        return mask

    def step(self, states: States, actions: ArrayLike, threads: int = 1) -> None:
        """Apply one action a row, in place, in so many threads; rows that are over are ignored.

        Args:
            states: a batch of `new` or `keep`, or an array of one's own, which is checked at every call.
            actions: one a row.
            threads: that share the rows.

        Raises:
            GameError: a row is no whole state, such as a view: see `determinize`.
            IllegalAction: names the first bad row; nothing is changed.
            OptionError: bad `threads`.
        """
        states = self._checked(states, writable=True)
        numbers = np.asarray(actions)
        if numbers.shape != (len(states),) or (numbers.size and numbers.dtype.kind not in "iu"):
            raise IllegalAction(
                f"{self.name}: actions must be {len(states)} integers, got {numbers.dtype} {numbers.shape}"
            )
        numbers = np.ascontiguousarray(numbers, np.int64)

        def check(first: int, end: int) -> int:
            bad = core.first_illegal(
                core.rows(states[first:end]), numbers[first:end], core.work(self.n_actions)
            )
            return int(bad) if bad < 0 else first + int(bad)

        def go(first: int, end: int) -> None:
            core.step_rows(core.rows(states[first:end]), numbers[first:end], core.work(self.deck_size))

        for bad in share(check, len(states), threads):
            if bad >= 0:
                told = self.illegal_text(states[bad : bad + 1], int(numbers[bad]))
                raise IllegalAction(f"row {bad}: {told}")
        share(go, len(states), threads)

    def views(self, states: States, seats: ArrayLike | None = None) -> States:
        """Copy the rows, redacted for the seat to act, or for `seats`.

        `seats` are one a row or one for all; -1 is an onlooker.
        """
        states = self._checked(states, core.EITHER)
        views = copy_states(states)
        core.redact_rows(core.rows(views), self._viewers(states, seats))
        return views

    def _viewers(self, states: States, seats: ArrayLike | None) -> NDArray[np.int64]:
        """Return the viewer of every row, checked; default: the seat to act."""
        who = np.empty(len(states), np.int64)
        wanted = self.seats(states) if seats is None else np.asarray(seats)
        if wanted.shape not in ((), who.shape) or (wanted.size and wanted.dtype.kind not in "iu"):
            raise GameError(
                f"{self.name}: seats must be one whole number or {len(who)}, got {wanted.dtype} "
                f"{wanted.shape}"
            )
        who[:] = wanted
        if who.size and (who.min() < -1 or (who >= states["players"]).any()):
            raise GameError(f"{self.name}: a seat to view from must be -1 .. {int(states['players'][0]) - 1}")
        return who

    def encode(
        self,
        views: Any,
        seats: ArrayLike | None = None,
        out: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        """Return views as numbers for a learner, float32 [n, encoding_size]; see `columns`.

        Seats are counted from the viewer in the order of play. Whole states are encoded as their views:
        nothing that a seat may not know gets into its numbers.

        Args:
            views: a batch (views or whole states), or a list of a bot's `View`s.
            seats: the viewers, one a row or one for all; default: the seat to act (of a bot's view, its own
                seat). -1 is an onlooker, who sits at seat 0.
            out: the array to write into, contiguous; default: a new one.

        Raises:
            GameError: no batch of this game, or an array that does not fit.
        """
        from .learn.encoding import encode_rows

        if not self.columns:
            raise GameError(f"{self.name} has no encoding")
        if not isinstance(views, np.ndarray):
            seats = [view.seat for view in views] if seats is None else seats
            views = np.concatenate([view.state for view in views]) if len(views) else self.blank(0)
        states = self._checked(views, core.EITHER)
        who = self._viewers(states, seats)
        wanted = (len(states), self.encoding_size)
        if out is None:
            out = np.empty(wanted, np.float32)
        fits = type(out) is np.ndarray and out.shape == wanted and out.dtype == np.float32
        if not fits or not (out.flags.c_contiguous and out.flags.writeable):
            raise GameError(f"{self.name}: out must be a writable contiguous float32 array {wanted}")
        view = np.zeros(1, self.state)
        encode_rows(words_of(states), who, core.rows(view), words_of(view), out)
        return out

    def determinize(self, views: States, seed: int, threads: int = 1) -> States:
        """For every view a random world that agrees with what it shows, with a seed of its own.

        A world of the seat to act's view is playable; row i depends on its view, the seed and i only.

        Args:
            views: as `views` gives them, or a bot's `view.state`.
            seed: 0 to 2**64 - 1; the same seed gives the same worlds.
            threads: that share the rows; the worlds are the same with any number.

        Raises:
            GameError: a row is not a view.
            OptionError: bad seed or `threads`.
        """
        return self._determinized(copy_states(self._checked(views, core.VIEW)), seed, threads)

    def _determinized(self, worlds: States, seed: int, threads: int) -> States:
        """Return these views, which are checked, as random worlds, in place."""
        key = seeds_of(seed, 1)[0]

        def go(first: int, end: int) -> None:
            core.determinize_rows(core.rows(worlds[first:end]), first, key, np.zeros(1, np.uint64))

        share(go, len(worlds), threads)
        if len(worlds):
            self._check_rows(worlds, core.EITHER)  # no deal agrees with a view that contradicts itself
        return worlds

    def worlds(self, view: Any, n: int, seed: int) -> States:
        """`n` random worlds that agree with one view, for a search.

        Args:
            view: a `View` as a bot is given, or a one-row batch of its record.
            n: number of worlds.
            seed: 0 to 2**64 - 1; the same seed gives the same worlds.

        Raises:
            GameError: not one view.
        """
        row = view if isinstance(view, np.ndarray) else view.state
        if np.shape(row) != (1,):
            raise GameError(f"{self.name}: worlds of one view, got {np.shape(row)}: use views[i:i+1]")
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
            raise OptionError(f"{self.name}: n = {n!r}: allowed is a whole number of worlds, from 0")
        views = self._checked(row, core.VIEW)
        try:
            worlds = copy_states(np.repeat(views, n))
        except (MemoryError, ValueError, OverflowError):
            raise OptionError(f"{self.name}: n = {n}: no room in memory for so many worlds") from None
        return self._determinized(worlds, seed, 1)

    def playout(self, states: States, seed: int = 0, threads: int = 1) -> int:
        """Play every row to its end by uniformly random legal actions, in place.

        Args:
            states: a batch of `new` or `keep`, or an array of one's own, which is checked; played on.
            seed: 0 to 2**64 - 1; row i depends on its state, the seed and i only.
            threads: that share the rows; the games are the same with any number.

        Returns:
            Decisions made, forced ones included.

        Raises:
            GameError: a row is no whole state, such as a view: see `determinize`.
            OptionError: bad seed or `threads`.
        """
        states = self._checked(states, core.PLAYABLE, writable=True)
        key = seeds_of(seed, 1)[0]

        def go(first: int, end: int) -> int:
            out, cards = core.work(self.n_actions), core.work(self.deck_size)
            rows, rng = core.rows(states[first:end]), np.zeros(1, np.uint64)
            return int(core.playout_rows(rows, first, key, out, cards, rng))

        return sum(share(go, len(states), threads))

    def scores(self, states: States) -> NDArray[np.int64]:
        """Return final scores, int64 [n, players], in the units of the rules page.

        Raises:
            GameError: a row is not over; says which.
        """
        states = self._checked(states, core.EITHER)
        running = np.flatnonzero(states["seat"] != core.OVER)
        if running.size:
            raise GameError(f"{self.name}: row {running[0]} is not over: there are no final scores yet")
        return self.points(states)

    def points(self, states: States) -> NDArray[np.int64]:
        """Points so far, int64 [n, players]: what the final scores would be if nothing more were settled."""
        states = self._checked(states, core.EITHER)
        players = int(states["players"][0]) if len(states) else self.players
        out = np.zeros((len(states), players), np.int64)
        core.score_rows(core.rows(states), out)
        return out

    @cached_property
    def direct_calls(self) -> tuple[Callable[..., int], Callable[..., None]]:
        """`core.play_row` and `core.redact_row` for arrays of exactly the types that they name (`direct`)."""
        rows, work = core.rows(self.blank(1)), core.work(1)
        play = core.direct(core.play_row, rows, 0, 0, work, 0, False)
        return play, core.direct(core.redact_row, rows, 0, 0)

    def illegal_text(self, states: States, action: int, legal: Sequence[int] | None = None) -> str:
        """Return the message for an action that is not legal in a one-row batch.

        Args:
            states: the record, or what the seat to act may see.
            action: its number, which may be no action's.
            legal: the legal actions; None: they are looked up.
        """
        if legal is None:
            out = core.work(self.n_actions)
            legal = out[: core.legal_row(core.rows(states), 0, out)].tolist()
        texts, seat = self.actions(self.options_of(states)), int(states["seat"][0])
        name = repr(texts[action]) if 0 <= action < self.n_actions else f"number {action}"
        if seat == core.OVER:
            return f"action {name} after the end of the game ({self.name})"
        some = in_brief([texts[one] for one in legal])
        return f"illegal action {name} for seat {seat} ({self.name}); legal: {some}"

    # --- rows from outside ----------------------------------------------------------------------------------

    def _checked(self, states: States, form: int = core.WHOLE, writable: bool = False) -> States:
        """Return a batch as compiled code takes it.

        The batch is writable, contiguous and aligned, and every row is what the game can hold.

        `np.load` brings back a type that NumPy calls equal to `game.state`, but that Numba takes for another
        one, as its fields are not marked as aligned. Such an array is viewed as what it is.

        Args:
            states: a batch that is kept is taken as it is; every other array is checked.
            form: what its rows must be: core.WHOLE, core.PLAYABLE, core.VIEW or core.EITHER.
            writable: whether it is to be changed in place.

        Raises:
            GameError: not a batch of this game; says which row and why.
        """
        plain = isinstance(states, np.ndarray) and not isinstance(states, np.ma.MaskedArray)
        if not plain or states.dtype != self.state or states.ndim != 1:
            raise GameError(f"{self.name}: states must be a one-dimensional array of {self.name} records")
        kept = core.behind(states)
        states = states.view(self.state, np.ndarray) if kept is None else kept
        fits = states.flags.writeable and states.flags.c_contiguous and states.flags.aligned
        if writable and not fits:
            needed = f"{self.name}: states must be writable, contiguous and aligned to be played on"
            raise GameError(f"{needed}; play on a copy: engines.core.copy_states(states)")
        states = states if fits else copy_states(states)
        if len(states) and (kept is None or form == core.VIEW):
            self._check_rows(states, form)
        return states

    def _check_rows(self, states: States, form: int) -> None:
        """Whether every row is what the game can hold. Arguments and errors as `_checked`."""
        bounds = self.set_up_of(states).bounds
        outside = int(core.first_outside(states.view(np.uint8), bounds, self.record.runs))
        found = int(core.first_bad(core.rows(states if outside == core.GOOD else states[:outside]), form))
        if found == core.GOOD:
            if outside == core.GOOD:
                return
            given, wanted = int(states["form"][outside]), core.WHOLE if form == core.PLAYABLE else form
            fits = given != core.BLANK and wanted in (core.EITHER, given)
            found = outside * core.REASONS + (core.OUT_OF_RANGE if fits else core.WRONG_FORM)
        row, reason = divmod(found, core.REASONS)
        bad = states[row : row + 1]
        if reason == core.OUT_OF_RANGE:
            what = self._out_of_range(bad, bounds.view(self.state))
        elif reason == core.STUCK:
            what = "has no legal action: a world of another seat's view, whose turn cannot be ended"
        elif reason == core.CONTRADICTORY:
            what = "is damaged: its cards, counts or phase contradict each other"
        else:
            number = int(bad["form"][0])
            what = WRONG_FORM.get(number, f"is damaged: form = {number}, allowed is 0 to 2")
        raise GameError(f"{self.name}: row {row} {what}")

    def _out_of_range(self, row: States, bounds: NDArray[Any]) -> str:
        """Which number of a row is not between those of the lowest and the highest row, in words."""
        for name in ("players", *self.options):
            if row[name][0] != bounds[name][0]:
                return (
                    f"has {name} = {row[name][0]}, row 0 has {bounds[name][0]}; a batch has one number of "
                    "players and one set of options"
                )
        for name in self.state.names or ():
            (value,), low, high = row[name], bounds[name][0], bounds[name][1]
            wrong = np.argwhere(np.atleast_1d((value < low) | (value > high)))
            if name != "seed" and len(wrong):
                at = tuple(wrong[0].tolist()) if np.ndim(value) else ()
                place = name + "".join(f"[{k}]" for k in at)
                return f"is damaged: {place} = {value[at]}, allowed is {low[at]} to {high[at]}"
        return "is damaged"
