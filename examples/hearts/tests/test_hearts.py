"""Every law holds for Hearts."""

import pytest
from card_arena_hearts import facts

import engines
from engines.laws import LAWS, hold_law


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_a_law_holds(law):
    """Random games find nothing against it."""
    hold_law(law, engines.load("hearts"), facts)
