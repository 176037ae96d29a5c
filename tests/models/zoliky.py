"""Jolly Zoliky's turn as a plain model: the rules of melds word for word on text, and a search that tries
everything.

Written for the tests, without anything of the engine: no masks, no cuts, melds as tuples. `legal` gives the
complete legal set of a position, or None when more than `budget` positions would have to be tried.
"""

from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Any, NamedTuple

RANKS = "A23456789TJQK"
SUITS = "shdc"
BUDGET = 40
"""Positions that a search of a whole game tries before it gives up."""
Asking = Generator[tuple[int, list[str] | None], str, Any]


class Run(NamedTuple):
    suit: str
    low: int
    jokers: tuple[bool, ...]  # by position from low on

    @property
    def high(self) -> int:
        return self.low + len(self.jokers) - 1


class Set(NamedTuple):
    rank: str
    suits: frozenset[str]
    jokers: int


@dataclass(frozen=True)
class Turn:
    """A position within a turn. `hand`: (card, number) pairs, sorted; `table`: melds, the last `fresh` of
    them fresh; `now`: opened in this turn; `kept`: a pure run of the opening must then remain.
    """

    hand: tuple[tuple[str, int], ...]
    table: tuple[Run | Set, ...]
    fresh: int = 0
    opened: bool = False
    owed: tuple[str, ...] = ()
    jolly: bool = False
    now: bool = False
    kept: bool = True


class TooMany(Exception):
    """The budget of positions is used up."""


def hand_of(text: str) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(Counter(text.split()).items()))


def meld_of(text: str) -> Run | Set:
    """From text such as `4h 5h JK(6h)` or `7h 7d JK`."""
    cards = text.split()
    naturals = [card for card in cards if card != "JK"]
    full = [card.removeprefix("JK(").removesuffix(")") for card in naturals]
    if len({card[0] for card in full}) == 1:
        return Set(full[0][0], frozenset(card[1] for card in full), len(cards) - len(full))
    return Run(full[0][1], RANKS.index(full[0][0]) + 1, tuple(card.startswith("JK") for card in cards))


def meld_text(meld: Run | Set) -> str:
    if isinstance(meld, Set):
        return " ".join([meld.rank + suit for suit in SUITS if suit in meld.suits] + ["JK"] * meld.jokers)
    cards = [card_at(meld.suit, pos) for pos in range(meld.low, meld.high + 1)]
    return " ".join(f"JK({card})" if joker else card for card, joker in zip(cards, meld.jokers))


def card_at(suit: str, pos: int) -> str:
    return RANKS[(pos - 1) % 13] + suit


def points(meld: Run | Set) -> int:
    if isinstance(meld, Set):
        return (int(meld.rank) if meld.rank.isdigit() else 10) * (len(meld.suits) + meld.jokers)
    return sum(pos if pos < 10 else 10 for pos in range(meld.low, meld.high + 1))


def shape_ok(meld: Run | Set) -> bool:
    if isinstance(meld, Set):
        return len(meld.suits) >= 1 and meld.jokers <= 2 and 3 <= len(meld.suits) + meld.jokers <= 4
    neighbours = any(a and b for a, b in zip(meld.jokers, meld.jokers[1:]))
    return len(meld.jokers) >= 3 and meld.low >= 1 and meld.high <= 14 and not neighbours


def new_run(cards: list[str]) -> Run:
    i = next(i for i, card in enumerate(cards) if card != "JK")
    low = 12 if cards[2][0] == "A" else RANKS.index(cards[i][0]) + 1 - i  # an ace that is last is high
    return Run(cards[i][1], low, tuple(card == "JK" for card in cards))


def meld_after(action: list[str], meld: Run | Set) -> Run | Set | None:
    """The meld after a lay-off or swap on it; None if it is not eligible (rules 4.3)."""
    joker, card, where = action[0] == "lay" and action[1] == "JK", action[-2], action[-1]
    if action[0] == "swap" and where == "run":
        if isinstance(meld, Run):
            for i, held in enumerate(meld.jokers):
                if held and card_at(meld.suit, meld.low + i) == card:
                    return meld._replace(jokers=(*meld.jokers[:i], False, *meld.jokers[i + 1 :]))
        return None
    if where == "set":
        if not isinstance(meld, Set) or meld.rank != card[0]:
            return None
        size = len(meld.suits) + meld.jokers
        if joker:
            after = meld._replace(jokers=meld.jokers + 1)
            return after if size == 3 and shape_ok(after) else None
        if card[1] in meld.suits:
            return None
        if action[0] == "lay":
            return meld._replace(suits=meld.suits | {card[1]}) if size == 3 else None
        return (
            meld._replace(suits=meld.suits | {card[1]}, jokers=meld.jokers - 1)
            if size == 4 and meld.jokers
            else None
        )
    if not isinstance(meld, Run) or meld.suit != card[1]:
        return None
    after = (
        meld._replace(jokers=(*meld.jokers, joker))
        if where == "hi"
        else Run(meld.suit, meld.low - 1, (joker, *meld.jokers))
    )
    end = after.high if where == "hi" else after.low
    return after if shape_ok(after) and card_at(meld.suit, end) == card else None


@cache
def all_steps() -> tuple[tuple[str, tuple[str, ...], Counter[str]], ...]:
    """Every meld step: text, words, the cards it needs."""
    steps = []
    for suit in SUITS:
        for low in range(1, 13):
            for jokers in ((), (0,), (1,), (2,), (0, 2)):
                steps.append(
                    "run " + " ".join("JK" if i in jokers else card_at(suit, low + i) for i in range(3))
                )
    for rank in RANKS:
        for n in (3, 2, 1):
            for suits in combinations(SUITS, n):
                steps.append("set " + " ".join([rank + suit for suit in suits] + ["JK"] * (3 - n)))
        steps.append(f"lay JK {rank} set")
        steps += [
            f"{verb} {rank}{suit} {where}"
            for suit in SUITS
            for verb, where in (("lay", "set"), ("swap", "run"), ("swap", "set"))
        ]
    for suit in SUITS:
        steps += [f"lay {joker}{card_at(suit, pos)} hi" for pos in range(4, 15) for joker in ("", "JK ")]
        steps += [f"lay {joker}{card_at(suit, pos)} lo" for pos in range(1, 12) for joker in ("", "JK ")]
    return tuple((text, tuple(text.split()), Counter(_cards(text.split()))) for text in steps)


def _cards(words: list[str]) -> list[str]:
    if words[0] in ("run", "set"):
        return words[1:]
    return ["JK"] if words[1] == "JK" else [words[1]]


def after(turn: Turn, words: tuple[str, ...], needs: Counter[str]) -> Turn | None:
    """The position after a step that the shape rules allow, else None."""
    hand, table, fresh = dict(turn.hand), turn.table, turn.fresh
    if words[0] == "swap" and not turn.opened:
        return None
    for card, n in needs.items():
        if hand.get(card, 0) < n:
            return None
    if words[0] in ("run", "set"):
        cards = list(words[1:])
        naturals = [card for card in cards if card != "JK"]
        new = (
            new_run(cards)
            if words[0] == "run"
            else Set(naturals[0][0], frozenset(c[1] for c in naturals), cards.count("JK"))
        )
        assert shape_ok(new)
        table, fresh = (*table, new), fresh + 1
    else:
        for i in range(0 if turn.opened else len(table) - fresh, len(table)):
            changed = meld_after(list(words), table[i])
            if changed is None:
                continue
            melds = (*table[:i], changed, *table[i + 1 :])
            if not (turn.now and turn.kept) or has_pure(melds[len(melds) - fresh :]):
                table = melds
                break
        else:
            return None
    owed = list(turn.owed)
    for card in needs.elements():
        hand[card] -= 1
        if card in owed:
            owed.remove(card)
    if words[0] == "swap":
        hand["JK"] = hand.get("JK", 0) + 1
        owed.append("JK")
    laid = table[len(table) - fresh :]
    opens = not turn.opened and sum(points(meld) for meld in laid) >= 36 and has_pure(laid)
    left = tuple(sorted((card, n) for card, n in hand.items() if n))
    opened, now = turn.opened or opens, turn.now or opens
    return Turn(left, table, fresh, opened, tuple(sorted(owed)), turn.jolly, now, turn.kept)


def has_pure(melds: tuple[Run | Set, ...]) -> bool:
    """Whether one of the melds is a run without joker."""
    return any(isinstance(meld, Run) and not any(meld.jokers) for meld in melds)


class Search:
    """Completable (rules 4.4) by trying every step, with a table of the positions that were settled."""

    def __init__(self, turn: Turn, budget: int) -> None:
        cards = {"JK", *dict(turn.hand)}
        self.steps = [step for step in all_steps() if step[2].keys() <= cards]
        self.settled: dict[Turn, bool] = {}
        self.budget = budget

    def children(self, turn: Turn) -> list[tuple[str, Turn]]:
        return [(t, child) for t, w, n in self.steps if (child := after(turn, w, n)) is not None]

    def completable(self, turn: Turn) -> bool:
        size = sum(n for _, n in turn.hand)
        if size == 0:
            return False
        if turn.opened and not turn.owed and (not turn.jolly or size == 1):
            return True
        if turn not in self.settled:
            if len(self.settled) >= self.budget:
                raise TooMany
            self.settled[turn] = False
            self.settled[turn] = any(self.completable(child) for _, child in self.children(turn))
        return self.settled[turn]


def legal_steps(turn: Turn, budget: int = 10**9) -> list[str] | None:
    """The legal meld steps, sorted as text; None if the budget does not do."""
    search = Search(turn, budget)
    try:
        return sorted(text for text, child in search.children(turn) if search.completable(child))
    except TooMany:
        return None


def discards(turn: Turn) -> list[str]:
    """The legal discards, sorted as text (rules 4.4)."""
    size = sum(n for _, n in turn.hand)
    may = size == 1 and turn.opened if turn.jolly else turn.opened or not turn.fresh
    return sorted(f"discard {card}" for card, _ in turn.hand) if may and not turn.owed else []


def may_draw(turn: Turn, card: str, budget: int = 10**9, jolly: bool = False) -> bool | None:
    """Whether the turn can be completed with this card drawn and owed; None if the budget does not do."""
    hand = Counter(dict(turn.hand))
    hand[card] += 1
    drawn = replace(turn, hand=tuple(sorted(hand.items())), owed=(card,), jolly=jolly)
    try:
        return Search(drawn, budget).completable(drawn)
    except TooMany:
        return None


# --- a whole game around the turns ------------------------------------------------------------------------------


class Model:
    """One game; `shuffle` puts cards into their shuffled order. Where a search is too long, legal texts are None."""

    def __init__(
        self, players: int, options: dict[str, Any], shuffle: Callable[[list[str]], list[str]]
    ) -> None:
        self.option, self.shuffle, self.seats = options, shuffle, range(players)
        self.scores = [0 for _ in self.seats]

    def open(self) -> dict[str, Any]:
        return {
            "totals": tuple(self.scores),
            "sizes": tuple(map(len, self.hands)),
            "pile": tuple(self.pile),
            "stock_size": len(self.stock),
            "table": tuple(tuple(meld_text(meld).split()) for meld in self.table),
        }

    def play(self) -> Asking:
        for number in range(self.option["deals"]):
            winner = yield from self.one_deal(number % len(self.seats))
            lost = [
                sum(self.option["joker_penalty"] if card == "JK" else 1 for card in hand)
                for hand in self.hands
            ]
            self.scores = [n - m for n, m in zip(self.scores, lost, strict=True)]
            if winner is not None and self.option["winner_pot"]:
                self.scores[winner] += sum(lost)

    def one_deal(self, leader: int) -> Asking:
        n = len(self.seats)
        clockwise = [(leader + k) % n for k in self.seats]
        self.deal(clockwise, cutter=(leader - 2) % n)
        self.pile: list[str] = []
        self.table: tuple[Run | Set, ...] = ()
        self.opened = [False for _ in self.seats]
        for number in range(1, self.option["max_rounds"] + 1):
            for seat in clockwise:
                yield from self.turn(seat, number, must_draw=number > 1 or seat != leader)
                if not self.hands[seat]:
                    return seat
        return None

    def deal(self, clockwise: list[int], cutter: int) -> None:
        cards = self.shuffle([*(rank + suit for rank in RANKS for suit in SUITS)] * 2 + ["JK"] * 4)
        looked, cards = cards[-3:], cards[:-3]
        kept = [card for card in looked if card == "JK"]
        cards += [card for card in looked if card != "JK"]
        lowest = max(i for i, card in enumerate(cards) if card != "JK")
        self.jolly: str | None = cards.pop(lowest)
        self.hands: list[list[str]] = [[] for _ in self.seats]
        room = [13 if seat == clockwise[0] else 12 for seat in self.seats]
        room[cutter] -= len(kept) if self.option["cut_jokers"] == "instead" else 0
        while any(len(hand) < size for hand, size in zip(self.hands, room, strict=True)):
            for seat in clockwise:
                packet = 3 if seat == clockwise[0] and not self.hands[seat] else 2
                for _ in range(min(packet, room[seat] - len(self.hands[seat]))):
                    self.hands[seat].append(cards.pop(0))
        self.hands[cutter] += kept
        self.stock = cards

    def turn(self, seat: int, number: int, must_draw: bool) -> Asking:
        kept = self.option["opening"] == "kept"
        turn = Turn(hand_of(" ".join(self.hands[seat])), self.table, opened=self.opened[seat], kept=kept)
        if must_draw:
            card, draw = yield from self.draw(seat, turn, number)
            owed = () if draw == "draw stock" else (card,)
            hand = hand_of(" ".join([*self.hands[seat], card]))
            turn = replace(turn, hand=hand, owed=owed, jolly=draw == "draw jolly")
        while True:
            self.hands[seat] = list(Counter(dict(turn.hand)).elements())
            self.table, self.opened[seat] = turn.table, turn.opened
            steps = legal_steps(turn, BUDGET) if number > 2 else []
            word = yield seat, None if steps is None else steps + discards(turn)
            if word.startswith("discard"):
                break
            laid = next(after(turn, w, needs) for text, w, needs in all_steps() if text == word)
            assert laid is not None, f"{word} is not allowed"
            turn = laid
        self.hands[seat].remove(word.split()[1])
        self.pile.append(word.split()[1])

    def draw(self, seat: int, turn: Turn, number: int) -> Asking:
        may: dict[str, bool | None] = {"draw stock": True}
        if number > 2:
            may["draw discard"] = may_draw(turn, self.pile[-1], BUDGET)
            if self.jolly and not turn.opened and len(self.hands[seat]) == 12:
                may["draw jolly"] = may_draw(turn, self.jolly, BUDGET, jolly=True)
        word = yield seat, None if None in may.values() else [text for text in may if may[text]]
        if word == "draw discard":
            return self.pile.pop(), word
        if word == "draw jolly":
            card, self.jolly = self.jolly, None
            return card, word
        if not self.stock:
            self.stock, self.pile = self.shuffle(self.pile), []
        return self.stock.pop(0), word
