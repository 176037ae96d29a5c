"""Which circular orders a stored run has: those that it was played with, whatever is the rule today."""

from __future__ import annotations

import pytest

from arena import identity
from arena.league.plans import PlannedMatch, deal_secret
from arena.store.models import Stage
from leagues.circles import circles
from leagues.orders import balanced_orders
from leagues.plan import MatchPlan

PLAN = MatchPlan(0, (0, 1, 2, 3), 0, 5, 12)


@pytest.mark.parametrize(
    "files, design",
    [
        ({"leagues/plan.py": "1", "leagues/orders.py": "2", "leagues/circles.py": "3"}, circles),
        ({"leagues/plan.py": "1", "leagues/orders.py": "2"}, balanced_orders),
        ({"leagues/plan.py": "1"}, None),
    ],
)
def test_a_stored_run_keeps_the_orders_that_it_was_played_with(files, design) -> None:
    stage = Stage(secret="07" * 16, mixed=False, code={"files": files, "versions": {}})
    secret, games = deal_secret(stage), PlannedMatch(PLAN, stage).games()
    found = [game.places for game in games]
    if design is None:
        assert found == [secret.order(block, 4) for block in range(5, 17)]
        return
    size = len(design(4))
    for at, places in enumerate(found):
        names = secret.order(5 + at // size * size, 4)
        assert places == tuple(names[place] for place in design(4)[at % size])


def test_a_new_run_names_the_newest_design_among_its_code() -> None:
    assert "leagues/circles.py" in identity.code_of("flip7")["files"]
