"""Hearts once more, written from `rules.md` alone: slow and plain, for the laws to compare with."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

RANKS = "23456789TJQKA"
CARDS = [rank + suit for suit in "cdsh" for rank in RANKS]
STEPS = (1, 3, 2, 0)  # how far a seat passes its cards, by round


class Hearts:
    """A game of four seats; `shuffle` puts the texts of cards into their order."""

    def __init__(
        self, players: int, options: dict[str, Any], shuffle: Callable[[list[str]], list[str]]
    ) -> None:
        self.options, self.shuffle = options, shuffle
        self.scores = [0] * 4

    def open(self) -> dict[str, Any]:
        """Return fields of a view that everybody sees, with the values that they must have."""
        trick, points = tuple(self.trick), tuple(map(self.points, self.won))
        return {"trick": trick, "points": points, "totals": tuple(self.scores)}

    def seen(self, seat: int) -> dict[str, Any]:
        """Return fields that are a seat's own; -1: an onlooker."""
        if seat < 0:
            return {"hand": (), "passed": (), "received": ()}
        own = {"hand": self.hands[seat], "passed": self.passed[seat], "received": self.received[seat]}
        return {name: tuple(sorted(cards, key=CARDS.index)) for name, cards in own.items()}

    def play(self) -> Generator[tuple[int, list[str]], str, None]:
        """Yield the seat to act and the texts of its actions; each is answered with one of them."""
        for number in range(self.options["rounds"]):
            cards = self.shuffle(CARDS)
            self.hands = [cards[13 * seat : 13 * seat + 13] for seat in range(4)]
            self.passed, self.received, self.won = ([list[str]() for _ in range(4)] for _ in range(3))
            self.trick: list[str] = []
            if step := STEPS[number % 4]:
                yield from self.passing(step)
            leader = next(seat for seat in range(4) if "2c" in self.hands[seat])
            for place in range(13):
                self.trick = []
                for k in range(4):
                    seat = (leader + k) % 4
                    answer = yield seat, [f"play {card}" for card in self.playable(self.hands[seat], place)]
                    self.trick.append(answer.split()[1])
                    self.hands[seat].remove(self.trick[-1])
                leader = (leader + self.best(self.trick)) % 4
                self.won[leader] += self.trick
            points = [self.points(cards) for cards in self.won]
            if 26 in points:
                points = [26 - one for one in points]
            self.scores = [score - one for score, one in zip(self.scores, points)]

    def passing(self, step: int) -> Generator[tuple[int, list[str]], str, None]:
        """Let each seat choose three cards, then change hands [4.1]."""
        for seat in range(4):
            for _ in range(3):
                answer = yield seat, [f"pass {card}" for card in self.free(seat)]
                self.passed[seat].append(answer.split()[1])
        for seat in range(4):
            self.hands[seat] = [card for card in self.hands[seat] if card not in self.passed[seat]]
        for seat in range(4):
            self.received[(seat + step) % 4] = self.passed[seat]
            self.hands[(seat + step) % 4] += self.passed[seat]

    def free(self, seat: int) -> list[str]:
        """Return the cards that a seat may pass."""
        return [card for card in self.hands[seat] if card not in self.passed[seat]]

    def playable(self, hand: list[str], place: int) -> list[str]:
        """Return the cards of a hand that may be played to a trick [4.2]."""
        if not self.trick and place == 0:
            return ["2c"]
        before = [card for cards in self.won for card in cards]
        broken = any(card[1] == "h" or (card == "Qs" and self.options["queen_breaks"]) for card in before)
        if not self.trick:
            return [card for card in hand if broken or card[1] != "h"] or hand
        suited = [card for card in hand if card[1] == self.trick[0][1]]
        first = [card for card in hand if place > 0 or not self.points([card])]
        return suited or first or hand

    def best(self, trick: list[str]) -> int:
        """Return the place in a trick of the card that wins it [4.3]."""
        return max(range(4), key=lambda k: (trick[k][1] == trick[0][1], RANKS.index(trick[k][0])))

    def points(self, cards: list[str]) -> int:
        """Return what cards count [5]."""
        return sum(13 * (card == "Qs") + (card[1] == "h") for card in cards)
