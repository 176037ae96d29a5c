"""`arena db info|backup|merge|export`: where results are, and whole databases."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.output import DbOption, Format, FormatOption, note, open_store, table
from arena.errors import UsageError

if TYPE_CHECKING:
    from arena.store import Store

app = typer.Typer(no_args_is_help=True, help="Where results are kept; copies of them.", rich_markup_mode=None)
COLUMNS = ("run", "game", "deal", "seat", "bot", "score", "lost", "names", "scores")


class Rows(StrEnum):
    """How games are written."""

    CSV = "csv"
    JSONL = "jsonl"


@app.command()
def info(how: FormatOption = Format.TABLE, db: DbOption = None) -> None:
    """Say where results are, and how much is in the database.

    Example:
        arena db info
    """
    facts = open_store(db).facts()
    rows = [{"what": key, "value": value} for key, value in facts.items()]
    if how is Format.JSON:
        print(json.dumps(facts, indent=2))
        return
    table(rows, ("what", "value"), how, {"what": lambda r: r["what"], "value": lambda r: str(r["value"])})


@app.command()
def backup(
    to: Annotated[Path, typer.Argument(metavar="FILE", help="The copy.")],
    db: DbOption = None,
) -> None:
    """Copy the database as it is now, also while leagues run.

    Example:
        arena db backup before.db
    """
    open_store(db).backup(to)
    print(f"wrote {to}")


@app.command()
def merge(
    other: Annotated[str, typer.Argument(metavar="FILE|URL", help="The database whose runs come in.")],
    db: DbOption = None,
) -> None:
    """Bring in the ended runs of another database, with their bots. A run that is here already is left out.

    Example:
        arena db merge laptop.db
    """
    from arena.store import Store

    theirs = Store(other)
    if theirs.empty:
        raise UsageError(f"{other}: no such database")
    added, left = open_store(db, create=True).merge(theirs)
    for line in left:
        note(f"left out: {line}")
    print(f"added {len(added)} runs" + (f": {', '.join(added)}" if added else ""))


@app.command()
def export(
    run: Annotated[str | None, typer.Option(metavar="LEAGUE#N", help="Only this run.")] = None,
    how: Annotated[Rows, typer.Option("--format", help="How to write the games.")] = Rows.CSV,
    db: DbOption = None,
) -> None:
    """Write all games of ended runs, a row for every seat. Tables: `arena ratings GAME --format csv`.

    Examples:
        arena db export > games.csv
        arena db export --run taroky#2 --format jsonl > games.jsonl
    """
    rows = _rows(open_store(db), run)
    if how is Rows.JSONL:
        for row in rows:
            sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
        return
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([";".join(map(str, v)) if isinstance(v, list) else v for v in row.values()])


def _rows(store: Store, label: str | None) -> Iterator[dict[str, Any]]:
    from arena.store.packing import GAMES_PER_MATCH

    for run in [store.find_run(label)] if label else store.runs():
        if run.state == "playing":
            note(f"{run.label} is not finished: left out")
            continue
        labels = [entry.bot.label for entry in store.entries(run)]
        for match in store.matches(run):
            lost = {(game, seat) for one in match.lost for game, seat, _ in one.seats.tolist()}
            for at, places in enumerate(match.places.tolist()):
                names = [labels[match.line_up[place]] for place in places]
                scores = match.scores[at].tolist()
                for seat, name in enumerate(names):
                    game = f"{run.label}/{match.number * GAMES_PER_MATCH + at}"
                    deal, score = int(match.blocks[at]), scores[seat]
                    values = (run.label, game, deal, seat, name, score, int((at, seat) in lost))
                    yield dict(zip(COLUMNS, (*values, names, scores), strict=True))
