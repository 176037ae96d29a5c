"""The quick player of the search against the bot `rule`, which weighs the same in plain Python."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from bots import rule
from engines.search import Settings, playouts
from engines.search.run import _Search
from engines.taroky import GAME
from tests.engines.test_laws import setups


@settings(max_examples=15)
@given(data=st.data())
def test_the_quick_player_does_what_rule_does(data: st.DataObject) -> None:
    """In whole games under all options, in which one decision of four is random so that all kinds of
    positions come up.
    """
    players, options = data.draw(setups(GAME))
    position = GAME.position(seed=data.draw(st.integers(0, 2**32)), players=players, **options)
    rng = random.Random(data.draw(st.integers(0, 2**32)))
    for _ in range(300):
        if position.over:
            break
        view = position.view()
        theirs = rule.act(view)
        work = _Search(view, 1, Settings(prune=False))
        assert playouts.policy_row(work.rows, work.seed, work.space) == theirs, view
        position.play(int(rng.choice(view.legal.tolist()) if rng.random() < 0.25 else theirs))
