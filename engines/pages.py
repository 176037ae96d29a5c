"""The tables of the rules pages, printed from the code: `python -m engines.pages docs/rules` rewrites them.

`python -m engines.pages hearts` does it for the page `rules.md` in a package of its own.

A page has them between marker lines, `<!-- options -->`, `<!-- fields -->`, `<!-- record -->` or
`<!-- encoding -->` and `<!-- end -->`; a test compares.
"""

from __future__ import annotations

import ast
import inspect
import io
import re
import sys
import tokenize
from collections.abc import Iterator, Sequence
from enum import IntEnum
from pathlib import Path
from types import ModuleType

import numpy as np

from . import load, names, record, registry
from .game import Game


def _table(heads: str, rows: Sequence[str]) -> str:
    """Return rows below their heads, which are written with bars in between."""
    return "\n".join([f"| {heads} |", "| --- " * (heads.count("|") + 1) + "|", *rows])


def options_table(game: Game) -> str:
    """Return the options as a Markdown table."""
    rows = [
        f"| `{o.name}` | {o.allowed} | {str(o.default).lower()} | {o.meaning} |"
        for o in game.options.values()
    ]
    return _table("option | allowed | default | meaning", rows)


def fields_table(game: Game) -> str:
    """Return what a view shows as a Markdown table."""
    rows = [f"| `view.{f.name}` | {f.type} | {f.meaning} |" for f in game.fields.values()]
    return _table("field | type | meaning", rows)


def encoding_table(game: Game) -> str:
    """Return what `encode` writes as a Markdown table."""
    rows, begin = [], 0
    for c in game.columns:
        at = str(begin) if c.width == 1 else f"{begin} to {begin + c.width - 1}"
        rows.append(f"| {at} | `{c.name}` | {c.low:g} to {c.high:g} | {c.meaning} |")
        begin += c.width
    return _table("columns | name | range | meaning", rows)


# --- the record ---------------------------------------------------------------------------------------------


def record_tables(game: Game) -> str:
    """Return the fields of the record and the codes that they hold, as two Markdown tables."""
    said = field_comments(record) | field_comments(_state(game))
    rows = []
    for name in game.state.names or ():
        above, comment = said.get(name, ("", ""))
        if name in game.options:
            choice = game.options[name]
            comment = f"the option: {'index into ' if choice.choices else ''}{choice.allowed}"
        elif not comment and inspect.isclass(getattr(_state(game), name.title(), None)):
            comment = f"a {name.title()}"
        if above:
            rows.append(f"| | | {above}: |")
        rows.append(f"| `{name}` | {_type(game.state[name])} | {comment} |")
    fields = _table("in the record | type | meaning", rows)
    return f"{fields}\n\n{_codes_table(_state(game), game.cards)}"


def _type(field: np.dtype[np.generic]) -> str:
    """Such as `int8 [4]`."""
    shape = ", ".join(map(str, field.shape))
    return f"{field.base.name} [{shape}]" if shape else field.base.name


def _codes_table(state: ModuleType, cards: Sequence[str]) -> str:
    """Numbers of cards and of the words of the module, as the rules use them."""
    rows = [f"| cards | {_numbered(enumerate(cards))} |"]
    for name, words in vars(state).items():
        if inspect.isclass(words) and issubclass(words, IntEnum) and words.__module__ == state.__name__:
            rows.append(f"| {name} | {_numbered((int(word), word.name) for word in words)} |")
    said = " ".join(comment for _, comment in field_comments(state).values())
    for name in sorted(set(re.findall(r"\b[A-Z][A-Z_]+\b", said))):
        value = getattr(state, name, None)
        if isinstance(value, int):
            rows.append(f"| {name} | {int(value)} |")
        elif isinstance(value, tuple):
            rows.append(f"| {name} | {_numbered(enumerate(value))} |")
    return _table("codes | numbers", rows)


def _numbered(words: Iterator[tuple[int, str]]) -> str:
    return ", ".join(f"{number} {word}" for number, word in words)


def field_comments(module: ModuleType) -> dict[str, tuple[str, str]]:
    """Read what a module's source says of the fields of a record, by name.

    It is the heading above a field, if there is one, and the comment above the field or on its lines. A
    heading ends with a colon.
    """
    source = inspect.getsource(module)
    comments = {
        token.start[0]: token.string.lstrip("# ")
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    told = {}
    for field in _field_nodes(ast.parse(source)):
        own = [
            comments[line] for line in range(field.lineno, (field.end_lineno or 0) + 1) if line in comments
        ]
        above = source.splitlines()[field.lineno - 2].strip()
        said = comments[field.lineno - 1] if above.startswith("#") else ""
        heading = said[:-1] if said.endswith(":") else ""
        meaning = " ".join(own) if heading or own else said
        told[str(ast.literal_eval(field.elts[0]))] = heading.replace("|", "\\|"), meaning.replace("|", "\\|")
    return told


def _field_nodes(tree: ast.Module) -> Iterator[ast.Tuple]:
    """Tuples such as `("hand", np.int64, SEATS)` in a list."""
    for node in ast.walk(tree):
        if isinstance(node, ast.List):
            for one in node.elts:
                if isinstance(one, ast.Tuple) and isinstance(one.elts[0], ast.Constant):
                    yield one


def _state(game: Game) -> ModuleType:
    """Return the module that has the record: `state`, or the package itself where it has none."""
    home = registry.home(game.name)
    return home.room("state") or sys.modules[home.package]


# --- pages --------------------------------------------------------------------------------------------------


def filled(page: str, game: Game) -> str:
    """Return a rules page with its tables as the code has them."""
    tables = {
        "options": options_table(game),
        "fields": fields_table(game),
        "record": record_tables(game),
        "encoding": encoding_table(game),
    }
    for marker, table in tables.items():
        pattern = re.compile(rf"(<!-- {marker} -->\n).*?(<!-- end -->)", re.DOTALL)
        page = pattern.sub(lambda match, table=table: f"{match[1]}{table}\n{match[2]}", page)  # type: ignore[misc]
    return page


def main() -> None:
    """Rewrite the tables of all rules pages in the folder that is named, or those of one game's package."""
    named = sys.argv[1]
    folder = Path(named)
    if named not in names() and not folder.is_dir():
        sys.exit(f"no game and no folder {named!r}; games: {', '.join(names())}")
    pages = {name: folder / f"{name}.md" for name in names() if registry.home(name).shipped}
    if named in names():
        pages = {named: registry.home(named).page or registry.home(named).folder / "rules.md"}
    for name, path in pages.items():
        path.write_text(filled(path.read_text(encoding="utf-8"), load(name)), encoding="utf-8")


if __name__ == "__main__":
    main()
