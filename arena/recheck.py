"""Hold what came of playing a match on more than one node.

Also what came of asking a bot of it again. This is plain data: the driver finds it, the store keeps it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """What a second play of a match has shown."""

    SAME = "same"  # the games are the same on both nodes
    NODE = "node"  # they are not: a third node shows which of the two is wrong
    EITHER = "either"  # they are not: that node is wrong, or a bot plays by what it sees of its machine
    BOT = "bot"  # they are not, nor on one node alone: a bot is not repeatable
    DIFFERS = "differs"  # they are not, and nothing shows why
    LOST = "lost"  # the second node did not end the match


@dataclass(frozen=True)
class Recheck:
    """What came of it.

    Attributes:
        outcome: see `Outcome`.
        nodes: names of the nodes that played the match, in order; one that played it twice is there twice.
        blamed: the node that is wrong, or the bot that is not repeatable; for `EITHER` the node and the
            strangers' bots; "" for other outcomes.
    """

    outcome: Outcome
    nodes: tuple[str, ...]
    blamed: str = ""

    def __str__(self) -> str:
        """Say it in a line."""
        first, second, *more = self.nodes
        other = f"other games on {second} than on {first}"
        match self.outcome:
            case Outcome.SAME:
                return f"the same games on {first} and {second}"
            case Outcome.NODE:
                return f"{other}; {more[-1]} shows that {self.blamed} is wrong"
            case Outcome.EITHER:
                node, _, bots = self.blamed.partition(": ")
                either = f"either {node} is wrong, or a bot plays by what it sees of its machine"
                return f"{other}; {more[-1]} shows that {either}: {bots}"
            case Outcome.BOT:
                blame = f": {self.blamed} is the first that plays otherwise" if self.blamed else ""
                return f"{other}, and others again on {more[-1]}{blame}"
            case Outcome.DIFFERS:
                return f"{other}; which of them is wrong is not known"
            case Outcome.LOST:
                return f"{second} was to play it too, and did not end it"


@dataclass(frozen=True)
class Answered:
    """What came of asking a bot again: `now` is "" if it answered as it did.

    Attributes:
        place: whose bot.
        decisions: that it was asked for.
        game: of the first other answer, its index in the match; with `seat`, and `decision` made before it.
        view: what it was shown, as text.
        then: what it answered in the match.
        now: what it answers alone.
    """

    place: int
    decisions: int
    game: int = -1
    seat: int = -1
    decision: int = -1
    view: str = ""
    then: str = ""
    now: str = ""
