"""Players made for other libraries as bots of ours: each function gives what a bot's module needs.

    from engines.adapters.policies import from_openspiel
    Bot = from_openspiel(policy)          # in the bot's module, beside GAMES = [...]

A jail lets in NumPy, Numba and the engines: a bot that brings another library plays where the league preloads
it, or among one's own bots (`arena duel`). Weights of a network need no library: see docs/guides/research.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import GameError
from ..view import View


def from_pettingzoo(policy: Callable[[dict[str, Any]], Any]) -> Callable[[View], int]:
    """`act` from a function of PettingZoo's observation, `{"observation": ..., "action_mask": ...}`."""

    def act(view: View) -> int:
        seen = {"observation": view.encode(), "action_mask": view.legal_mask().astype(np.int8)}
        return int(policy(seen))

    return act


def from_openspiel(policy: Any) -> type:
    """`Bot` from an OpenSpiel policy or bot: what has `action_probabilities(state, player)` or `step(state)`.

    A policy is asked with a random world that agrees with the view; the information state is the one of the
    game in `engines.adapters.openspiel`. Actions are drawn with `view.rng`.
    """
    if not hasattr(policy, "action_probabilities") and not hasattr(policy, "step"):
        raise GameError(f"{policy!r} has neither action_probabilities(state, player) nor step(state)")

    class PolicyBot:
        """Keeps what it has played, which is part of its information state."""

        def __init__(self, seat: int, seed: int) -> None:
            self.game: Any = None
            self.own: tuple[int, ...] = ()

        def act(self, view: View) -> int:
            """Return the policy's action."""
            from .openspiel import game_of, state_of

            if self.game is None:
                self.game = game_of(view)
            state = state_of(self.game, view, self.own)
            if hasattr(policy, "action_probabilities"):
                chances = policy.action_probabilities(state, view.seat)
                action = view.rng.choices(list(chances), [max(0.0, chance) for chance in chances.values()])[0]
            else:
                action = policy.step(state)
            self.own = (*self.own, int(action))
            return int(action)

    return PolicyBot
