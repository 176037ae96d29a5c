"""Taroky: late positions with all deals that agree with a view, listed one by one from the rules page.

Whether a deal agrees is asked of the slow second model (`model.agrees`); nothing here asks the engine what a
seat may know. In round 1 a placing of cards stands for as many deals as there are ways to say which of a
seat's cards came from the talon.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from engines import core
from tests.engines.taroky.facts import DECK, II, PLAIN, PLAY, _takers
from tests.engines.taroky.model import agrees
from tests.engines.taroky.positions import GAME

Placing = tuple[int, ...]
"""Masks: the hands, each seat's discards, the talon."""
FEWEST, MOST = 100, 4000
"""Placings of an ending, those counted that contradict the view."""


def walk(seed: int, stop: int, round_no: int = 2) -> np.ndarray:
    """A position of a random round in which few calls are made, so that most get to the cards."""
    pos, rng = GAME.position(seed=seed, rounds=2), random.Random(seed)
    while not pos.over:
        s = core.PlainRow(pos.states[0])
        if s.finished == round_no - 1 and s.played == stop and s.phase == PLAY:
            return pos.states
        legal = pos.legal()
        pos.play("pass" if "pass" in legal and rng.random() < 0.8 else rng.choice(legal))
    return pos.states[:0]


def rooms(view: np.ndarray) -> tuple[int, list[int]]:
    """The cards that a view does not place; how many go to each hand, each seat's discards, the talon."""
    s = core.PlainRow(view[0])
    seen = 0
    for masks in (s.hand, s.discards, s.won):
        for cards in masks:
            seen |= cards
    for card in (*s.talon, *s.tricks[s.played // 4 * 4 : s.played]):
        seen |= 1 << card if card >= 0 else 0
    room = [s.hand_size[p] - s.hand[p].bit_count() for p in range(4)]
    room += [s.discard_count[p] - s.discards[p].bit_count() for p in range(4)]
    return DECK & ~seen, [*room, (DECK & ~seen).bit_count() - sum(room)]


def placings(cards: list[int], room: list[int]) -> Iterator[Placing]:
    """Every way to put the cards at places with this room."""
    if not room:
        yield ()
        return
    for taken in combinations(cards, room[0]):
        rest = [card for card in cards if card not in taken]
        for others in placings(rest, room[1:]):
            yield (sum(1 << card for card in taken), *others)


def placed(view: np.ndarray, placing: Placing) -> Any:
    """The view with these cards added."""
    s = core.PlainRow(core.copy_states(view)[0])
    for p in range(4):
        s.hand[p] |= placing[p]
        s.discards[p] |= placing[4 + p]
    held = [p for p in range(4) if s.called >= 0 and s.hand[p] >> s.called & 1]
    if s.called >= 0 and s.partner < 0:
        s.partner = held[0] if held else s.povinnost
    return s


def deals(s: Any) -> int:
    """In how many ways the talon's cards can be among those of the seats that took them.

    In round 1 the trumps below the deciding card came from there; the deciding card was dealt to Povinnost.
    """
    if s.deciding < 0:
        return 1
    low = sum(1 << card for card in range(II, s.deciding))
    ways, left = 1, low & sum(1 << card for card in s.talon if card >= 0)
    for p in range(4):
        own = s.hand[p] | s.discards[p]
        for k in range(s.played):
            own |= 1 << s.tricks[k] if (s.leaders[k // 4] + k) % 4 == p else 0
        if p == s.povinnost and not own >> s.deciding & 1:
            return 0
        took, lows = _takers(s).count(p), (own & low).bit_count()
        left |= own & low if took else 0
        others = own.bit_count() - lows - (own >> s.deciding & 1)
        ways *= comb(others, took - lows) if took >= lows else 0
    return ways if left == low else 0


def chances(view: np.ndarray) -> dict[Placing, float] | None:
    """How likely every placing is; None if there are too few or too many to list, or all agree."""
    unseen, room = rooms(view)
    ways, left = 1, sum(room)
    for n in room:
        ways, left = ways * comb(left, n), left - n
    if not FEWEST < ways < MOST:
        return None
    cards = [card for card in range(54) if unseen >> card & 1]
    s = core.PlainRow(view[0])
    talon = sum(1 << card for card in s.talon if card >= 0)
    known, found = (*s.hand, *s.discards, talon), {}
    for placing in placings(cards, room):
        if any(away & ~PLAIN for away in placing[4:8]):
            continue
        world = placed(view, placing)
        if agrees(world):
            left = [place for place in range(6) if _open(s, place)]
            for place, card in zip(left, (c for c in cards if placing[8] >> c & 1), strict=True):
                world.talon[place] = card
            if n := deals(world):
                found[tuple(a | b for a, b in zip(known, placing, strict=True))] = n
    total = sum(found.values())
    return {key: n / total for key, n in found.items()} if 2 <= len(found) < 0.8 * ways else None


def _open(s: Any, place: int) -> bool:
    """Whether a card that the view does not show lies at this place of the talon."""
    return s.talon[place] < 0 and _takers(s)[place] < 0


def key(world: np.ndarray) -> Placing:
    """The placing of a world."""
    s = core.PlainRow(world)
    return (*s.hand, *s.discards, sum(1 << card for card in s.talon if card >= 0))


def endings(seed: int) -> Iterator[tuple[np.ndarray, dict[Placing, float], Any]]:
    """Views of late positions, each with the chances of its placings."""
    while True:
        seed += 1
        states = walk(seed, 34 + seed % 11, 1 + seed % 2)
        for seat in range(4 if len(states) else 0):
            view = GAME.views(states, seat)
            expected = chances(view)
            if expected:
                yield view, expected, key
                break
