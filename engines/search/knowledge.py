"""What a game may add for the search, in its module `policy`.

Without it the body here holds, so that every game can be searched.

As with the nine rules (`core.dispatch`), compiled code that calls `policy(s, out, rng)` gets the one of the
record's game. They see whole worlds but may use only what the seat to act knows: else all seats would play
with open cards.
"""

from __future__ import annotations

from typing import Any

from ..core import NO_ACTION, Row, dispatched, jit, legal, sample, score


@jit
def beaten(s: Row, points: Any, out: Any) -> None:
    """Write the share of the others that have fewer points than each seat; equal ones count half."""
    for seat in range(len(points)):
        ahead = -0.5  # itself
        for other in range(len(points)):
            ahead += 1.0 if points[seat] > points[other] else 0.5 if points[seat] == points[other] else 0.0
        out[seat] = ahead / max(1, len(points) - 1)


@dispatched(optional=True)
def policy(s: Row, out: Any, rng: Any) -> int:
    """Return a quick, sensible legal action of the seat to act, for playouts. Default: a random one."""
    return sample(s, out, rng)


@dispatched(optional=True)
def candidates(s: Row, out: Any, rng: Any) -> int:
    """Write the legal actions that are worth a search into `out`; return how many. Default: all.

    One alone is not searched: so a game leaves a phase to its policy. Of several one is the policy's.
    """
    return legal(s, out)


@dispatched(optional=True)
def stage(s: Row) -> int:
    """Return a number from 0 that grows when a round ends, where a playout may be cut; default: never."""
    return 0


@dispatched(optional=True)
def horizon(s: Row) -> int:
    """Return the stage whose beginning ends the playouts of a decision; default: the next one."""
    return stage(s) + 1


@dispatched(optional=True)
def outlook(s: Row, out: Any) -> None:
    """Write the final score that each seat can expect where a playout ends (float64); default: `score`."""
    score(s, out)


@dispatched(optional=True)
def standing(s: Row, points: Any, out: Any) -> None:
    """Write the share of the others that each seat can expect to leave behind to `out`, at a playout's end.

    `points` are the outlooks; default: of these as they are.
    """
    beaten(s, points, out)


@dispatched(optional=True)
def shown(s: Row, action: int) -> int:
    """Return what others see of an action: itself (default), or `HIDDEN + k` for all that look alike."""
    return action


@dispatched(optional=True)
def believable(s: Row, rng: Any) -> bool:
    """Return whether a random world fits how people play.

    The world was dealt for the view of the seat to act. If it does not fit, another one is dealt.

    It may first exchange cards that this seat does not know for likelier ones. Default: every world does.
    """
    return True


@dispatched(optional=True)
def told(s: Row, w: Row, action: int) -> float:
    """Return the logarithm of the chance that a seat did what it did, if its cards are those of a world.

    `s` is the decision as another seat saw it, and its cards are written into it; `w` is a world of a later
    view of that seat; `action` is as `shown`. Default: 0, it tells nothing.
    """
    return 0.0


@dispatched(optional=True)
def earlier(s: Row, number: int) -> int:
    """Take a view back to a decision of its stage, 0 the first, as far as `told` looks; return the action.

    The action is as `shown`; NO_ACTION where there were not so many. Default: a search cannot look back.
    """
    return NO_ACTION


@dispatched(optional=True)
def put_back(s: Row, w: Row, action: int) -> int:
    """Put the cards that a seat holds in a world back into an earlier decision of it in the same deal.

    `s`, `w` and `action` are as in `told`. Return the action that it was in that world; NO_ACTION where the
    world does not tell it, or not all that the seat saw. Default: none tells.
    """
    return NO_ACTION


@dispatched(optional=True)
def keep(s: Row, w: Row, again: int) -> int:
    """Copy hidden cards of seats that are not in the mask `again` from a world of the view `s` into it.

    Return the mask of the seats whose cards may change if it is dealt out now. Default: none are copied.
    """
    return -1


@dispatched(optional=True)
def happened(s: Row, before: Row, seat: int) -> int:
    """Return which events of a playout touched a seat, as bits: what decided it, for people.

    The texts of the bits are `EVENTS` of the game's room `policy`. Default: none.

    Args:
        s: where the playout ended.
        before: the world that it began in.
        seat: whose decision was judged.
    """
    return 0
