"""Flip 7 once more, in plain Python and by other means: lists of card texts, recursion, one generator.

Written from the rules page alone; slow. `play` yields `(seat, legal texts)` and is sent the action's text.
"""

from collections import Counter
from collections.abc import Callable, Generator
from typing import Any

NUMBERS = [str(v) for v in range(13)]
ADDITIONS = ["+2", "+4", "+6", "+8", "+10"]
ORDER = [*NUMBERS, *ADDITIONS, "X2", "FZ", "F3", "SC"]
DECK = [
    "0",
    *(card for card in NUMBERS for _ in range(int(card))),
    *ADDITIONS,
    "X2",
    *["FZ"] * 3,
    *["F3"] * 3,
    *["SC"] * 3,
]

Asking = Generator[tuple[int, list[str]], str, None]


def canonical(cards: list[str]) -> list[str]:
    return sorted(cards, key=ORDER.index)


def row_points(row: list[str]) -> int:
    numbers = [int(card) for card in row if card in NUMBERS]
    points = sum(numbers) * (2 if "X2" in row else 1) + sum(int(card) for card in row if card in ADDITIONS)
    return points + 15 * (len(numbers) == 7)


class Model:
    """A game; `shuffle` puts a canonical list of cards into its shuffled order."""

    def __init__(
        self, players: int, options: dict[str, Any], shuffle: Callable[[list[str]], list[str]]
    ) -> None:
        self.seats = range(players)
        self.option = options
        self.shuffle = shuffle
        self.pile: list[str] = []
        self.gone: list[str] = []
        self.rows: list[list[str]] = [[] for _ in self.seats]
        self.status = ["active" for _ in self.seats]
        self.scores = [0 for _ in self.seats]
        self.rounds = 0

    def open(self) -> dict[str, Any]:
        return {
            "totals": tuple(self.scores),
            "status": tuple(self.status),
            "round": self.rounds,
            "rows": tuple(map(tuple, self.rows)),
            "left": len(self.pile),
            "unseen": Counter(self.pile),
            "discards": Counter(self.gone),
        }

    def play(self) -> Asking:
        self.pile = self.shuffled(DECK)
        while True:
            if self.option["deck"] == "fresh" and self.rounds > 0:
                self.pile, self.gone = self.shuffled(DECK), []
            dealer = (self.option["first_dealer"] + self.rounds) % len(self.seats)
            self.rounds += 1
            yield from self.one_round(dealer)
            for seat in self.seats:
                self.scores[seat] += 0 if self.status[seat] == "busted" else row_points(self.rows[seat])
                self.gone += self.rows[seat]
            if self.is_over():
                return

    def is_over(self) -> bool:
        best = max(self.scores)
        alone = self.scores.count(best) == 1
        return self.rounds == self.option["max_rounds"] or (
            best >= self.option["goal"] and (alone or self.option["tie"] == "share")
        )

    def one_round(self, dealer: int) -> Asking:
        self.rows = [[] for _ in self.seats]
        self.status = ["active" for _ in self.seats]
        clockwise = [*self.seats[dealer + 1 :], *self.seats[: dealer + 1]]
        for seat in clockwise:
            if self.going() and self.status[seat] == "active":
                yield from self.hit(seat)
        while self.going():
            for seat in clockwise:
                if self.going() and self.status[seat] == "active":
                    must_hit = self.option["targeting"] == "any" and not self.rows[seat]
                    if (yield seat, ["hit"] if must_hit else ["hit", "stay"]) == "hit":
                        yield from self.hit(seat)
                    else:
                        self.status[seat] = "stayed"

    def going(self) -> bool:
        return "flip7" not in self.status and "active" in self.status

    def shuffled(self, cards: list[str]) -> list[str]:
        return self.shuffle(canonical(cards))

    def hit(self, seat: int) -> Asking:
        if not self.pile:
            self.pile, self.gone = self.shuffled(self.gone), []
        yield from self.resolve(seat, self.pile.pop(0), None)

    def resolve(self, seat: int, card: str, waiting: list[str] | None) -> Asking:
        """`waiting`: the cards set aside by the Flip Three that drew this card."""
        row = self.rows[seat]
        if card in ("FZ", "F3"):
            if waiting is not None and self.option["flip_three"] == "after":
                waiting.append(card)
            else:
                yield from self.use(seat, card)
        elif card == "SC":
            yield from self.second_chance(seat)
        elif card in NUMBERS and card in row:
            spend = "SC" in row
            if spend and self.option["second_chance"] == "ask":
                spend = (yield seat, ["save", "bust"]) == "save"
            if spend:
                row.remove("SC")
                self.gone += [card, "SC"]
            else:
                row.append(card)
                self.status[seat] = "busted"
        else:
            row.append(card)
            if len(set(row) & set(NUMBERS)) == 7:
                self.status[seat] = "flip7"

    def second_chance(self, seat: int) -> Asking:
        if self.option["targeting"] == "self" or "SC" not in self.rows[seat]:
            self.rows[seat].append("SC")
            return
        may = [p for p in self.seats if p != seat and self.status[p] == "active" and "SC" not in self.rows[p]]
        if may:
            answer = yield seat, [f"give {p}" for p in may]
            self.rows[int(answer.split()[1])].append("SC")
        else:
            self.gone.append("SC")

    def use(self, seat: int, card: str) -> Asking:
        target = seat
        if self.option["targeting"] == "any":
            answer = yield seat, [f"give {p}" for p in self.seats if self.status[p] == "active"]
            target = int(answer.split()[1])
        self.gone.append(card)
        if card == "FZ":
            self.status[target] = "frozen"
            return
        waiting: list[str] = []
        for _ in range(3):
            if self.pile and self.going() and self.status[target] == "active":
                yield from self.resolve(target, self.pile.pop(0), waiting)
        while waiting and self.going() and self.status[target] == "active":
            yield from self.use(target, waiting.pop(0))
        self.gone += waiting
