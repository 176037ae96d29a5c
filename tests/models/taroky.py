"""Taroky once more, in plain Python: cards are text, hands are lists, a round is one generator.

Written from the rules page alone; slow. `play` yields `(seat, legal texts)` and is sent the action's text.
"""

from collections.abc import Callable, Generator
from fractions import Fraction
from typing import Any

TRUMPS = "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX XXI Sk"
ROMAN = TRUMPS.split()
CARDS = [rank + suit for suit in "sc" for rank in "789TJRQK"]
CARDS += [rank + suit for suit in "hd" for rank in "1234JRQK"] + ROMAN
KINGS, TRUL = {"Ks", "Kc", "Kh", "Kd"}, {"I", "XXI", "Sk"}
PACKETS = {"cut": [6, 6], **{f"knock {n}": [n] * (12 // n) for n in (1, 2, 3, 4, 6, 12)}}
PACKETS |= {"knock 345": [3, 4, 5], "knock choice": [12]}
Asking = Generator[tuple[int, list[str]], str, Any]


def worth(card: str) -> int:
    return 5 if card in TRUL else 1 if card in ROMAN else {"K": 5, "Q": 4, "R": 3, "J": 2}.get(card[0], 1)


def suit(card: str) -> str:
    return "trump" if card in ROMAN else card[1]


def money(hand: list[str], conceal: bool) -> int:
    """Chips that every other seat pays for the announced cards of a hand [4.8]."""
    trumps, five = len({*ROMAN} & {*hand}), sum(worth(card) == 5 for card in hand)
    chips = 0 if conceal or trumps > 2 else 2 if trumps else 4
    chips += 4 if trumps >= 10 else 2 if trumps >= 8 else 0
    chips += 2 if {*hand} >= TRUL else 0
    if {*hand} >= KINGS:
        return chips + (6 if five > 4 else 4)
    return chips + (2 if five >= 4 else 0)


class Model:
    """One game; `shuffle` puts cards into their shuffled order."""

    def __init__(self, players: int, options: dict[str, Any], shuffle: Callable[..., list[str]]) -> None:
        self.option, self.shuffle, self.scores, self.lead = options, shuffle, [0] * players, -1

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
        self.declarers = {prever}
        yield from self.shared_talon() if prever is None else self.prever_talon(prever)
        for seat in self.around:
            while len(self.hands[seat]) > 12:
                may = [card for card in self.hands[seat] if card not in {*KINGS, *ROMAN}]
                may = may or [card for card in self.hands[seat] if card in {*ROMAN} - TRUL]
                self.away[seat].append((yield from self.pick("discard", seat, may)))
        if prever is None:
            yield from self.call()
        yield from self.announce()
        valat = yield from self.ask("valat", self.around, {*range(4)})
        claimant = valat if valat is not None else prever if prever is not None else self.lead
        words = yield from self.contra(claimant, prever is not None)
        holder = {p for p in range(4) if "I" in self.hands[p]}
        asked = self.around if valat is None or self.option["pagat_with_valat"] else []
        pagat = yield from self.ask("pagat", asked, holder)
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
            if prever is None or self.option["prever_override"]:
                prever = seat if (yield seat, ["pass", "prever"]) == "prever" else prever
        return prever

    def prever_talon(self, prever: int) -> Asking:
        first, second = self.talon[:3], self.talon[3:]
        while self.rejections < 2 and (yield prever, ["keep", "reject"]) == "reject":
            self.rejections += 1
        self.hands[prever] += second if self.rejections == 1 else first

    def shared_talon(self) -> Asking:
        lead, second, third, fourth = self.around
        self.hands[lead] += self.talon[:4]
        for seat, card in ((second, self.talon[4]), (third, self.talon[5])):
            is_offered = (yield seat, ["draw", "offer"]) == "offer"
            is_taken = is_offered and (yield fourth, ["accept", "reject"]) == "accept"
            self.hands[fourth if is_taken else seat].append(card)

    def pick(self, word: str, seat: int, may: list[str]) -> Asking:
        """Which card leaves a hand."""
        card = (yield seat, [f"{word} {card}" for card in may]).split()[1]
        self.hands[seat].remove(card)
        return card

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
        self.played, self.took, leader = list[dict[str, int]](), list[int](), self.lead
        for _ in range(12):
            trick: dict[str, int] = {}
            for seat in [(leader + k) % 4 for k in range(4)]:
                hand, led = self.hands[seat], [suit(card) for card in trick][:1]
                follow = [card for card in hand if not led or suit(card) in led]
                may = follow or [card for card in hand if card in ROMAN] or hand
                trick[(yield from self.pick("play", seat, may))] = seat
            leader = trick[max(trick, key=lambda card: self.rank(card, *led))]
            self.played.append(trick)
            self.took.append(leader)

    def rank(self, card: str, led: str) -> tuple[bool, bool, float]:
        high = 3.5 if self.option["ace_high"] and card in ("1h", "1d") else 0
        return card in ROMAN, suit(card) == led, CARDS.index(card) + high

    def settle(self, prever: int | None, valat: int | None, words: int, pagat: int | None) -> None:
        side = self.declarers
        ours = [taker in side for taker in self.took]
        cards = [card for trick, mine in zip(self.played, ours, strict=True) if mine for card in trick]
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
        last = self.played[-1]
        made = {*last} & {*ROMAN} == {"I"}
        seat = last.get("I") if called is None else called
        won, lost = (2, 2) if called is None else (4, self.option["pagat_fail"])
        chips = 0 if seat is None else won if made else -lost
        return chips if seat in self.declarers else -chips
