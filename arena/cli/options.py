"""Options and arguments that several commands have, each defined once, and how their texts are read.

One name for one thing: `--bots` who plays, `--deals` how much is played, `--limit` how many rows are shown,
`--out` where something is written, `--level` how bots are separated. A run is always an argument.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.output import Format
from arena.cli.progress import Progress
from arena.errors import UsageError

SECONDS = {"s": 1, "m": 60, "h": 3600}
LEVELS = "strict, strict+ns, strict+interpreters, trusted"

FormatOption = Annotated[Format, typer.Option("--format", help="How to print the table.")]
ProgressOption = Annotated[
    Progress,
    typer.Option("--progress", help="Progress on stderr: as fits, lines, JSON lines, or nothing."),
]
OutOption = Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write the output to FILE.")]
LogOption = Annotated[
    Path | None,
    typer.Option("--log", metavar="FILE", help="Write what is said as JSON lines, too; 60 MB at most."),
]
LimitOption = Annotated[int | None, typer.Option("--limit", min=1, metavar="N", help="Rows to show at most.")]

# --- what is played -----------------------------------------------------------------------------------------

GameArgument = Annotated[str, typer.Argument(metavar="GAME", help="A game's name.")]
GameOption = Annotated[str | None, typer.Option("--game", help="A game's name.")]
BotsOption = Annotated[
    str | None, typer.Option("--bots", metavar="A,B,...", help="Who plays: rule, my_bot@2, ./draft.py.")
]
DealsOption = Annotated[int | None, typer.Option("--deals", min=1, help="Deals, each from every seat.")]
SeedOption = Annotated[
    int | None, typer.Option("--seed", min=0, help="A known seed, for a repetition (default: fresh).")
]
PlayersOption = Annotated[int | None, typer.Option("--players", min=1, help="Number of seats.")]
OptionOption = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="KEY=VALUE", help="An option of the game; repeat for more."),
]
LeagueOption = Annotated[
    str | None,
    typer.Option(
        "--league",
        metavar="NAME|FILE",
        help="As this league plays: game, table, options, limits, packages, level.",
    ),
]
LevelOption = Annotated[
    str | None,
    typer.Option("--level", metavar="LEVEL", help=f"How bots are separated: {LEVELS} (default: strict)."),
]
InterpreterOption = Annotated[
    list[str] | None,
    typer.Option(
        "--interpreter",
        metavar="NAME=PATH",
        help="A program that may run a bot, as node=/usr/bin/node; repeat for more.",
    ),
]

TrialsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--league", metavar="NAME|FILE", help="Try bots as this league plays; repeat for other games."
    ),
]

# --- how a run is played ------------------------------------------------------------------------------------

WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers", min=1, help="Matches at a time (default: one per CPU core, of a cluster all of its)."
    ),
]
AddressOption = Annotated[str | None, typer.Option("--address", help="Address of a running Ray cluster.")]

# --- what is stored -----------------------------------------------------------------------------------------

LeagueArgument = Annotated[
    str, typer.Argument(metavar="LEAGUE", help="A league's name, or the path of a .toml file.")
]
RunArgument = Annotated[
    str, typer.Argument(metavar="LEAGUE[#N]", help="A run: taroky#2; without #N the latest one.")
]
MaybeRunArgument = Annotated[
    str | None, typer.Argument(metavar="LEAGUE[#N]", help="Only this run (default: its latest).")
]
YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
BotArgument = Annotated[
    str, typer.Argument(metavar="BOT[@N]", help="A stored bot: my_bot@2; without @N the newest.")
]
PlayedGameArgument = Annotated[
    str, typer.Argument(metavar="LEAGUE#N/GAME|FILE", help="A stored game, or a record's file.")
]


def names(text: str | None) -> list[str]:
    """Read a list such as `rule,./draft.py`; None is an empty one.

    Raises:
        UsageError: there is an empty name.
    """
    if text is None:
        return []
    listed = [name.strip() for name in text.split(",")]
    if not all(listed):
        raise UsageError(f"--bots {text!r} names nobody at one place")
    return listed


def pairs(texts: Sequence[str] | None) -> dict[str, str]:
    """Read the values of `--option`.

    Raises:
        UsageError: one is not key=value.
    """
    given = {}
    for text in texts or ():
        key, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--option {text!r}: write it as key=value; `arena games` lists the options")
        given[key] = value
    return given


def seconds_of(text: str | None) -> float | None:
    """Return a time such as 90s, 10m or 4h in seconds.

    Raises:
        UsageError: it is none.
    """
    if text is None:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh])", text)
    if match is None:
        raise UsageError(f"--until {text!r}: write a time as 90s, 10m or 4h")
    return float(match[1]) * SECONDS[match[2]]


def goal_and_time(text: str | None) -> tuple[str | None, float | None]:
    """Return the parts of `best,4h`: the goal and the seconds.

    The goal is "" for a time alone; the seconds are None for a goal alone. Both are None if there is no text.

    Raises:
        UsageError: two times or two goals.
        LeagueError: no such goal.
    """
    from leagues.definition import goal

    if text is None:
        return None, None
    parts = [part.strip() for part in text.split(",")]
    times = [part for part in parts if part[:1].isdigit()]
    goals = [part for part in parts if part not in times]
    if len(times) > 1 or len(goals) > 1:
        raise UsageError(f"--until {text!r}: one goal and one time at most, as in best,4h")
    goal(*goals or [""])  # said before anything is loaded: to load a game takes half a second
    return (goals or [""])[0], seconds_of(times[0]) if times else None
