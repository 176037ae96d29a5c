"""A game in play: people, who are asked by what shows it, and bots, who are asked here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import engines
from engines import registry
from engines.game import Game
from engines.position import Position
from engines.view import View

from ..match.records import Chooser
from ..replay.analysis import unit_of
from ..replay.recorded import Recorded

VALUE_WORLDS = 400  # in which each action is tried for its value


@dataclass(eq=False, kw_only=True)
class InPlay:
    """A game in play.

    Attributes:
        position: as it is now.
        seed: of its deal.
        names: who sits where.
        bots: who chooses for a seat; None: a person.
        moves: all actions so far.
    """

    position: Position
    seed: int
    names: list[str]
    bots: list[Chooser | None]
    moves: list[int] = field(default_factory=list)

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

    def undo(self, seat: int) -> bool:
        """Go back to the last decision of a seat; False if there is none. Bots forget nothing."""
        asked = self.so_far().asked(seat)
        if asked:
            self.position = self.so_far().at(asked[-1])
            del self.moves[asked[-1] :]
        return bool(asked)

    def advice(self, chooser: Chooser) -> str:
        """Return what a bot would play for the seat to act."""
        answer = chooser(self.position.copy())
        return answer if isinstance(answer, str) else self.position.texts[answer]

    def values(self, seat: int) -> list[tuple[str, float, float]]:
        """Return what `values_of` says of a seat's actions."""
        return values_of(self.position.view(seat), len(self.moves))

    def so_far(self) -> Recorded:
        """Return the game as far as it was played."""
        position = self.position
        scores = tuple(position.scores()) if position.over else ()
        options, moves, names = dict(position.options), tuple(self.moves), tuple(self.names)
        return Recorded(
            "this table", self.game.name, position.players, options, self.seed, None, moves, names, scores
        )


def values_of(view: View, number: int) -> list[tuple[str, float, float]]:
    """Estimate each action of a seat: its text, its value and the standard error of that, best first.

    It is by the evaluator of `arena.replay.analysis` and in its unit: the mean in random worlds that the view
    allows, if all seats then play as the search's rollout policy does.

    Args:
        view: of the seat to act.
        number: of the decision; the worlds are drawn from it.
    """
    from engines.search import action_values, preset

    times, _ = unit_of(view.game)
    means, errors = action_values(view, VALUE_WORLDS, number, settings=preset(view.game)[1])
    order = sorted(range(len(means)), key=lambda k: (-means[k], k))
    return [(view.texts[k], times * float(means[k]), times * float(errors[k])) for k in order]
