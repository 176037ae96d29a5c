"""`arena replay`: stepping through a game that was played, in a terminal; plain text when it is piped."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import completion, screen
from arena.cli.output import DbOption, clean
from arena.errors import UsageError

if TYPE_CHECKING:
    from arena.replay.others import Choice
    from arena.replay.recorded import Recorded

HELP = "right forward  left back  n/p 10 on/back  d next difference  g jump  s seat  o open cards  q end"


def replay(
    game: Annotated[
        str,
        typer.Argument(
            metavar="LEAGUE#N/GAME|FILE",
            help="A stored game, or a record's file.",
            autocompletion=completion.played_games,
        ),
    ],
    seat: Annotated[int | None, typer.Option(min=0, help="Show what this seat sees, and no more.")] = None,
    other: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="BOT",
            help="Say what this bot would play; stop where it differs.",
            autocompletion=completion.bot_names,
        ),
    ] = None,
    at: Annotated[int, typer.Option(min=0, metavar="N", help="Begin at this decision.")] = 0,
    logs: Annotated[
        str | None,
        typer.Option(
            metavar="BOT", help="Show what this bot printed.", autocompletion=completion.stored_bots
        ),
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Print it all, also in a terminal.")] = False,
    trusted: Annotated[bool, typer.Option("--trusted", help="Ask a stored bot in this process.")] = False,
    html: Annotated[bool, typer.Option("--html", help="Write it as one HTML file with cards.")] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="With --html: where to; default: GAME.html here.")
    ] = None,
    db: DbOption = None,
) -> None:
    """Step through a game that was played. Shows who sat where, every action, the cards.

    With --with a bot is asked at every decision of --seat, or of the seat in which a bot of its name sat.

    Examples:
        arena replay taroky#2/4007
        arena replay taroky#2/4007 --with ./my_bot.py
        arena replay game.jsonl --seat 2 --plain
        arena replay taroky#2/4007 --html --out lost.html
    """
    from arena.replay.others import choices
    from arena.replay.recorded import load
    from arena.replay.text import transcript

    found = load(game, db)
    if seat is not None and seat >= found.players:
        raise UsageError(f"{found.label} has seats 0 to {found.players - 1}, not {seat}")
    if at > len(found.moves):
        raise UsageError(f"{found.label} has decisions 0 to {len(found.moves) - 1}, not {at}")
    logged = None if logs is None else found.seat_of(logs)
    if out is not None and not html:
        raise UsageError("--out is for --html")
    if html:
        _write_page(found, out, other, logs)
        return
    asked: dict[int, Choice] = {}
    if other is not None:
        asking = seat if seat is not None else found.seat_of(_name(other))
        asked = {one.decision: one for one in choices(found, other, asking, db, trusted)}
    if plain or not (sys.stdin.isatty() and sys.stdout.isatty()):
        for line in transcript(found, at, None, seat, asked, other or "", logged):
            print(clean_lines(line))
        if other is not None:
            differ = [one.decision for one in asked.values() if not one.same]
            print(f"\n{other} differs at {len(differ)} of {len(asked)} decisions: {_few(differ)}")
    else:
        _step_through(found, at, seat, asked, other or "", logged)


def _write_page(found: Recorded, out: Path | None, other: str | None, logs: str | None) -> None:
    from arena.cli.web import write
    from arena.web.page import game_page

    if other is not None:
        raise UsageError("--html shows the game as it was played: leave out --with")
    name = Path(found.label).stem if found.seed is None else found.label.replace("#", "-").replace("/", "-")
    write(out or Path(f"{name}.html"), game_page(found, [logs] if logs else ()))


def _name(bot: str) -> str:
    """The name of a bot that is given by its path or with a version."""
    return bot.rstrip("/").rpartition("/")[2].removesuffix(".py").partition("@")[0]


def _few(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers[:12])) + (", ..." if len(numbers) > 12 else "") if numbers else "none"


def clean_lines(text: str) -> str:
    """Text that cannot steer a terminal."""
    return "\n".join(clean(line) for line in text.split("\n"))


def _step_through(
    game: Recorded, at: int, seat: int | None, asked: dict[int, Choice], other: str, logged: int | None
) -> None:
    """Show the game in the terminal, one decision at a time."""
    from arena.replay.text import choice_line, decision_line, fault_lines, shown

    positions = [position.copy() for position in game.positions()]
    differ = [one.decision for one in asked.values() if not one.same]
    last, now = len(game.moves), at
    if not at and differ:
        now = differ[0]
    with screen.keys() as key:
        while True:
            lines = [shown(positions[now], game, seat), ""]
            lines += [decision_line(positions[past], game, past) for past in range(max(0, now - 5), now)]
            if now < last:
                lines.append("->" + decision_line(positions[now], game, now)[2:])
                if now in asked:
                    lines.append(choice_line(asked[now], other))
                said = game.logs.get((logged, now), "") if logged is not None else ""
                lines += [f"      | {line}" for line in said.rstrip().splitlines()]
                lines += fault_lines(positions[now], game, now)
            else:
                lines.append(f"the end: {', '.join(map(str, game.scores))}")
            whose = "open cards" if seat is None else f"seat {seat} ({game.names[seat]})"
            foot = f"{game.label}  decision {now} of {last}  {whose}   {HELP}"
            screen.draw(clean_lines("\n".join(lines)), foot)
            pressed = key()
            if pressed in ("q", "\x03", "\x04", ""):
                return
            if pressed in ("right", " ", "\r", "\n"):
                stops = differ and pressed == " "
                now = next((one for one in differ if one > now), last) if stops else now + 1
            elif pressed == "left":
                now -= 1
            elif pressed in ("n", "p"):
                now += 10 if pressed == "n" else -10
            elif pressed == "d":
                now = next((one for one in differ if one > now), now)
            elif pressed == "s":
                seat = 0 if seat is None else (seat + 1) % game.players
            elif pressed == "o":
                seat = None
            elif pressed == "g":
                wanted = screen.ask("decision: ")
                now = int(wanted) if wanted.isdecimal() else now
            now = max(0, min(last, now))
