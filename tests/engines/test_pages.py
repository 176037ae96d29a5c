"""Rules pages say what the code does."""

from __future__ import annotations

from pathlib import Path

import pytest

import engines
from engines import pages

RULES = Path(__file__).parents[2] / "docs" / "rules"


@pytest.mark.parametrize("name", engines.names())
def test_tables_of_a_rules_page_are_those_of_the_code(name: str) -> None:
    page = (RULES / f"{name}.md").read_text(encoding="utf-8")
    assert page.count("<!-- options -->") == page.count("<!-- fields -->") == 1
    assert page == pages.filled(page, engines.load(name)), "run: python -m engines.pages docs/rules"
