"""`arena replay`: stepping through a game that was played, in a terminal; plain text when it is piped."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import screen
from arena.cli.options import LevelOption, OutOption, PlayedGameArgument
from arena.cli.output import clean, note, note_page
from arena.errors import UsageError

if TYPE_CHECKING:
    from arena.replay.losses import Choice
    from arena.replay.recorded import Recorded
    from engines.position import Position
    from engines.scene import Scene

HELP = "right forward  left back  n/p 10 on/back  d next difference  g jump  s seat  o open cards  q end"


class How(StrEnum):
    """How a game is shown."""

    STEPS = "steps"  # one decision at a time, in a terminal
    TEXT = "text"
    HTML = "html"
    JSONL = "jsonl"


SeatOption = Annotated[int | None, typer.Option("--seat", min=0, help="Show what this seat sees, no more.")]
OtherOption = Annotated[
    str | None,
    typer.Option("--with", metavar="BOT", help="Say what this bot would play; stop where it differs."),
]
AtOption = Annotated[int, typer.Option("--at", min=0, metavar="N", help="Begin at this decision.")]
LogsOption = Annotated[str | None, typer.Option("--logs", metavar="BOT", help="Show what this bot printed.")]
DebugOption = Annotated[
    Path | None,
    typer.Option("--debug", metavar="PATH", help="Run this bot on one decision, in the debugger."),
]
HowOption = Annotated[
    How | None, typer.Option("--format", help="Step through it (in a terminal), or text, a page, a record.")
]


def replay(
    game: PlayedGameArgument,
    seat: SeatOption = None,
    other: OtherOption = None,
    level: LevelOption = None,
    at: AtOption = 0,
    logs: LogsOption = None,
    debug: DebugOption = None,
    how: HowOption = None,
    out: OutOption = None,
) -> None:
    """Step through a game that was played. Shows who sat where, every action, the cards.

    With --with a bot is asked at every decision of --seat, or of the seat in which a bot of its name sat.
    With --debug a bot runs in this process on exactly the view of the decision --at (default: where it
    broke a rule, else its first), under the debugger. It is asked at its earlier decisions before.
    A page goes to GAME.html here unless --out says where; text and records go to the screen.

    Examples:
        arena replay taroky#2/4007
        arena replay taroky#2/4007 --with ./my_bot.py
        arena replay game.jsonl --seat 2 --format text
        arena replay taroky#2/4007 --debug my_bot.py --at 31
        arena replay taroky#2/4007 --format html --out lost.html
        arena replay taroky#2/4007 --format jsonl > game.jsonl
    """
    from arena.replay.recorded import load_game

    record = load_game(game)
    if seat is not None and seat >= record.players:
        raise UsageError(f"{record.label} has seats 0 to {record.players - 1}, not {seat}")
    if at > len(record.moves):
        raise UsageError(f"{record.label} has decisions 0 to {len(record.moves) - 1}, not {at}")
    if debug is not None:
        _debug(record, debug, seat, at)
        return
    logged = None if logs is None else record.seat_of(logs)
    how = how or (How.STEPS if sys.stdin.isatty() and sys.stdout.isatty() and out is None else How.TEXT)
    if how in (How.HTML, How.JSONL) and other is not None:
        raise UsageError(f"--format {how} shows the game as it was played: leave out --with")
    if how is How.HTML:
        _write_page(record, out, logs)
        return
    if how is How.JSONL:
        from arena.match import records

        _put(out, (records.line(event) for event in record.events()))
        return
    asked = _asked(record, other, seat, level)
    if how is How.STEPS:
        _step_through(record, at, seat, asked, other or "", logged)
    else:
        _put(out, _as_text(record, at, seat, asked, other, logged))


def _costs(found: Recorded) -> tuple[dict[int, str], str]:
    """Return a line for every costly decision of a stored game that was analysed, and who has judged."""
    from arena.replay.analysis import cost_line, costliest, saved
    from arena.store import Store

    known, by = ([], "") if found.seed is None else saved(Store(), found.label)
    return {one.decision: f"      $ {cost_line(found.game, one)}" for one in costliest(known)}, by


def _debug(record: Recorded, bot: Path, seat: int | None, at: int) -> None:
    """Run a bot on one decision; in a terminal the debugger stops there."""
    from arena.replay.debugging import debug_decision, own_seat

    stops = sys.stdin.isatty()
    if not stops:
        note("no terminal: the debugger is left out")
    where = own_seat(record, bot) if seat is None else seat
    for line in debug_decision(record, bot, where, at or None, stops):
        print(line)


def _asked(found: Recorded, other: str | None, seat: int | None, level: str | None) -> dict[int, Choice]:
    """Return what another bot would have played, by decision."""
    from arena.replay.losses import choices

    if other is None:
        return {}
    asking = seat if seat is not None else found.seat_of(_name(other))
    return {one.decision: one for one in choices(found, other, asking, None, level or "strict")}


def _as_text(
    found: Recorded,
    at: int,
    seat: int | None,
    asked: dict[int, Choice],
    other: str | None,
    logged: int | None,
) -> Iterator[str]:
    """Yield the whole game, line by line."""
    from arena.replay.text import transcript

    costs, by = _costs(found)
    for line in transcript(found, at, seat, asked, other or "", logged, costs):
        yield clean_lines(line)
    if by:
        yield f"\ncosts ($) as saved: {by}"
    if other is not None:
        differ = [one.decision for one in asked.values() if not one.same]
        few = ", ".join(map(str, differ[:12])) + ", ..." * (len(differ) > 12)
        yield f"\n{other} differs at {len(differ)} of {len(asked)} decisions: {few or 'none'}"


def _put(out: Path | None, lines: Iterator[str]) -> None:
    """Lines to the screen, or to a file."""
    if out is None:
        for line in lines:
            print(line)
    else:
        from arena.places import write_text

        write_text(out, "".join(line + "\n" for line in lines))


def _write_page(found: Recorded, out: Path | None, logs: str | None) -> None:
    """Write the game as a page."""
    from arena.places import write_text
    from arena.store import Store
    from arena.web.page import game_page

    name = Path(found.label).stem if found.seed is None else found.label.replace("#", "-").replace("/", "-")
    path = out or Path(f"{name}.html")
    stored = None if found.seed is None else Store()
    write_text(path, game_page(found, [logs] if logs else (), stored))
    note_page(path)


def _name(bot: str) -> str:
    """Return the name of a bot that is given by its path or with a version."""
    return bot.rstrip("/").rpartition("/")[2].removesuffix(".py").partition("@")[0]


def clean_lines(text: str) -> str:
    """Text that cannot steer a terminal."""
    return "\n".join(clean(line) for line in text.split("\n"))


def _step_through(
    game: Recorded, at: int, seat: int | None, asked: dict[int, Choice], other: str, logged: int | None
) -> None:
    """Show the game in the terminal, one decision at a time."""
    from arena.replay.text import shown

    positions = [position.copy() for position in game.positions()]
    differ, costs = [one.decision for one in asked.values() if not one.same], _costs(game)[0]
    last, now = len(game.moves), at
    if not at and differ:
        now = differ[0]
    with screen.keys() as key:
        while True:
            past, lines = _screen(game, positions, now, asked, other, logged)
            lines += [costs[now]] if now in costs else []
            head = clean_lines(shown(positions[now], game, seat) + "\n")
            whose = "open cards" if seat is None else f"seat {seat} ({game.names[seat]})"
            foot = f"{game.label}  decision {now} of {last}  {whose}   {HELP}"
            screen.draw(head, [*map(clean_lines, past)], clean_lines("\n".join(lines)), foot)
            pressed = key()
            if pressed in ("q", "\x03", "\x04", ""):
                return
            if pressed == "s":
                seat = 0 if seat is None else (seat + 1) % game.players
            elif pressed == "o":
                seat = None
            elif pressed == "g":
                wanted = screen.ask("decision: ")
                now = int(wanted) if wanted.isdecimal() else now
            now = max(0, min(last, _moved(pressed, now, differ, last)))


def _moved(pressed: str, now: int, differ: list[int], last: int) -> int:
    """Return the decision to which a key leads."""
    on = next((one for one in differ if one > now), None)
    match pressed:
        case " " if differ:
            return last if on is None else on
        case "right" | " " | "\r" | "\n":
            return now + 1
        case "left":
            return now - 1
        case "n" | "p":
            return now + (10 if pressed == "n" else -10)
        case "d":
            return now if on is None else on
    return now


def _screen(
    game: Recorded, positions: list[Position], now: int, asked: dict[int, Choice], other: str,
    logged: int | None,
) -> tuple[list[str], list[str]]:  # fmt: skip
    """Return the decisions before this one, and the lines of what is played next."""
    from arena.replay.text import choice_line, decision_line, fault_lines

    scenes: dict[int, Scene] = {}
    past = ["  " + decision_line(positions[at], game, at, scenes) for at in range(max(0, now - 5), now)]
    if now == len(game.moves):
        return past, [f"the end: {', '.join(map(str, game.scores))}"]
    lines = ["->" + decision_line(positions[now], game, now, scenes)]
    if now in asked:
        lines.append(choice_line(asked[now], other))
    said = game.logs.get((logged, now), "") if logged is not None else ""
    lines += [f"      | {line}" for line in said.rstrip().splitlines()]
    return past, [*lines, *fault_lines(positions[now], game, now)]
