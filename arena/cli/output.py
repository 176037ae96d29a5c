"""How commands print: tables as text, Markdown, JSON or CSV on stdout; progress is in `progress`."""

from __future__ import annotations

import csv
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.printable import count as count
from arena.printable import printable

if TYPE_CHECKING:
    from arena.store import Store


FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what begins so, a spreadsheet evaluates
MARKUP = re.compile(r"[\\|<\[`]")  # begins a column, HTML, a link or code in Markdown


class Format(StrEnum):
    """How a table is printed."""

    TABLE = "table"
    WIDE = "wide"  # a table with all its columns, where it has more than fit a screen
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"


class Volume:
    """How much a command says on stderr, for the time of one call (`-q`, `-v`)."""

    quiet = False
    verbose = False


def open_store(create: bool = False, writes: bool = False, copied: bool = False) -> Store:
    """Open the result store (see `store.database.Database`).

    Prints where it is unless it is the checkout's own, and what was done if it came from an older version.
    """
    from arena.places import data_folder, user_folder
    from arena.store import Store

    named = bool(os.environ.get("ARENA_DB"))
    users = not named and data_folder() == user_folder()
    store = Store(create=create, writes=writes, copied=copied)
    if users and store.made:
        note(f"results are kept in {store.name} from now on; choose another place with --db or ARENA_DB")
    elif users or named or Volume.verbose:
        note(f"database: {store.name}" + (" (there is none yet)" if store.empty else ""))
    for line in store.migrated:
        note(line)
    return store


def print_json(value: Any) -> None:
    """Plain data as JSON on stdout."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def clean(value: Any) -> Any:
    """Text without control characters and what else could disturb a table on a terminal."""
    return printable(value, keep="", escape=lambda _: "?") if isinstance(value, str) else value


def table(
    rows: Sequence[dict[str, Any]],
    columns: Sequence[str],
    how: Format,
    text: dict[str, Callable[[dict[str, Any]], str]],
) -> None:
    """Print rows.

    Args:
        rows: what JSON and CSV print, whole.
        columns: keys of JSON and CSV, also for an empty table.
        how: the format.
        text: the columns of the text table: heading -> cell. Headings that begin with `>` are right-aligned.
    """
    if how is Format.JSON:
        print_json(rows)
    elif how is Format.CSV:
        writer = csv.DictWriter(sys.stdout, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: csv_cell(value) for key, value in row.items()} for row in rows)
    else:
        _print_text(rows, text, how is Format.MARKDOWN)


def csv_cell(value: Any) -> Any:
    """Return a value in a CSV file: lists are joined by semicolons; no text is a formula of a spreadsheet."""
    if isinstance(value, list | tuple):
        return ";".join(str(csv_cell(one)) for one in value)
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _print_text(
    rows: Sequence[dict[str, Any]], text: dict[str, Callable[[dict[str, Any]], str]], markdown: bool
) -> None:
    """Print columns, each padded to its widest cell.

    The output is the same in a terminal, a pipe and a file. Markdown has bars and a rule.
    """
    heads, right = [head.removeprefix(">") for head in text], [head.startswith(">") for head in text]
    cells = [heads, *([str(clean(cell(row))) for cell in text.values()] for row in rows)]
    if markdown:
        cells = [[MARKUP.sub(r"\\\g<0>", cell) for cell in row] for row in cells]
    widths = [max(3 * markdown, *(len(row[i]) for row in cells)) for i in range(len(heads))]
    lines = [
        [
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right)
        ]
        for row in cells
    ]
    rule = [
        ("-" * (width - 1) + ":") if markdown and to_right else "-" * width
        for width, to_right in zip(widths, right)
    ]
    for line in (lines[0], rule, *lines[1:]):
        print("| " + " | ".join(line) + " |" if markdown else "  ".join(line).rstrip())


def note(message: str) -> None:
    """Print a line for people on stderr; not with `-q`."""
    if not Volume.quiet:
        over = "\r\x1b[K" if sys.stderr.isatty() else ""  # a line of progress may stand there
        print(over + clean(message), file=sys.stderr)


def note_page(path: Path) -> None:
    """Say that a page was written."""
    how = "" if path.suffix == ".png" else "; open it in a browser"
    note(f"{path}: {path.stat().st_size / 1e6:.2f} MB{how}")


def organiser() -> str:
    """Return who acts, for the log of acts."""
    from arena.intake.registry import user_name

    return f"organiser {user_name()}".rstrip()
