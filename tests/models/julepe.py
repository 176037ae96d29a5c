"""Julepe once more, slow and plain: cards are text, piles are lists. The tests play it beside the engine."""

from collections.abc import Callable, Generator
from typing import Any

RANKS = ["2", "4", "5", "6", "7", "10", "11", "12", "3", "1"]
D0 = [rank + suit for suit in "ocb" for rank in RANKS]


def suit(card: str) -> str:
    return card[-1]


def rank(card: str) -> int:
    return RANKS.index(card[:-1])


class Model:
    """One game; `shuffle` puts cards into their shuffled order."""

    def __init__(self, players: int, options: dict[str, Any], shuffle: Callable[..., list[str]]) -> None:
        self.options, self.shuffle = options, shuffle
        self.scores = [0 for _ in range(players)]
        self.pot, self.number, self.over = 0, -1, False
        self.next_round(range(players))

    def play(self) -> Generator[tuple[int, set[str]], str, None]:
        while not self.over:
            word, _, card = (yield self.seat, self.moves()).partition(" ")
            getattr(self, self.phase)(card or word)

    def open(self) -> dict[str, Any]:
        return {"pot": self.pot, "totals": tuple(self.scores)}

    def to_pot(self, who: Any, cents: int) -> None:
        self.scores[who] -= cents
        self.pot += cents

    def next_round(self, payers: Any) -> None:
        self.number += 1
        if self.number == self.options["rounds"]:
            self.over = True
            fifth = self.pot // 5
            for p in range(5):
                self.to_pot(p, -fifth)
            return
        for p in payers:
            self.to_pot(p, self.options["stake"])
        self.dealer = self.number % 5
        self.order = [(self.dealer + k) % 5 for k in (1, 2, 3, 4, 5)]
        cards = self.shuffle(D0)
        self.hands: dict[Any, list[str]] = {p: cards[5 * k : 5 * k + 5] for k, p in enumerate(self.order)}
        self.face_up, self.ace = cards[25], "1" + suit(cards[25])
        self.hands[self.dealer].append(self.face_up)
        self.leftovers = cards[26:]
        self.said: dict[int, str] = {}
        self.out: list[str] = []
        self.phase, self.seat = "say", self.order[0]

    def moves(self) -> set[str]:
        hand = self.hands[self.seat]
        if self.phase == "say":
            return {"in"} if self.ace in hand else {"in", "out"}
        if self.phase == "answer":
            seen = [self.face_up] if self.options["village"] == "vilalba" else hand
            return {"in"} if self.ace in seen else {"in", "out"}
        if self.phase == "swap":
            more = len(self.out) < len(self.leftovers) + len(self.pile)
            return {"done"} | {f"discard {card}" for card in hand if more}
        if self.phase == "down":
            return {f"discard {card}" for card in hand}
        return {f"play {card}" for card in self.may(hand, self.options)}

    def may(self, hand: list[str], options: dict[str, Any]) -> list[str]:
        if not self.table:
            return hand
        cards = [card for _, card in self.table]
        led, trumps_in = suit(cards[0]), [card for card in cards if suit(card) == suit(self.face_up)]
        follow = [card for card in hand if suit(card) == led]
        if follow:
            top = max(rank(card) for card in cards if suit(card) == led)
            trumped = trumps_in and led != suit(self.face_up)
            free = trumped and not options.get("beat_led")
            return follow if free else [card for card in follow if rank(card) > top] or follow
        trumps = [card for card in hand if suit(card) == suit(self.face_up)]
        if options.get("overtrump") and trumps and trumps_in:
            top = max(rank(card) for card in trumps_in)
            return [card for card in trumps if rank(card) > top] or trumps
        return trumps or hand

    def say(self, word: str) -> None:
        self.said[self.seat] = word
        if len(self.said) < 4:
            self.seat = self.order[len(self.said)]
        elif "in" in self.said.values():
            self.said[self.dealer] = "in"
            self.make_pile()
        else:
            self.phase, self.seat = "answer", self.dealer

    def answer(self, word: str) -> None:
        self.said[self.dealer] = word
        if word == "out":
            self.next_round([(self.dealer + 1) % 5])
        else:
            self.make_pile()

    def make_pile(self) -> None:
        self.playing: list[Any] = [p for p in self.order if self.said[p] == "in"]
        given_up = [card for p in self.order if self.said[p] == "out" for card in self.hands[p]]
        self.pile = self.shuffle(given_up) if given_up else []
        self.turns = list(self.playing)
        if self.playing == [self.dealer]:
            self.hands["house"] = self.leftovers + self.pile[:2]
            self.leftovers, self.pile = [], self.pile[2:]
            self.hands["house"].remove(min(self.hands["house"], key=self.weakness))
            self.playing = ["house", self.dealer]
        self.tricks = dict.fromkeys(self.playing, 0)
        self.table: list[tuple[Any, str]] = []
        self.phase, self.seat = "swap", self.turns.pop(0)

    def swap(self, word: str) -> None:
        if word != "done":
            self.hands[self.seat].remove(word)
            self.out.append(word)
            return
        for _ in self.out:
            self.hands[self.seat].append((self.leftovers or self.pile).pop(0))
        self.out = []
        if self.turns:
            self.seat = self.turns.pop(0)
        else:
            self.phase = "down"

    def down(self, card: str) -> None:
        self.hands[self.dealer].remove(card)
        self.phase = "lay"
        self.turn_of(self.playing[0])

    def turn_of(self, who: Any) -> None:
        if who == "house":
            self.put(who, self.house_card())
        else:
            self.seat = who

    def lay(self, card: str) -> None:
        self.put(self.seat, card)

    def put(self, who: Any, card: str) -> None:
        self.hands[who].remove(card)
        self.table.append((who, card))
        if len(self.table) < len(self.playing):
            self.turn_of(self.playing[(self.playing.index(who) + 1) % len(self.playing)])
            return
        taker = self.taker(self.table)
        self.tricks[taker] += 1
        self.table = []
        if sum(self.tricks.values()) == 5:
            self.settle()
        else:
            self.turn_of(taker)

    def taker(self, plays: list[tuple[Any, str]]) -> Any:
        trumps = [play for play in plays if suit(play[1]) == suit(self.face_up)]
        suited = [play for play in plays if suit(play[1]) == suit(plays[0][1])]
        return max(trumps or suited, key=lambda play: rank(play[1]))[0]

    def weakness(self, card: str) -> tuple[bool, int, str]:
        return suit(card) == suit(self.face_up), rank(card), {"o": "0", "c": "1", "b": "2"}[suit(card)]

    def house_card(self) -> str:
        hand, trump = self.hands["house"], suit(self.face_up)
        if not self.table:
            side = [card for card in hand if suit(card) != trump]
            return max(side or hand, key=lambda card: (rank(card), -"ocb".index(suit(card))))
        may = self.may(hand, {})
        win = [card for card in may if self.taker([*self.table, ("house", card)]) == "house"]
        return min(win, key=rank) if win else min(may, key=self.weakness)

    def settle(self) -> None:
        pot, unit = self.pot, self.options["stake"]
        payers: Any = [(self.dealer + 1) % 5]
        safe = [p for p in self.playing if self.tricks[p] >= 2]
        if "house" in self.playing:
            mine = self.tricks[self.dealer]
            gain = -pot if mine < 2 else pot if mine > 3 else pot // (2 * unit) * unit
            self.to_pot(self.dealer, -gain)
            payers = range(5) if mine >= 2 else payers
        elif len(self.playing) == len(safe):
            for p in safe:
                self.to_pot(p, -(pot // (2 * unit) * unit))
            payers = range(5)
        elif safe or self.options["nobody_safe"] == "pay":
            for loser in set(self.playing) - set(safe):
                self.to_pot(loser, pot)
                for p in safe:
                    self.to_pot(p, -(pot // (len(safe) * unit) * unit))
        self.next_round(payers)
