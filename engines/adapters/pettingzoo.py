"""The games for PettingZoo: `env("taroky", rounds=4)` is an environment of agents that take turns (AEC).

Observations are `{"observation": float32 [k], "action_mask": int8 [actions]}` as PettingZoo's own card games
have them; the mask of an agent that is not to act is empty. Needs the extra `rl`. For speed: `vector`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from .. import load
from ..errors import OptionError
from ..game import Game
from ..seeds import MAX_SEED
from .vector import REWARDS, box

Observation = dict[str, NDArray[Any]]
RENDER_MODES = ("ansi", "human")


def env(game: str | Game, *, illegal: float | None = None, **arguments: Any) -> Any:
    """One game behind PettingZoo's usual wrappers: actions in range, calls in order.

    Args:
        game: its name.
        illegal: the reward of an agent that plays an illegal action, which ends the game; default: it is an
            error (`IllegalAction`) and nothing is changed.
        arguments: as `raw_env` takes them.
    """
    game_env: Any = raw_env(game, **arguments)
    if illegal is not None:
        game_env = wrappers.TerminateIllegalWrapper(game_env, illegal_reward=illegal)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(game_env))


class raw_env(AECEnv[str, Observation, int]):  # type: ignore[misc]  # the name is PettingZoo's
    """One game without wrappers.

    Args:
        game: its name.
        players: number of agents, `seat_0` and so on.
        rewards: "game": the final score at its end; "round": points as soon as they are settled.
        render_mode: "ansi": `render` gives the whole position as text; "human": it prints that.
        options: of the game.
    """

    def __init__(
        self,
        game: str | Game,
        *,
        players: int | None = None,
        rewards: str = "game",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self.game = load(game) if isinstance(game, str) else game
        if rewards not in REWARDS:
            raise OptionError(f"rewards = {rewards!r}: allowed is {' or '.join(map(repr, REWARDS))}")
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise OptionError(f"render_mode = {render_mode!r}: allowed is {', '.join(RENDER_MODES)}")
        self.metadata = {
            "name": f"arena_{self.game.name}",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 1,
        }
        self.render_mode = render_mode
        self._players, complete = self.game.check_options(players, options)
        self._options: dict[str, Any] = dict(complete)
        self._by_round = rewards == "round"
        self._seed: int | None = None
        self.possible_agents = [f"seat_{seat}" for seat in range(self._players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        mask = Box(0, 1, (self.game.n_actions,), np.int8)
        self.observation_spaces = {
            agent: Dict({"observation": box(self.game), "action_mask": mask})
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: Discrete(self.game.n_actions) for agent in self.possible_agents}
        self.state_space = box(self.game, self._players)

    def observation_space(self, agent: str) -> Any:
        """Return the range of every column, and of the mask."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """All actions of the game."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin the game of a seed; without one that of the seed after the last one's, at first any.

        Args:
            seed: 0 to 2**64 - 1.
            options: not used; PettingZoo's.
        """
        if seed is None:
            any_seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
            seed = any_seed if self._seed is None else (self._seed + 1) % (MAX_SEED + 1)
        self.position = self.game.position(seed, self._players, **self._options)
        self._seed = seed
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, self.position.over)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._given = [0] * self._players
        self.agent_selection = self.possible_agents[self.position.seat or 0]

    def step(self, action: int | None) -> None:
        """Play an action for the agent whose turn it is; None for one whose game is over.

        Raises:
            IllegalAction: not legal now; nothing is changed.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.position.play(action)  # type: ignore[arg-type]
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if self._by_round or self.position.over:
            self._reward()
        self._accumulate_rewards()
        if self.position.over:
            self.terminations = dict.fromkeys(self.agents, True)
            self._deads_step_first()
        else:
            self.agent_selection = self.possible_agents[self.position.seat or 0]

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees."""
        seat, mask = self._seats[agent], np.zeros(self.game.n_actions, np.int8)
        if seat == self.position.seat:
            mask[self.position.legal_numbers()] = 1
        return {"observation": self.game.encode(self.position.states, seat)[0], "action_mask": mask}

    def state(self) -> NDArray[np.float32]:
        """Return what all agents see, one after the other: for critics that may know everything."""
        seats = np.arange(self._players)
        return self.game.encode(np.repeat(self.position.states, self._players), seats).ravel()

    def render(self) -> str | None:
        """Return the whole position as text."""
        if self.render_mode == "human":
            print(self.position)
        return str(self.position) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing is to be freed."""

    def _reward(self) -> None:
        """Give the points that were settled since the last time."""
        points = self.game.points(self.position.states)[0].tolist()
        for agent, seat in self._seats.items():
            self.rewards[agent] = float(points[seat] - self._given[seat])
        self._given = points
