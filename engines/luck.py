"""How lucky the seats of played games were, by replaying them: the one place that knows which games can tell.

What luck is stands in a game's room `luck`, why its expectation is 0 in `core.luck`, what it is good for in
`leagues/ratings/control.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import core, registry
from .core.luck import replay
from .errors import GameError
from .game import Game


def room(name: str) -> ModuleType | None:
    """Return the luck room of a game; None if the game has none."""
    return registry.home(name).room("luck")


def weights(game: Game, options: Mapping[str, Any]) -> tuple[float, float] | None:
    """Look up what a point of luck is worth; None if nobody knows.

    It is worth so many points of the score, and so many wins over another seat.

    Fitted once on games of house bots and fixed since, so that taking luck out favours nobody.
    """
    rules = room(game.name)
    return None if rules is None else rules.weights(options)


def version(game: Game) -> int:
    """Return the version of the game's luck; 0 if it has none."""
    rules = room(game.name)
    return 0 if rules is None else int(rules.VERSION)


def of_games(
    game: Game,
    players: int,
    options: Mapping[str, Any],
    seeds: Sequence[int] | NDArray[np.uint64],
    moves: Sequence[NDArray[np.int16]],
    key: int = 0,
    worlds: int = 0,
) -> NDArray[np.float64]:
    """Replay games and tell how lucky every seat was.

    Args:
        game: a game with a luck room.
        seeds: one a game.
        moves: all actions of each game.
        key: of the random orders that luck is compared with; anything that does not depend on the deals.
        worlds: how many orders; 0: as many as the room says.

    Returns:
        (games, players) points of luck.

    Raises:
        GameError: the game has no luck room, or actions that the rules do not allow: another engine played
            them.
    """
    rules = room(game.name)
    if rules is None:
        raise GameError(f"{game.name} has no room `luck`: nobody can tell how lucky its seats were")
    states = game.new(len(moves), np.asarray(seeds, np.uint64), players, **options)
    ends = np.cumsum([0, *map(len, moves)], dtype=np.int64)
    flat = np.concatenate([*moves, np.zeros(0)]).astype(np.int64)
    luck, sums = np.zeros((len(moves), game.max_players)), np.zeros((2, game.max_players))
    spare, work = core.rows(game.blank(1, players)), core.work(max(game.deck_size, game.n_actions))
    rng = np.zeros(1, np.uint64)
    worlds = worlds or rules.WORLDS
    after = -(-worlds * rules.WORLDS_AFTER // rules.WORLDS)  # in the room's proportion, rounded up
    stopped = replay(core.rows(states), flat, ends, worlds, after, key, luck, spare, work, rng, sums)
    if stopped >= 0:
        raise GameError(
            f"{game.name}: the actions of game {stopped} do not fit its seed: another engine played them"
        )
    return luck[:, :players]
