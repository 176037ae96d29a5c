"""Skeleton once more, written from `rules.md` alone: slow and plain, for the laws to compare with."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

RANKS = "23456789TJQKA"
CARDS = [rank + suit for suit in "cdsh" for rank in RANKS]


class Model:
    """A game of four seats; `shuffle` puts the texts of cards into their order."""

    def __init__(
        self, players: int, options: dict[str, Any], shuffle: Callable[[list[str]], list[str]]
    ) -> None:
        self.rounds, self.shuffle = options["rounds"], shuffle
        self.scores = [0] * 4

    def open(self) -> dict[str, Any]:
        """Return fields of a view that everybody sees, with the values that they must have."""
        return {"trick": tuple(self.trick), "points": tuple(self.scores)}

    def seen(self, seat: int) -> dict[str, Any]:
        """Return fields that are a seat's own; -1: an onlooker."""
        return {"hand": tuple(sorted(self.hands[seat], key=CARDS.index)) if seat >= 0 else ()}

    def play(self) -> Generator[tuple[int, list[str]], str, None]:
        """Yield the seat to act and the texts of its actions; each is answered with one of them."""
        for number in range(self.rounds):
            cards = self.shuffle(CARDS)
            self.hands = [cards[13 * seat : 13 * seat + 13] for seat in range(4)]
            leader = number % 4
            for _ in range(13):
                self.trick: list[str] = []
                for k in range(4):
                    seat = (leader + k) % 4
                    hand, led = self.hands[seat], [card[1] for card in self.trick[:1]]
                    suited = [card for card in hand if card[1] in led]
                    answer = yield seat, [f"play {card}" for card in suited or hand]
                    self.trick.append(answer.split()[1])
                    hand.remove(self.trick[-1])
                leader = (leader + self.best(self.trick)) % 4
                self.scores[leader] += 1

    def best(self, trick: list[str]) -> int:
        """Return the place in a trick of the card that wins it."""
        return max(range(4), key=lambda k: (trick[k][1] == trick[0][1], RANKS.index(trick[k][0])))
