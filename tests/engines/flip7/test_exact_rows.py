"""`examples/exact_flip7.py`, against a calculation by hand."""

from __future__ import annotations

import numpy as np

from examples import exact_flip7 as exact

ROW = np.array([sum(1 << number for number in (7, 8, 9, 10, 11, 12))])  # 57 points


def test_one_card_more_on_six_numbers() -> None:
    worth = np.zeros((len(exact.NAMES), exact.STAGES, 1 << exact.EXTRAS, 1 << exact.NUMBERS))
    _, step, left = exact.hit(worth, 0, 0, ROW)
    # 6 + 7 + ... + 11 = 51 cards bust; 0, 1, 2 2, ... 6 are seven different; five additions, x2, three Second Chances
    assert left.tolist() == [51 + 22 + 6 + 3]
    seventh = 22 * (57 + 15) + (0 + 1 + 4 + 9 + 16 + 25 + 36)
    assert step.tolist() == [seventh + (5 * 57 + 30) + 2 * 57 + 3 * 57]


def test_the_best_stopper_stays_where_a_hit_loses_and_beats_every_rule() -> None:
    worth = exact.solve()
    assert worth[exact.OPTIMUM, 0, 0, ROW[0]] == 57  # 51 of 82 cards bust
    assert (worth[exact.OPTIMUM] >= worth - 1e-9).all()
