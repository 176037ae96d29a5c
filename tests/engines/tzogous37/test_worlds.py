"""Tzogous 37: the chances of worlds. A card that was seen taken is where a slow count of all ways puts it."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from engines import core
from engines.core import copy_states
from engines.tzogous37 import GAME
from engines.tzogous37.state import CARDS

from .facts import DRAW, GIVE, JOKER, PLACE, RESHUFFLE, TAKE, USE, hand_cards, moves_of_hand, with_targets
from .test_rules import E1, P, game, play

SEEDS = (219, 366, 636, 921, 1297, 1518, 1832, 1976)
"""Games in which a card that was seen taken may be in two hands."""

Where = tuple[str, int]
"""("hand", seat) or ("slot", place on the table of the present round) or ("gone", round)."""


def ways(view: Any) -> dict[Where, Fraction] | None:
    """Where the one card may be that the viewer saw another seat take, and how likely: move by move,
    forwards.

    All choices of a card from a hand are alike. A card played in the open tells nothing but that it was
    there: if the hand holds the card that is followed, one fewer could have been it. None if there is not
    exactly one such card, it was seen again, or a reshuffle came between.
    """
    viewer = next(p for p in range(view.players) if view.hand[p])
    moves = moves_of_hand(view)
    assert moves is not None
    taken = [card for kind, p, card, *_ in moves if kind == TAKE and p != viewer and card >= 0]
    if len(taken) != 1 or taken[0] == JOKER or any(kind == RESHUFFLE for kind, *_ in moves):
        return None
    chances: dict[Where, Fraction] = {}
    sizes = [7] * view.players
    target, now = -1, 0
    listed = list(with_targets(view, moves))
    for (kind, p, card, rnd, place), following in zip(listed, [*listed[1:], None]):
        if rnd > now:
            chances = merged(
                (("gone", now) if where[0] == "slot" else where, c) for where, c in chances.items()
            )
            now = rnd
        if kind == USE:
            target = moves[listed.index((kind, p, card, rnd, place))][2]
            chances = {w: c * (sizes[p] - (w == ("hand", p))) / sizes[p] for w, c in chances.items()}
            sizes[p] -= following is not None  # else the joker is still in the hand
        elif kind in (PLACE, GIVE):
            if card == taken[0] and chances:
                return None
            chances = spent(chances, p, place, sizes[p], card, keep=kind == GIVE)
            sizes[p] -= 1
        elif kind == TAKE:
            if card >= 0:  # the viewer has seen that it was another card
                chances.pop(("lifted", target), None)
            chances = merged((("hand", p) if w == ("lifted", target) else w, c) for w, c in chances.items())
            if card == taken[0] and p != viewer:
                chances = {("hand", p): Fraction(1)}
            sizes[p] += 1
        elif kind == DRAW:
            sizes[p] += 1
    total = sum(chances.values())
    if view.round_no - 1 > now:
        chances = merged((("gone", now) if where[0] == "slot" else where, c) for where, c in chances.items())
    return {where: c / total for where, c in chances.items() if c}


def spent(
    chances: dict[Where, Fraction], p: int, place: int, size: int, card: int, keep: bool
) -> dict[Where, Fraction]:
    """After seat p has laid one of `size` cards on a place; what lay there (`keep`) is lifted off."""
    after = []
    for where, chance in chances.items():
        if keep and where == ("slot", place):
            after.append((("lifted", place), chance))
        elif where != ("hand", p):
            after.append((where, chance))
        elif card >= 0:
            after.append((where, chance * (size - 1) / size))
        else:
            after += [(where, chance * (size - 1) / size), (("slot", place), chance / size)]
    return merged(after)


def merged(pairs: Any) -> dict[Where, Fraction]:
    chances: dict[Where, Fraction] = {}
    for where, chance in pairs:
        chances[where] = chances.get(where, Fraction(0)) + chance
    return chances


def found(world: Any, card: int) -> Where:
    """Where a card of one pack is in a world."""
    for p in range(world.players):
        if card in hand_cards(world, p):
            return "hand", p
    if card in world.table.tolist():
        return "slot", world.table.tolist().index(card)
    moves = moves_of_hand(world)
    assert moves is not None
    return "gone", max(
        rnd for kind, _, c, rnd, _ in with_targets(world, moves) if c == card and kind in (PLACE, GIVE)
    )


def joker_happy(states: np.ndarray, rng: np.random.Generator) -> int:
    """An action: at times a joker if there is one to use, hardly ever a fold, any card."""
    texts = [GAME.actions()[a] for a in np.flatnonzero(GAME.legal_mask(states)[0])]
    jokers = [t for t in texts if t.startswith("joker")]
    wanted = [t for t in texts if t in ("check", "call")] or texts
    return GAME.action(str(rng.choice(jokers if jokers and rng.random() < 0.4 else wanted)))


def seen_taken(seed: int) -> np.ndarray | None:
    """A view in which one card was seen taken and may have come elsewhere since;
    None if this game has none.
    """
    rng = np.random.default_rng(seed)
    states = GAME.new(1, seed=seed, players=3, hands=1, jokers=4)
    for _ in range(int(rng.integers(20, 45))):
        if not GAME.over(states).all():
            GAME.step(states, [joker_happy(states, rng)])
    for seat in range(3):
        if not GAME.over(states).all() and states["hand"][0, seat]:
            view = GAME.views(states, seat)
            chances = ways(core.plain(view)[0])
            if chances and len({p for kind, p in chances if kind == "hand"}) > 1:
                return view
    return None


@pytest.mark.parametrize("seed", SEEDS)
def test_a_card_that_was_seen_taken_is_where_a_count_of_all_ways_puts_it(seed: int) -> None:
    view = seen_taken(seed)
    assert view is not None
    expected = ways(core.plain(view)[0])
    assert expected is not None
    row = core.plain(view)[0]
    moves = moves_of_hand(row) or []
    viewer = next(p for p in range(3) if row.hand[p])
    card = next(c for kind, p, c, *_ in moves if kind == TAKE and p != viewer and c >= 0)
    worlds = GAME.determinize(np.repeat(view, 4000), seed=seed)
    seen = Counter(found(world, card) for world in (core.PlainRow(world) for world in worlds))
    assert set(seen) <= set(expected)
    likely = {where: float(chance) * 4000 for where, chance in expected.items()}
    distance = sum((seen[where] - n) ** 2 / n for where, n in likely.items())
    assert distance < chi2.ppf(0.9999, max(1, len(likely) - 1)), (seen, likely)


def test_an_unknown_place_holds_each_unseen_card_equally_often() -> None:
    """E1, then both place a card: of 48 cards that seat 1 does not know one lies on the table, 4 are in the
    hand.
    """
    position = play(game(P), f"{E1}, place 2h, place 2s")
    views = GAME.views(position.states, 1)
    worlds = GAME.determinize(np.repeat(views, 12_000), seed=2)
    known = {CARDS.index(card) for card in ["9d", "Kc", "Qs", "Qh", "2h", "3h", "4h", "5h", "6h"]}
    slot = Counter(worlds["table"][:, 0].tolist())
    assert not known & set(slot)
    unseen = 54 - 9
    expected = {card: 12_000 / unseen for card in range(52) if card not in known} | {
        JOKER: 2 * 12_000 / unseen
    }
    assert set(slot) == set(expected)
    distance = sum((slot[card] - n) ** 2 / n for card, n in expected.items())
    assert distance < chi2.ppf(0.9999, len(expected) - 1)


def test_the_past_of_a_world_is_filled_in_and_copies_of_a_view_differ() -> None:
    view = seen_taken(SEEDS[0])
    assert view is not None
    worlds = GAME.determinize(np.repeat(copy_states(view), 50), seed=1)
    for world in worlds:
        row = core.PlainRow(world)
        assert -2 not in [card for _, _, card, *_ in moves_of_hand(row) or []]
    assert len({world.tobytes() for world in worlds}) == 50
