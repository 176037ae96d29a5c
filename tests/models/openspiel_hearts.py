"""OpenSpiel's Hearts as the second implementation of the example game."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import pyspiel
from card_arena_hearts.state import CARDS

WAYS = (1, 3, 2, 0)  # OpenSpiel's numbers of the ways to pass, by round % 4


class Model:
    """OpenSpiel's Hearts, a round after the other; `shuffle` puts the cards' texts into their order."""

    def __init__(
        self, players: int, options: dict[str, Any], shuffle: Callable[[list[str]], list[str]]
    ) -> None:
        self.options, self.shuffle = options, shuffle
        self.game = pyspiel.load_game("hearts", {"qs_breaks_hearts": options["queen_breaks"]})
        self.scores = [0] * 4

    def play(self) -> Generator[tuple[int, list[str]], str, None]:
        """Yield the seat to act and the texts of its actions; each is answered with one of them."""
        for number in range(self.options["rounds"]):
            state = self.game.new_initial_state()
            state.apply_action(WAYS[number % 4])
            cards = self.shuffle(list(CARDS))
            for k in range(52):
                state.apply_action(state.string_to_action(cards[k % 4 * 13 + k // 4].upper()))
            while not state.is_terminal():
                word = "pass" if len(state.history()) < 65 and number % 4 < 3 else "play"
                texts = [state.action_to_string(action) for action in state.legal_actions()]
                answer = yield (
                    state.current_player(),
                    [f"{word} {text[0]}{text[1].lower()}" for text in texts],
                )
                state.apply_action(state.string_to_action(answer.split()[1].upper()))
            self.scores = [score + int(points) - 26 for score, points in zip(self.scores, state.returns())]
