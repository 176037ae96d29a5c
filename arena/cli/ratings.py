"""`arena ratings`: the rating table of a game and other looks at the same games; how a rating table is
printed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli import completion
from arena.cli.output import DbOption, Format, FormatOption, note, open_store, table
from arena.errors import UsageError

if TYPE_CHECKING:
    from arena.league.pools import RunPool
    from arena.league.table import Pool
    from arena.store import Store
    from leagues.ratings.table import RatingTable, Row


def ratings(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="A game's name.", autocompletion=completion.game_names)
    ],
    run: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LEAGUE[#N]",
            help="Only these runs; repeat for more.",
            autocompletion=completion.run_labels,
        ),
    ] = None,
    players: Annotated[int | None, typer.Option(min=1, help="Only tables of this size.")] = None,
    option: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="Only games with this option.")
    ] = None,
    pool: Annotated[
        str | None, typer.Option(metavar="MARK", help="This pool instead of the main one.")
    ] = None,
    anchor: Annotated[
        str | None,
        typer.Option(
            metavar="BOT", help="A bot whose Elo is 1500: rule@1.", autocompletion=completion.stored_bots
        ),
    ] = None,
    all_ranks: Annotated[
        bool, typer.Option("--all-ranks", help="Rank intervals that hold for all rows at once.")
    ] = False,
    pairs: Annotated[bool, typer.Option("--pairs", help="Every two bots at common tables.")] = False,
    same_seat: Annotated[
        bool, typer.Option("--same-seat", help="Elo by who did better with the same cards.")
    ] = False,
    seats: Annotated[bool, typer.Option("--seats", help="Points by seat.")] = False,
    history: Annotated[bool, typer.Option("--history", help="The Elo of every bot after each run.")] = False,
    family: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The versions of one bot.", autocompletion=completion.stored_bots),
    ] = None,
    luck: Annotated[
        bool, typer.Option("--luck", help="Replay games whose luck is not known yet, and take it out.")
    ] = False,
    owners: Annotated[
        bool, typer.Option("--owners", help="What others lose when two bots of one owner sit together.")
    ] = False,
    needed: Annotated[
        bool, typer.Option("--needed", help="Games that part the two best bots, in several ways.")
    ] = False,
    variance: Annotated[
        bool, typer.Option("--variance", help="What repeating deals is worth; blocks needed.")
    ] = False,
    bar: Annotated[
        float | None, typer.Option(help="With --variance: the error bar that is wanted, in points.")
    ] = None,
    chart: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the table instead: a .svg or .png file.")
    ] = None,
    how: FormatOption = Format.TABLE,
    db: DbOption = None,
) -> None:
    """Rate all bots of a game over all its leagues.

    Runs are rated together if they have the same table size, options, limits and level: a pool. Other pools
    are named.

    Examples:
        arena ratings taroky
        arena ratings tzogous37 --players 2 --pairs
        arena ratings flip7 --option deck=fresh --variance --bar 2
        arena ratings taroky --family my_bot --format json
        arena ratings taroky --chart table.svg
    """
    import engines
    from arena.cli.game import options_of
    from arena.league.pools import choose

    views = {"--pairs": pairs, "--same-seat": same_seat, "--seats": seats, "--history": history}
    views |= {"--family": family is not None, "--variance": variance, "--owners": owners, "--needed": needed}
    chosen = [name for name, wanted in views.items() if wanted]
    if len(chosen) > 1:
        raise UsageError(f"{' and '.join(chosen)} are different tables: ask for one at a time")
    view = chosen[0] if chosen else ""
    _check_fit(view, {"--anchor": anchor is not None, "--all-ranks": all_ranks}, ("", "--same-seat"))
    _check_fit(view, {"--luck": luck}, ("", "--same-seat", "--needed"))
    _check_fit(view, {"--bar": bar is not None}, ("--variance",))
    store = open_store(db)
    loaded = engines.load(game)
    found = choose(store, game, run or (), players, options_of(loaded, option or []))
    current = _pool(found, pool)
    if current is None:
        note(f"no rated games of {game} yet; play some with: arena league run {game}")
    else:
        note(f"{current.title} (pool {current.mark}): {', '.join(run.label for run in current.runs)}")
        name_others(found, current)
    if chart is not None:
        _draw(store, current, game, view, anchor, chart)
        return
    _print_view(store, current, view, family, bar, anchor, luck, all_ranks, how)


def _check_fit(view: str, given: dict[str, bool], views: tuple[str, ...]) -> None:
    """Make sure that options that are given change what is asked for.

    Raises:
        UsageError: names the one that would do nothing, and the tables that it belongs to.
    """
    for name, wanted in given.items():
        if wanted and view not in views:
            where = " or ".join(one or "the rating table" for one in views)
            raise UsageError(f"{name} does nothing with {view or 'the rating table'}: it is for {where}")


def _draw(store: Store, pool: RunPool | None, game: str, view: str, anchor: str | None, path: Path) -> None:
    """Draw the rating table."""
    from arena.league.table import pool_table
    from arena.web.chart import draw
    from leagues.ratings.table import RatingTable

    if view or anchor:
        raise UsageError(f"--chart draws the rating table: leave out {view or '--anchor'}")
    title = f"{game}: {', '.join(run.label for run in pool.runs)}" if pool else game
    draw(pool_table(store, pool) if pool else RatingTable((), ()), title, path)
    note(f"{path}: written")


def _pool(found: Sequence[RunPool], mark: str | None) -> RunPool | None:
    """The pool that is asked for; the main one; None if there is none at all."""
    if mark is None:
        return found[0] if found else None
    for pool in found:
        if pool.mark == mark:
            return pool
    raise UsageError(f"no pool {mark!r}; pools: {', '.join(pool.mark for pool in found) or 'none yet'}")


def name_others(found: Sequence[RunPool], current: RunPool) -> None:
    """Say which pools are not in the table of the present one."""
    for pool in found:
        if pool is not current:
            labels = ", ".join(run.label for run in pool.runs)
            other = ", under other versions of the rules" if pool.title == current.title else ""
            note(f"not in this table: pool {pool.mark}, {pool.title}{other}: {labels}")


def _print_view(
    store: Store,
    pool: RunPool | None,
    view: str,
    family: str | None,
    bar: float | None,
    anchor: str | None,
    luck: bool,
    all_ranks: bool,
    how: Format,
) -> None:
    """Compute and print one table."""
    from arena.league.history import HistoryRow, history_rows
    from arena.league.luck import weights_of
    from arena.league.table import goes_on_until_sure, load_pool, pool_table
    from leagues.ratings import views
    from leagues.ratings.table import rating_table

    if view == "--history":
        print_rows(history_rows(store, pool.runs) if pool else [], HistoryRow, how)
        return
    if pool and not view and not anchor and not all_ranks:
        print_ratings(pool_table(store, pool, luck), how)
        return
    games = load_pool(store, pool.runs if pool else (), luck=luck or view == "--needed")
    if view == "--pairs":
        print_rows(views.pair_rows(games.results, games.entered), views.PairRow, how)
    elif view == "--seats":
        print_rows(views.seat_rows(games.results, games.entered), views.SeatRow, how)
    elif view == "--needed":
        _print_needed(games, pool, how)
    elif view == "--owners":
        rows_of_owners = views.owner_rows(games.results, games.entered)
        print_rows(rows_of_owners, views.OwnerRow, how)
        if not rows_of_owners:
            note("no two bots of one owner sat together in some blocks and apart in others")
    elif view == "--family":
        rows = views.family_rows(games.results, games.entered, family or "")
        if not rows:
            known = sorted({one.bot for one in games.entered})
            raise UsageError(f"no bot {family!r} in these games; bots: {', '.join(known) or 'none yet'}")
        print_rows(rows, views.VersionRow, how)
    elif view == "--variance":
        _print_variance(views.variance_rows(games.results, games.entered, bar), bar, how)
    else:
        rated = rating_table(
            games.results,
            games.entered,
            anchor=games.number(anchor) if anchor else None,
            by_seat=view == "--same-seat",
            weights=weights_of(pool.runs[0]) if pool and games.results.luck is not None else None,
            always=pool is not None and goes_on_until_sure(pool.runs),
            all_ranks=all_ranks,
        )
        print_ratings(rated, how)


LEFT = ("how", "run", "finished", "owner", "bot", "against", "mark")  # columns of words


def _print_variance(found: Any, bar: float | None, how: Format) -> None:
    from leagues.ratings.views import VarianceRow

    print_rows(found.rows, VarianceRow, how)
    if found.worth is None:
        alike = "blocks of most pairs are all alike: what a game in a block is worth is not known"
        note(alike if found.rows else "too few blocks: a pair needs 10 in common")
        return
    middle, low, high = found.worth
    note(
        f"a game in a block is worth {middle:.2f} games on deals of their own (median over pairs; 95 %: "
        f"{low:.2f} .. {high:.2f})"
    )
    if found.correlation is not None:
        note(
            f"deal correlation {found.correlation:.2f}: 1 = the deal decides, below 0 = rotating cancels luck"
        )
    wanted = "a tenth of the sd of one game" if bar is None else f"{bar:g} points per game"
    note(f"blocks_for_bar: until the 95 % interval of the difference is +- {wanted}")


def _print_needed(games: Pool, pool: RunPool | None, how: Format) -> None:
    """Games to part the two best, and those of an adaptive league until its best is sure."""
    from arena.league.luck import weights_of
    from leagues.formats.coverage import adaptive_games
    from leagues.ratings import bradley_terry
    from leagues.ratings.needed import NeededRow, needed_rows
    from leagues.ratings.table import settled

    weights = weights_of(pool.runs[0]) if pool else None
    rows = needed_rows(games.results, games.entered, weights)
    print_rows(rows, NeededRow, how)
    if not rows or pool is None:
        note("the two best have fewer than 10 blocks in common: play more deals")
        return
    results, _, count, _ = settled(games.results, games.entered)
    found = adaptive_games(bradley_terry(results, count).elo, results.entrant.shape[1])
    said = "more than 1000 deals a bot" if found is None else f"{found:.0f} games in all (median)"
    note(f"a league of these {count} bots with --until best, simulated from their Elo: {said}")


def print_rows(rows: Sequence[Any], kind: type, how: Format) -> None:
    """Print typed rows; headings are the names of the fields."""
    names = [column.name for column in fields(kind)]

    special: dict[str, Callable[[Any], str]] = {"superiority": partial(_chance, digits=1), "p": _rare}

    def cell(name: str) -> Callable[[dict[str, Any]], str]:
        shown = special.get(name, _cell)
        return lambda row: shown(row[name])

    text = {(name if name in LEFT else f">{name}"): cell(name) for name in names}
    table([asdict(row) for row in rows], names, how, text)


def _cell(value: Any) -> str:
    """A value of a typed row as text."""
    return "-" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _rare(p: float | None) -> str:
    """A p value, never 0."""
    return "-" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def print_ratings(rated: RatingTable, how: Format) -> None:
    """Print a rating table: rows on stdout, what must be said about them on stderr.

    As `table` it fits 120 characters, unless names are long; `wide` and `markdown` have all columns.
    """
    from leagues.ratings.table import COLUMNS

    every = how in (Format.WIDE, Format.MARKDOWN)
    groups = len({row.group for row in rated.rows}) > 1
    lucky = any(row.luck is not None for row in rated.rows)
    lost = any(row.faults != "" for row in rated.rows)
    columns = {
        **({">group": lambda r: str(r["group"])} if groups else {}),
        ">#": lambda r: _shown(r["rank"]),
        "ranks": lambda r: f"{_shown(r['rank_low'])}-{_shown(r['rank_high'])}",
        "bot": lambda r: f"{r['bot']} (guest {r['mark']})" if r["guest"] else f"{r['bot']}@{r['version']}",
        ">Elo": lambda r: {1: ">", -1: "<", 0: ""}[r["perfect"]] + _shown(r["elo"]),
        "95 %": lambda r: _span(r["elo_low"], r["elo_high"], 0) + (" ?" if r["provisional"] else ""),
        ">better": lambda r: _chance(r["superiority"]),
        **({">best": lambda r: _chance(r["best"])} if every else {}),
        ">score/game": lambda r: _shown(r["score"], 2) + ("~" if r["heavy"] else ""),
        "95 % ": lambda r: _span(r["score_low"], r["score_high"], 2),
        **({">trimmed": lambda r: _shown(r["trimmed"], 2)} if every else {}),
        **(LUCK if lucky and every else {}),
        ">first": lambda r: _percent(r["first"]),
        ">games": lambda r: f"{r['games']}",
        **({">forfeits": lambda r: r["faults"] or "0"} if lost or every else {}),
        ">CPU us": lambda r: f"{r['cpu_us']:.0f}",
        ">p99": lambda r: _shown(r["cpu_p99_us"]),
    }
    table([row.plain() for row in rated.rows], COLUMNS, how, columns)
    if how in (Format.TABLE, Format.WIDE, Format.MARKDOWN):
        for line in _legend(rated.rows):
            note(line)
        if rated.rows and not every:
            note(f"more columns, with --format wide: best, trimmed{', without luck' if lucky else ''}")
    for line in rated.notes:
        note(line)


LUCK: dict[str, Callable[[dict[str, Any]], str]] = {
    ">luck": lambda r: _signed(r["luck"]),
    ">z": lambda r: _signed(r["luck_z"], 1),
    ">score w/o luck": lambda r: _shown(r["fair_score"], 2),
    "95 %  ": lambda r: _span(r["fair_score_low"], r["fair_score_high"], 2),
    ">Elo w/o luck": lambda r: _shown(r["fair_elo"]),
    "95 %   ": lambda r: _span(r["fair_elo_low"], r["fair_elo_high"], 0),
}


def _signed(number: float | None, digits: int = 2) -> str:
    """A number with its sign, `-` if it is not known."""
    return "-" if number is None else f"{number:+.{digits}f}"


def _legend(rows: tuple[Row, ...]) -> list[str]:
    """What the marks in these rows mean."""
    lines = []
    if any(row.provisional for row in rows):
        lines.append("? = provisional: fewer than 30 deals (or stretches of deals, where those count)")
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


def _chance(likelihood: float | None, digits: int = 0) -> str:
    """A likelihood in percent, never certain; `-` if it is not known."""
    if likelihood is None:
        return "-"
    least = 10.0**-digits  # percent
    if likelihood >= 1 - least / 200:
        return f">{100 - least:.{digits}f} %"
    return f"<{least:.{digits}f} %" if likelihood < least / 200 else f"{100 * likelihood:.{digits}f} %"


def _span(low: float | None, high: float | None, digits: int) -> str:
    """An interval, `-` if it is not known."""
    return "-" if low is None and high is None else f"{_shown(low, digits)} .. {_shown(high, digits)}"
