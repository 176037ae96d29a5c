"""What the laws of `test_laws.py` must know of Flip 7."""

import random
from typing import Any

import numpy as np

from engines import core
from engines.flip7 import state
from engines.game import Game
from tests.models.flip7 import Model as Model

SHORT = {"goal": 50}  # a random game is soon over
DRAWN = {"goal": [200, 1, 60, 1000, *range(1, 41, 3)], "max_rounds": [50, 1, 3, 1000]}


def conserved(s: Any) -> None:
    """All 94 cards are somewhere, each place holds what it may, and what is not in use is blank."""
    copies = [1, *range(1, 13), *[1] * 6, 3, 3, 3]
    rows = [[card for card in row if card != -1] for row in s.row]
    aside = [[card for card in cards if card != -1] for cards in s.aside]
    pile = s.pile.tolist()
    for cards in [pile[: s.left], *rows, *aside, [s.card] if s.card != -1 else []]:
        for card in cards:
            copies[card] -= 1
    assert copies == s.discards.tolist()
    assert pile[s.left :] == [-1] * (94 - s.left)
    for row, cards in [*zip(s.row, rows), *zip(s.aside, aside)]:
        assert row.tolist()[: len(cards)] == cards
    assert not {19, 20} & {card for row in rows for card in row}
    assert all(card in (19, 20) for cards in aside for card in cards)
    open_flips = [seat for seat in s.flip_seat if seat != -1]
    assert s.flip_seat.tolist()[: len(open_flips)] == open_flips
    for flip in range(len(open_flips), 3):
        assert s.flip_left[flip] == 0 and not aside[flip]
    for seat in range(10):
        if seat >= s.players:
            assert not rows[seat] and s.status[seat] == 0 and s.total[seat] == 0 and s.last[seat] == -1
        else:
            numbers = [card for card in rows[seat] if card < 13]
            assert len(numbers) - len(set(numbers)) == (
                s.status[seat] == state.Status.BUSTED and bool(rows[seat])
            )
            assert len(set(numbers)) < 7
        assert bool(s.active >> seat & 1) == (s.status[seat] == state.Status.ACTIVE and s.active != 0)
        lying = rows[seat][:-1] if s.status[seat] == state.Status.BUSTED else rows[seat]
        assert s.held[seat] == sum(int(state.GAIN[card]) for card in lying) + (
            (len(rows[seat]) - len(lying)) << state.SIZE
        )
    if s.seat >= 0:
        assert s.status[s.seat] == state.Status.ACTIVE


def redeal(s: Any, seat: int, rng: random.Random) -> None:
    """Another order of the draw pile: nothing else is hidden, from anybody."""
    pile = s.pile.tolist()[: s.left]
    rng.shuffle(pile)
    for i, card in enumerate(pile):
        s.pile[i] = card


def most_decisions(players: int, options: dict[str, Any]) -> int:
    return 2_800 * int(options["max_rounds"])


def past(game: Game, world: np.ndarray) -> tuple[list[list[int]], list[int]] | None:
    """Shuffles and actions of the whole game; None where the record has lost its first events.

    A pile that was put away (`deck=fresh`) is told as far as it was drawn.
    """
    s = core.plain(world)[0]
    if s.events > 512:
        return None
    shuffles: list[list[int]] = []
    actions = []
    for what in s.event_what.tolist()[: s.events]:
        if what == 15:
            shuffles.append([])
        elif 16 <= what < 64:
            shuffles[-1].append(what - 16)
        elif what < 14:
            actions.append(what)
    if s.left:
        shuffles[-1] += s.pile.tolist()[: s.left][::-1]
    return shuffles, actions
