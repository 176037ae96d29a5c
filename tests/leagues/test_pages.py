"""The pages on leagues and on the numbers say what the code does."""

import re
from pathlib import Path

from leagues import definition, ratings
from leagues.ratings import elo, intervals, scores

DOCS = Path(__file__).parents[2] / "docs"


def test_the_league_file_shown_can_be_loaded(tmp_path: Path) -> None:
    text = re.search(r"```toml\n(.*?)```", (DOCS / "guides" / "leagues.md").read_text(), re.DOTALL)
    assert text is not None
    (tmp_path / "shown.toml").write_text(text[1])
    league = definition.load(str(tmp_path / "shown.toml"))
    assert league.options["rounds"] == 8 and league.limits.cpu_ms_per_decision == 100


def test_the_page_on_the_numbers_gives_the_constants_of_the_code() -> None:
    page = (DOCS / "reference" / "numbers.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| `([A-Z_]+)` \| ([\d.]+) \|", page, re.MULTILINE))
    code = {name: value for module in (elo, intervals, scores) for name, value in vars(module).items()}
    assert {name: float(value) for name, value in told.items()} == {name: code[name] for name in told}
    assert len(told) == 5


def test_the_page_on_the_numbers_tells_every_estimate() -> None:
    page = (DOCS / "reference" / "numbers.md").read_text(encoding="utf-8")
    functions = {name for name in ratings.__all__ if name.islower()} - {"block_differences"}
    assert functions <= set(re.findall(r"`(\w+)`", page))
