"""The rules of a record's game: compiled code that calls `legal(s, out)` gets the engine whose record `s` is.

Each engine binds its nine functions to its record's type. Numba resolves the calls by that type
(`dispatched`), so that a loop is written once and is as fast as if it had been written for the game. With the
JIT off they are looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import signature
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import numba
import numpy as np

from .chance import below, next_word, shuffle_cards
from .compile import GAMES, I64, U64, F, Row, jit, overload
from .plain import PlainRow

OVER = -1
"""`s.seat` when the game is over."""
SHUFFLE = -2
"""`s.seat` when a shuffle is due."""
HAND_SHUFFLES = 64
"""Shuffles are numbered hand * 64 + place in the hand, so that an optional one does not move the later hands.
"""

BLANK, WHOLE, VIEW = range(3)
"""`s.form`: a row that is not started, a whole state, what a seat sees of one."""

RULES = ("start", "deck", "deal", "legal", "step", "redact", "determinize", "score", "valid")
BELIEFS = ("believable", "told", "keep", "earlier", "put_back")
KNOWLEDGE = ("policy", "candidates", "stage", "horizon", "outlook", "standing", "shown", *BELIEFS, "happened")
LUCK = ("is_draw", "remix", "value")
OPTIONAL = ("sample", "stuck", *KNOWLEDGE, *LUCK, "encode")
"""What a game can add: `sample` and `stuck` below; knowledge for the search (`engines.search.knowledge`); its
luck (`core.luck`); its encoding for learners (`engines.learn.encoding`).
"""
HIDDEN = 1 << 19
"""`HIDDEN + k`: how an action looks to those who do not see which one it is (`shown`); no action has such a
number.
"""
_bound: dict[Any, SimpleNamespace] = {}


def rules_in(name: str, rooms: Sequence[ModuleType]) -> dict[str, Any]:
    """Return the nine functions of an engine, and its optional ones, by name.

    Each is from the first module that has it.

    Raises:
        ValueError: one is missing.
    """
    rules = {}
    for rule in (*RULES, *OPTIONAL):
        having = [room for room in rooms if hasattr(room, rule)]
        if having:
            rules[rule] = getattr(having[0], rule)
        elif rule in RULES:
            raise ValueError(f"{name}: no function {rule}; an engine has {', '.join(RULES)}")
    return rules


def bind(state: np.dtype[np.void], name: str, rules: dict[str, Any], blanks: dict[str, int]) -> None:
    """Make `rules` (the functions by name, as `rules_in` gives them) the ones for records of type `state`.

    `blanks` has the blank of each field: 0 or -1.

    Raises:
        ValueError: another game has the same layout.
    """
    key = numba.from_dtype(state)
    if key in _bound and _bound[key].game != name:
        raise ValueError(
            f"{name} and {_bound[key].game} have the same state layout: their rules could not be told apart"
        )
    _bound[key] = SimpleNamespace(game=name, state=state, blanks=blanks, **rules)
    GAMES[key] = name


def rules_of(record: Any) -> SimpleNamespace:
    """Return the rules for a Numba record type (while compiling) or for a `PlainRow` (JIT off)."""
    key = numba.from_dtype(record._void.dtype) if isinstance(record, PlainRow) else record
    if key not in _bound:
        raise TypeError(f"no engine for records of type {key}")
    return _bound[key]


def dispatched(name: str = "", optional: bool = False) -> Callable[[F], F]:
    """Make a function the rule of its name, or of this `name`, of the record's game.

    An `optional` rule's body holds for games that have none; without it such a call is an error.
    """

    def decorate(stub: F) -> F:
        default = jit(stub) if optional else None
        rule_name = name or stub.__name__
        convert: Any = {"int": int, "bool": bool}.get(stub.__annotations__["return"], lambda value: value)

        def rule_of(s: Any) -> Any:
            rule = getattr(rules_of(s), rule_name, default)
            if rule is None:
                raise TypeError(f"{rules_of(s).game} has no function {rule_name}")
            return rule

        @wraps(stub)
        def plain(s: Row, *rest: Any) -> Any:
            return convert(rule_of(s)(s, *rest))

        overload(plain)(_overload(rule_name, len(signature(stub).parameters), rule_of))
        return cast("F", plain)

    return decorate


def _overload(name: str, n: int, rule_of: Callable[[Any], Any]) -> Any:
    """Return what Numba asks for compiled code that calls a rule of `n` parameters."""

    def called(function: Any) -> Any:  # its name is part of a symbol's: one for each rule
        function.__name__ = function.__qualname__ = f"rule_{name}"
        return function

    def of_one(s):  # type: ignore[no-untyped-def]
        rule = rule_of(s)
        return called(lambda s: rule(s))

    def of_two(s, a):  # type: ignore[no-untyped-def]
        rule = rule_of(s)
        return called(lambda s, a: rule(s, a))

    def of_three(s, a, b):  # type: ignore[no-untyped-def]
        rule = rule_of(s)
        return called(lambda s, a, b: rule(s, a, b))

    def of_four(s, a, b, c):  # type: ignore[no-untyped-def]
        rule = rule_of(s)
        return called(lambda s, a, b, c: rule(s, a, b, c))

    return (of_one, of_two, of_three, of_four)[n - 1]


@dispatched(name="start")
def _start(s: Row) -> None: ...


@jit
def start(s: Row) -> None:
    """Options and number of players are set: go to the first shuffle. The row is a whole state then."""
    s.form = WHOLE
    _start(s)


@dispatched()
def deck(s: Row, out: Any) -> int:
    """Write the cards that are to be shuffled now into `out`, in canonical order; return how many."""
    raise NotImplementedError


@dispatched()
def deal(s: Row, cards: Any) -> None:
    """Take the due shuffle, the cards of `deck` in their order; go on to a decision, shuffle or the end."""


@dispatched()
def legal(s: Row, out: Any) -> int:
    """Write the legal actions of the seat to act into `out`, ascending; return how many."""
    raise NotImplementedError


@dispatched(optional=True)
def sample(s: Row, out: Any, rng: Any) -> int:
    """Return a legal action of the seat to act, each as likely as the others; `out` is work space.

    A game has its own where to list all legal actions takes much longer than to find one.
    """
    return I64(out[below(rng, legal(s, out))])


@dispatched()
def step(s: Row, action: int) -> None:
    """Apply a legal action; go on to the next decision, shuffle or the end."""


@dispatched(name="redact")
def _redact(s: Row, seat: int) -> None: ...


@jit
def redact(s: Row, seat: int) -> None:
    """Blank in place all that a seat (-1: an onlooker) may not know, the seed too: the row is a view then."""
    s.seed = U64(0)
    s.form = VIEW
    _redact(s, seat)


@dispatched(name="determinize")
def _determinize(s: Row, rng: Any) -> None: ...


@jit
def determinize(s: Row, rng: Any) -> None:
    """Fill a view with a random world that agrees, and a random seed: the row is a whole state then."""
    s.seed = next_word(rng)
    s.form = WHOLE
    _determinize(s, rng)


@dispatched()
def score(s: Row, out: Any) -> None:
    """Write the final score of every seat into `out`."""


@dispatched()
def valid(s: Row) -> bool:
    """Whether a row, a whole state or a view, can be shown, encoded, dealt out and played to its end.

    Every number is in its range (`engines.record`), so that it can be used as an index.
    """
    raise NotImplementedError


@dispatched(optional=True)
def stuck(s: Row) -> bool:
    """Whether the seat to act of a valid row has no legal action, as in worlds of other seats' views."""
    return False


@jit
def settle(s: Row, cards: Any) -> None:
    """Do the shuffles due (`cards`: int16 work array), until a seat is to act or the game is over."""
    while s.seat == SHUFFLE:
        n = deck(s, cards)
        shuffle_cards(cards[:n], s.seed, s.shuffle)
        deal(s, cards[:n])
