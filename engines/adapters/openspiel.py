"""The games for OpenSpiel: importing this module registers `arena_taroky` and the others as Python games.

Chance plays first: so many bytes of the game's seed, one a chance node, so that the history alone gives the
whole game (`seed_bytes=4`: 2**32 deals, all equally likely); every shuffle follows from the seed. `DealtGame`
makes games that are small enough to be solved. Needs the extra `openspiel`.

A player's information state is a digest of its view, what it has played itself, and the last view before
each time that views forgot something: at a new deal, a reshuffle, a ring of events that begins again. So
recall is perfect: all views that a player had follow from it.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import numpy as np
import pyspiel

from .. import load, names
from ..core import HAND_SHUFFLES, States, copy_states
from ..errors import GameError, OptionError
from ..flip7.state import EVENTS
from ..game import Game
from ..position import Position
from ..tzogous37.state import BETS, MOVES
from ..view import View

PREFIX = "arena_"
BYTE = 256
MOST_DECISIONS = 100_000
MOST_POINTS = 1e9
"""Bounds that no game comes near: the true ones hang on options."""
FORGETS = {
    "flip7": (("events", EVENTS),),
    "tzogous37": (("moves", MOVES), ("wagers", BETS)),
    "zoliky": (("shuffle", 1),),
}
"""Where views forget other than at a new deal: a counter and how many of its events they show (a ring), or
every shuffle."""


class ArenaGame(pyspiel.Game):  # type: ignore[misc]
    """One of our games with its options; `players` 0: as many as usual."""

    rules: Game

    def __init__(self, parameters: dict[str, Any] | None = None) -> None:
        given = dict(parameters or {})
        self.seed_bytes = int(given.pop("seed_bytes", 4))
        if not 1 <= self.seed_bytes <= 8:
            raise OptionError(f"seed_bytes = {self.seed_bytes}: allowed is 1 to 8")
        players = int(given.pop("players", 0)) or None
        self.players, self.options = self.rules.check_options(players, given)
        self.seats = tuple(range(self.players))
        self._describe(type_of(self.rules), BYTE, self.rules.zero_sum, parameters or {})

    def _describe(self, kind: Any, outcomes: int, zero_sum: bool, parameters: dict[str, Any]) -> None:
        """Make the game known to OpenSpiel, with its bounds, for so many outcomes of chance."""
        least, most, total = -MOST_POINTS, MOST_POINTS, 0.0 if zero_sum else None
        bounds = self.rules.n_actions, outcomes, len(self.seats), least, most, total, MOST_DECISIONS
        super().__init__(kind, pyspiel.GameInfo(*bounds), parameters)

    def new_initial_state(self) -> ArenaState:
        """Before chance has played."""
        return ArenaState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> ArenaObserver:
        """Return what a player sees as numbers (`Game.encode`) and as text."""
        if params:
            raise ValueError(f"an observer of {PREFIX}{self.rules.name} has no parameters, got {params}")
        recall = iig_obs_type is not None and iig_obs_type.perfect_recall
        return ArenaObserver(self.rules, recall)


class ArenaState(pyspiel.State):  # type: ignore[misc]
    """A game in progress."""

    def __init__(self, game: ArenaGame) -> None:
        super().__init__(game)
        self.position: Position | None = None
        self._seed: list[int] = []
        self._wanted = game.seed_bytes
        self._seats = game.seats  # of the players
        self._own: list[tuple[int, ...]] = [()] * game.players
        self._forgotten = [b""] * game.players

    def current_player(self) -> int:
        """Return the seat to act, chance before the seed is whole, or the end."""
        if self.position is None:
            return int(pyspiel.PlayerId.CHANCE)
        seat = self.position.seat
        return int(pyspiel.PlayerId.TERMINAL) if seat is None else self._seats.index(seat)

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal_numbers() if self.position is not None else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the next byte of the seed."""
        return [(byte, 1 / BYTE) for byte in range(BYTE)]

    def _apply_action(self, action: int) -> None:
        if self.position is None:
            self._seed.append(int(action))
            if len(self._seed) == self._wanted:
                game: Any = self.get_game()
                seed = int.from_bytes(bytes(self._seed), "big")
                self.position = game.rules.position(seed, game.players, **game.options)
        else:
            self._note(int(action))
            before, chapter = copy_states(self.position._states), self._chapter()
            self.position.play(int(action))
            if self._chapter() != chapter:
                self._keep(before)

    def _chapter(self) -> tuple[int, ...]:
        """Return what changes when views forget: the number of the deal, how often each ring was filled."""
        position: Any = self.position
        row = position._states
        counters = (("shuffle", HAND_SHUFFLES), *FORGETS.get(position.game.name, ()))
        return tuple(int(row[name][0]) // length for name, length in counters)

    def _keep(self, rows: States) -> None:
        """Chain every player's view of a position that the next views do not show any more."""
        position: Any = self.position
        for seat in self._seats:
            view = position.game.views(rows, seat).tobytes()
            self._forgotten[seat] = blake2b(self._forgotten[seat] + view, digest_size=16).digest()

    def _note(self, action: int) -> None:
        """Keep what the seat to act has played itself, where it had a choice."""
        position = self.position
        if position is not None and position.seat is not None and len(position.legal_numbers()) > 1:
            self._own[position.seat] = (*self._own[position.seat], action)

    def _action_to_string(self, player: int, action: int) -> str:
        return f"seed byte {action}" if self.position is None else self.position.texts[action]

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.position is not None and self.position.over

    def returns(self) -> list[float]:
        """Return the final scores; 0 before the end."""
        if self.position is None or not self.position.over:
            return [0.0] * len(self._seats)
        return [float(points) for points in self.position.scores()]

    def view(self, player: int) -> View | None:
        """Return what a player sees; None before the deal."""
        return None if self.position is None else self.position.view(self._seats[player])

    def information(self, player: int) -> str:
        """Digest all that a player knows: its views, and what it has played itself."""
        view, seat = self.view(player), self._seats[player]
        if view is None:
            return f"{seat}:"
        digest = blake2b(view.state.tobytes(), digest_size=16)
        digest.update(repr(self._own[seat]).encode() + self._forgotten[seat])
        return f"{seat}:{digest.hexdigest()}"

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> ArenaState:
        """Return a random world that agrees with what a player knows; it keeps the history of this state."""
        world: ArenaState = self.clone()
        if self.position is not None:
            seed = int(sampler() * 2**53)
            rows = self.position.game.determinize(self.position.view(self._seats[player]).state, seed)
            world.position = Position.of(self.position.game, rows)
        return world

    def __str__(self) -> str:
        return f"seed bytes {self._seed}" if self.position is None else str(self.position)


class ArenaObserver:
    """What a player sees, as OpenSpiel asks for it.

    The tensor is `Game.encode`, for observations and information states alike: it has all that the view
    shows of the round, but not the rounds that are over.

    Args:
        rules: the game.
        recall: text for information states (a digest with perfect recall); else the view for people.
    """

    def __init__(self, rules: Game, recall: bool) -> None:
        self.tensor = np.zeros(rules.encoding_size, np.float32)
        self.dict = {"view": self.tensor}
        self._recall = recall

    def set_from(self, state: ArenaState, player: int) -> None:
        """Write a player's view into `tensor`; 0 before the deal, or where a game has no encoding."""
        position = state.position
        if position is None or not position.game.columns:
            self.tensor.fill(0)
        else:
            position.game.encode(position.states, state._seats[player], out=self.tensor[None, :])

    def string_from(self, state: ArenaState, player: int) -> str:
        """Return the information state, or the view as text."""
        return state.information(player) if self._recall else f"{player}: {state.view(player)}"


class DealtGame(ArenaGame):
    """A game from one of some positions on, each as likely as the others: small enough to be solved.

    Players know what their views show, and that it is one of these positions. Not registered: it has no name.

    Args:
        rules: the game.
        rows: the positions, a batch of whole states.
        between: the two seats that still have something to decide, where a table has more: they are the
            players, and each gets half of what it is ahead of the other, so that the game is zero-sum.
    """

    def __init__(self, rules: Game, rows: States, between: tuple[int, int] | None = None) -> None:
        rows = rules._checked(rows)
        self.rules, self.rows, self.between = rules, np.zeros(len(rows), rules.state), between
        for name in rules.state.names or ():  # field by field: padding would tell information states apart
            self.rows[name] = rows[name]
        self.players = int(rows["players"][0])
        self.seats = between or tuple(range(self.players))
        self.seed_bytes = 1  # chance plays once
        zero_sum = between is not None or rules.zero_sum
        self._describe(type_of(rules, len(self.seats), zero_sum), len(rows), zero_sum, {})

    def new_initial_state(self) -> DealtState:
        """Before chance has chosen a position."""
        return DealtState(self)


class Children(dict[int, "DealtState"]):
    """What follows a state, by action; a copy of the state begins without."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Children:
        return Children()


class DealtState(ArenaState):
    """A game from one of the positions on; it keeps what follows and is known, as trees are walked again."""

    def __init__(self, game: DealtGame) -> None:
        super().__init__(game)
        self._between, self._children = game.between, Children()
        self._known: dict[int, str] = {}

    def child(self, action: int) -> DealtState:
        """Return the state after an action; the same object every time."""
        if action not in self._children:
            self._children[action] = super().child(action)
        return self._children[action]

    def information_state_string(self, player: int | None = None) -> str:
        """As `information`, of the player to act by default."""
        player = self.current_player() if player is None else player
        if player not in self._known:
            self._known[player] = self.information(player)
        return self._known[player]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the positions."""
        n = len(self.get_game().rows)
        return [(i, 1 / n) for i in range(n)]

    def _apply_action(self, action: int) -> None:
        self._known = {}
        if self.position is None:
            game: Any = self.get_game()
            self.position = Position.of(game.rules, game.rows[action : action + 1])
        else:
            super()._apply_action(action)
        if self.position.seat not in (None, *self._seats):
            raise GameError(
                f"seat {self.position.seat} is to act, and the players are the seats {self._seats}: give "
                "positions in which nobody else has anything to decide"
            )

    def returns(self) -> list[float]:
        """Return the final scores, or half the difference of the two players' ones; 0 before the end."""
        if self._between is None or self.position is None or not self.position.over:
            return super().returns()
        scores = self.position.scores()
        ahead = (scores[self._seats[0]] - scores[self._seats[1]]) / 2
        return [ahead, -ahead]

    def __str__(self) -> str:
        return str(self.history_str())


def type_of(rules: Game, players: int = 0, zero_sum: bool | None = None) -> Any:
    """Return what OpenSpiel wants to know of a game: by default with as many players as it may have."""
    zero_sum = rules.zero_sum if zero_sum is None else zero_sum
    kinds = pyspiel.GameType
    return kinds(
        short_name=PREFIX + rules.name,
        long_name=f"Card arena: {rules.name}",
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM if zero_sum else kinds.Utility.GENERAL_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=players or rules.max_players,
        min_num_players=players or rules.min_players,
        provides_information_state_string=True,
        provides_information_state_tensor=bool(rules.columns),
        provides_observation_string=True,
        provides_observation_tensor=bool(rules.columns),
        parameter_specification={
            "players": 0,
            "seed_bytes": 4,
            **{name: option.default for name, option in rules.options.items()},
        },
    )


def register() -> None:
    """Make OpenSpiel know the games, those that it does not know yet."""
    known = set(pyspiel.registered_names())
    for name in names():
        if PREFIX + name not in known:
            rules = load(name)
            pyspiel.register_game(type_of(rules), type(f"Arena_{name}", (ArenaGame,), {"rules": rules}))


register()
