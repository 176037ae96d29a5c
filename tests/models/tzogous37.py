"""Tzogous 37 once more, in plain Python: cards are text, hands are lists, a hand of four rounds is one generator.

Written from the rules page alone; slow. `play` yields `(seat, legal texts)` and is sent the action's text.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

RANKS = "23456789TJQKA"
CARDS = [rank + suit for suit in "shdc" for rank in RANKS]
Asking = Generator[tuple[int, list[str]], str, Any]


def value(card: str) -> int:
    return 0 if card == "JK" else RANKS.index(card[0]) + 2


def score(a: str, b: str) -> int:
    """Points of two cards [5.1]."""
    bonus = 0
    if "JK" not in (a, b):
        near = abs(value(a) - value(b)) in (1, 12)
        bonus = 5 if near else 7 if a[0] == b[0] else 0
        if a[1] == b[1]:
            bonus = 12 if a == b else 10 if near else max(bonus, 3)
    return value(a) + value(b) + bonus


class Model:
    """One game; `shuffle` puts cards into their shuffled order."""

    def __init__(self, players: int, options: dict[str, Any], shuffle: Callable[..., list[str]]) -> None:
        self.option, self.shuffle, self.seats = options, shuffle, range(players)
        self.scores, self.put = [0 for _ in self.seats], [0 for _ in self.seats]
        self.refill()

    def open(self) -> dict[str, Any]:
        return {"totals": tuple(self.scores), "chips": tuple(self.chips), "pot": sum(self.put)}

    def seen(self, seat: int) -> dict[str, Any]:
        """The own hand, and this round's cards as far as a seat knows them [6]."""
        hand = [*self.hands[seat], *["JK"] * (seat == self.giver)] if seat >= 0 else []
        slots = [
            ["?" if seat not in self.known[p, k] else card for k, card in enumerate(self.table.get(p, []))]
            for p in self.seats
        ]
        return {
            "hand": tuple(sorted(hand, key=[*CARDS, "JK"].index)),
            "table": tuple((*lie, "", "")[:2] for lie in slots),
        }

    def play(self) -> Asking:
        for number in range(self.option["hands"]):
            pack = CARDS * self.option["decks"] + ["JK"] * (self.option["jokers"] * self.option["decks"])
            self.deck, self.gone = self.shuffle(pack), list[str]()
            self.hands: list[list[str]] = [[] for _ in self.seats]
            for p in self.seats:
                if self.option["stacks"] != "game" or self.chips[p]:
                    self.hands[p] = [self.deck.pop(0) for _ in range(7)]
            self.used = [0 for _ in self.seats]
            for r in (1, 2, 3, 4):
                if self.option["stacks"] == "round":
                    self.refill()
                if sum(n > 0 for n in self.chips) < 2:
                    break
                yield from self.round(number, r)
            if self.option["stacks"] == "hand":
                self.refill()
            if self.option["stacks"] == "game" and sum(n > 0 for n in self.chips) < 2:
                return

    def refill(self) -> None:
        self.chips = [self.option["stack"] for _ in self.seats]

    def clockwise(self, start: int) -> list[int]:
        return [(start + k) % len(self.seats) for k in self.seats]

    def draw(self) -> str:
        if not self.deck:
            self.deck, self.gone = self.shuffle(self.gone), []
        return self.deck.pop(0)

    def pay(self, seat: int, amount: int) -> None:
        self.chips[seat] -= amount
        self.put[seat] += amount

    def round(self, number: int, r: int) -> Asking:
        self.number, self.last_round, self.giver = r, r == 4, -1
        self.known: dict[tuple[int, int], set[int]] = {}
        self.put, self.table = [0 for _ in self.seats], {}
        self.alive = {p for p in self.seats if self.chips[p]}
        for p in sorted(self.alive):
            self.pay(p, min(self.option["ante"], self.chips[p]))
            self.table[p] = list[str]()
        self.first = next(p for p in self.clockwise((number + r - 1) % len(self.seats)) if p in self.alive)
        yield from self.place_all()
        yield from self.betting(self.first, first=True)
        community = []
        if len(self.alive) > 1:
            if r < 4:
                yield from self.place_all()
            else:
                community = [self.draw()]
            yield from self.betting((self.first + 1) % len(self.seats), first=False)
        if len(self.alive) == 1:
            (winner,) = self.alive
            if len(self.table[winner]) == 1 and r < 4:
                yield from self.place(winner)
                self.turn_up({winner})
            won = {winner: sum(self.put)}
        else:
            won = self.showdown({p: score(*self.table[p], *community) for p in self.alive})
        for p in self.seats:
            self.chips[p] += won.get(p, 0)
            self.scores[p] += won.get(p, 0) - self.put[p]
        self.gone += [card for cards in self.table.values() for card in cards] + community

    def place_all(self) -> Asking:
        for p in self.clockwise(self.first):
            if p in self.alive:
                yield from self.place(p)
        self.turn_up(self.alive)

    def place(self, seat: int) -> Asking:
        self.known[seat, len(self.table[seat])] = {seat}
        self.table[seat].append((yield from self.pick(seat)))

    def turn_up(self, seats: set[int]) -> None:
        """All see the last card of these seats, if it lies face-up: the second in round 1, the first in 3 [4.1]."""
        for p in seats:
            if (self.number, len(self.table[p])) in ((1, 2), (3, 1)):
                self.known[p, len(self.table[p]) - 1] = {-1, *self.seats}

    def pick(self, seat: int) -> Asking:
        card = (yield seat, [f"place {card}" for card in {*self.hands[seat]}]).split()[1]
        self.hands[seat].remove(card)
        return card

    def betting(self, start: int, first: bool) -> Asking:
        self.bets, self.raised = [0 for _ in self.seats], self.option["ante"]
        must = {p for p in self.alive if self.chips[p]}
        while len(self.alive) > 1:
            rich, high = {q for q in self.alive if self.chips[q]}, max(self.bets)
            asked = [p for p in self.clockwise(start) if p in must and (self.bets[p] < high or rich - {p})]
            if not asked:
                return
            must.discard(p := asked[0])
            word = yield from self.turn(p)
            if word == "fold":
                self.alive.remove(p)
                if first and not self.last_round:
                    yield from self.place(p)
                    self.turn_up({p})
            elif word.startswith("raise"):
                must = {q for q in self.alive - {p} if self.chips[q]}
            start = (p + 1) % len(self.seats)

    def turn(self, seat: int) -> Asking:
        may_joker, unit = True, self.option["step"]
        while True:
            call = max(self.bets) - self.bets[seat]
            most, amounts = self.raises(seat, call)
            raises = [f"raise {n}" for n in amounts if n <= 100 * unit]
            legal = ["fold", "call" if call else "check", *raises]
            legal += ["raise max"] if most > 100 * unit and amounts else []
            targets = self.targets(seat) if may_joker else []
            word = yield seat, legal + targets
            if word not in targets:
                break
            may_joker = False
            yield from self.joker(seat, *map(int, word.split()[1:]))
        paid = min(call, self.chips[seat]) if word == "call" else 0
        if word.startswith("raise"):
            more = most if word == "raise max" else int(word.split()[1])
            paid, self.raised = call + more, max(self.raised, more)
        self.pay(seat, paid)
        self.bets[seat] += paid
        return word

    def raises(self, seat: int, call: int) -> tuple[int, list[int]]:
        """The most that may be raised, and all amounts [4.3]."""
        pot = sum(self.put) + (call if self.option["pot_counts_call"] else 0)
        deepest = max(self.chips[p] + self.bets[p] for p in self.alive - {seat}) - max(self.bets)
        most = min(pot, self.chips[seat] - call, deepest)
        if most <= 0 or 0 < call < self.raised:
            return 0, []
        unit = self.option["step"]
        return most, [n for n in range(unit, most + 1, unit) if n >= self.raised] or [most]

    def targets(self, seat: int) -> list[str]:
        hand, limited = self.hands[seat], self.option["joker_limit"] and self.used[seat]
        if "JK" not in hand or limited or (self.option["joker_use"] == "swap" and len(hand) < 2):
            return []
        return [f"joker {p} {k + 1}" for p, lie in self.table.items() if p != seat for k in range(len(lie))]

    def joker(self, seat: int, other: int, slot: int) -> Asking:
        self.hands[seat].remove("JK")
        self.used[seat] += 1
        target, lay = self.table[other][slot - 1], self.option["joker_use"] == "lay"
        self.giver = -1 if lay else seat
        self.table[other][slot - 1] = "JK" if lay else (yield from self.pick(seat))
        self.giver = -1
        up = lay or (self.number, slot) in ((1, 2), (3, 1))
        self.known[other, slot - 1] = {-1, *self.seats} if up else {seat, other}
        self.gone.append(target if lay else "JK")
        self.hands[seat] += [self.draw()] if lay else [target, self.draw()]

    def showdown(self, scores: dict[int, int]) -> dict[int, int]:
        won, low = dict.fromkeys(scores, 0), 0
        levels = sorted({self.put[p] for p in scores})
        for level in levels:
            top = max(self.put) if level == levels[-1] else level
            pot = sum(min(paid, top) - min(paid, low) for paid in self.put)
            rivals = [p for p in self.clockwise(self.first) if p in scores and self.put[p] >= level]
            best = [p for p in rivals if scores[p] == max(scores[q] for q in rivals)]
            for _ in range(1 if self.option["sudden_death"] else 20):
                if len(best) > 1:
                    drawn = {p: self.draw() for p in best}
                    best = [p for p in best if value(drawn[p]) == max(map(value, drawn.values()))]
                    self.gone += drawn.values()
            for k in range(pot // self.option["step"]):
                won[best[k % len(best)]] += self.option["step"]
            low = level
        return won
