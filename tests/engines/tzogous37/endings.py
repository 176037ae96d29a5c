"""Tzogous 37: views in which cards that the viewer has known are out of sight again, with all places where
these may be.

The hand is played forwards, move by move, over all places of the known cards at once. A card of the pack that
was never seen has no name until it is shown: it is any of those without a name, and each of them is as likely.
Each hidden choice of a card out of a hand counts as one way for every card that could have been chosen.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from engines import core
from engines.tzogous37 import GAME
from tests.engines.tzogous37.facts import (
    COMMUNITY,
    DRAW,
    GIVE,
    JOKER,
    LOSE,
    PLACE,
    RESHUFFLE,
    TAKE,
    TIE,
    USE,
    hand_cards,
    moves_of_hand,
    pack,
)

Where = tuple[str, int]
"""("hand", seat), ("slot", place on the table of this round), ("lifted", 0) or ("gone", 0)."""
Known = tuple[tuple[int, Where], ...]
"""Cards that the viewer knows and does not see, in order, and where they are."""
LIFTED, GONE = ("lifted", 0), ("gone", 0)


class Filter:
    """The chances of all places of the known cards, from the deal to a move."""

    def __init__(self, view: Any) -> None:
        self.viewer = next(p for p in range(view.players) if view.hand[p])
        self.lay = view.joker_use == 1
        self.ways: dict[Known, Fraction] = {(): Fraction(1)}
        self.sizes = [7] * view.players
        self.slots: dict[int, int] = {}
        """What lies on each place: a card that the viewer sees, -2."""
        self.lifted, self.target, self.round = -2, -1, 0
        moves = moves_of_hand(view)
        assert moves is not None
        self.unseen = pack(view)
        self.unseen.subtract(hand_cards(view, self.viewer))
        for kind, p, card, *_ in moves:
            if p == self.viewer and kind in (PLACE, GIVE, USE, TAKE, DRAW):
                self.unseen[JOKER if kind == USE else card] += 1 if kind in (TAKE, DRAW) else -1
        for kind, p, card, time, _ in moves:
            self.to_round(time // 2)
            self.move(kind, p, card, 2 * p + time % 2)
        self.to_round(view.round_no - 1)

    def to_round(self, number: int) -> None:
        """What lies on the table when a round ends is gone."""
        if number > self.round:
            self.round, self.slots = number, {}
            self.map(lambda known: [(moved(known, lambda where: where[0] == "slot", GONE), Fraction(1))])

    def move(self, kind: int, p: int, card: int, place: int) -> None:
        if kind in (PLACE, GIVE):
            place = self.target if kind == GIVE else place
            self.lift(place)
            self.from_hand(p, card, place)
        elif kind == USE:
            self.target = card
            if self.lay:
                self.lift(card)
            self.from_hand(p, JOKER, card if self.lay else -1)
        elif kind in (TAKE, LOSE):
            self.put_lifted(p if kind == TAKE else -1, card)
        elif kind in (DRAW, COMMUNITY, TIE):
            if card >= 0:
                self.map(lambda known: [(known, self.unnamed(known, card))])
                self.unseen[card] -= 1
            self.sizes[p] += kind == DRAW

    def map(self, after: Callable[[Known], list[tuple[Known, Fraction]]]) -> None:
        ways: dict[Known, Fraction] = {}
        for known, n in self.ways.items():
            for then, factor in after(known):
                ways[then] = ways.get(then, Fraction(0)) + n * factor
        self.ways = {known: n for known, n in ways.items() if n}

    def unnamed(self, known: Known, card: int) -> Fraction:
        """The chance that a card without a name is this one."""
        named = [face for face, _ in known]
        return Fraction(self.unseen[card] - named.count(card), self.unseen.total() - len(named))

    def lift(self, place: int) -> None:
        """Take what lies on a place, if anything, off it."""
        self.lifted = self.slots.pop(place, -2)
        self.map(lambda known: [(moved(known, lambda where: where == ("slot", place), LIFTED), Fraction(1))])

    def from_hand(self, p: int, card: int, place: int) -> None:
        """A card leaves a hand for a place on the table; -1: for the discards, seen by all."""
        hand, target = ("hand", p), ("slot", place)
        if p != self.viewer:

            def after(known: Known) -> list[tuple[Known, Fraction]]:
                own = [i for i, (_, where) in enumerate(known) if where == hand]
                others = Fraction(self.sizes[p] - len(own))
                if card < 0:
                    return [(changed(known, i, target), Fraction(1)) for i in own] + [(known, others)]
                shown = [(known[:i] + known[i + 1 :], Fraction(1)) for i in own if known[i][0] == card]
                return [*shown, (known, others * self.unnamed(known, card))]

            self.map(after)
            if card >= 0:
                self.unseen[card] -= 1
        self.sizes[p] -= 1
        if place >= 0:
            self.slots[place] = card

    def put_lifted(self, p: int, card: int) -> None:
        """The lifted card goes to a hand; -1: to the discards."""
        target = ("hand", p) if p >= 0 else GONE
        if self.lifted >= 0 and p != self.viewer:  # seen until now
            self.unseen[self.lifted] += 1
            self.map(lambda known: [(tuple(sorted([*known, (self.lifted, target)])), Fraction(1))])
        elif self.lifted < 0 and card >= 0:  # seen only now

            def after(known: Known) -> list[tuple[Known, Fraction]]:
                there = [i for i, (_, where) in enumerate(known) if where == LIFTED]
                if not there:
                    return [(known, self.unnamed(known, card))]
                i = there[0]
                return [(known[:i] + known[i + 1 :], Fraction(known[i][0] == card))]

            self.map(after)
            self.unseen[card] -= 1
        else:
            self.map(lambda known: [(moved(known, lambda where: where == LIFTED, target), Fraction(1))])
        if p >= 0:
            self.sizes[p] += 1


def changed(known: Known, i: int, where: Where) -> Known:
    """The same with one card elsewhere."""
    return tuple(sorted([*known[:i], (known[i][0], where), *known[i + 1 :]]))


def moved(known: Known, fits: Callable[[Where], bool], to: Where) -> Known:
    """The same with all cards at fitting places elsewhere."""
    return tuple(sorted((face, to if fits(where) else where) for face, where in known))


def key(faces: tuple[int, ...], world: np.ndarray) -> tuple[Where, ...]:
    """Where these cards of one pack are in a world."""
    s = core.PlainRow(world)
    places = {card: ("hand", p) for p in range(s.players) for card in hand_cards(s, p)}
    places |= {card: ("slot", place) for place, card in enumerate(s.table.tolist())}
    assert not set(faces) & set(s.deck_cards.tolist()[: s.left])
    return tuple(places.get(face, GONE) for face in faces)


def joker_happy(states: np.ndarray, rng: np.random.Generator) -> int:
    """An action: at times a joker if there is one to use, hardly ever a fold, any card."""
    texts = [GAME.actions()[a] for a in np.flatnonzero(GAME.legal_mask(states)[0])]
    jokers = [t for t in texts if t.startswith("joker")]
    wanted = [t for t in texts if t in ("check", "call")] or texts
    return GAME.action(str(rng.choice(jokers if jokers and rng.random() < 0.4 else wanted)))


def ending(view: np.ndarray) -> tuple[np.ndarray, dict[Any, float], Any] | None:
    """The chances of the places of the known cards; None if there are none, or no two places for them."""
    s = core.plain(view)[0]
    if s.phase == 8 or any(kind == RESHUFFLE for kind, *_ in moves_of_hand(s) or []):
        return None
    found: dict[tuple[Where, ...], Fraction] = {}
    faces: tuple[int, ...] = ()
    for known, n in Filter(s).ways.items():
        named = [(face, where) for face, where in known if face != JOKER]
        faces, places = tuple(face for face, _ in named), tuple(where for _, where in named)
        found[places] = found.get(places, Fraction(0)) + n
    total = sum(found.values())
    chances = {places: float(n / total) for places, n in found.items()}
    return (view, chances, partial(key, faces)) if len(chances) > 1 else None


def endings(seed: int) -> Iterator[tuple[np.ndarray, dict[Any, float], Any]]:
    """Views of random hands with many jokers."""
    while True:
        seed += 1
        rng = np.random.default_rng(seed)
        states = GAME.new(
            1, seed=seed, players=3, hands=1, jokers=4, joker_use=("swap", "swap", "lay")[seed % 3]
        )
        for _ in range(int(rng.integers(20, 45))):
            if not GAME.over(states).all():
                GAME.step(states, [joker_happy(states, rng)])
        for seat in range(3):
            plays = not GAME.over(states).all() and states["hand"][0, seat]
            if plays and (found := ending(GAME.views(states, seat))) is not None:
                yield found
                break
