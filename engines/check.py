"""Rows from outside: what `Game` and `Position` let in.

A batch that `Game` keeps (`core.keep`) was checked when it was made, and only compiled code has written into
it since: it goes through as it is. Every other array is checked at every call, since anybody may have written
into it. What is checked follows from the ranges that a game declares (`record`) and from its `valid`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import core
from .core import States, copy_states
from .errors import GameError

if TYPE_CHECKING:
    from .game import Game

WRONG_FORM = {
    core.BLANK: "is not started: game.new(n) makes games",
    core.WHOLE: "is a whole state and no view: game.views(states) makes views",
    core.VIEW: "is a view, in which hidden cards are blank: game.determinize(views, seed) makes whole states",
}
"""What to do about a row of this form where another form is wanted."""


def checked(game: Game, states: States, form: int = core.WHOLE, writable: bool = False) -> States:
    """Return a batch as compiled code takes it.

    The batch is writable, contiguous and aligned, and every row is what the game can hold.

    `np.load` brings back a type that NumPy calls equal to `game.state`, but that Numba takes for another one,
    as its fields are not marked as aligned. Such an array is viewed as what it is.

    Args:
        game: whose rows they are to be.
        states: a batch that is kept is taken as it is; every other array is checked.
        form: what its rows must be: core.WHOLE, core.PLAYABLE, core.VIEW or core.EITHER.
        writable: whether it is to be changed in place.

    Raises:
        GameError: not a batch of this game; says which row and why.
    """
    plain = isinstance(states, np.ndarray) and not isinstance(states, np.ma.MaskedArray)
    if not plain or states.dtype != game.state or states.ndim != 1:
        raise GameError(f"{game.name}: states must be a one-dimensional array of {game.name} records")
    kept = core.behind(states)
    states = states.view(game.state, np.ndarray) if kept is None else kept
    fits = states.flags.writeable and states.flags.c_contiguous and states.flags.aligned
    if writable and not fits:
        needed = f"{game.name}: states must be writable, contiguous and aligned to be played on"
        raise GameError(f"{needed}; play on a copy: engines.core.copy_states(states)")
    states = states if fits else copy_states(states)
    if len(states) and (kept is None or form == core.VIEW):
        check_rows(game, states, form)
    return states


def check_rows(game: Game, states: States, form: int) -> None:
    """Whether every row is what the game can hold. Arguments and errors as `checked`."""
    bounds = game.set_up_of(states).bounds
    outside = int(core.first_outside(states.view(np.uint8), bounds, game.record.runs))
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
        what = _out_of_range(game, bad, bounds.view(game.state))
    elif reason == core.STUCK:
        what = "has no legal action: a world of another seat's view, whose turn cannot be ended"
    elif reason == core.CONTRADICTORY:
        what = "is damaged: its cards, counts or phase contradict each other"
    else:
        number = int(bad["form"][0])
        what = WRONG_FORM.get(number, f"is damaged: form = {number}, allowed is 0 to 2")
    raise GameError(f"{game.name}: row {row} {what}")


def _out_of_range(game: Game, row: States, bounds: NDArray[Any]) -> str:
    """Which number of a row is not between those of the lowest and the highest row, in words."""
    for name in ("players", *game.options):
        if row[name][0] != bounds[name][0]:
            return (
                f"has {name} = {row[name][0]}, row 0 has {bounds[name][0]}; a batch has one number of "
                "players and one set of options"
            )
    for name in game.state.names or ():
        (value,), low, high = row[name], bounds[name][0], bounds[name][1]
        wrong = np.argwhere(np.atleast_1d((value < low) | (value > high)))
        if name != "seed" and len(wrong):
            at = tuple(wrong[0].tolist()) if np.ndim(value) else ()
            place = name + "".join(f"[{k}]" for k in at)
            return f"is damaged: {place} = {value[at]}, allowed is {low[at]} to {high[at]}"
    return "is damaged"
