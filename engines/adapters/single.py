"""One game for one seat as a `gymnasium.Env`: `env("taroky", seat=0, opponents="rule")`.

For scripts that take a single environment. It is the vector environment with one lane (`vector`), which is
much quicker with many. Needs gymnasium (the extra `rl`).

Importing this module registers every game. `gymnasium.make("engines.adapters.single:card_arena/Taroky-v0",
opponents="rule")` imports it, and `gymnasium.make_vec` with the same words makes the vector environment.
"""

from __future__ import annotations

from operator import index as as_index
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from .. import names
from ..errors import GameError
from ..game import Game
from . import vector

Observation = NDArray[np.float32]


class SeatEnv(gymnasium.Env[Observation, np.int64]):  # type: ignore[misc]
    """One seat of a game; the other seats are played by opponents.

    Args:
        game: its name.
        seat: the seat that learns.
        opponents: as `vector.env`.
        illegal: the reward of an illegal action, which ends the game; default: it is an error
            (`IllegalAction`) and nothing is changed. `infos["action_mask"]` says what is legal.
        arguments: as `vector.env`: `players`, `rewards`, `forced`, options of the game.
    """

    def __init__(
        self,
        game: str | Game,
        seat: int = 0,
        opponents: Any = "random",
        *,
        illegal: float | None = None,
        **arguments: Any,
    ) -> None:
        self._lanes = vector.env(game, 1, seat, opponents, **arguments)
        self._illegal = illegal
        self._first: tuple[Observation, dict[str, Any]] | None = None  # of a game not shown to anybody yet
        self._legal = np.zeros(0, np.int8)
        self._over = False
        self.observation_space = self._lanes.single_observation_space
        self.action_space = self._lanes.single_action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a game: the one of this seed, or the next one.

        Returns:
            The numbers of the seat's view, and `action_mask` (int8, 1: legal).
        """
        super().reset(seed=seed)
        if seed is None and self._first is not None:
            numbers, infos = self._first
        else:
            begin = int(self.np_random.integers(2**32)) if seed is None else seed
            numbers, infos = self._shown(*self._lanes.reset(seed=begin))
        self._first, self._over = None, False
        self._legal = infos["action_mask"].copy()
        return numbers, infos

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play an action and go on to the seat's next decision, or the end.

        Raises:
            IllegalAction: not legal, unless `illegal` says what that costs, or no whole number; nothing is
                changed.
            GameError: before `reset`, and after the end.
        """
        if self._over:
            raise GameError(f"{self._lanes.game.name}: the game is over: reset the environment")
        if self._illegal is not None and not self._allows(action):
            numbers, self._over = self._lanes.arrays["observations"][0].copy(), True
            return numbers, float(self._illegal), True, False, {"action_mask": self._legal.copy()}
        numbers, rewards, over, _, infos = self._lanes.step(np.asarray([action]))
        if not over[0]:
            numbers, infos = self._shown(numbers, infos)
            self._legal = infos["action_mask"].copy()
            return numbers, float(rewards[0]), False, False, infos
        self._first, self._over = self._shown(numbers, infos), True
        last, none = infos["final_obs"][0].copy(), np.zeros_like(self._legal)
        return last, float(rewards[0]), True, False, {"action_mask": none}

    def action_masks(self) -> NDArray[np.bool_]:
        """[actions] what is legal now, as `MaskablePPO` of sb3-contrib asks for it."""
        return self._legal.astype(np.bool_)

    def _allows(self, action: Any) -> bool:
        """Whether an action is legal. What is no whole number passes, as the lane refuses it by name."""
        self._lanes._check_started()
        try:
            number = as_index(action)
        except TypeError:
            return True
        in_range = 0 <= number < len(self._legal)
        return isinstance(action, bool) or (in_range and bool(self._legal[number]))

    @staticmethod
    def _shown(numbers: Any, infos: dict[str, Any]) -> tuple[Observation, dict[str, Any]]:
        """Return the only lane, copied: the arrays are written again in the next step."""
        return numbers[0].copy(), {"action_mask": infos["action_mask"][0].astype(np.int8)}


def lanes_of(num_envs: int, **arguments: Any) -> vector.VectorGames:
    """Return many games at once, by the words of `gymnasium.make_vec`.

    Args:
        num_envs: number of games.
        arguments: as `vector.env`.
    """
    return vector.env(n=num_envs, **arguments)


env = SeatEnv
for _name in names():
    gymnasium.register(
        f"card_arena/{_name.capitalize()}-v0",
        entry_point=f"{__name__}:SeatEnv",
        vector_entry_point=f"{__name__}:lanes_of",
        kwargs={"game": _name},
    )
