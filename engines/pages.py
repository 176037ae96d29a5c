"""The tables of the rules pages, printed from the code: `python -m engines.pages docs/rules` rewrites them.

A page has them between marker lines, `<!-- options -->` or `<!-- fields -->` and `<!-- end -->`; a test
compares.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from . import load, names
from .game import Game


def options_table(game: Game) -> str:
    """The options as a Markdown table."""
    rows = [
        f"| `{o.name}` | {o.allowed} | {str(o.default).lower()} | {o.meaning} |"
        for o in game.options.values()
    ]
    return "\n".join(["| option | allowed | default | meaning |", "| --- | --- | --- | --- |", *rows])


def fields_table(game: Game) -> str:
    """What a view shows as a Markdown table."""
    rows = [f"| `view.{f.name}` | {f.type} | {f.meaning} |" for f in game.fields.values()]
    return "\n".join(["| field | type | meaning |", "| --- | --- | --- |", *rows])


def filled(page: str, game: Game) -> str:
    """A rules page with its tables as the code has them."""
    for marker, table in (("options", options_table(game)), ("fields", fields_table(game))):
        pattern = re.compile(rf"(<!-- {marker} -->\n).*?(<!-- end -->)", re.DOTALL)
        page = pattern.sub(lambda match, table=table: f"{match[1]}{table}\n{match[2]}", page)  # type: ignore[misc]
    return page


def main() -> None:
    """Rewrite the tables of all rules pages in the folder that is named."""
    for name in names():
        path = Path(sys.argv[1]) / f"{name}.md"
        path.write_text(filled(path.read_text(encoding="utf-8"), load(name)), encoding="utf-8")


if __name__ == "__main__":
    main()
