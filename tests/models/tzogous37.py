"""Tzogous 37 once more, in plain Python: cards are text, hands are lists, a hand of four rounds is one generator.

Written from the rules page alone; slow. `play` yields `(seat, legal texts)` and is sent the action's text.
"""

from collections.abc import Callable, Generator
from typing import Any

RANKS = "23456789TJQKA"
CARDS = [rank + suit for suit in "shdc" for rank in RANKS]
FACE_UP = {(1, 2), (3, 1)}  # round and slot, both from 1
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
        self.option, self.shuffle, self.n, self.seats = options, shuffle, players, range(players)
        self.scores, self.put, self.chips = [0] * players, [0] * players, [options["stack"]] * players

    def open(self) -> dict[str, Any]:
        return {"totals": tuple(self.scores), "chips": tuple(self.chips), "pot": sum(self.put)}

    def seen(self, seat: int) -> dict[str, Any]:
        """The own hand, and this round's cards as far as a seat knows them [6]."""
        hand = [*self.hands[seat], *["JK"] * (seat == self.giver)] if seat >= 0 else []
        table = {(p, k): card for p, cards in self.table.items() for k, card in enumerate(cards)}
        seen = {at: card if seat in self.known[at] else "?" for at, card in table.items()}
        slots = tuple((seen.get((p, 0), ""), seen.get((p, 1), "")) for p in self.seats)
        pairs = [[card for card in (*pair, *self.shared) if card] for pair in slots]
        points = tuple(score(*pair) if len(pair) == 2 and "?" not in pair else None for pair in pairs)
        return {"hand": tuple(sorted(hand, key=[*CARDS, "JK"].index)), "table": slots, "scores": points}

    def play(self) -> Asking:
        for number in range(self.option["hands"]):
            pack = CARDS * self.option["decks"] + ["JK"] * (self.option["jokers"] * self.option["decks"])
            self.deck, self.gone, self.used = self.shuffle(pack), list[str](), [0] * self.n
            self.hands = [[self.deck.pop(0) for _ in range(7 * (n > 0))] for n in self.chips]
            for r in (1, 2, 3, 4):
                if self.can_go_on():
                    yield from self.round(number, r)
                self.refill("round")
            self.refill("hand")
            if not self.can_go_on():
                return

    def can_go_on(self) -> bool:
        return sum(n > 0 for n in self.chips) > 1

    def refill(self, when: str) -> None:
        if self.option["stacks"] == when:
            self.chips = [self.option["stack"]] * self.n

    def clockwise(self, start: int) -> list[int]:
        return [(start + k) % self.n for k in self.seats]

    def draw(self) -> str:
        if not self.deck:
            self.deck, self.gone = self.shuffle(self.gone), []
        return self.deck.pop(0)

    def pay(self, seat: int, amount: int) -> None:
        self.chips[seat] -= amount
        self.put[seat] += amount

    def round(self, number: int, r: int) -> Asking:
        self.number, self.giver, self.shared = r, -1, list[str]()
        self.known: dict[tuple[int, int], set[int]] = {}
        self.put, self.alive = [0] * self.n, {p for p in self.seats if self.chips[p]}
        self.table: dict[int, list[str]] = {p: [] for p in sorted(self.alive)}
        for p in self.alive:
            self.pay(p, min(self.option["ante"], self.chips[p]))
        self.first = next(p for p in self.clockwise((number + r - 1) % self.n) if p in self.alive)
        yield from self.place(self.alive)
        yield from self.betting(self.first, first=True)
        self.shared = [self.draw()] if r == 4 and len(self.alive) > 1 else []
        if len(self.alive) > 1:
            yield from self.place(self.alive if r < 4 else set())
            yield from self.betting((self.first + 1) % self.n, first=False)
        if len(self.alive) == 1:
            yield from self.place({p for p in self.alive if len(self.table[p]) < 2 and r < 4})
            won = dict.fromkeys(self.alive, sum(self.put))
        else:
            won = self.showdown({p: score(*self.table[p], *self.shared) for p in self.alive})
        for p in self.seats:
            self.chips[p] += won.get(p, 0)
            self.scores[p] += won.get(p, 0) - self.put[p]
        self.gone += [card for cards in self.table.values() for card in cards] + self.shared

    def place(self, seats: set[int]) -> Asking:
        """Each of these seats lays a card; then the second in round 1 and the first in round 3 are turned up [4.1]."""
        for p in (p for p in self.clockwise(self.first) if p in seats):
            self.known[p, len(self.table[p])] = {p}
            self.table[p].append((yield from self.pick(p)))
        for p in seats:
            if (self.number, len(self.table[p])) in FACE_UP:
                self.known[p, len(self.table[p]) - 1] = {-1, *self.seats}

    def pick(self, seat: int) -> Asking:
        card = (yield seat, [f"place {card}" for card in {*self.hands[seat]}]).split()[1]
        self.hands[seat].remove(card)
        return card

    def betting(self, start: int, first: bool) -> Asking:
        self.bets, self.raised = [0] * self.n, self.option["ante"]
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
                if first and self.number < 4:
                    yield from self.place({p})
            elif word.startswith("raise"):
                must = {q for q in self.alive - {p} if self.chips[q]}
            start = (p + 1) % self.n

    def turn(self, seat: int) -> Asking:
        call = max(self.bets) - self.bets[seat]
        raises, targets = self.raises(seat, call), self.targets(seat)
        legal = ["fold", "call" if call else "check", *raises]
        word = yield seat, legal + targets
        if word in targets:
            yield from self.joker(seat, *map(int, word.split()[1:]))
            word = yield seat, legal
        paid = min(call, self.chips[seat]) if word == "call" else 0
        if word in raises:
            paid, self.raised = call + raises[word], max(self.raised, raises[word])
        self.pay(seat, paid)
        self.bets[seat] += paid
        return word

    def raises(self, seat: int, call: int) -> dict[str, int]:
        """What may be said, and the amount of each [4.3]."""
        pot = sum(self.put) + (call if self.option["pot_counts_call"] else 0)
        deepest = max(self.chips[p] + self.bets[p] for p in self.alive - {seat}) - max(self.bets)
        most = min(pot, self.chips[seat] - call, deepest)
        if most <= 0 or 0 < call < self.raised:
            return {}
        unit = self.option["step"]
        amounts = [n for n in range(unit, most + 1, unit) if n >= self.raised] or [most]
        words = {f"raise {n}": n for n in amounts if n <= 100 * unit}
        return words | ({"raise max": most} if most > 100 * unit else {})

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
        up = lay or (self.number, slot) in FACE_UP
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
