"""The search for better parameters, on a surface that is known."""

from collections.abc import Sequence

import numpy as np
import pytest

from leagues.halving import HEATS, PLAYED, WIDTH, Values, halved, search
from leagues.parameter import Parameter
from leagues.ratings.results import Floats

pytest.importorskip("optuna", reason="needs the extra tune: pip install '.[tune]'")

PARAMETERS = (
    Parameter("limit", 10, 40, 18),
    Parameter("risk", 0.0, 1.0, 0.3),
    Parameter("slope", -2.0, 2.0, 1.0),
)
BEST = (30, 0.7, 0.2)


class Surface:
    """Blocks that a candidate gains: the less, the farther it is from the best place; with noise."""

    def __init__(self, seed: int, height: float, noise: float = 0.5) -> None:
        self.rng, self.height, self.noise = np.random.default_rng(seed), height, noise
        self.batches: list[tuple[int, int]] = []

    def gain(self, values: Values) -> float:
        """What it gains in truth: 0 where the search starts, `height` at the best place."""
        far = [
            sum((p.share(x) - p.share(y)) ** 2 for p, x, y in zip(PARAMETERS, BEST, at))
            for at in (values, self.start)
        ]
        return self.height * (1 - far[0] / far[1])

    start = tuple(one.value for one in PARAMETERS)

    def play(self, candidates: Sequence[Values], batch: int) -> list[Floats]:
        self.batches.append((batch, len(candidates)))
        return [self.gain(one) + self.noise * self.rng.standard_normal(16) for one in candidates]


def test_a_search_comes_near_the_best_place_and_says_what_that_gains() -> None:
    surface = Surface(1, 0.3)
    *_, last = search(PARAMETERS, surface.play, 6, 1)
    assert surface.gain(last.best) > 0.24 and last.gain == pytest.approx(0.3, abs=0.1)
    assert all(not p.wrong(value) for p, value in zip(PARAMETERS, last.best, strict=True))


def test_every_round_plays_fresh_deals_and_halves_its_candidates() -> None:
    surface = Surface(1, 0.3)
    rounds = list(search(PARAMETERS, surface.play, 3, 1))
    assert [batch for batch, _ in surface.batches] == list(range(3 * HEATS))
    assert [n for _, n in surface.batches[:HEATS]] == [8, 4, 2] and PLAYED == 14
    assert sorted(one.blocks for one in rounds[0].tried) == [16] * 4 + [32] * 2 + [48] * 2
    assert len(rounds[0].tried) == WIDTH


def test_those_that_gain_most_play_on() -> None:
    surface = Surface(1, 0.3, noise=0.0)
    candidates = [(limit, 0.3, 1.0) for limit in range(18, 26)]
    played = [len(gains) for gains in halved(candidates, surface.play, 0)]
    assert played == [16, 16, 16, 16, 32, 32, 48, 48]


def test_the_same_games_lead_to_the_same_search() -> None:
    one, other = (list(search(PARAMETERS, Surface(4, 0.1).play, 3, 7)) for _ in range(2))
    assert one == other and one != list(search(PARAMETERS, Surface(4, 0.1).play, 3, 8))


def test_where_nothing_is_gained_or_lost_the_values_stay() -> None:
    *_, last = search(PARAMETERS, Surface(1, 0.0, noise=0.0).play, 2, 1)
    assert last.best == Surface.start and last.gain == 0.0


@pytest.mark.parametrize("low, high, value", [(0.0, 1.0, 0.1234), (0.0, 50_000.0, 12340.0), (1, 9, 4)])
def test_a_value_is_found_again_at_its_share(low: float, high: float, value: float) -> None:
    one = Parameter("x", low, high, value)
    assert one.at(one.share(value)) == value and type(one.at(0.5)) is type(low)


@pytest.mark.parametrize(
    "value, why",
    [(41, "not between 10 and 40"), (20.0, "no whole number"), (True, "no whole"), ("a", "no whole")],
)
def test_a_value_that_a_parameter_cannot_have_is_named(value: object, why: str) -> None:
    assert why in PARAMETERS[0].wrong(value)
