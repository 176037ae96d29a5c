"""Worlds come with the chances of the deals they stand for: a law of every game, against listed endings.

`<game>/endings.py` has, written from the rules page:

endings   endings(seed): an endless iterator of (view, chances, key): a one-row batch; how likely each key is;
          key(world): what of a world (a row) is compared
"""

from collections import Counter
from collections.abc import Callable
from importlib import import_module
from itertools import islice
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2, kstest

import engines

DOUBT = 1e-4
"""How seldom right worlds may be called wrong."""
EACH = 25
"""Worlds for every key, on average."""
ENDINGS = {"flip7": 20, "julepe": 6, "taroky": 6, "tzogous37": 20, "zoliky": 5}
SOAK = {"flip7": 1000, "julepe": 1000, "taroky": 2000, "tzogous37": 4000, "zoliky": 300}


def p_value(
    game: engines.game.Game, view: np.ndarray, chances: dict[Any, float], key: Callable[[Any], Any], seed: int
) -> float:
    """The chance of a greater distance between worlds of a view and what is expected, by chi-square."""
    n = max(500, EACH * len(chances))
    seen = Counter(map(key, game.determinize(np.repeat(view, n), seed=seed)))
    assert set(seen) <= set(chances), "a world that cannot be"
    expected, observed, rare = [], [], [0.0, 0]
    for outcome, chance in chances.items():
        if n * chance < 5:
            rare = [rare[0] + n * chance, rare[1] + seen[outcome]]
        else:
            expected.append(n * chance)
            observed.append(seen[outcome])
    if rare[0] >= 5:
        expected.append(rare[0])
        observed.append(int(rare[1]))
    distance = sum((seen - likely) ** 2 / likely for seen, likely in zip(observed, expected, strict=True))
    return float(chi2.sf(distance, len(expected) - 1)) if len(expected) > 1 else 1.0


def p_values(game: engines.game.Game, endings: int, seed: int) -> list[float]:
    listed = import_module(f"tests.engines.{game.name}.endings").endings(seed)
    return [p_value(game, *ending, seed + i) for i, ending in enumerate(islice(listed, endings))]


@pytest.mark.parametrize(
    "endings, seed", [(ENDINGS, 1), pytest.param(SOAK, 1_000_000, marks=pytest.mark.soak)]
)
@pytest.mark.parametrize("name", ENDINGS)
def test_worlds_have_the_chances_of_the_listed_deals(name: str, endings: dict[str, int], seed: int) -> None:
    found = p_values(engines.load(name), endings[name], seed)
    print(name, len(found), "least p", min(found), "KS", kstest(found, "uniform").pvalue)
    assert min(found) > DOUBT / len(found) and kstest(found, "uniform").pvalue > DOUBT
