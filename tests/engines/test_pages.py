"""Rules pages say what the code does."""

from pathlib import Path
from types import ModuleType

import pytest

import engines
from engines import pages

RULES = Path(__file__).parents[2] / "docs" / "rules"


@pytest.mark.parametrize("name", engines.names())
def test_tables_of_a_rules_page_are_those_of_the_code(name: str) -> None:
    page = (RULES / f"{name}.md").read_text(encoding="utf-8")
    assert all(page.count(f"<!-- {table} -->") == 1 for table in ("options", "fields", "record", "encoding"))
    assert page == pages.filled(page, engines.load(name)), "run: python -m engines.pages docs/rules"


def test_the_comment_of_a_field_is_on_its_lines_or_above_it_and_a_heading_ends_with_a_colon(
    tmp_path: Path,
) -> None:
    module = ModuleType("module")
    module.__file__ = str(tmp_path / "module.py")
    Path(module.__file__).write_text(
        "STATE = record([\n"
        '    ("left", int),  # cards, 0 | 1\n'
        "    # by round:\n"
        '    (\n        "pot",\n        int,\n    ),  # chips\n'
        "    # chips of all rounds\n"
        '    ("net", int),\n'
        "])\n"
    )
    assert pages.field_comments(module) == {
        "left": ("", "cards, 0 \\| 1"),
        "pot": ("by round", "chips"),
        "net": ("", "chips of all rounds"),
    }
