"""Skeleton once more, written from `rules.md` alone: slow and plain, for the laws to compare with."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

ENDS = {  # actions of a hand that is over: who wins (None: the higher card), and how many chips
    ("pass", "pass"): (None, 1),
    ("bet", "bet"): (None, 2),
    ("pass", "bet", "bet"): (None, 2),
    ("bet", "pass"): (0, 1),
    ("pass", "bet", "pass"): (1, 1),
}


class Model:
    """A game of two seats; `shuffle` puts the texts of cards into their order."""

    def __init__(
        self, players: int, options: dict[str, Any], shuffle: Callable[[list[str]], list[str]]
    ) -> None:
        self.hands, self.shuffle = options["hands"], shuffle
        self.scores = [0, 0]

    def open(self) -> dict[str, Any]:
        """Return fields of a view that everybody sees, with the values that they must have."""
        return {"actions": self.actions, "chips": tuple(self.scores)}

    def seen(self, seat: int) -> dict[str, Any]:
        """Return fields that are a seat's own; -1: an onlooker."""
        return {"hand": (self.cards[seat],) if seat >= 0 else ()}

    def play(self) -> Generator[tuple[int, list[str]], str, None]:
        """Yield the seat to act and the texts of its actions; each is answered with one of them."""
        for number in range(self.hands):
            self.cards, self.actions = self.shuffle(["J", "Q", "K"]), tuple[str, ...]()
            first = number % 2
            while self.actions not in ENDS:
                action = yield (first + len(self.actions)) % 2, ["pass", "bet"]
                self.actions = (*self.actions, action)
            place, chips = ENDS[self.actions]
            higher = max(range(2), key=lambda seat: "JQK".index(self.cards[seat]))
            winner = higher if place is None else (first + place) % 2
            self.scores[winner] += chips
            self.scores[1 - winner] -= chips
