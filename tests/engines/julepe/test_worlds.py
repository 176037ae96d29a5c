"""Julepe: random worlds could have happened, each with the right chance. The rules are the judge."""

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2_contingency

import engines
from engines import core
from engines.position import Position
from tests.engines.julepe.facts import HOUSE, bits, draws, mask, past, pile_exists, table

GAME = engines.load("julepe")


def replayed(shuffles: list[list[int]], actions: list[int], options: dict[str, Any]) -> Position:
    """The position that these shuffles and actions lead to."""
    texts = GAME.actions()
    position = GAME.position(shuffles=[[GAME.cards[card] for card in cards] for cards in shuffles], **options)
    for action in actions:
        position.play(texts[action])
    return position


def random_position(rng: random.Random, steps: int, eager: float, **options: Any) -> Position:
    """A game after some random decisions; `eager`: how likely a seat goes in."""
    position = GAME.position(seed=rng.randrange(2**40), **options)
    for _ in range(steps):
        legal = position.legal()
        if legal == ["out", "in"]:
            legal = ["in"] if rng.random() < eager else ["out"]
        move = rng.choice(legal)
        if not position.over:
            position.play(move)
        if position.over:
            return random_position(rng, steps // 2, eager, **options)
    return position


class Candidates:
    """Random ways to fill a view of round 1, all equally likely, most of which could not have happened.

    Hidden cards are dealt to hands, discards and stock at random; which of a holder's cards are from the pile
    and which are leftovers, and who gave which card of the pile up, is random too. Played cards stay.
    """

    def __init__(self, view: np.ndarray, seat: int, rng: random.Random) -> None:
        self.view, self.seat, self.rng = view, seat, rng
        s = core.PlainRow(view[0])
        self.gone = [p for p in range(5) if s.outs[0] >> p & 1] if pile_exists(s) else []
        self.order = [p for p in (1, 2, 3, 4, 0) if s.ins[0] >> p & 1 or not pile_exists(s)]
        self.played = [table(s, who) for who in range(6)]
        self.given_up = bits(s.hand[seat]) if seat in self.gone else []
        own = [] if seat in self.gone or seat < 0 else bits(s.hand[seat] | s.thrown[seat])
        self.unseen = sorted(set(range(30)) - {card for cards in [*self.played, own] for card in cards})

    def one(self) -> np.ndarray | None:
        """A row with all cards; None if the pile or the face-up card already contradict it."""
        row = core.copy_states(self.view)
        s = core.PlainRow(row[0])
        left, pile = 4, []
        cards = self.rng.sample(self.unseen, len(self.unseen))
        if s.ins[0] == 1:
            six = [*(cards.pop() for _ in range(6 - len(self.played[HOUSE]))), *self.played[HOUSE]]
            pile += self.rng.sample(six, 2)
            s.hand[HOUSE] = mask(six) & ~mask(self.played[HOUSE])
            left = 0
        for p in self.order:
            n = max(s.exchanged[0, p], 0)
            piled = n - min(n, left)
            left -= n - piled
            if p != self.seat:
                for k, card in enumerate(self.fill_seat(s, p, n, cards)):
                    s.drawn[p, k] = card
            pile += draws(s, p)[n - piled :]
        in_stock = s.left - left
        pile += cards[:in_stock]
        if not set(self.given_up) <= set(pile) or s.upcard[0] in cards:
            return None
        for k, card in enumerate(cards):
            s.stock[k] = card
        rest = self.rng.sample(
            [card for card in pile if card not in self.given_up], len(pile) - len(self.given_up)
        )
        for p in self.gone:
            if p != self.seat:
                s.hand[p] = mask([rest.pop() for _ in range(5)])
        return row

    def fill_seat(self, s: Any, p: int, n: int, cards: list[int]) -> list[int]:
        """Give a hidden seat that exchanged `n` cards its hand and discards; return those that it drew."""
        thrown = [cards.pop() for _ in range(n)]
        size = 5 if p else 6
        keeps = [*self.played[p], *(cards.pop() for _ in range(size - len(self.played[p])))]
        drawn = self.rng.sample(keeps, n)
        if p == 0 and s.phase == 4:
            down = keeps[-1]  # the dealer's sixth card was never played
            thrown.append(down)
            keeps = keeps[:-1]
        s.thrown[p], s.hand[p] = mask(thrown), mask(keeps) & ~mask(self.played[p])
        return drawn


def happened(view: np.ndarray, seat: int, row: np.ndarray, options: dict[str, Any]) -> np.ndarray | None:
    """The row that the rules make of a candidate, if they allow its actions and the seat sees the same."""
    try:
        states = replayed(*past(GAME, row[0]), options).states
    except (engines.IllegalAction, engines.ShuffleError):
        return None
    return states if GAME.views(states, seat).tobytes() == view.tobytes() else None


def where(states: np.ndarray, card: int) -> Counter[int]:
    """How often each set of who holds a card, threw it away and drew it comes up, as a number."""
    drawn = (states["drawn"] >= 0) << np.maximum(states["drawn"], 0).astype(np.int64)
    masks = np.hstack([states["hand"], states["thrown"], drawn.sum(axis=2)])
    return Counter(((masks >> card & 1) @ (1 << np.arange(masks.shape[1]))).tolist())


def trumps(states: np.ndarray) -> Counter[tuple[int, ...]]:
    """How often each number of trumps in every hand comes up."""
    suit = 10 * (int(states["upcard"][0, 0]) // 10)
    return Counter(
        tuple((cards >> suit & 1023).bit_count() for cards in hands) for hands in states["hand"].tolist()
    )


def chance_of(worlds: Counter[Any], samples: Counter[Any]) -> float:
    """p of the chi-square test that two samples are of one distribution; rare outcomes are taken together."""
    share = samples.total() / (worlds.total() + samples.total())
    counts = [(worlds[outcome], samples[outcome]) for outcome in worlds | samples]
    cells = [pair for pair in counts if sum(pair) * share >= 5]
    rare = tuple(np.sum([pair for pair in counts if sum(pair) * share < 5] or [(0, 0)], axis=0).tolist())
    cells += [rare] if sum(rare) * share >= 5 else []
    return float(chi2_contingency(np.array(cells)).pvalue) if len(cells) > 1 else 1.0


TO_ACT, OUT, LOOKS_ON = "seat to act", "seat that is out", "onlooker"
POSITIONS = [  # what is hidden, seed, decisions, how eager to go in, viewer, overtrump, candidates
    ("hands after two statements", 31, 2, 0.5, TO_ACT, False, 1000),
    ("an exchange of five, the dealer's to come", 113, 14, 0.5, TO_ACT, True, 3000),
    ("the dealer's discards, five of them", 168, 17, 0.5, TO_ACT, True, 3000),
    ("five in, first trick", 107, 21, 0.9, TO_ACT, False, 3000),
    ("five in, second trick, overtrumping", 150, 24, 0.9, TO_ACT, True, 5000),
    ("five in, third trick", 120, 30, 0.25, TO_ACT, False, 3000),
    ("three in, the dealer looks", 145, 27, 0.05, TO_ACT, True, 3000),
    ("three in, the dealer has exchanged three", 152, 26, 0.25, TO_ACT, False, 3000),
    ("two in, the dealer has exchanged five", 124, 22, 0.05, TO_ACT, False, 3000),
    ("two in, fifth trick", 172, 25, 0.25, TO_ACT, True, 3000),
    ("the house after two tricks", 33, 11, 0.25, TO_ACT, False, 5000),
    ("the house before it has played twice", 1, 10, 0.05, TO_ACT, False, 3000),
    ("two in, second trick, seen by a third", 155, 30, 0.5, OUT, False, 20000),
    ("the house, seen by a third", 165, 15, 0.05, OUT, False, 20000),
    ("five in, onlooker", 17, 22, 0.9, LOOKS_ON, False, 4000),
    ("two in, onlooker", 5, 14, 0.5, LOOKS_ON, False, 4000),
]


@pytest.mark.parametrize(
    "seed, steps, eager, viewer, overtrump, tries",
    [
        pytest.param(*numbers, id=what, marks=() if at % 2 else pytest.mark.soak)
        for at, (what, *numbers) in enumerate(POSITIONS)
    ],
)
def test_worlds_have_the_chances_of_a_fair_deal(
    seed: int, steps: int, eager: float, viewer: str, overtrump: bool, tries: int
) -> None:
    options = {"rounds": 1, "overtrump": overtrump}
    position = random_position(random.Random(seed), steps, eager, **options)
    s = core.PlainRow(position.states[0])
    out = next((p for p in range(5) if s.outs[0] >> p & 1), -1)
    seat = {TO_ACT: s.seat, OUT: out, LOOKS_ON: -1}[viewer]
    view = position.view(seat).state
    candidates = Candidates(view, seat, random.Random(seed))
    made = (candidates.one() for _ in range(tries))
    fair = [
        states
        for row in made
        if row is not None and (states := happened(view, seat, row, options)) is not None
    ]
    samples = np.concatenate(fair)
    imagined = GAME.determinize(np.repeat(view, 5000), seed=seed)
    assert len(samples) >= 150
    chances = {card: chance_of(where(imagined, card), where(samples, card)) for card in candidates.unseen}
    assert chance_of(trumps(imagined), trumps(samples)) > 1e-4
    assert min(chances.values()) > 1e-4, {card: p for card, p in chances.items() if p < 1e-3}
