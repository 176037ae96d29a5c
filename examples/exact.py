"""How much an opponent that knows everything about a bot can win from it, in positions that are solved.

CFR+ (Tammelin 2014, "Solving large imperfect information games using CFR+") solves them, OpenSpiel's best
response measures everybody. Exploitability is what the best response wins from a player, on average over both
seats. Which positions: `exact_tzogous37.py`, `exact_julepe.py`.
"""

from __future__ import annotations

from random import Random
from typing import Any

from open_spiel.python import policy as policies
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability

from engines.adapters.openspiel import DealtGame

ASKED = 12
"""How often a bot is asked in a position: some draw their answers."""


class HousePolicy(policies.Policy):  # type: ignore[misc]
    """A house bot as a policy: how often it gave each answer."""

    def __init__(self, game: DealtGame, bot: Any) -> None:
        super().__init__(game, [0, 1])
        self.bot, self.known = bot, dict[str, dict[int, float]]()

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """Asked once in every information state."""
        player = state.current_player() if player_id is None else player_id
        key = state.information_state_string(player)
        if key not in self.known:
            self.known[key] = self.asked(state.view(player), key)
        return self.known[key]

    def asked(self, view: Any, key: str) -> dict[int, float]:
        """Return the share of every answer."""
        chances = dict.fromkeys(view.legal.tolist(), 0.0)
        if len(chances) == 1:
            return dict.fromkeys(chances, 1.0)
        for k in range(ASKED):
            view._rng = Random(f"{key} {k}")
            answer = self.bot.act(view)
            action = answer if not isinstance(answer, str) else view.game_rules.action(answer, view.options)
            chances[int(action)] += 1 / ASKED
        return chances


def solved(game: DealtGame, iterations: int) -> Any:
    """Return the average policy of CFR+."""
    solver = cfr.CFRPlusSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    return solver.average_policy()


def table(game: DealtGame, bots: tuple[Any, ...], iterations: int, unit: str) -> str:
    """Exploitability, and what each wins from the solution, as Markdown."""
    best = solved(game, iterations)
    players = {f"CFR+, {iterations} iterations": best, "random": policies.UniformRandomPolicy(game)}
    players |= {bot.__name__.rpartition(".")[2]: HousePolicy(game, bot) for bot in bots}
    lost = {name: exploitability.exploitability(game, one) for name, one in players.items()}
    lines = [f"| player | exploitability, {unit} | against the solution |", "| --- | ---: | ---: |"]
    for name in sorted(lost, key=lost.__getitem__):
        lines.append(f"| {name} | {lost[name]:.3f} | {against(game, players[name], best):+.3f} |")
    return "\n".join(lines)


def against(game: DealtGame, one: Any, other: Any) -> float:
    """Return what one wins from another, on average over both seats."""
    begin = game.new_initial_state()
    wins = [expected_game_score.policy_value(begin, [one, other])[0]]
    wins.append(expected_game_score.policy_value(begin, [other, one])[1])
    return float(sum(wins) / 2)
