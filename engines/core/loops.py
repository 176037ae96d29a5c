"""Loops that no game needs to write again: over batches, and for one game at a time.

`states` is a contiguous structured array of one game, `out` and `cards` are int16 work arrays (`plain.work`),
`rng` is uint64[1]. Nothing is checked here: `Game` and `Position` check once, before anything is changed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .chance import shuffle_cards, stream
from .compile import Row, brief, entry, jit, kernel
from .dispatch import (
    BLANK,
    SHUFFLE,
    VIEW,
    WHOLE,
    deal,
    deck,
    determinize,
    legal,
    redact,
    sample,
    score,
    settle,
    start,
    step,
    stuck,
    valid,
)

NO_ACTION = -1
"""An action that is none: the row is looked at as it is."""
NO_ACTIONS = np.zeros(0, np.int64)
NO_MASK = np.zeros((0, 0), np.bool_)
"""Where none are wanted: empty arrays of the right types, as each type would be compiled anew."""

# --- batches: `states` is a contiguous structured array, `out` and `cards` int16 work arrays ----------------


@entry
def start_rows(states: Any) -> None:
    """`start` of every row, whose header and options are set; a shuffle is due then. Modified in place."""
    for i in range(len(states)):
        start(states[i])


GOOD = -1
WRONG_FORM, OUT_OF_RANGE, CONTRADICTORY, STUCK = range(4)
REASONS = 4
EITHER, PLAYABLE = BLANK, 3
"""What `first_bad` takes for whole states and views (a blank row is never good), and for whole states that
can be played to their end.
"""


@entry
def first_outside(raw: Any, bounds: Any, runs: Any) -> int:
    """Return the first row with a number out of its range; GOOD if there is none.

    It is compiled once for all games: rows are bytes here.

    Args:
        runs: which of them are numbers of which width (`record.Record.runs`).
    """
    numbers = raw.view(np.int8), raw.view(np.int16), raw.view(np.int32), raw.view(np.int64)
    edges = bounds.view(np.int8), bounds.view(np.int16), bounds.view(np.int32), bounds.view(np.int64)
    size = len(bounds) // 2
    for i in range(len(raw) // size):
        if not within_bounds(numbers, i * size, edges, size, runs):
            return i
    return GOOD


@entry
def first_bad(states: Any, form: int) -> int:
    """Return the first row that is not what its game can hold: GOOD, or row * REASONS + why not."""
    wanted = WHOLE if form == PLAYABLE else form
    for i in range(len(states)):
        if states[i].form == BLANK or (wanted != EITHER and states[i].form != wanted):
            return i * REASONS + WRONG_FORM
        if (states[i].form == VIEW and states[i].seed != 0) or not valid(states[i]):
            return i * REASONS + CONTRADICTORY
        if form == PLAYABLE and stuck(states[i]):
            return i * REASONS + STUCK
    return GOOD


@jit
def within_bounds(numbers: Any, row: int, edges: Any, size: int, runs: Any) -> bool:
    """Whether every number of a row is between those of the lowest and the highest row.

    Args:
        row: where the row begins, in bytes.
        size: of a row, in bytes.
        runs: as `first_outside`.
    """
    wrong = False
    for r in range(len(runs)):
        log, at, n = runs[r, 0], runs[r, 1], runs[r, 2]
        first, high = at + (row >> log), at + (size >> log)
        if log == 0:
            wrong |= any_outside(numbers[0], first, edges[0], at, high, n)
        elif log == 1:
            wrong |= any_outside(numbers[1], first, edges[1], at, high, n)
        elif log == 2:
            wrong |= any_outside(numbers[2], first, edges[2], at, high, n)
        else:
            wrong |= any_outside(numbers[3], first, edges[3], at, high, n)
    return not wrong


@jit
def any_outside(numbers: Any, first: int, edges: Any, low: int, high: int, n: int) -> bool:
    """Whether one of `n` numbers is outside of its edges; many at a time, without branches."""
    some, least, most = numbers[first : first + n], edges[low : low + n], edges[high : high + n]
    wrong = False
    for k in range(len(some)):
        wrong |= (some[k] < least[k]) | (some[k] > most[k])
    return wrong


def legal_mask(states: Any, mask: Any, out: Any) -> None:
    """Set `mask[i, a]` (bool, all false before) for every legal action a of row i."""
    _legal_rows(states, NO_ACTIONS, mask, out)


def first_illegal(states: Any, actions: Any, out: Any) -> int:
    """Return the first row that is not over whose action (int64) is not legal, -1 if there is none."""
    return int(_legal_rows(states, actions, NO_MASK, out))


@entry
def _legal_rows(states: Any, actions: Any, mask: Any, out: Any) -> int:
    """`first_illegal`; with an empty `actions` `legal_mask`: `legal` is compiled once for both."""
    for i in range(len(states)):
        if states[i].seat >= 0:
            n = legal(states[i], out)
            if len(actions) > 0:
                if not listed(actions[i], out, n):
                    return i
            else:
                for k in range(n):
                    mask[i, out[k]] = True
    return -1


@jit
def is_legal(s: Row, action: int, out: Any) -> bool:
    """Whether an action (any int64) is legal now."""
    return listed(action, out, legal(s, out))


@jit
def listed(action: int, out: Any, n: int) -> bool:
    """Whether an action (any int64) is among `out[:n]`."""
    for k in range(n):
        if out[k] == action:
            return True
    return False


@jit
def copy_words(source: Any, i: int, target: Any, k: int) -> None:
    """Copy row i to row k. `source`, `target`: the rows as int64 [rows, words of a row]."""
    for w in range(source.shape[1]):
        target[k, w] = source[i, w]


@entry
def step_rows(states: Any, actions: Any, cards: Any) -> None:
    """Apply checked actions (int64), one a row, where a seat is to act, and do the shuffles due. In place."""
    for i in range(len(states)):
        if states[i].seat >= 0:
            step(states[i], actions[i])
        settle(states[i], cards)


@entry
def redact_rows(states: Any, seats: Any) -> None:
    """Redact row i for seat `seats[i]` (int64; -1: an onlooker), and blank the seed. In place."""
    for i in range(len(states)):
        redact(states[i], seats[i])


@brief
def redact_row(states: Any, i: int, seat: int) -> None:
    """Redact row i for a seat (-1: an onlooker). The seed is blank afterwards. Modified in place."""
    redact(states[i], seat)


@entry
def determinize_rows(states: Any, first: int, seed: int, rng: Any) -> None:
    """Replace every view by a random world with a seed of its own: row i by stream `first + i`. In place."""
    for i in range(len(states)):
        stream(rng, seed, first + i)
        determinize(states[i], rng)


@entry
def score_rows(states: Any, out: Any) -> None:
    """Write the final scores into `out` (int64, rows x seats)."""
    for i in range(len(states)):
        score(states[i], out[i])


@jit
def play_out(s: Row, out: Any, cards: Any, rng: Any) -> int:
    """Play a row to its end by uniformly random legal actions, in place; return the number of decisions."""
    decisions = 0
    settle(s, cards)
    while s.seat >= 0:
        step(s, sample(s, out, rng))
        settle(s, cards)
        decisions += 1
    return decisions


@kernel
def playout_rows(states: Any, first: int, seed: int, out: Any, cards: Any, rng: Any) -> int:
    """`play_out` every row; return the decisions. Row i draws from stream `first + i` of the seed."""
    decisions = 0
    for i in range(len(states)):
        stream(rng, seed, first + i)
        decisions += play_out(states[i], out, cards, rng)
    return decisions


# --- one game -----------------------------------------------------------------------------------------------


@jit
def legal_now(s: Row, out: Any) -> int:
    """`legal`; 0 where nobody is to act."""
    return legal(s, out) if s.seat >= 0 else 0


def legal_row(states: Any, i: int, out: Any) -> int:
    """`legal_now` of row i."""
    return int(play_row(states, i, NO_ACTION, out, 0, False))


@brief
def play_row(states: Any, i: int, action: int, out: Any, n: int, brings: bool) -> int:
    """Apply `action` if it is among `out[:n]`, the legal actions of row i.

    Then write the next legal actions into `out`. With NO_ACTION only write them.

    Args:
        out: int16 work array; has room for the cards of a shuffle too, unless the caller `brings` them.
        brings: whether the caller takes care of the shuffles that are due.

    Returns:
        How many are legal now; -1, with nothing changed, if the action is not legal; -2 if a shuffle is due
        that the caller brings.
    """
    if action != NO_ACTION:
        if not listed(action, out, n):
            return -1
        step(states[i], action)
        if not brings:
            settle(states[i], out)
        elif states[i].seat == SHUFFLE:
            return -2
    return legal_now(states[i], out)


@entry
def due_row(states: Any, i: int, cards: Any) -> int:
    """`deck` of row i, whose `seat` is SHUFFLE."""
    return deck(states[i], cards)


@entry
def shuffle_row(states: Any, i: int, cards: Any) -> None:
    """Put the cards of the due shuffle of row i, in canonical order before, into the order of its seed."""
    shuffle_cards(cards, states[i].seed, states[i].shuffle)


@entry
def take_row(states: Any, i: int, cards: Any) -> None:
    """`deal` of row i with a shuffle from outside, already checked."""
    deal(states[i], cards)
