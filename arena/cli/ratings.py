"""Print rating tables: `arena ratings`.

The command shows the rating table of a game and other looks at the same games.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.options import FormatOption, GameArgument, pairs
from arena.cli.output import Format, note, open_store, table
from arena.errors import UsageError
from arena.printable import number, span

if TYPE_CHECKING:
    from arena.runs.pools import RunPool
    from leagues.ratings.rows import RatingRow, RatingTable


RunsArgument = Annotated[
    list[str] | None, typer.Argument(metavar="LEAGUE[#N]...", help="Only these runs (default: all).")
]
ViewOption = Annotated[
    str,
    typer.Option(
        "--view",
        metavar="VIEW",
        help="Which table: table (the ratings), pairs (every two bots), nash (points that copies of a bot "
        "cannot change), versions (each against the one before), alike (which bots decide alike or play for "
        "each other).",
    ),
]
PlayersOption = Annotated[int | None, typer.Option("--players", min=1, help="Only tables of this size.")]
OptionOption = Annotated[
    list[str] | None, typer.Option("--option", metavar="KEY=VALUE", help="Only games with this option.")
]


def ratings(
    game: GameArgument,
    runs: RunsArgument = None,
    view: ViewOption = "table",
    players: PlayersOption = None,
    option: OptionOption = None,
    how: FormatOption = Format.TABLE,
) -> None:
    """Rate all bots of a game over all its leagues.

    Runs are rated together if they have the same table size, options, limits and level: a pool. Other pools
    are named with their runs; name some of these to see that pool.

    Examples:
        arena ratings taroky
        arena ratings tzogous37 --players 2 --view pairs
        arena ratings flip7 --option deck=fresh --format json
    """
    import engines
    from arena.intake.conditions import typed
    from arena.runs import heap
    from arena.runs import rated as views
    from arena.runs.pools import pools_of

    heap.give_back_columns()
    views.check_view(view)
    store = open_store()
    if game not in engines.names():  # a league or a run stands for its game
        with contextlib.suppress(UsageError):
            one = store.runs.find(game)
            game, runs = one.game, [one.label if "#" in game else one.name, *(runs or ())]
    engines.check_name(game)
    chosen = typed(game, pairs(option))
    pools = pools_of(store, game, runs or (), players, chosen)
    current = pools[0] if pools else None
    if current is None:
        note(f"no rated games of {game} yet; play some with: arena league run {game}")
        if how.of_text:
            return
    else:
        note(f"{current.title} (pool {current.mark}): {', '.join(run.label for run in current.runs)}")
        name_others(pools, current)
    if view == "table":
        print_ratings(views.rated(store, current), how)
    else:
        shown = views.view_of(store, current, view)
        print_rows(shown.rows, shown.kind, how)
        for line in (*([views.MEANINGS[view]] if shown.rows else []), *shown.notes):
            note(line)


def name_others(found: Sequence[RunPool], current: RunPool) -> None:
    """Say which pools are not in the table of the present one."""
    for pool in found:
        if pool is not current:
            labels = ", ".join(run.label for run in pool.runs)
            other = ", under other versions of the rules" if pool.title == current.title else ""
            note(f"not in this table: pool {pool.mark}, {pool.title}{other}: {labels}")


LEFT = ("owner", "bot", "against", "verdict")  # columns of words


def print_rows(rows: Sequence[Any], kind: type, how: Format) -> None:
    """Print typed rows; headings are the names of the fields."""
    names = [column.name for column in fields(kind)]

    special: dict[str, Callable[[Any], str]] = {"superiority": _chance, "p": _rare, "gift_p": _rare}

    def cell(name: str) -> Callable[[dict[str, Any]], str]:
        shown = special.get(name, _cell)
        return lambda row: shown(row[name])

    text = {(name if name in LEFT else f">{name}"): cell(name) for name in names}
    table([asdict(row) for row in rows], names, how, text)


def _cell(value: Any) -> str:
    """Return a value of a typed row as text."""
    return number(value, 2) if value is None or isinstance(value, float) else str(value)


def _rare(p: float | None) -> str:
    """Return a p value, never 0."""
    return "-" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def print_ratings(
    rated: RatingTable, how: Format, league: str = "", owners: Mapping[str, str] | None = None, at: int = 0
) -> None:
    """Print a rating table: rows on stdout, what must be said about them on stderr.

    A table of `league`, number `at` of a season, says so, with the owners of its bots by their labels.

    As `table`, `markdown` and `latex` it fits 120 characters, unless names are long; `wide` has all columns.
    """
    from leagues.ratings.rows import COLUMNS, HEADLINES, sentences

    every = how is Format.WIDE
    groups = len({row.group for row in rated.rows}) > 1
    lucky = any(row.luck is not None for row in rated.rows)
    lost = any(row.faults != "" for row in rated.rows)
    elo: dict[str, Callable[[dict[str, Any]], str]] = {
        ">Elo": lambda r: {1: ">", -1: "<", 0: ""}[r["perfect"]] + number(r["elo"]),
        "95 %": lambda r: _interval(r, "elo", 0),
    }
    score: dict[str, Callable[[dict[str, Any]], str]] = {
        ">score/game": lambda r: number(r["score"], 2) + _mark(r, rated.headline != "fair_score"),
        "95 % ": lambda r: _interval(r, "score", 2),
    }
    fair = {name: LUCK[name] for name in FAIR_SCORE}
    fair[FAIR_SCORE[0]] = lambda r: number(r["fair_score"], 2) + _mark(r)
    rest = {name: show for name, show in LUCK.items() if rated.headline != "fair_score" or name not in fair}
    numbers = {
        "elo": {**elo, **score},
        "score": {**score, **elo},
        "fair_score": {**fair, **(score if every else {}), **elo},
    }[rated.headline]
    columns = {
        **({">group": lambda r: str(r["group"])} if groups else {}),
        ">#": lambda r: number(r["rank"]),
        "ranks": lambda r: f"{number(r['rank_low'])}-{number(r['rank_high'])}",
        "bot": lambda r: f"{r['bot']} (guest {r['mark']})" if r["guest"] else f"{r['bot']}@{r['version']}",
        "ahead": lambda r: r["ahead"] or "",
        **numbers,
        **(rest if lucky and every else {}),
        ">first": lambda r: f"{100 * r['first']:.0f} %",
        ">games": lambda r: f"{r['games']}",
        **({">forfeits": lambda r: r["faults"] or "0"} if lost or every else {}),
        ">CPU us": lambda r: f"{r['cpu_us']:.0f}",
        ">p99": lambda r: number(r["cpu_p99_us"]),
    }
    measure, second = (">Elo", "95 %") if rated.headline != "elo" else (">score/game", "95 % ")
    drop = (">p99", ">CPU us", ">first", second, ">games", "ahead", measure)
    rows, extra = [row.plain() for row in rated.rows], ("league", "owner") if league else ()
    for row in rows if league else ():
        row |= {"league": league, "owner": (owners or {}).get(f"{row['bot']}@{row['version']}", "")}
    if any(row.get("owner") for row in rows):
        columns["owner"] = lambda r: r["owner"]
    if league and how in (Format.MARKDOWN, Format.LATEX):
        print(f"**{league}**\n" if how is Format.MARKDOWN else f"% {league}")
    gone = table(rows, (*extra, *COLUMNS), how, columns, drop, at > 0)
    if how.of_text:
        if rated.rows and rated.rows[0].rank is not None:
            note(f"ranks are by {HEADLINES[rated.headline]}")
            note("; ".join(meaning for head, meaning in MEANING.items() if head not in gone))
        for line in sentences(rated.rows) if every else ():
            note(line)
        for line in _legend(rated.rows):
            print(f"% {line}") if how is Format.LATEX else note(line)
        if lucky and not every:
            note("more columns, without luck: --format wide")
    for line in rated.notes:
        note(line)


MEANING = {
    "ranks": "ranks: those that cannot be ruled out",
    "ahead": "ahead: of the next row",
    ">first": "first: share of games won",
    ">CPU us": "CPU us: per decision",
    ">p99": "p99: 99 of 100 decisions take less",
}
FAIR_SCORE = (">score w/o luck", "95 %  ")
LUCK: dict[str, Callable[[dict[str, Any]], str]] = {
    ">luck": lambda r: number(r["luck"], 2, sign=True),
    ">z": lambda r: number(r["luck_z"], 1, sign=True),
    ">score w/o luck": lambda r: number(r["fair_score"], 2),
    "95 %  ": lambda r: _interval(r, "fair_score", 2),
    ">Elo w/o luck": lambda r: number(r["fair_elo"]),
    "95 %   ": lambda r: _interval(r, "fair_elo", 0),
}


def _interval(row: dict[str, Any], what: str, digits: int) -> str:
    """Return an interval of a row, marked where it is of few blocks."""
    ends = span(row[f"{what}_low"], row[f"{what}_high"], digits)
    return f"{ends} ?" if row["provisional"] and ends != "-" else ends


def _mark(row: dict[str, Any], carries: bool = True) -> str:
    """Return the mark of a score that a few huge blocks carry."""
    return "~" if carries and row["heavy"] else ""


def _legend(rows: tuple[RatingRow, ...]) -> list[str]:
    """Return what the marks in these rows mean."""
    lines = []
    if any(row.provisional for row in rows):
        lines.append("? = fewer than 30 blocks (or matches, where the interval counts those): provisional")
    if any(row.perfect for row in rows):
        lines.append("> or < = won or lost every comparison: the rating is only a bound")
    if any(row.heavy for row in rows):
        lines.append("~ = a few huge blocks carry this score, its interval is too short")
    return lines


def _chance(likelihood: float | None) -> str:
    """Return a likelihood in percent, never certain; `-` if it is not known."""
    if likelihood is None:
        return "-"
    if likelihood >= 0.9995:
        return ">99.9 %"
    return "<0.1 %" if likelihood < 0.0005 else f"{100 * likelihood:.1f} %"
