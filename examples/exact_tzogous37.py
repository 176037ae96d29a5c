"""How much an opponent that knows everything about a bot can win from it: an end-game of Tzogous 37, solved.

Two seats, round 4, pots of two antes, stacks of three more. Both know that their last cards and the community
card are three of the live cards; all orders are as likely. CFR+ (Tammelin 2014, "Solving large imperfect
information games using CFR+") solves it, OpenSpiel's best response measures everybody. Exploitability is what
the best response wins from a player a hand, in chips, on average over both seats.

    python examples/exact_tzogous37.py --iterations 100
"""

from __future__ import annotations

import argparse
from itertools import permutations
from random import Random
from typing import Any

import numpy as np
from open_spiel.python import policy as policies
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability

import engines
from bots import maniac37, odds37, rock37, station37, steady37
from engines.adapters.openspiel import DealtGame
from engines.core import States

LIVE = 4
OPTIONS: dict[str, Any] = {"hands": 1, "ante": 5, "stack": 20, "step": 5, "jokers": 0, "sudden_death": True}
HOUSE = (maniac37, odds37, rock37, station37, steady37)
ASKED = 12
"""How often a bot is asked in a position: some draw their answers."""


def positions(live: int = LIVE, seed: int = 3) -> States:
    """Round 4 of a hand in every way to deal the live cards: the last cards of both seats, and the next."""
    game = engines.load("tzogous37")
    position = game.position(seed, **OPTIONS)
    while position.view().round < 4:
        legal = position.legal()
        position.play(next((word for word in ("check", "call") if word in legal), legal[0]))
    base, left = position.states, int(position.states["left"][0])
    held = [game.card(position.view(seat).hand[0]) for seat in range(2)]
    cards = [*held, *base["deck_cards"][0, left - (live - 2) : left].tolist()]
    found = []
    for dealt in permutations(cards, 3):
        row = base.copy()
        row["hand"][0, :2] = [1 << card for card in dealt[:2]]
        row["deck_cards"][0, left - (live - 2) : left] = [*(c for c in cards if c not in dealt), dealt[2]]
        found.append(row)
    return np.concatenate(found)


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
        """The share of every answer."""
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
    """The average policy of CFR+."""
    solver = cfr.CFRPlusSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    return solver.average_policy()


def table(iterations: int, live: int = LIVE) -> str:
    """Exploitability, and what each wins from the solution, as Markdown."""
    game = DealtGame(engines.load("tzogous37"), positions(live))
    best = solved(game, iterations)
    players = {f"CFR+, {iterations} iterations": best, "random": policies.UniformRandomPolicy(game)}
    players |= {bot.__name__.rpartition(".")[2]: HousePolicy(game, bot) for bot in HOUSE}
    lines = ["| player | exploitability, chips a hand | against the solution |", "| --- | ---: | ---: |"]
    for name, one in players.items():
        wins = [
            expected_game_score.policy_value(
                game.new_initial_state(), [one, best] if seat == 0 else [best, one]
            )[seat]
            for seat in range(2)
        ]
        lines.append(f"| {name} | {exploitability.exploitability(game, one):.3f} | {sum(wins) / 2:+.3f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--iterations", type=int, default=100)
    words.add_argument("--live", type=int, default=LIVE, help="live cards, 3 or more")
    given = words.parse_args()
    print(table(given.iterations, given.live))
