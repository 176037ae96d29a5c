"""Taroky: random worlds for a view."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines import core
from engines.taroky import state
from tests.engines.taroky.facts import KINGS, PLAIN, TRUMPS
from tests.engines.taroky.positions import GAME, PHASE


def random_positions(n: int, seed: int) -> np.ndarray:
    """Positions at random places of random games, among them many late ones and many with calls."""
    states = GAME.new(n, seed=seed)
    rng = np.random.default_rng(seed)
    steps = rng.integers(1, 70, n)
    for k in range(70):
        legal = GAME.legal_mask(states)
        actions = np.array([rng.choice(np.flatnonzero(row)) for row in legal])
        going = np.flatnonzero(steps > k)
        some = np.ascontiguousarray(states[going])
        GAME.step(some, actions[going])
        states[going] = some
    return states


def test_a_random_world_agrees_with_voids_calls_money_and_open_discards() -> None:
    states = random_positions(400 if core.JIT else 60, 5)
    money_agrees, announced = 0, 0
    for seat in range(4):
        worlds = GAME.determinize(GAME.views(states, seat), seed=seat)
        for i in range(len(states)):
            world = core.PlainRow(worlds[i])
            if world.phase < PHASE["bid"]:
                continue
            check_world(world)
            if world.phase > PHASE["money"]:
                announced += 1
                money_agrees += money_is_right(world)
    assert announced and money_agrees >= 0.97 * announced


def played(s: Any) -> list[list[int]]:
    cards: list[list[int]] = [[], [], [], []]
    for k in range(s.played):
        cards[(s.leaders[k // 4] + k) % 4].append(s.tricks[k])
    return cards


def check_world(s: Any) -> None:
    for seat in range(4):
        assert not s.discards[seat] & KINGS
        if s.discards[seat] & TRUMPS:
            assert not s.hand[seat] & PLAIN
    for k in range(s.played):
        led, card, seat = s.tricks[k // 4 * 4], s.tricks[k], (s.leaders[k // 4] + k) % 4
        if min(card // 8, 4) != min(led // 8, 4):
            assert not any(s.hand[seat] >> c & 1 for c in range(54) if min(c // 8, 4) == min(led // 8, 4))
            assert card >= 32 or not s.hand[seat] & TRUMPS
    mine = played(s)
    if s.called >= 0:
        assert s.partner == next(
            (p for p in range(4) if s.hand[p] >> s.called & 1 or s.called in mine[p]), s.povinnost
        )
        for card in range(s.called + 1, 51):
            assert (
                s.hand[s.povinnost] >> card & 1
                or card in mine[s.povinnost]
                or s.discards[s.povinnost] >> card & 1
            )
        caller = s.contras[0]
        if caller >= 0 and s.valat < 0:
            assert caller not in (s.povinnost, s.partner)
    if s.pagat >= 0:
        assert s.hand[s.pagat] & 1 << 32 or 32 in mine[s.pagat]
    if s.deciding >= 0:
        assert (s.hand[s.povinnost] | s.discards[s.povinnost]) >> s.deciding & 1 or s.deciding in mine[
            s.povinnost
        ]


def money_is_right(s: Any) -> bool:
    for seat, cards in enumerate(played(s)):
        hand = s.hand[seat] | sum(1 << card for card in cards)
        money = state.money_of(hand)
        if s.money[seat] not in (money, money & ~3 if seat == s.povinnost else money):
            return False
    return True
