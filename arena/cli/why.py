"""`arena games LEAGUE#N`, `arena bot worst|logs|debug`: why a bot lost."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli import completion
from arena.cli.output import DbOption, Format, FormatOption, clean, note, open_store, table
from arena.errors import UsageError

if TYPE_CHECKING:
    from arena.replay.listing import PlayedGame
    from arena.store import Store
    from arena.store.models import Bot, LeagueRun

COLUMNS = ("game", "deal", "seat", "bot", "score", "margin", "kind", "names", "scores", "others")
ROWS = 20  # of a list that is not limited otherwise

PlayedBot = Annotated[
    str, typer.Argument(metavar="BOT[@N]", help="A bot that played.", autocompletion=completion.stored_bots)
]
RunOption = Annotated[
    str | None,
    typer.Option(
        "--run",
        metavar="LEAGUE#N",
        help="Only this run (default: its latest).",
        autocompletion=completion.run_labels,
    ),
]


def print_games(
    store: Store, run: LeagueRun, bot: str | None, worst: int | None, best: int | None,
    forfeits: bool, against: str | None, most: int, how: Format,
) -> None:  # fmt: skip
    """The games of a run, of one bot if it is named."""
    from arena.replay.listing import games_of

    found = games_of(store, run, bot)
    if bot is None and (worst or best or forfeits):
        raise UsageError("say whose games: add --bot NAME")
    if forfeits:
        found = [one for one in found if one.kind]
    if against is not None:
        found = [one for one in found if any(against in (n, n.partition("@")[0]) for n in one.names)]
    if worst or best:
        found.sort(key=lambda one: one.score, reverse=best is not None)
    limit = worst or best or (len(found) if how in (Format.JSON, Format.CSV) else most)
    print_rows(found[:limit], how)
    if len(found) > limit and how in (Format.TABLE, Format.WIDE):
        note(f"{limit} of {len(found)} games; more with --most, all with --format csv")
    elif not found:
        note(f"{run.label}: no such games" if _has_games(store, run) else f"{run.label} has no games")


def _has_games(store: Store, run: LeagueRun) -> bool:
    """Whether a run has any: it may have been ended before the first."""
    return bool(store.stored_matches(run))


def print_rows(found: list[PlayedGame], how: Format) -> None:
    """Games as a table."""
    rows: list[dict[str, Any]] = [
        {
            "game": one.game,
            "deal": one.deal,
            "seat": one.seat,
            "bot": one.names[one.seat],
            "score": one.score,
            "margin": None if one.margin is None else round(one.margin, 3),
            "kind": one.kind,
            "names": list(one.names),
            "scores": list(one.scores),
            "others": [[bot, score, game] for bot, score, game in one.others],
        }
        for one in found
    ]
    table(
        rows,
        COLUMNS,
        how,
        {
            "game": lambda r: r["game"],
            ">deal": lambda r: str(r["deal"]),
            ">seat": lambda r: str(r["seat"]),
            "bot": lambda r: r["bot"],
            ">score": lambda r: str(r["score"]),
            "fault": lambda r: r["kind"],
            "at the table": lambda r: ", ".join(
                f"{name} {score:+d}" for name, score in zip(r["names"], r["scores"])
            ),
            "same cards, same seat": lambda r: ", ".join(
                f"{bot} {score:+d}" for bot, score, _ in r["others"]
            ),
        },
    )


def worst(
    bot: PlayedBot,
    run: RunOption = None,
    deals: Annotated[int, typer.Option(min=1, help="How many deals.")] = 5,
    trusted: Annotated[
        bool, typer.Option("--trusted", help="Run stored bots in this process to ask them.")
    ] = False,
    how: FormatOption = Format.TABLE,
    db: DbOption = None,
) -> None:
    """Show the deals in which others with the same cards did best against a bot, and where they parted.

    The best of the others is asked what it would have played in the bot's game, decision by decision.

    Examples:
        arena bot worst my_bot
        arena bot worst my_bot@2 --run taroky#3 --deals 3
    """
    from arena.replay.listing import games_of

    store = open_store(db)
    chosen = store.find_run(run) if run else _latest(store, bot)
    every = games_of(store, chosen, bot)
    played = [one for one in every if not one.kind]
    found = [one for one in played if one.margin is not None]
    found.sort(key=lambda one: one.margin or 0.0)
    print_rows(found[:deals], how)
    if not found and not _has_games(store, chosen):
        note(f"{chosen.label} has no games")
    elif not found:
        lost = f"{bot} forfeited all of its games" if every else f"{bot} has played no game yet"
        note(f"{chosen.label}: " + (f"nobody else had the cards of {bot}" if played else lost))
    if how in (Format.TABLE, Format.WIDE):
        bots = {entry.bot.label: entry.bot for entry in store.entries(chosen)}
        for one in found[:deals]:
            print(_parted(store, one, bots, db, trusted))


def _latest(store: Store, bot: str) -> LeagueRun:
    """The latest finished run with a bot."""
    for run in reversed(store.runs()):
        labels = [entry.bot.label for entry in store.entries(run)] if run.state != "playing" else []
        if any(bot in (label, label.partition("@")[0], label.partition(" (")[0]) for label in labels):
            return run
    raise UsageError(f"{bot} has played no finished run; see `arena league list`")


def _parted(store: Store, one: PlayedGame, bots: dict[str, Bot], db: str | None, trusted: bool) -> str:
    """Where the best of the others would have left the bot's game."""
    from arena.replay.others import choices
    from arena.replay.recorded import stored

    other, score, game = max(one.others, key=lambda theirs: theirs[1])
    head = f"{one.game}: {other} made {score:+d} with these cards ({game})"
    played = stored(store, one.game)
    for choice in choices(played, bots[other], one.seat, db, trusted):
        if not choice.same:
            look = f"arena replay '{one.game}' --seat {one.seat} --at {choice.decision}"
            return (
                f"{head}; it would part at decision {choice.decision}: {choice.other}, not {choice.played}\n"
                f"    {look}"
            )
    return f"{head}; it would have played the same: the others at the table did not"


def logs(
    bot: PlayedBot,
    run: RunOption = None,
    game: Annotated[
        str | None, typer.Option(metavar="[LEAGUE#N/]GAME", help="Only this game: its number, or its name.")
    ] = None,
    most: Annotated[int, typer.Option(min=1, help="Lines to print.")] = 1000,
    db: DbOption = None,
) -> None:
    """Print what a bot printed, by game and decision: its `view.log` and prints.

    Examples:
        arena bot logs my_bot
        arena bot logs my_bot@2 --run taroky#3 --game 4007
    """
    from arena.store.packing import GAMES_PER_MATCH

    store = open_store(db)
    run, only = _named_game(run, game)
    chosen = store.find_run(run) if run else _latest(store, bot)
    if chosen.state == "playing":
        raise UsageError(f"{chosen.label} is not finished: what bots print could tell of deals to come")
    labels = [entry.bot.label for entry in store.entries(chosen)]
    mine = [
        at for at, label in enumerate(labels)
        if bot in (label, label.partition("@")[0], label.partition(" (")[0])
    ]  # fmt: skip
    if not mine:
        raise UsageError(f"{bot} is not in {chosen.label}: there are {', '.join(labels)}")
    if only is not None:
        _check_game(store, chosen, only, labels, mine[-1])
    printed = 0
    match = None if only is None else only // GAMES_PER_MATCH
    for number, log in store.logs(chosen, mine[-1], match):
        for at, decision, text in log.lines:
            if only is not None and at != only % GAMES_PER_MATCH:
                continue
            name = f"{number * GAMES_PER_MATCH + at}" if at >= 0 else f"match {number}, while loading"
            for line in text.rstrip("\n").split("\n"):
                if printed == most:
                    note(f"more lines follow: --most {2 * most}")
                    return
                printed += 1
                print(f"{chosen.label}/{name} decision {decision}: {clean(line)}")
    if not printed:
        note(f"{labels[mine[-1]]} printed nothing in {chosen.label}" + ("" if only is None else f"/{only}"))


def _named_game(run: str | None, game: str | None) -> tuple[str | None, int | None]:
    """The run and the number of a game that is named as `4007` or `taroky#3/4007`.

    Raises:
        UsageError: neither, or it is of another run.
    """
    if game is None:
        return run, None
    label, _, number = game.rpartition("/")
    if not number.isdecimal():
        raise UsageError(f"--game {game}: a game is a number, or a name such as taroky#3/4007")
    if run and label and run != label:
        raise UsageError(f"--game {game} is not of --run {run}")
    return label or run, int(number)


def _check_game(store: Store, run: LeagueRun, game: int, labels: list[str], entrant: int) -> None:
    """Whether there is such a game, and the entrant played it.

    Raises:
        UsageError: no.
    """
    from arena.replay.recorded import match_of

    match, place = match_of(store, run, str(game))
    seated = [match.line_up[one] for one in match.places[place].tolist()]
    if entrant not in seated:
        names = ", ".join(labels[one] for one in seated)
        raise UsageError(f"{labels[entrant]} did not play {run.label}/{game}: there are {names}")


def debug(
    path: Annotated[Path, typer.Argument(help="Your bot: a .py file, or a folder with __init__.py.")],
    game: Annotated[
        str,
        typer.Option(
            "--game",
            metavar="LEAGUE#N/GAME|FILE",
            help="A game that was played.",
            autocompletion=completion.played_games,
        ),
    ],
    decision: Annotated[
        int | None, typer.Option(min=0, help="Stop there (default: where the seat lost, else its first).")
    ] = None,
    seat: Annotated[
        int | None, typer.Option(min=0, help="Whose decisions (default: where a bot of its name sat).")
    ] = None,
    pdb: Annotated[
        bool, typer.Option("--pdb/--no-pdb", help="Stop in the debugger at that decision.")
    ] = True,
    db: DbOption = None,
) -> None:
    """Run a bot in this process on exactly the view of a decision in a played game, under the debugger.

    A bot with memory is asked at its earlier decisions of the game before.

    Examples:
        arena bot debug my_bot.py --game taroky#2/4007 --decision 31
        arena bot debug my_bot.py --game game.jsonl --seat 1 --no-pdb
    """
    from arena.replay.debugging import debug_decision
    from arena.replay.recorded import load

    found = load(game, db)
    where = seat if seat is not None else _own_seat(found, path)
    if where >= found.players:
        raise UsageError(f"{found.label} has seats 0 to {found.players - 1}, not {where}")
    stops = pdb and sys.stdin.isatty()
    if pdb and not stops:
        note("no terminal: the debugger is left out")
    for line in debug_decision(found, path, where, decision, stops):
        print(line)


def _own_seat(found: Any, path: Path) -> int:
    if len(found.lost) == 1 and path.stem not in {name.partition("@")[0] for name in found.names}:
        return int(next(iter(found.lost)))
    return int(found.seat_of(path.resolve().stem))
