"""`arena trace`, `arena games`, `arena bench`, `arena game new|check`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.cli import options
from arena.cli.group import group
from arena.cli.output import Format, count, note, table
from arena.errors import ArenaError, UsageError

app = group("Write a game and try the laws on it.")


def trace(
    game: Annotated[str | None, typer.Argument(help="A game's name.")] = None,
    players: options.PlayersOption = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the first game; game i: seed + i.")] = 0,
    games: Annotated[int, typer.Option("--games", min=1, help="Number of games.")] = 1,
    option: options.OptionOption = None,
    bots: options.BotsOption = None,
    level: options.LevelOption = None,
    legal: Annotated[
        bool, typer.Option("--legal/--no-legal", help="Whether decisions carry the legal actions.")
    ] = True,
    check: Annotated[
        Path | None,
        typer.Option("--check", metavar="FILE", help="Replay this record and say the first difference."),
    ] = None,
) -> None:
    """Write games as records (JSON Lines), or replay a record. Plays one bot per seat, or one for all.

    House bots and paths run in this process, for a debugger; stored bots in processes of their own, at level
    trusted in this one, too. The record of a stored game: arena replay LEAGUE#N/GAME --format jsonl.

    Examples:
        arena trace taroky --seed 7 --bots rule,plain,random,random > game.jsonl
        arena trace --check game.jsonl
        arena trace flip7 --players 2 --option targeting=any --games 100 --no-legal
    """
    from arena.match import records

    if check is not None:
        played = records.check_record(check)
        print(f"{check}: {count(played, 'game')}, no difference")
        return
    if game is None:
        raise UsageError("say which game: arena trace GAME, or --check FILE")
    from arena.intake.debug import trace as traced

    events = traced(
        game,
        options.names(bots) or ["random"],
        players=players,
        seed=seed,
        games=games,
        options=options.pairs(option),
        legal=legal,
        level=level or "strict",
    )
    for event in events:
        sys.stdout.write(records.line(event) + "\n")


def games(
    game: Annotated[str | None, typer.Argument(help="Show this game's options.")] = None,
    rules: Annotated[bool, typer.Option("--rules", help="Print the game's rules page.")] = False,
    how: options.FormatOption = Format.TABLE,
) -> None:
    """List the games, the options of one game, or its rules.

    The rules page has the rules, what a seat sees, and the text and number of every action. The games of a
    run: arena league games LEAGUE#N.

    Examples:
        arena games
        arena games julepe
        arena games julepe --rules
    """
    from arena.games import list_games, rules_page

    if game is None:
        if rules:
            raise UsageError("say which game: arena games GAME --rules")
        _all_games(list_games(), how)
    elif rules:
        page = rules_page(game)
        if not page:
            raise UsageError(f"the rules page of {game} is not installed here: read it in the documentation")
        print(page, end="")
    else:
        _options_of(list_games(game)[0], how)


def _all_games(rows: list[dict[str, Any]], how: Format) -> None:
    """Print a row for each game."""
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


def _options_of(game: dict[str, Any], how: Format) -> None:
    """Print a row for each option of a game."""
    low, high = game["players"]
    table(
        [{"option": name, **facts} for name, facts in game["options"].items()],
        ("option", "default", "allowed", "meaning"),
        how,
        {
            "option": lambda r: r["option"],
            "default": lambda r: str(r["default"]).lower(),
            "allowed": lambda r: r["allowed"],
            "meaning": lambda r: r["meaning"],
        },
    )
    seats = f"{low}" if low == high else f"{low} to {high}"
    note(f"{game['game']}: {seats} players; set an option with --option NAME=VALUE")
    note(f"rules, actions and fields of the view: arena games {game['game']} --rules")


def bench(
    game: Annotated[list[str] | None, typer.Argument(help="Games to measure (default: all).")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Short windows, for a first look.")] = False,
    how: options.FormatOption = Format.TABLE,
) -> None:
    """Measure speed on this machine: playouts, single positions, matches.

    Examples:
        arena bench taroky
        arena bench --quick --format json
    """
    from arena.match import bench as benchmark

    table(
        benchmark.bench(game, quick),
        ("game", "what", "value", "unit"),
        how,
        {
            "game": lambda r: r["game"],
            "what": lambda r: r["what"],
            ">value": lambda r: f"{r['value']:.2f}",
            "unit": lambda r: r["unit"],
        },
    )


@app.command()
def new(name: Annotated[str, typer.Argument(help="The game's name: small letters, digits and _.")]) -> None:
    """Write the package of a new game into the folder NAME: Hearts by another name, to be changed.

    It has rules, facts, a model, tests, a rules page, a league and bots, and keeps all laws.

    Examples:
        arena game new whist
    """
    from arena.games import new_game

    path = new_game(name)
    print(f"wrote {path}; next: arena game check {path}")


@app.command()
def check(
    game: Annotated[str, typer.Argument(help="A game's name, or the folder of its package.")],
    examples: Annotated[int, typer.Option("--examples", min=1, help="Random games for each law.")] = 30,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Other games with another seed.")] = 0,
    law: Annotated[str, typer.Option("--law", metavar="WORDS", help="Only laws with these words.")] = "",
) -> None:
    """Try every law on a game in a package of its own.

    Some of the laws: random games are those of the second implementation; views do not show what is hidden;
    random worlds are as likely as true deals. Exit code 1 if a law is broken.

    Examples:
        arena game check ./whist
        arena game check hearts --examples 300 --seed 7
        arena game check ./whist --law model
    """
    from arena.games import check_game

    broken = 0
    for verdict in check_game(game, examples, seed, law):
        broken += verdict.error is not None
        where = f"example {verdict.example}: " if verdict.examples > 1 else ""
        print(f"{verdict.law}: {'holds' if verdict.error is None else 'BROKEN'}", flush=True)
        if verdict.error is not None:
            print(f"    {where}{verdict.error}", flush=True)
    if broken:
        raise ArenaError(f"{game}: {count(broken, 'law')} broken")
