"""`arena play` and `arena watch`: a person at the table, and a game of bots to look at."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli import completion
from arena.cli.output import DbOption, note
from arena.errors import UsageError

if TYPE_CHECKING:
    from arena.person import Seat

HELP = (
    "a number or its text plays; Enter shows the table; ? what is decided now, by the rules; "
    "h a hint; u takes your last action back; q ends"
)
GameArgument = Annotated[str, typer.Argument(help="A game's name.", autocompletion=completion.game_names)]
PlayersOption = Annotated[int | None, typer.Option(min=1, help="Number of seats.")]
OptionOption = Annotated[
    list[str] | None, typer.Option(metavar="KEY=VALUE", help="An option of the game; repeat for more.")
]
SeedOption = Annotated[int | None, typer.Option(min=0, help="Of the deal (default: fresh).")]
AsciiOption = Annotated[bool, typer.Option("--ascii", help="No suit symbols.")]
ColourOption = Annotated[
    bool | None, typer.Option("--colour/--no-colour", help="Red suits (default: in a terminal).")
]


def play(
    game: GameArgument,
    bots: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="Who plays against you (default: house bots).",
            autocompletion=completion.bot_lists,
        ),
    ] = None,
    seat: Annotated[int, typer.Option(min=0, help="Where you sit.")] = 0,
    players: PlayersOption = None,
    seed: SeedOption = None,
    option: OptionOption = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where the game is kept (default: with your results).")
    ] = None,
    ascii_only: AsciiOption = False,
    colour: ColourOption = None,
    db: DbOption = None,
) -> None:
    """Play a game yourself against bots, in this terminal.

    Examples:
        arena play taroky
        arena play flip7 --bots racer,banker --players 3 --seed 7
    """
    look = _Look(ascii_only, colour)
    with _seated(game, bots, seat, players, seed, option, db) as (table, number):
        look.say(f"{game}: you have seat {seat}; {HELP}")
        finished = _go_on(table, look)
        if not finished:
            note("the game was left; it is not kept")
            return
        _end(table, look)
        _keep(table, number, record or _new_record(game))


def watch(
    game: GameArgument,
    bots: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...", help="Who plays (default: house bots).", autocompletion=completion.bot_lists
        ),
    ] = None,
    players: PlayersOption = None,
    seed: SeedOption = None,
    option: OptionOption = None,
    pause: Annotated[float, typer.Option(min=0, help="Seconds after an action; 0: at once.")] = 0.5,
    ascii_only: AsciiOption = False,
    colour: ColourOption = None,
    db: DbOption = None,
) -> None:
    """Watch bots play a game, with all cards open.

    Example:
        arena watch taroky --bots rule,plain,steady,rule --pause 1
    """
    look = _Look(ascii_only, colour)
    with _seated(game, bots, None, players, seed, option, db) as (table, number):
        note(f"seed {number}")
        shown: object = None
        while not table.position.over:
            now = getattr(table.position.view(-1), "round", None)
            if now != shown:
                look.say("\n" + look.text(str(table.position), table))
                shown = now
            if len(table.position.legal_numbers()) > 1 and sys.stdout.isatty():
                time.sleep(pause)
            look.say(look.move(*table.step(), table))
        _end(table, look)


class _Look:
    """How text is shown."""

    def __init__(self, ascii_only: bool, colour: bool | None) -> None:
        encoding = (sys.stdout.encoding or "ascii").lower()
        self.symbols = not ascii_only and encoding.startswith("utf")
        terminal = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self.colours = terminal if colour is None else colour
        self._wraps = sys.stdout.isatty()

    def say(self, text: str) -> None:
        """Print text, in a terminal with its long lines broken between words."""
        from arena.person import wrapped

        print(wrapped(text, shutil.get_terminal_size().columns) if self._wraps else text, flush=True)

    def text(self, text: str, table: Seat) -> str:
        """A position or an action, with names, symbols and colours."""
        from arena.person import pretty
        from arena.replay.text import named

        return pretty(named(text, table.names), table.position.game.name, self.symbols, self.colours)

    def move(self, seat: int, action: str, table: Seat) -> str:
        """What a seat played."""
        return self.text(f"  seat {seat}: {action}", table)


@contextlib.contextmanager
def _seated(
    game: str, bots: str | None, own: int | None, players: int | None, seed: int | None,
    option: list[str] | None, db: str | None,
) -> Iterator[tuple[Seat, int]]:  # fmt: skip
    """A table with everybody in their seats, and the seed of its deal."""
    import engines
    from arena.bots import debug
    from arena.cli.game import options_of
    from arena.match.warm import warm_up
    from arena.person import HINTS, Seat

    engines.check_name(game)
    warm_up(game, note)
    loaded = engines.load(game)
    chosen: dict[str, Any] = options_of(loaded, option or [])
    k, _ = loaded.check_options(players, chosen)
    if own is not None and own >= k:
        raise UsageError(f"the table has seats 0 to {k - 1}, not {own}")
    names = [name.strip() for name in bots.split(",")] if bots else _house(game)
    if not all(names):
        raise UsageError("--bots names nobody; leave it out for the house bots")
    others = k - (own is not None)
    names = names if bots else names[:others]
    if len(names) > others:
        raise UsageError(f"--bots names {len(names)} bots, there is room for {others}")
    seated = [names[at % len(names)] for at in range(others)]
    shown = list(seated)
    if own is not None:
        seated.insert(own, HINTS.get(game, seated[0]))
        shown.insert(own, "you")
    number = secrets.randbits(32) if seed is None else seed
    with debug.choosers(seated, game, number, db) as choosers:
        yield Seat(loaded.position(seed=number, players=k, **chosen), own, choosers, shown), number


def _house(game: str) -> list[str]:
    """The quick house bots of a game."""
    from arena.bots.registry import house_bots

    return [
        name
        for name, source in house_bots().items()
        if game in source.games and name not in ("random", "ismcts", "montecarlo")
    ]


def _go_on(table: Seat, look: _Look) -> bool:
    """Play until the end (true) or until the person leaves."""
    while not table.position.over:
        if not table.asked:
            look.say(look.move(*table.step(), table))
            continue
        _show(table, look)
        if not _decide(table, look):
            return False
    return True


def _show(table: Seat, look: _Look) -> None:
    view = str(table.position.view(table.own)).split("\nlegal: ")[0]
    from arena.person import KEPT

    look.say("\n" + look.text(view, table))
    legal = [look.text(text, table) for text in table.position.legal()]
    # an action is not broken
    look.say("  ".join(f"[{number}] {text}".replace(" ", KEPT) for number, text in enumerate(legal, 1)))


def _decide(table: Seat, look: _Look) -> bool:
    """Ask until the person has played (true) or leaves."""
    from engines import GameError

    while True:
        try:
            said = input("> ").strip()
        except EOFError:
            return False
        legal = table.position.legal()
        if said in ("q", "quit"):
            return False
        if said == "":
            _show(table, look)
        elif said == "?":
            _explain(table, look)
        elif said == "h":
            look.say(look.text(f"a house bot would play: {table.hint()}", table))
        elif said == "u":
            if table.undo():
                print("taken back")
            else:
                print("there is nothing to take back")
            _show(table, look)
        elif said.isdecimal():
            if 1 <= int(said) <= len(legal):
                look.say(look.move(*table.play(legal[int(said) - 1]), table))
                return True
            print(f"there are actions 1 to {len(legal)}")
        else:
            try:
                look.say(look.move(*table.play(said), table))
                return True
            except GameError as error:
                look.say(f"{error}; {HELP}")


def _explain(table: Seat, look: _Look) -> None:
    from arena.person import rules_of

    view = table.position.view(table.own)
    # the page breaks its paragraphs for a wide editor: here the terminal says where
    look.say(re.sub(r"(?<=\S)\n {0,3}(?=[\w(`])", " ", rules_of(view.game, view.phase)))
    look.say(HELP)


def _end(table: Seat, look: _Look) -> None:
    look.say("\n" + look.text(str(table.position), table))
    scores = table.position.scores()
    for seat in sorted(range(len(scores)), key=lambda seat: -scores[seat]):
        print(f"{scores[seat]:>8}  seat {seat} {table.names[seat]}")


def _new_record(game: str) -> Path:
    from arena.places import data_folder

    stamp = time.strftime("%Y%m%d-%H%M%S")
    return data_folder() / "games" / f"{game}-{stamp}-{secrets.token_hex(2)}.jsonl"


def _keep(table: Seat, seed: int, path: Path) -> None:
    from arena import records

    lines = "".join(records.line(event) + "\n" for event in table.record(seed))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(lines, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: the game cannot be kept: {error.strerror}") from None
    note(f"kept; look at it again: arena replay {path}")
