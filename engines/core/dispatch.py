"""The rules of a record's game: compiled code that calls `legal(s, out)` gets the engine whose record `s` is.

Each engine binds its nine functions to its record's type; Numba resolves the calls by that type, so that a
loop is written once and is as fast as if it had been written for the game. With the JIT off they are looked
up.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType, SimpleNamespace
from typing import Any

import numba
import numpy as np

from .chance import below, next_word, shuffle_cards
from .compile import GAMES, I64, U64, Row, jit, overload
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
KNOWLEDGE = (
    "policy", "candidates", "stage", "outlook", "standing", "shown", "believable", "tricks_left", "sides",
)  # fmt: skip
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
    """Make `rules` (the nine functions by name, and optional ones) the ones for records of type `state`.

    `blanks` has the blank of each field: 0 or -1.

    Raises:
        ValueError: another game has the same layout, or a function is missing or unknown.
    """
    if sorted(rule for rule in rules if rule not in OPTIONAL) != sorted(RULES):
        raise ValueError(
            f"{name}: an engine has exactly the functions {', '.join(RULES)}; it may have "
            f"{', '.join(OPTIONAL)}"
        )
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


def start(s: Row) -> None:
    """Options and number of players are set: go to the first shuffle. The row is a whole state then."""
    s.form = WHOLE
    rules_of(s).start(s)


def deck(s: Row, out: Any) -> int:
    """Write the cards that are to be shuffled now into `out`, in canonical order; return how many."""
    return rules_of(s).deck(s, out)


def deal(s: Row, cards: Any) -> None:
    """Take the due shuffle: the cards of `deck` in their shuffled order.

    Go on to a decision, shuffle or the end.
    """
    rules_of(s).deal(s, cards)


def legal(s: Row, out: Any) -> int:
    """Write the legal actions of the seat to act into `out`, ascending; return how many."""
    return rules_of(s).legal(s, out)


def sample(s: Row, out: Any, rng: Any) -> int:
    """Return a legal action of the seat to act, each as likely as the others; `out` is work space.

    A game has its own where to list all legal actions takes much longer than to find one.
    """
    rule = getattr(rules_of(s), "sample", None)
    return int(rule(s, out, rng)) if rule is not None else int(out[below(rng, legal(s, out))])


def step(s: Row, action: int) -> None:
    """Apply a legal action; go on to the next decision, shuffle or the end."""
    rules_of(s).step(s, action)


def redact(s: Row, seat: int) -> None:
    """Blank in place all that this seat may not know, the seed too.

    Seat -1 is an onlooker. Afterwards the row is a view.
    """
    s.seed, s.form = 0, VIEW
    rules_of(s).redact(s, seat)


def determinize(s: Row, rng: Any) -> None:
    """Fill the blanks of a view with a random world that agrees with it, with a random seed.

    The row is a whole state then.
    """
    s.seed, s.form = next_word(rng), WHOLE
    rules_of(s).determinize(s, rng)


def score(s: Row, out: Any) -> None:
    """Write the final score of every seat into `out`."""
    rules_of(s).score(s, out)


def valid(s: Row) -> bool:
    """Whether what a row holds fits together, a whole state or a view: no card twice, counts that are true.

    Every number is in its range (`engines.record`), so that it can be used as an index. A row that is valid
    can be played to its end, or determinized if it is a view.
    """
    return bool(rules_of(s).valid(s))


def stuck(s: Row) -> bool:
    """Whether the seat to act has no legal action, in a row that is valid.

    A game has its own where worlds of another seat's view can be like that.
    """
    rule = getattr(rules_of(s), "stuck", None)
    return rule is not None and bool(rule(s))


@overload(start)
def _start(s):  # type: ignore[no-untyped-def]
    rule = rules_of(s).start

    def start_whole(s):  # type: ignore[no-untyped-def]
        s.form = WHOLE
        rule(s)

    return start_whole


@overload(deck)
def _deck(s, out):  # type: ignore[no-untyped-def]
    rule = rules_of(s).deck
    return lambda s, out: rule(s, out)


@overload(deal)
def _deal(s, cards):  # type: ignore[no-untyped-def]
    rule = rules_of(s).deal
    return lambda s, cards: rule(s, cards)


@overload(legal)
def _legal(s, out):  # type: ignore[no-untyped-def]
    rule = rules_of(s).legal
    return lambda s, out: rule(s, out)


@overload(sample)
def _sample(s, out, rng):  # type: ignore[no-untyped-def]
    rule = getattr(rules_of(s), "sample", None)
    if rule is not None:
        return lambda s, out, rng: rule(s, out, rng)
    return lambda s, out, rng: I64(out[below(rng, legal(s, out))])


@overload(step)
def _step(s, action):  # type: ignore[no-untyped-def]
    rule = rules_of(s).step
    return lambda s, action: rule(s, action)


@overload(redact)
def _redact(s, seat):  # type: ignore[no-untyped-def]
    rule = rules_of(s).redact

    def redact_to_view(s, seat):  # type: ignore[no-untyped-def]
        s.seed = U64(0)
        s.form = VIEW
        rule(s, seat)

    return redact_to_view


@overload(determinize)
def _determinize(s, rng):  # type: ignore[no-untyped-def]
    rule = rules_of(s).determinize

    def determinize_whole(s, rng):  # type: ignore[no-untyped-def]
        s.seed = next_word(rng)
        s.form = WHOLE
        rule(s, rng)

    return determinize_whole


@overload(score)
def _score(s, out):  # type: ignore[no-untyped-def]
    rule = rules_of(s).score
    return lambda s, out: rule(s, out)


@overload(valid)
def _valid(s):  # type: ignore[no-untyped-def]
    rule = rules_of(s).valid
    return lambda s: rule(s)


@overload(stuck)
def _stuck(s):  # type: ignore[no-untyped-def]
    rule = getattr(rules_of(s), "stuck", None)
    if rule is not None:
        return lambda s: rule(s)
    return lambda s: False


@jit
def settle(s: Row, cards: Any) -> None:
    """Do the shuffles that are due, until a seat is to act or the game is over. `cards`: int16 work array.

    Public: a search calls it after `step`.
    """
    while s.seat == SHUFFLE:
        n = deck(s, cards)
        shuffle_cards(cards[:n], s.seed, s.shuffle)
        deal(s, cards[:n])
