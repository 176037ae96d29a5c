"""What another bot would have played at each decision of a seat in a game that was played."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..intake import debug
from .recorded import Recorded

if TYPE_CHECKING:
    from ..store.models import Bot


@dataclass(frozen=True)
class Choice:
    """A decision of a seat: what was played ("" if nothing yet), and what the other bot would play there."""

    decision: int
    seat: int
    played: str
    other: str

    @property
    def same(self) -> bool:
        """Whether both agree."""
        return self.played == self.other


def choices(
    game: Recorded, bot: str | Bot, seat: int, db: str | None = None, level: str = "strict"
) -> Iterator[Choice]:
    """Ask a bot at every decision of a seat; forced ones are left out.

    A game that is not over has one more, at its last position, if the seat is to act there. The bot sees the
    game as it was played, with the random numbers of the bot that sat there. A path and a house bot run in
    this process, a stored bot (named, or its row: a guest has no name) behind the wall unless it is trusted.

    Raises:
        BotError: it breaks a rule there; says at which decision.
    """
    seed, number = game.bot_seeds[seat] if game.bot_seeds else (0, 0)
    opened = debug.choosers([bot], game.game, seed, db, level, own_seeds=[seed], number=number)
    with opened as (choose,):
        position = game.start()
        for decision, move in enumerate([*game.moves, None]):
            if position.seat == seat and len(position.legal_numbers()) > 1:
                other = choose(position)
                text = other if isinstance(other, str) else position.texts[other]
                yield Choice(decision, seat, "" if move is None else position.texts[move], text)
            if move is not None:
                position.play(move)
