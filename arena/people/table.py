"""A game in play: people, who are asked by what shows it, and bots, who are asked here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import engines
from engines import registry
from engines.game import Game
from engines.position import Position

from ..match.records import Chooser
from ..replay.recorded import Recorded


@dataclass(eq=False, kw_only=True)
class InPlay:
    """A game in play."""

    position: Position  # as it is now
    seed: int  # of its deal
    names: list[str]  # who sits where
    bots: list[Chooser | None]  # who chooses for a seat; None: a person
    moves: list[int] = field(default_factory=list)  # all actions so far

    @property
    def game(self) -> Game:
        """What is played."""
        return engines.load(self.position.game.name)

    @property
    def words(self) -> dict[str, Any]:
        """What people see and hear of the game (`engines.registry`)."""
        return registry.home(self.position.game.name).words

    @property
    def offered(self) -> list[str]:
        """Texts of the legal actions as a person is offered them: what gives up stands last."""
        return sorted(self.position.legal(), key=lambda text: text in self.words.get("last", {}))

    def play(self, action: str | int) -> None:
        """Play an action for the seat to act.

        Raises:
            GameError: it is not legal; nothing is changed.
        """
        position = self.position
        if isinstance(action, str):
            action = self.game.action(action, position.options, position.legal)
        position.play(action)
        self.moves.append(action)

    def choice(self) -> str | int:
        """Return what is forced, or what the bot of the seat to act chooses."""
        legal, seat = self.position.legal_numbers(), self.position.seat
        choose = None if seat is None else self.bots[seat]
        return legal[0] if len(legal) == 1 or choose is None else choose(self.position)

    def undo(self, seat: int) -> list[int]:
        """Go back to the last decision of a seat; return all actions from there on. Bots forget nothing."""
        gone = list[int]()
        if asked := self.so_far().asked(seat):
            self.position = self.so_far().at(asked[-1])
            gone, self.moves[asked[-1] :] = self.moves[asked[-1] :], []
        return gone

    def advice(self, chooser: Chooser) -> str:
        """Return what a bot would play for the seat to act."""
        answer = chooser(self.position.copy())
        return answer if isinstance(answer, str) else self.position.texts[answer]

    def so_far(self) -> Recorded:
        """Return the game as far as it was played."""
        position = self.position
        scores = tuple(position.scores()) if position.over else ()
        options, moves, names = dict(position.options), tuple(self.moves), tuple(self.names)
        return Recorded(
            "this table", self.game.name, position.players, options, self.seed, None, moves, names, scores
        )
