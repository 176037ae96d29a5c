"""Jolly Zoliky: the look-ahead against a plain search, and its cost."""

import random
from collections import Counter

import numpy as np
import pytest

from engines import core
from engines.core import cleared, copy_states
from engines.core.compile import entry, jit_with_heap
from engines.position import Position
from engines.zoliky import GAME
from engines.zoliky.lookahead import search
from engines.zoliky.memo import NEW
from engines.zoliky.state import KEPT, OPENED_NOW
from tests.engines.zoliky.positions import hard_positions, position
from tests.models.zoliky import Turn, discards, hand_of, legal_steps, may_draw, meld_text
from tests.models.zoliky import meld_of as plain_meld

from .test_zoliky import FEW, LISTING
from .turns import going_out, random_turn, row_of, without_duty


def agrees(turn: Turn, budget: int) -> bool | None:
    """Whether the engine has the legal set of the plain search; None if that is too much work."""
    steps = legal_steps(turn, budget)
    if steps is None:
        return None
    return sorted(Position.of(GAME, row_of(turn)).legal()) == sorted(steps + discards(turn))


@pytest.mark.parametrize("part", [6, pytest.param(1, marks=pytest.mark.soak)], ids=["sixth", "whole"])
@pytest.mark.parametrize(
    ("what", "number", "smallest", "largest", "melds", "jolly", "budget"),
    [
        ("few cards", 3000, 2, 7, 2, 0.2, 10_000),
        ("few cards, many melds", 1500, 2, 8, 6, 0.2, 10_000),
        ("Jolly turns", 1000, 4, 10, 6, 1.0, 3_000),
        ("full hands", 120, 11, 16, 8, 0.3, 3_000),
        ("hands that may open", 300, 7, 11, 3, 0.0, 3_000),
    ],
)
def test_legal_steps_are_those_of_a_search_without_cuts(
    what: str, number: int, smallest: int, largest: int, melds: int, jolly: float, budget: int, part: int
) -> None:
    settled, every = 0, FEW * part
    for seed in range(0, number, every):
        turn = random_turn(random.Random(f"{what} {seed}"), smallest, largest, melds, jolly)
        answer = agrees(turn, budget)
        assert answer is not False, f"{what} {seed}: {turn}"
        settled += answer is True
    assert settled > 0.9 * number / every


@pytest.mark.parametrize("part", [4, pytest.param(1, marks=pytest.mark.soak)], ids=["quarter", "whole"])
@pytest.mark.parametrize("full", [False, True])
def test_draws_of_pile_and_jolly_card_are_those_of_a_search_without_cuts(full: bool, part: int) -> None:
    settled, good, every = 0, 0, FEW * part
    for seed in range(0, 40 if full else 400, every):
        rng = random.Random(f"draws {seed}")
        turn, jolly = going_out(rng) if full else (without_duty(random_turn(rng, 1, 9, 6, 0)), "")
        pile = rng.choice(cards_left(turn, jolly))
        jolly = jolly or next(card for card in cards_left(turn, pile) if card != "JK")
        wanted = [may_draw(turn, pile, 1_000), full and may_draw(turn, jolly, 1_000, jolly=True)]
        if None not in wanted:
            settled, good = settled + 1, good + bool(wanted[full])
            legal = Position.of(GAME, row_of(turn, drawn=pile, jolly=jolly)).legal()
            assert legal == ["draw stock"] + ["draw discard"] * bool(wanted[0]) + ["draw jolly"] * bool(
                wanted[1]
            ), turn
    assert settled > (20 if full else 300) / every and good > 10 / every


def cards_left(turn: Turn, taken: str) -> list[str]:
    """The cards that are neither in the hand nor on the table nor `taken`."""
    left = Counter(LISTING) - Counter(dict(turn.hand)) - Counter(taken.split())
    for meld in turn.table:
        left -= Counter("JK" if "JK" in card else card for card in meld_text(meld).split())
    return list(left.elements())


def test_hard_positions_agree_with_the_plain_search_where_that_can_do_them() -> None:
    for name, states in hard_positions():
        turn = turn_of(states)
        assert agrees(turn, 400) is not False, name


def turn_of(states: np.ndarray) -> Turn:
    """A row after the draw as a turn of the plain model."""
    view, s = Position.of(GAME, states).view(), core.plain(states)[0]
    table = tuple(plain_meld(" ".join(meld)) for meld in view.table)
    opened, owed = s.opened[s.seat], tuple(sorted(view.owed))
    hand, jolly = hand_of(" ".join(view.hand)), bool(s.jolly_turn)
    return Turn(hand, table, s.fresh, opened > 0, owed, jolly, opened == OPENED_NOW, s.opening == KEPT)


def test_the_search_leaves_the_position_as_it_was() -> None:
    for name, states in hard_positions():
        before = copy_states(states)
        Position.of(GAME, states)
        core.legal_row(core.rows(states), 0, core.work(GAME.n_actions))
        assert (before.view(np.uint8) == states.view(np.uint8)).all(), name


@jit_with_heap
def settled(s: core.Row) -> int:
    """How many positions and levels of plans a search settles."""
    memo = search(s, cleared(NEW, np.uint64))[1]
    return int(memo[len(memo) - 1])


@entry
def settled_by_search(states: np.ndarray) -> int:
    """The same of the first row of a batch."""
    return settled(states[0])


DEAR = (  # owed card, what a search without the plan settles (counted with `has_plan` taken out), hand, table
    ("Ah", 8237, "5c 5d 6d 7c 7d 7s 8d 8h 8s 9s Ah JK Ts",
     "6s 7s 8s, Js Qs Ks, Qh Qd Qc, Ah 2h 3h 4h 5h 6h, 8d 9d Td Jd Qd JK(Kd), 3c 4c JK(5c), Ks Kh Kd, "
     "5c 6c 7c 8c, Ts Th Td Tc, Th Tc JK, 2d 3d 4d, 9s 9h 9c, 4s 5s 6s"),
    ("Kh", 5049, "2h 4h 4h 5d 6d 7d 8d 9d 9d JK Jd Kh Th",
     "5c 6c 7c 8c 9c Tc, 8h 9h Th, 6d 7d 8d JK(9d) Td, 6h 7h 8h, 8c 9c Tc Jc, 3c 4c JK(5c), Ad 2d 3d, "
     "Ah JK(2h) 3h"),
)  # fmt: skip
"""Jolly turns after the draw, found by climbing to what a search without the plan takes longest for."""


@pytest.mark.parametrize(("owed", "without", "hand", "table"), DEAR)
def test_the_plan_spares_nine_tenths_of_the_search(owed: str, without: int, hand: str, table: str) -> None:
    states = position(hand, tuple(table.split(", ")), owed=owed, jolly_turn=True, jolly=owed)
    assert 10 * settled_by_search(states) < without
