"""The page on leagues says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

from leagues import definition

DOCS = Path(__file__).parents[2] / "docs"


def test_the_table_of_league_keys_is_that_of_the_code() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", (DOCS / "leagues.md").read_text(), re.MULTILINE)
    assert dict(rows) == {key: meaning for key, (_, meaning) in definition.KEYS.items()}


def test_the_league_file_shown_can_be_loaded(tmp_path: Path) -> None:
    text = re.search(r"```toml\n(.*?)```", (DOCS / "leagues.md").read_text(), re.DOTALL)
    assert text is not None
    (tmp_path / "shown.toml").write_text(text[1])
    league = definition.load(str(tmp_path / "shown.toml"))
    assert league.options["rounds"] == 8 and league.limits == {"cpu_ms_per_decision": 100}
