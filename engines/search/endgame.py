"""Play the last tricks of a round exactly: with open cards, every seat the best for its side. Compiled.

The value of a world with open cards is too good: a seat plays one card in this world and another in that
one, though its own view cannot tell them apart (strategy fusion: Frank & Basin 1998, "Search in games with
incomplete information", Artificial Intelligence 100). Behind a tree of information sets such a value is
asked for only where the tree ends, as in Arjonilla, Saffidine & Cazenave 2024, "Perfect information Monte
Carlo with postponing reasoning" (IEEE Conference on Games).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core import Row, has, jit, legal, rules_of, scratch, settle, step
from ..core.compile import overload
from .knowledge import outlook, sides, stage

MOST_TRICKS, MOST_SEATS = 4, 6
MOST_STEPS = MOST_TRICKS * MOST_SEATS
"""Cards that are still to be played, at most."""
DEPTHS = MOST_STEPS + 1
ACTIONS, VALUES, STEPS = DEPTHS * MOST_TRICKS, DEPTHS * MOST_SEATS, DEPTHS * MOST_STEPS
"""Sizes of work arrays: for every depth its actions, the seats, a line."""
EACH_ALONE = 0
"""Of `knowledge.sides`: no two seats play together."""


class Lines(NamedTuple):
    """The nodes on the way from the root to the one that is looked at, by depth."""

    todo: Any  # int16[depths * MOST_TRICKS] legal actions
    n: Any  # int64[depths] how many
    at: Any  # int64[depths] how many of them were tried
    low: Any  # float64[depths] what the first side is sure of
    high: Any  # float64[depths] what the other side can hold it to
    best: Any  # float64[depths * MOST_SEATS] outlook of the seats behind the best action so far
    line: Any  # int16[depths * MOST_STEPS] the best actions from here on
    length: Any  # int64[depths] how many


def play_best(states: Any, words: Any, row: int, first: int, out: Any, points: Any, cards: Any) -> int:
    """Play a row to the end of its round, each seat the best for its side; return the number of steps.

    With two sides, whose outlooks have a constant sum, this is minimax with alpha-beta pruning; where each
    seat plays alone, max^n (Luckhardt & Irani 1986, "An algorithmic solution of n-person games", AAAI). Of
    equal actions the first is played.

    Args:
        states, words: the rows (see `playouts`), as records and as words.
        row: the one to play on, at a decision.
        first: MOST_STEPS + 1 rows from here on are work space.
        out, points, cards: work arrays: actions, outlook of the seats, a shuffle.
    """
    return int(_best_of(states[row])(states, words, row, first, out, points, cards))


def _best_of(record: Any) -> Any:
    """Return what plays the last tricks of a record's game; a game without tricks compiles nothing."""
    return _play_best if hasattr(rules_of(record), "tricks_left") else _no_tricks


@overload(play_best)
def _play_best_of(states, words, row, first, out, points, cards):  # type: ignore[no-untyped-def]
    play = _best_of(states.dtype)
    return lambda states, words, row, first, out, points, cards: play(
        states, words, row, first, out, points, cards
    )


@jit
def _no_tricks(states: Any, words: Any, row: int, first: int, out: Any, points: Any, cards: Any) -> int:
    return 0


@jit
def _play_best(states: Any, words: Any, row: int, first: int, out: Any, points: Any, cards: Any) -> int:
    lines = Lines(
        scratch(ACTIONS, np.int16), scratch(DEPTHS, np.int64), scratch(DEPTHS, np.int64),
        scratch(DEPTHS, np.float64), scratch(DEPTHS, np.float64), scratch(VALUES, np.float64),
        scratch(STEPS, np.int16), scratch(DEPTHS, np.int64),
    )  # fmt: skip
    copy_row(words, row, first)
    lines.low[0], lines.high[0] = -np.inf, np.inf
    until, side, depth = stage(states[first]), sides(states[first]), 0
    open_node(states[first], 0, until, lines, out, points)
    while depth >= 0:
        if lines.at[depth] < lines.n[depth] and (side == EACH_ALONE or lines.low[depth] < lines.high[depth]):
            copy_row(words, first + depth, first + depth + 1)
            step(states[first + depth + 1], lines.todo[depth * MOST_TRICKS + lines.at[depth]])
            lines.at[depth] += 1
            depth += 1
            lines.low[depth], lines.high[depth] = lines.low[depth - 1], lines.high[depth - 1]
            open_node(states[first + depth], depth, until, lines, out, points)
        else:
            depth -= 1
            if depth >= 0:
                take_value(states[first + depth], depth, side, lines)
    for k in range(lines.length[0]):
        settle(states[row], cards)
        step(states[row], lines.line[k])
    return int(lines.length[0])


@jit
def copy_row(words: Any, source: int, target: int) -> None:
    """Copy a row. `words`: the rows as int64[rows, words of a row]."""
    for k in range(words.shape[1]):
        words[target, k] = words[source, k]


@jit
def open_node(s: Row, depth: int, until: int, lines: Lines, out: Any, points: Any) -> None:
    """List what can be done at a depth; at the end of the round there is nothing, but an outlook."""
    lines.n[depth] = lines.at[depth] = lines.length[depth] = 0
    if s.seat < 0 or stage(s) != until:
        outlook(s, points)
        for seat in range(s.players):
            lines.best[depth * MOST_SEATS + seat] = points[seat]
        return
    lines.n[depth] = legal(s, out)
    for k in range(lines.n[depth]):
        lines.todo[depth * MOST_TRICKS + k] = out[k]


@jit
def take_value(s: Row, depth: int, side: int, lines: Lines) -> None:
    """Take over what is behind the action that was tried last, if it is the best so far for its side."""
    mine = worth_of(s, depth, side, lines)
    theirs = worth_of(s, depth + 1, side, lines)
    if lines.at[depth] == 1 or theirs > mine:
        for seat in range(s.players):
            lines.best[depth * MOST_SEATS + seat] = lines.best[(depth + 1) * MOST_SEATS + seat]
        at = depth * MOST_STEPS
        lines.line[at] = lines.todo[depth * MOST_TRICKS + lines.at[depth] - 1]
        lines.length[depth] = lines.length[depth + 1] + 1
        for k in range(lines.length[depth + 1]):
            lines.line[at + k + 1] = lines.line[at + MOST_STEPS + k]
    if side != EACH_ALONE and has(side, s.seat):
        lines.low[depth] = max(lines.low[depth], theirs)
    elif side != EACH_ALONE:
        lines.high[depth] = min(lines.high[depth], -theirs)


@jit
def worth_of(s: Row, depth: int, side: int, lines: Lines) -> float:
    """Return what the best line at a depth is worth to the seat to act in `s`, or to its side."""
    at = depth * MOST_SEATS
    if side == EACH_ALONE:
        return float(lines.best[at + s.seat])
    worth = 0.0
    for seat in range(s.players):
        if has(side, seat):
            worth += lines.best[at + seat]
    return worth if has(side, s.seat) else -worth
