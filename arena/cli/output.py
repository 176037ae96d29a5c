"""How commands print: tables as text, Markdown, LaTeX, JSON or CSV on stdout; progress is in `progress`."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import typer

from arena.errors import UsageError
from arena.printable import LogFile, Say, first_line, printable, wrapped
from arena.printable import count as count

if TYPE_CHECKING:
    from arena.store import Store


FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what begins so, a spreadsheet evaluates
MARKUP = re.compile(r"[\\|<\[`]")  # begins a column, HTML, a link or code in Markdown
LATEX = str.maketrans(
    {
        **{mark: f"\\{mark}" for mark in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "≥": r"$\geq$",
        "±": r"$\pm$",
    }
)
SIGNS = (  # a minus, ranges of numbers and of ranks, an error
    (r"(?<![\w.])-(\d[\d.]*)", r"$-\1$"),
    (r" \.\. ", r" -- "),
    (r"(?<![\w@.-])(\d+)-(\d+)(?![\w-])", r"\1--\2"),
    (r"\+-", r"$\\pm$"),
)


class Format(StrEnum):
    """How a table is printed."""

    TABLE = "table"
    WIDE = "wide"  # a table with all its columns, where it has more than fit a screen
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"
    LATEX = "latex"  # a tabular with the rules of booktabs

    @property
    def of_text(self) -> bool:
        """Whether it is for reading, and not for programs."""
        return self not in (Format.JSON, Format.CSV)


LEAST_ROOM = 20  # columns of a terminal in which a cell is broken into lines


class Volume:
    """How much a command says on stderr, for the time of one call (`-q`, `-v`), and its `--log`."""

    quiet = False
    verbose = False
    log: LogFile | None = None


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
    drop: Sequence[str] = (),
    goes_on: bool = False,
) -> Sequence[str]:
    """Print rows; return the headings that had to go.

    Args:
        rows: what JSON and CSV print, whole.
        columns: keys of JSON and CSV, also for an empty table.
        how: the format.
        text: the columns of the text table: heading -> cell. Headings that begin with `>` are right-aligned.
        drop: headings of `text` that go, in this order, where a terminal is too narrow for the table.
        goes_on: CSV has its headings already.
    """
    if how is Format.JSON:
        print_json(rows)
    elif how is Format.CSV:
        writer = csv.DictWriter(sys.stdout, columns, extrasaction="ignore", lineterminator="\n")
        if not goes_on:
            writer.writeheader()
        writer.writerows({key: csv_cell(value) for key, value in row.items()} for row in rows)
    else:
        return _print_text(rows, text, how, drop if how is Format.TABLE else ())
    return ()


def csv_cell(value: Any) -> Any:
    """Return a value in a CSV file: lists are joined by semicolons; no text is a formula of a spreadsheet."""
    if isinstance(value, list | tuple):
        return ";".join(str(csv_cell(one)) for one in value)
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _print_text(
    rows: Sequence[dict[str, Any]],
    text: dict[str, Callable[[dict[str, Any]], str]],
    how: Format,
    drop: Sequence[str],
) -> Sequence[str]:
    """Print columns, each padded to its widest cell. Markdown has bars and a rule; LaTeX a tabular.

    In a terminal the table fits its width: columns of `drop` go, then the last column goes on in further
    lines. In a pipe and a file nothing is left out. Return the headings that had to go.
    """
    markdown = how is Format.MARKDOWN
    on_screen = sys.stdout.isatty() and how in (Format.TABLE, Format.WIDE)
    room = shutil.get_terminal_size().columns if on_screen else None
    columns = {
        head: [head.removeprefix(">"), *(str(clean(cell(row))) for row in rows)]
        for head, cell in text.items()
    }
    gone = _fit(columns, drop, room) if room is not None else ()
    heads, right = [head.removeprefix(">") for head in columns], [head.startswith(">") for head in columns]
    cells = [list(row) for row in zip(*columns.values(), strict=True)]
    if how is Format.LATEX:
        _print_tabular(cells, right)
        return gone
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
    before = sum(width + 2 for width in widths[:-1])
    left = 0 if room is None or right[-1] else room - before  # for the last column
    for line in (lines[0], rule, *lines[1:]):
        if LEAST_ROOM <= left < len(line[-1].rstrip()):
            parts = textwrap.wrap(line[-1], left, break_on_hyphens=False)
            parts = parts[:1] if line is rule else parts
            print("  ".join([*line[:-1], parts[0]]), *(" " * before + part for part in parts[1:]), sep="\n")
        else:
            print("| " + " | ".join(line) + " |" if markdown else "  ".join(line).rstrip())
    return gone


def _print_tabular(cells: Sequence[Sequence[str]], right: Sequence[bool]) -> None:
    """Print rows of cells, the headings first, as LaTeX."""
    print(f"\\begin{{tabular}}{{{''.join('r' if one else 'l' for one in right)}}}", r"\toprule", sep="\n")
    for at, row in enumerate(cells):
        line = " & ".join(cell.strip().translate(LATEX) for cell in row)
        for found, instead in SIGNS:
            line = re.sub(found, instead, line)
        print(line, r"\\")
        if at == 0:
            print(r"\midrule")
    print(r"\bottomrule", r"\end{tabular}", sep="\n")


def _fit(columns: dict[str, list[str]], drop: Sequence[str], room: int) -> Sequence[str]:
    """Take columns of `drop` out until the table fits; say and return which."""
    gone = list[str]()
    for head in drop:
        if sum(max(map(len, cells)) + 2 for cells in columns.values()) - 2 <= room:
            break
        columns.pop(head)
        gone.append(head)
    if gone:
        names = ", ".join(head.strip("> ") for head in gone)
        note(f"the terminal is too narrow for: {names}; --format wide has them")
    return gone


HASH = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{52}\b")


def note(message: str, always: bool = False) -> None:
    """Print a line for people on stderr; with `-q` only those of an error (`always`)."""
    if always or not Volume.quiet:
        over = "\r\x1b[K" * sys.stderr.isatty()  # a line of progress may stand there
        print(over + in_words(clean(message)), file=sys.stderr)


def put(text: str) -> None:
    """Print what was found on stdout, in a terminal with its long lines broken between words."""
    print(in_words(text, sys.stdout))


def in_words(text: str, to: TextIO | None = None) -> str:
    """Return text for a stream (default: stderr), in a terminal with its long lines broken between words."""
    return wrapped(text, shutil.get_terminal_size().columns) if (to or sys.stderr).isatty() else text


def kin(kind: str, text: str) -> tuple[str, ...]:
    """Return what faults that are alike share: the kind, and of an exception its class and its line."""
    return (kind, *re.findall(r"^raised \w+|\([^()]*, line \d+\)$", first_line(text)))


def noting(path: Path | None, short: bool = False) -> Say:
    """Return what prints a line and writes it to a log, too, if there is one.

    The log also hears how the command ends. A terminal gets the beginnings of hashes if it is `short`.

    Raises:
        UsageError: it cannot be written.
    """
    Volume.log = LogFile(path, "--log") if path else None

    def both(line: str) -> None:
        log(line)
        note(HASH.sub(r"\1...", line) if short and sys.stderr.isatty() else line)

    return both


def log(line: str) -> None:
    """Write a line to the log of this command, if it has one."""
    if Volume.log is not None:
        Volume.log.write(text=line)


def ask(question: str, yes: bool) -> None:
    """Have a person confirm what cannot be undone, or `yes`. Raises UsageError: there is nobody to ask."""
    if not yes and not sys.stdin.isatty():
        raise UsageError(f"{question} Confirm with --yes")
    if not yes:
        typer.confirm(question, abort=True)


def note_page(path: Path) -> None:
    """Say that a page was written."""
    how = "" if path.suffix == ".png" else "; open it in a browser"
    note(f"{path}: {path.stat().st_size / 1e6:.2f} MB{how}")


def organiser() -> str:
    """Return who acts, for the log of acts."""
    from arena.places import user_name

    return f"organiser {user_name()}".rstrip()
