"""Taroky once more, in plain Python: cards are text, hands are lists, a round is one generator.

Written from the rules page alone; slow. `play` yields `(seat, legal texts)` and is sent the action's text.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from fractions import Fraction
from typing import Any

ROMAN = [
    "I",
    "II",
    "III",
    "IV",
    "V",
    "VI",
    "VII",
    "VIII",
    "IX",
    "X",
    "XI",
    "XII",
    "XIII",
    "XIV",
    "XV",
    "XVI",
    "XVII",
    "XVIII",
    "XIX",
    "XX",
    "XXI",
    "Sk",
]
CARDS = [rank + suit for suit in "sc" for rank in "789TJRQK"]
CARDS += [rank + suit for suit in "hd" for rank in "1234JRQK"] + ROMAN
KINGS, TRUL = {"Ks", "Kc", "Kh", "Kd"}, {"I", "XXI", "Sk"}
PACKETS = {
    "cut": [6, 6],
    **{f"knock {n}": [n] * (12 // n) for n in (1, 2, 3, 4, 6, 12)},
    "knock 345": [3, 4, 5],
    "knock choice": [12],
}
Asking = Generator[tuple[int, list[str]], str, Any]


def worth(card: str) -> int:
    if card in TRUL:
        return 5
    return 1 if card in ROMAN else {"K": 5, "Q": 4, "R": 3, "J": 2}.get(card[0], 1)


def suit(card: str) -> str:
    return "trump" if card in ROMAN else card[1]


def plain(card: str) -> bool:
    return card not in ROMAN and card not in KINGS


def money(hand: list[str], conceal: bool) -> int:
    """Chips that every other seat pays for the announced cards of a hand [4.8]."""
    trumps, kings, five = (
        sum(c in ROMAN for c in hand),
        len(KINGS & {*hand}),
        sum(worth(c) == 5 for c in hand),
    )
    chips = 0 if conceal else 4 if trumps == 0 else 2 if trumps <= 2 else 0
    chips += 4 if trumps >= 10 else 2 if trumps >= 8 else 0
    chips += 2 if {*hand} >= TRUL else 0
    if kings == 4:
        return chips + (6 if five > 4 else 4)
    return chips + (2 if five >= 4 else 0)


class Model:
    """One game; `shuffle` puts cards into their shuffled order."""

    def __init__(
        self, players: int, options: dict[str, Any], shuffle: Callable[[list[str]], list[str]]
    ) -> None:
        self.option, self.shuffle = options, shuffle
        self.scores = [0] * players
        self.lead = -1

    def open(self) -> dict[str, Any]:
        return {"totals": tuple(self.scores)}

    def play(self) -> Asking:
        dealer = self.option["first_dealer"]
        if dealer < 0:
            drawn = self.shuffle(CARDS)[:4]
            dealer = max(range(4), key=lambda p: (worth(drawn[p]), CARDS.index(drawn[p])))
        for _ in range(self.option["rounds"]):
            yield from self.round(dealer)
            dealer = self.lead

    def round(self, dealer: int) -> Asking:
        yield from self.deal(dealer)
        self.away: list[list[str]] = [[] for _ in range(4)]
        self.rejections = 0
        self.around = [(self.lead + k) % 4 for k in range(4)]
        prever = yield from self.bid()
        if prever is not None:
            self.declarers = {prever}
            yield from self.prever_talon(prever)
        else:
            yield from self.shared_talon()
        for seat in self.around:
            while len(self.hands[seat]) > 12:
                may = [c for c in self.hands[seat] if plain(c)]
                may = may or [c for c in self.hands[seat] if c in ROMAN and c not in TRUL]
                yield from self.discard(seat, may)
        if prever is None:
            yield from self.call()
        yield from self.announce()
        valat = yield from self.ask("valat", self.around, {*range(4)})
        claimant = valat if valat is not None else prever if prever is not None else self.lead
        words = yield from self.contra(claimant, prever is not None)
        pagat = None
        if valat is None or self.option["pagat_with_valat"]:
            holder = {p for p in range(4) if "I" in self.hands[p]}
            pagat = yield from self.ask("pagat", self.around, holder)
        yield from self.tricks()
        self.settle(prever, valat, words, pagat)

    def deal(self, dealer: int) -> Asking:
        cards = self.shuffle(CARDS)
        style = yield (dealer + 3) % 4, [*PACKETS]
        if style == "cut":
            cards = cards[27:] + cards[:27]
        self.talon, cards = cards[:6], cards[6:]
        self.hands: list[list[str]] = [[] for _ in range(4)]
        seats = [(dealer + k) % 4 for k in (1, 2, 3, 4)]
        if style == "knock choice":
            piles = {f"pile {n + 1}": cards[12 * n : 12 * n + 12] for n in range(4)}
            for seat in seats[:3]:
                self.hands[seat] = piles.pop((yield seat, list(piles)))
            (self.hands[dealer],) = piles.values()
        else:
            for packet in PACKETS[style]:
                for seat in seats:
                    self.hands[seat] += cards[:packet]
                    cards = cards[packet:]
        if self.lead < 0:
            deciding = next(card for card in ROMAN[1:] if card not in self.talon)
            self.lead = next(p for p in range(4) if deciding in self.hands[p])
        else:
            self.lead = (self.lead + 1) % 4

    def ask(self, word: str, seats: list[int], able: set[int]) -> Asking:
        """Ask the seats in turn until one says the word; who did."""
        for seat in seats:
            if (yield seat, ["pass", word] if seat in able else ["pass"]) == word:
                return seat
        return None

    def bid(self) -> Asking:
        prever = None
        for seat in self.around:
            if (yield seat, ["pass", "prever"]) == "prever":
                prever = seat
                if not self.option["prever_override"]:
                    break
        return prever

    def prever_talon(self, prever: int) -> Asking:
        taken = self.talon[:3]
        for half in (self.talon[:3], self.talon[3:]):
            if (yield prever, ["keep", "reject"]) == "keep":
                taken = half
                break
            self.rejections += 1
        self.hands[prever] += taken

    def shared_talon(self) -> Asking:
        lead = self.lead
        self.hands[lead] += self.talon[:4]
        for seat, card in (((lead + 1) % 4, self.talon[4]), ((lead + 2) % 4, self.talon[5])):
            taker = seat
            if (yield seat, ["draw", "offer"]) == "offer":
                other = (lead + 3) % 4
                taker = other if (yield other, ["accept", "reject"]) == "accept" else seat
            self.hands[taker].append(card)

    def discard(self, seat: int, may: list[str]) -> Asking:
        card = (yield seat, [f"discard {card}" for card in may]).split()[1]
        self.hands[seat].remove(card)
        self.away[seat].append(card)

    def call(self) -> Asking:
        own = self.hands[self.lead]
        lower = [card for card in ("XVIII", "XVII", "XVI", "XV") if card not in own][:1]
        names = ["XIX", *(lower if "XIX" in own else [])]
        card = (yield self.lead, [f"call {name}" for name in names]).split()[1]
        self.declarers = {self.lead} | {p for p in range(4) if card in self.hands[p]}

    def announce(self) -> Asking:
        few = sum(card in ROMAN for card in self.hands[self.lead]) <= 2
        conceal = (yield self.lead, ["announce", "conceal"] if few else ["announce"]) == "conceal"
        for seat, hand in enumerate(self.hands):
            chips = money(hand, conceal and seat == self.lead)
            self.scores = [n + (3 * chips if p == seat else -chips) for p, n in enumerate(self.scores)]

    def contra(self, claimant: int, prever: bool) -> Asking:
        """How many words were said."""
        of_claim = self.declarers if claimant in self.declarers else {*range(4)} - self.declarers
        last = claimant
        for n, word in enumerate(("contra", "rhea", "supra")):
            able = of_claim if word == "rhea" else {*range(4)} - of_claim
            seats = [(last + k) % 4 for k in (1, 2, 3)]
            said = yield from self.ask(word, [p for p in seats if p in able or not prever], able)
            if said is None:
                return n
            last = said
        return 3

    def tricks(self) -> Asking:
        self.played: list[list[tuple[int, str]]] = []
        self.took: list[int] = []
        leader = self.lead
        for _ in range(12):
            trick: list[tuple[int, str]] = []
            for seat in [(leader + k) % 4 for k in range(4)]:
                hand = self.hands[seat]
                follow = [card for card in hand if not trick or suit(card) == suit(trick[0][1])]
                may = follow or [card for card in hand if card in ROMAN] or hand
                card = (yield seat, [f"play {card}" for card in may]).split()[1]
                hand.remove(card)
                trick.append((seat, card))
            high = [p for p in trick if p[1] in ROMAN] or [
                p for p in trick if suit(p[1]) == suit(trick[0][1])
            ]
            leader = max(high, key=lambda play: self.rank(play[1]))[0]
            self.played.append(trick)
            self.took.append(leader)

    def rank(self, card: str) -> float:
        return CARDS.index(card) + (3.5 if self.option["ace_high"] and card in ("1h", "1d") else 0)

    def settle(self, prever: int | None, valat: int | None, words: int, pagat: int | None) -> None:
        side = self.declarers
        ours = [taker in side for taker in self.took]
        cards = [card for trick, mine in zip(self.played, ours, strict=True) if mine for _, card in trick]
        points = sum(map(worth, cards + [card for seat in side for card in self.away[seat]]))
        if valat is not None:
            won, main = all(ours) if valat in side else any(ours), 40
        elif len(set(ours)) == 1:
            won, main = ours[0], 20
        else:
            tenths = (abs(points - 53) + 10) * (2 if prever is None else 3)
            won, main = points >= 54, int(Fraction(tenths, 10) + Fraction(1, 2))
        main *= 2**words * (2**self.rejections if prever is not None and not won and valat is None else 1)
        pay = (main if won else -main) + self.pagat(valat, pagat)
        heads = 3 if len(side) == 1 else 1
        self.scores = [n + (heads * pay if p in side else -pay) for p, n in enumerate(self.scores)]

    def pagat(self, valat: int | None, called: int | None) -> int:
        """What it pays the declarers from each head."""
        if valat is not None and not self.option["pagat_with_valat"]:
            return 0
        player = next((seat for seat, card in self.played[-1] if card == "I"), None)
        made = [card for _, card in self.played[-1] if card in ROMAN] == ["I"]
        if called is not None:
            chips, seat = (4 if made else -self.option["pagat_fail"]), called
        elif player is not None:
            chips, seat = (2 if made else -2), player
        else:
            return 0
        return chips if seat in self.declarers else -chips
