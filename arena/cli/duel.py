"""`arena duel`: bots against each other, at once."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli import options
from arena.cli.output import Format, Volume, clean, count, kin, note, table
from arena.cli.progress import live_line
from arena.cli.stopping import STOPPED
from arena.errors import UsageError
from arena.printable import number, settings, span

if TYPE_CHECKING:
    from arena.match.played import Forfeited
    from arena.runs.duelling import Duel, Games

COLUMNS = ("bot", "score", "lead", "low", "high", "games", "forfeits", "cpu_us")


def duel(
    bots: Annotated[list[str], typer.Argument(metavar="A B ...", help="./my_bot.py, rule, my_bot@2.")],
    game: options.GameOption = None,
    deals: options.DealsOption = 1000,
    seed: options.SeedOption = None,
    players: options.PlayersOption = None,
    option: options.OptionOption = None,
    league: options.LeagueOption = None,
    level: options.LevelOption = None,
    interpreter: options.InterpreterOption = None,
    how: options.FormatOption = Format.TABLE,
) -> None:
    """Play bots against each other without a league. Nothing is stored.

    Shows the difference to the first bot while it plays; Ctrl-C ends it with the table. At level trusted bots
    run in this process: it starts sooner, breakpoints work, and nothing limits them.

    Examples:
        arena duel ./my_bot.py rule --game taroky
        arena duel ./my_bot.py banker racer --game flip7 --deals 200 --seed 7 --level trusted
        arena duel ./my_bot.py rule --league ./my_league.toml
    """
    from arena.intake.conditions import Conditions
    from arena.jail import early as start

    with contextlib.ExitStack() as opened:
        early = None if level == "trusted" else start.early_server()  # loads while this process does
        if early is not None:
            opened.callback(early.close)
        with start.loading():
            conditions = Conditions.of(
                game,
                league,
                players=players,
                options=options.pairs(option),
                level=level,
                interpreters=interpreter or (),
            )
            from arena.runs.duelling import Duel

            note(f"{conditions.game}: loading {', '.join(bots)}; Ctrl-C ends it with the table")
            duel = Duel(bots, conditions, seed, None, early, note)
        _play(opened.enter_context(duel), deals or 1000, how)


def _play(playing: Duel, deals: int, how: Format) -> None:
    games, stopped = playing.play(0), False
    try:
        for part in playing.chunks(deals):
            games += part
            _say(playing, games)
    except KeyboardInterrupt:
        stopped = True
    if sys.stderr.isatty():
        live_line("")
    if not len(games):
        raise UsageError("stopped before the first deal was played")
    _print(playing, games, how)
    if stopped:
        raise typer.Exit(STOPPED)


def _say(playing: Duel, games: Games) -> None:
    """How it stands, on one line of the screen; without a terminal a line a chunk."""
    if Volume.quiet:
        return
    done = len(set(games.deal.tolist()))
    first, *others = playing.names[:4]
    parts = []
    for bot, name in enumerate(others, 1):
        mean, low, high = games.difference(0, bot)
        parts.append(f"{first} - {name}: {number(mean, 2, sign=True)} [{span(low, high, 2)}]")
    line = clean(f"{count(done, 'deal')}, {count(len(games), 'game')}; {'; '.join(parts) or 'alone'}")
    if sys.stderr.isatty():
        live_line(line)
    else:
        print(line, file=sys.stderr, flush=True)


def _print(playing: Duel, games: Games, how: Format) -> None:
    first = games.names[0]
    table(
        [_row(games, bot) for bot in range(len(games.names))],
        COLUMNS,
        how,
        {
            "bot": lambda r: r["bot"],
            ">score/game": lambda r: number(r["score"], 2),
            f">{first} leads by": lambda r: number(r["lead"], 2),
            "95 %": lambda r: span(r["low"], r["high"], 2),
            ">games": lambda r: str(r["games"]),
            ">forfeits": lambda r: str(r["forfeits"]),
            ">CPU us/decision": lambda r: f"{r['cpu_us']:.0f}",
        },
        drop=(">CPU us/decision", ">forfeits", ">games"),
    )
    _say_faults(games)
    note(f"{playing.game.name}, {playing.players} players, seed {playing.seed}; {settings(playing.options)}")


def _row(games: Games, bot: int) -> dict[str, Any]:
    """Return what a bot made, and how much more the first one made."""
    lead, low, high = games.difference(0, bot)
    mine = games.bots == bot
    return {
        "bot": games.names[bot],
        "score": _number(games.means[bot]),
        "lead": _number(lead) if bot else None,
        "low": _number(low) if bot else None,
        "high": _number(high) if bot else None,
        "games": int(mine.any(axis=1).sum()),
        "forfeits": int((mine & games.lost).sum()),
        "cpu_us": round(float(games.cpu_s[bot] / max(games.decisions[bot], 1)) * 1e6, 1),
    }


def _say_faults(games: Games) -> None:
    """Print of the faults of a bot that are alike the first one, and how many there are."""
    alike: dict[tuple[int, tuple[str, ...]], list[Forfeited]] = {}
    for bot, fault in games.faults:
        alike.setdefault((bot, kin(fault.kind, fault.text)), []).append(fault)
    for (bot, _), (fault, *others) in alike.items():
        _say_lines(f"{games.names[bot]} broke a rule, {fault.kind}: {fault.text}")
        for other, log in games.logs:
            if other == bot and (log.game, log.decision) == (fault.game, fault.decision):
                _say_lines(f"it printed: {log.text}")
                break
        if others:
            note(f"and {len(others)} more like it")


def _say_lines(text: str) -> None:
    """Print a text of several lines on stderr."""
    for line in text.strip().splitlines():
        note(line)


def _number(value: float) -> float | None:
    return round(value, 3) if abs(value) < float("inf") else None
