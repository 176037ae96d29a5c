"""`arena db info|backup|migrate|merge|export`: where results are, and whole databases."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.group import group
from arena.cli.options import FormatOption
from arena.cli.output import Format, count, csv_cell, note, open_store, print_json, table
from arena.errors import UsageError

if TYPE_CHECKING:
    from arena.store import Store
    from arena.store.models import LeagueRun

app = group("Where results are kept; copies of them.")
COLUMNS = ("run", "game", "deal", "seat", "bot", "score", "lost", "names", "scores")


class What(StrEnum):
    """What is exported."""

    GAMES = "games"
    DECISIONS = "decisions"


class Rows(StrEnum):
    """How games are written."""

    CSV = "csv"
    JSONL = "jsonl"


@app.command()
def info(how: FormatOption = Format.TABLE) -> None:
    """Say where results are, and how much is in the database.

    Example:
        arena db info
    """
    facts = open_store().whole.facts()
    rows = [{"what": key, "value": value} for key, value in facts.items() if value is not None]
    if how is Format.JSON:
        print_json(facts)
        return
    table(rows, ("what", "value"), how, {"what": lambda r: r["what"], "value": lambda r: str(r["value"])})


@app.command()
def backup(to: Annotated[Path, typer.Argument(metavar="FILE", help="The copy.")]) -> None:
    """Copy the database as it is now, also while leagues run.

    Example:
        arena db backup before.db
    """
    open_store().whole.backup(to)
    print(f"wrote {to}")


@app.command()
def migrate() -> None:
    """Bring a database of an older version up to this one, with a copy of the file beside it.

    Every command that writes does the same; reading never does. On a PostgreSQL server make a copy first
    (pg_dump): there this command is the only one that migrates.

    Example:
        arena db migrate
    """
    store = open_store(writes=True, copied=True)
    if store.empty:
        raise UsageError(f"{store.name}: no such database")
    if not store.migrated:
        print(f"{store.name} has the schema of this version")


@app.command()
def merge(
    other: Annotated[str, typer.Argument(metavar="FILE|URL", help="The database whose runs come in.")],
) -> None:
    """Bring in the ended runs of another database, with their bots. A run that is here already is left out.

    Example:
        arena db merge laptop.db
    """
    from arena.store import Store

    theirs = Store(other)
    if theirs.empty:
        raise UsageError(f"{other}: no such database")
    added, left = open_store(create=True).whole.merge(theirs)
    for line in left:
        note(f"left out: {line}")
    print(f"added {count(len(added), 'run')}" + (f": {', '.join(added)}" if added else ""))


@app.command()
def export(
    run: Annotated[str | None, typer.Argument(metavar="LEAGUE#N", help="Only it, or a season.")] = None,
    what: Annotated[What, typer.Option(help="A row for every seat of a game, or a decision.")] = What.GAMES,
    how: Annotated[Rows | None, typer.Option("--format", help="How to write games (default: csv).")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Where decisions go.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes (default: one per core).")] = None,
) -> None:
    """Write all games of ended runs, or all decisions. Tables: `ratings` and `ladder status`.

    Decisions are for learning by imitation: what the bot saw as numbers, the legal actions, its action, and
    the final score of its seat. They come as files of NumPy (.npz) of about 250 games each.

    Examples:
        arena db export > games.csv
        arena db export taroky#2 --format jsonl > games.jsonl
        arena db export spring > season.csv
        arena db export taroky#2 --what decisions --out decisions
    """
    if what is What.DECISIONS:
        if how is not None:
            raise UsageError(f"--format {how}: decisions are written as npz")
        if out is None:
            raise UsageError("--what decisions: name a folder for the files with --out FOLDER")
        if out.suffix == ".npz":
            raise UsageError(f"--out {out}: name a folder, which gets files that end in .npz")
        _export_decisions(open_store(), run, out, workers)
        return
    if out is not None or workers is not None:
        raise UsageError("--out and --workers are for --what decisions; games go to standard output")
    store = open_store()
    rows = _rows(store, list(_ended(store, run)))  # a run that is not there is said before the first line
    if how is Rows.JSONL:
        for row in rows:
            sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
        return
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow(map(csv_cell, row.values()))


def _export_decisions(store: Store, label: str | None, out: Path, workers: int | None) -> None:
    from arena.cli.progress import Progress, watching
    from arena.replay.decisions import export_decisions

    runs = list(_ended(store, label))
    counts = store.matches.counts()
    decisions = 0
    games = sum(counts[run.key].games for run in runs)
    with watching(Progress.AUTO)(games, 0, "games") as add:
        for run in runs:
            decisions += export_decisions(store, run, out, workers, add)
    print(f"wrote {count(decisions, 'decision')} of {count(games, 'game')} to {out}")


def _rows(store: Store, runs: list[LeagueRun]) -> Iterator[dict[str, Any]]:
    from arena.store.packing import GAMES_PER_MATCH

    for run in runs:
        labels = [entry.bot.label for entry in store.runs.entries(run)]
        for match in store.matches.all(run):
            lost = {(one.game, one.seat) for one in match.forfeits}
            for at, places in enumerate(match.places.tolist()):
                names = [labels[match.line_up[place]] for place in places]
                scores = match.scores[at].tolist()
                for seat, name in enumerate(names):
                    game = f"{run.label}/{match.number * GAMES_PER_MATCH + at}"
                    deal, score = int(match.blocks[at]), scores[seat]
                    values = (run.label, game, deal, seat, name, score, int((at, seat) in lost))
                    yield dict(zip(COLUMNS, (*values, names, scores), strict=True))


def _ended(store: Store, label: str | None) -> Iterator[LeagueRun]:
    """Yield the runs to export, all epochs of a season; whose deals are still secret are left out."""
    from arena.runs.open import runs_named

    note(f"from {store.name}")
    for run in runs_named(store, label) if label else store.runs.all():
        if run.state == "playing":
            note(f"{run.label} is not finished: left out")
        else:
            yield run
