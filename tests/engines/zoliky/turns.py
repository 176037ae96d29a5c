"""Random and constructed positions of Jolly Zoliky, as turns of the plain model and as rows of the engine."""

import random
from collections import Counter
from dataclasses import replace

import numpy as np

from tests.engines.zoliky.positions import position
from tests.models.zoliky import RANKS, SUITS, Run, Search, Set, Turn, card_at, meld_text, shape_ok

DECK = [rank + suit for suit in SUITS for rank in RANKS] * 2 + ["JK"] * 4


def row_of(turn: Turn, drawn: str = "", jolly: str = "") -> np.ndarray:
    """The turn as a one-row batch; with `drawn`, before the draw with this card on the pile (and this Jolly
    card).
    """
    hand = " ".join(card for card, n in turn.hand for _ in range(n))
    table = tuple(meld_text(meld) for meld in turn.table)
    opening = "kept" if turn.kept else "reached"
    if drawn or jolly:
        opened = (0,) if turn.opened else ()
        return position(hand, table, opened=opened, draw=True, pile=drawn, jolly=jolly, opening=opening)
    told = {"opened": (0,) if turn.opened else (), "opened_now": turn.now, "owed": " ".join(turn.owed)}
    jolly = "As" if turn.jolly else ""
    return position(
        hand, table, fresh=turn.fresh, jolly_turn=turn.jolly, jolly=jolly, opening=opening, **told
    )


def random_meld(rng: random.Random, left: Counter[str]) -> Run | Set | None:
    """A meld out of the cards that are left, which it takes; None if this try failed."""
    if rng.random() < 0.6:
        n = rng.choice((3, 3, 3, 4, 4, 5, 6, 8, 14))
        low = rng.randint(1, 15 - n)
        share = rng.choice((0.1, 0.2, 0.5))
        meld: Run | Set = Run(rng.choice(SUITS), low, tuple(rng.random() < share for _ in range(n)))
    else:
        n = rng.randint(1, 4)
        meld = Set(rng.choice(RANKS), frozenset(rng.sample(SUITS, n)), rng.randint(0, min(2, 4 - n)))
    if not shape_ok(meld):
        return None
    cards = Counter("JK" if "JK" in card else card for card in meld_text(meld).split())
    if any(left[card] < n for card, n in cards.items()):
        return None
    left.subtract(cards)
    return meld


def random_hand(rng: random.Random, left: Counter[str], size: int, jokers: int) -> Counter[str]:
    """Cards that have something to do with one another: few suits and ranks, chosen anew each time."""
    suits = rng.sample(SUITS, rng.randint(1, 4))
    low = rng.randint(1, 12)
    window = rng.randint(3, 13)
    near = [card_at(suit, min(low + i, 14)) for suit in suits for i in range(window)]
    hand: Counter[str] = Counter({"JK": min(jokers, left["JK"])})
    while hand.total() < size:
        card = rng.choice(near) if rng.random() < 0.85 else rng.choice(DECK[:52])
        if hand[card] < left[card]:
            hand[card] += 1
    return +hand


def built_hand(rng: random.Random, left: Counter[str], table: list[Run | Set], size: int) -> Counter[str]:
    """Cards that nearly go out: whole melds, cards that fit the table, and a few that do not."""
    hand: Counter[str] = Counter()
    fitting = [card for card in DECK[:52] if any(_fits(card, meld) for meld in table)]
    while hand.total() < size:
        before = left.copy()
        meld = random_meld(rng, left) if size - hand.total() >= 3 and rng.random() < 0.7 else None
        if meld is not None:
            cards = Counter("JK" if "JK" in card else card for card in meld_text(meld).split())
            if cards.total() <= size - hand.total():
                hand += cards
                continue
            left.update(before - left)
        card = rng.choice(fitting) if fitting and rng.random() < 0.6 else rng.choice(DECK)
        if left[card] > 0:
            left[card] -= 1
            hand[card] += 1
    return hand


def _fits(card: str, meld: Run | Set) -> bool:
    """Whether a card is near to a meld: of its rank, or of its suit and not more than 2 away."""
    if isinstance(meld, Set):
        return card[0] == meld.rank and card[1] not in meld.suits
    positions = (RANKS.index(card[0]) + 1, 14 if card[0] == "A" else 0)
    return card[1] == meld.suit and any(meld.low - 3 < pos < meld.high + 3 for pos in positions if pos)


def random_turn(
    rng: random.Random, smallest: int, largest: int, melds: int, jolly_share: float = 0.25
) -> Turn:
    """A turn after the draw, with or without owed cards; some steps on where there are any."""
    left = Counter(DECK)
    table = [meld for _ in range(rng.randint(0, melds)) if (meld := random_meld(rng, left)) is not None]
    size = rng.randint(smallest, largest)
    if rng.random() < 0.5:
        hand = built_hand(rng, left, table, size)
    else:
        hand = random_hand(rng, left, size, rng.choice((0, 0, 0, 1, 1, 2, 2, 3, 4)))
    jolly = any(card != "JK" for card in hand) and rng.random() < jolly_share
    naturals = [card for card in hand if card != "JK"]
    owed: tuple[str, ...] = ()
    if jolly or rng.random() < 0.4:
        owed = (rng.choice(naturals if jolly else list(hand)),)
    opened, kept = rng.random() < 0.5, rng.random() < 0.7
    return some_steps_on(
        rng, Turn(tuple(sorted(hand.items())), tuple(table), 0, opened, owed, jolly, kept=kept)
    )


def some_steps_on(rng: random.Random, turn: Turn) -> Turn:
    """Random steps that the shape rules allow, whether or not the turn can be completed after them."""
    for _ in range(rng.choice((0, 0, 1, 1, 2, 3, 4))):
        children = [child for _, child in Search(turn, 0).children(turn) if child.hand]
        if not children:
            break
        turn = rng.choice(children)
    return turn


def going_out(rng: random.Random) -> tuple[Turn, str]:
    """A closed hand of 12 cards before the draw, and a Jolly card with which it is whole melds and one card,
    or nearly so.
    """
    while True:
        left = Counter(DECK)
        table = [meld for _ in range(rng.randint(0, 4)) if (meld := random_meld(rng, left)) is not None]
        cards: list[str] = []
        for _ in range(12):
            meld = random_meld(rng, left)
            if meld is not None and len(cards) + len(meld_text(meld).split()) <= 13:
                cards += ["JK" if "JK" in card else card for card in meld_text(meld).split()]
        if len(cards) == 12:
            cards.append(rng.choice(list(left.elements())))
            jolly = rng.choice([card for card in cards if card != "JK"])
            cards.remove(jolly)
            return Turn(tuple(sorted(Counter(cards).items())), tuple(table)), jolly


def without_duty(turn: Turn) -> Turn:
    """The same hand and table before a draw."""
    return replace(turn, fresh=0, owed=(), jolly=False, now=False)
