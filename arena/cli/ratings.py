"""`arena ratings`: the rating table of a game, and how tables are printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.output import DbOption, Format, FormatOption, note, open_store, table

if TYPE_CHECKING:
    from leagues.ratings.table import Row, Table


def ratings(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game's name.")],
    pool: Annotated[str | None, typer.Option(metavar="MARK", help="Another pool than the one with most games.")] = None,
    how: FormatOption = Format.TABLE,
    db: DbOption = None,
) -> None:
    """Rate all bots of a game over all its runs that may be pooled: equal players, options, limits, level and rules.

    Runs with a known seed are a pool of their own. All pools are listed, the one with most games is shown.

    Examples:
        arena ratings taroky
        arena ratings flip7 --format json
        arena ratings flip7 --pool 3fa2c1
    """
    from arena import api

    store = open_store(db)
    shown, _ = api.find_pool(store, game, pool)
    if shown is None:
        note(f"no rated games of {game} yet; play some with: arena league run {game}")
    for key, runs in api.pools(store, game).items():
        names = ", ".join(run.label for run in runs)
        note(f"pool {key.mark}{' (shown)' if key == shown else ''}: {key.text}; {names}")
    print_ratings(api.ratings(store, game, pool), how)


def print_ratings(rated: Table, how: Format) -> None:
    """Print a rating table: rows on stdout, what must be said about them on stderr."""
    from leagues.ratings.table import COLUMNS

    groups = len({row.group for row in rated.rows}) > 1
    columns = {
        **({">group": lambda r: str(r["group"])} if groups else {}),
        ">#": lambda r: _shown(r["rank"]),
        "ranks": lambda r: f"{_shown(r['rank_low'])}-{_shown(r['rank_high'])}",
        "bot": lambda r: f"{r['bot']} (guest)" if r["guest"] else f"{r['bot']}@{r['version']}",
        ">Elo": lambda r: {1: ">", -1: "<", 0: ""}[r["perfect"]] + _shown(r["elo"]),
        "95 %": lambda r: _span(r["elo_low"], r["elo_high"], 0) + (" ?" if r["provisional"] else ""),
        ">better": lambda r: _chance(r["superiority"]),
        ">best": lambda r: _chance(r["best"]),
        ">score/game": lambda r: _shown(r["score"], 2) + ("~" if r["heavy"] else ""),
        "95 % ": lambda r: _span(r["score_low"], r["score_high"], 2),
        ">trimmed": lambda r: _shown(r["trimmed"], 2),
        ">first": lambda r: _percent(r["first"]),
        ">games": lambda r: f"{r['games']}",
        ">forfeits": lambda r: r["faults"] or "0",
        ">CPU us/decision": lambda r: f"{r['cpu_us']:.0f}",
    }
    table([row.plain() for row in rated.rows], COLUMNS, how, columns)
    if how is Format.TABLE:
        for line in _legend(rated.rows):
            note(line)
    for line in rated.notes:
        note(line)


def _legend(rows: tuple[Row, ...]) -> list[str]:
    """What the marks in these rows mean."""
    lines = []
    if any(row.provisional for row in rows):
        lines.append("? = provisional: fewer than 30 deals")
    if any(row.perfect for row in rows):
        lines.append("> or < = won or lost every comparison: the rating is only a bound")
    if any(row.heavy for row in rows):
        lines.append("~ = a few huge blocks carry this score, its interval is too short: look at trimmed")
    return lines


def _shown(number: float | None, digits: int = 0) -> str:
    """A number, `-` if it is not known."""
    return "-" if number is None else f"{number:.{digits}f}"


def _percent(share: float) -> str:
    """A share in whole percent."""
    return f"{100 * share:.0f} %"


def _chance(likelihood: float | None) -> str:
    """A likelihood in whole percent, never certain; `-` if it is not known."""
    if likelihood is None:
        return "-"
    return ">99 %" if likelihood >= 0.995 else "<1 %" if likelihood < 0.005 else _percent(likelihood)


def _span(low: float | None, high: float | None, digits: int) -> str:
    """An interval, `-` for an end that is not known."""
    return f"{_shown(low, digits)} .. {_shown(high, digits)}"
