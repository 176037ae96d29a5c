"""`arena trace`, `arena games`, `arena bench`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.cli import completion
from arena.cli.output import DbOption, Format, FormatOption, open_store, table
from arena.errors import UsageError


def trace(
    game: Annotated[
        str | None, typer.Argument(help="A game's name.", autocompletion=completion.game_names)
    ] = None,
    players: Annotated[int | None, typer.Option(min=1, help="Number of seats.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first game; game i has seed + i.")] = 0,
    games: Annotated[int, typer.Option(min=1, help="Number of games.")] = 1,
    option: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="An option of the game; repeat for more.")
    ] = None,
    bots: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="Who plays: one bot per seat, or one for all.",
            autocompletion=completion.bot_lists,
        ),
    ] = None,
    legal: Annotated[
        bool, typer.Option("--legal/--no-legal", help="Whether decisions carry the legal actions.")
    ] = True,
    check: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Replay this record and say the first difference.")
    ] = None,
    stored: Annotated[
        str | None,
        typer.Option(
            metavar="LEAGUE#N/GAME",
            help="The record of a stored league game.",
            autocompletion=completion.played_games,
        ),
    ] = None,
    trusted: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Run this stored bot in this process.")
    ] = None,
    db: DbOption = None,
) -> None:
    """Write games as records (JSON Lines), or replay a record.

    House bots and paths run in this process, for a debugger; stored bots in processes of their own, as in a
    league.

    Examples:
        arena trace taroky --seed 7 --bots rule,plain,random,random > game.jsonl
        arena trace --check game.jsonl
        arena trace flip7 --players 2 --option targeting=any --games 100 --no-legal
        arena trace --stored taroky#1/2003
    """
    from arena import records

    if check is not None:
        _check(check)
    elif stored is not None:
        _trace_stored(stored, legal, db)
    elif game is None:
        raise UsageError("say which game: arena trace GAME, or --check FILE, or --stored LEAGUE#N/GAME")
    else:
        import engines

        loaded = engines.load(game)
        chosen = options_of(loaded, option or [])
        k, complete = loaded.check_options(players, chosen)
        names = [name.strip() for name in (bots or "random").split(",")]
        if len(names) not in (1, k):
            raise UsageError(
                f"--bots names {len(names)} bots, the table has {k} seats: name one, or one per seat"
            )
        for number in range(games):
            with _choosers(
                names * k if len(names) == 1 else names, game, seed + number, db, trusted or []
            ) as seats:
                _write(records.play(loaded, k, complete, seed + number, seats, legal))


def options_of(game: Any, texts: Sequence[str]) -> dict[str, Any]:
    """The options that a command line names as key=value.

    Raises:
        UsageError, GameError: not key=value, no such option, not a value of it.
    """
    chosen = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--option {text!r}: write it as key=value; options: {', '.join(game.options)}")
        chosen[key] = game.option(key).parse(value)
    return chosen


def _choosers(
    names: list[str], game: str, seed: int, db: str | None, trusted: list[str]
) -> AbstractContextManager[list[Any]]:
    from arena.bots import debug

    return debug.choosers(names, game, seed, db, trusted)


def _write(events: Any) -> None:
    from arena import records

    for event in events:
        sys.stdout.write(records.line(event) + "\n")


def _check(path: Path) -> None:
    from arena import records

    try:
        with path.open(encoding="utf-8") as lines:
            games = records.check(lines, str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from None
    print(f"{path}: {games} game{'s' if games > 1 else ''}, no difference")


def _trace_stored(text: str, legal: bool, db: str | None) -> None:
    from arena.replay.recorded import stored

    _write(stored(open_store(db), text).events(legal))


def games(
    run: Annotated[
        str | None,
        typer.Argument(
            metavar="[LEAGUE#N]", help="A run whose games are listed.", autocompletion=completion.run_labels
        ),
    ] = None,
    bot: Annotated[
        str | None,
        typer.Option(
            help="Only games of this bot; a row for each seat.", autocompletion=completion.stored_bots
        ),
    ] = None,
    worst: Annotated[int | None, typer.Option(min=1, metavar="N", help="Its N lowest scores.")] = None,
    best: Annotated[int | None, typer.Option(min=1, metavar="N", help="Its N highest scores.")] = None,
    forfeits: Annotated[bool, typer.Option("--forfeits", help="Only games that it forfeited.")] = False,
    against: Annotated[
        str | None,
        typer.Option(metavar="BOT", help="Only games with this bot.", autocompletion=completion.stored_bots),
    ] = None,
    most: Annotated[int, typer.Option(min=1, help="Rows of the table.")] = 20,
    how: FormatOption = Format.TABLE,
    db: DbOption = None,
) -> None:
    """List the games that can be played, or those of a run.

    Of a bot's game it shows what others made of the same cards in the same seat.

    Examples:
        arena games
        arena games taroky#2 --bot my_bot --worst 5
        arena games taroky#2 --bot my_bot --forfeits
    """
    if run is not None:
        from arena.cli.why import print_games

        if worst and best:
            raise UsageError("--worst or --best, not both")
        store = open_store(db)
        print_games(store, store.find_run(run), bot, worst, best, forfeits, against, most, how)
        return
    if bot or worst or best or forfeits or against:
        raise UsageError("say which run: arena games LEAGUE#N --bot NAME; `arena league list` lists them")
    import engines

    rows = []
    for name in engines.names():
        game = engines.load(name)
        rows.append(
            {
                "game": name,
                "players": [game.min_players, game.max_players],
                "options": {
                    option.name: {
                        "default": option.default,
                        "allowed": option.allowed,
                        "meaning": option.meaning,
                    }
                    for option in game.options.values()
                },
            }
        )
    table(
        rows,
        ("game", "players", "options"),
        how,
        {
            "game": lambda r: r["game"],
            "players": lambda r: "-".join(map(str, sorted(set(r["players"])))),
            "options": lambda r: ", ".join(
                f"{name}={facts['default']}" for name, facts in r["options"].items()
            ),
        },
    )


def bench(
    game: Annotated[
        list[str] | None,
        typer.Argument(
            help="Games to measure (default: all); or cluster and a game.",
            autocompletion=completion.game_names,
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Short windows, for a first look.")] = False,
    how: FormatOption = Format.TABLE,
) -> None:
    """Measure speed on this machine. Playouts, single positions, matches; with the word cluster: what a
    league costs beside its matches.

    Examples:
        arena bench taroky
        arena bench --quick --format json
        arena bench cluster flip7
    """
    import engines
    from arena import benchmark

    named = game or engines.names()
    of_cluster = named[0] == "cluster"
    games = named[1:] if of_cluster else named
    for name in games:
        engines.check_name(name)
    if of_cluster:
        from arena import cluster_benchmark

        if len(games) > 1:
            raise UsageError("arena bench cluster measures one game at a time")
        rows = cluster_benchmark.run(games[0] if games else cluster_benchmark.GAME, quick)
    else:
        rows = benchmark.run(games, 0.2 if quick else 1.0)
    table(
        rows,
        ("game", "what", "value", "unit", "target"),
        how,
        {
            "game": lambda r: r["game"],
            "what": lambda r: r["what"],
            ">value": lambda r: f"{r['value']:.2f}",
            "unit": lambda r: r["unit"],
            "target": lambda r: r["target"] + (" MISSED" if benchmark.misses(r) else ""),
        },
    )
