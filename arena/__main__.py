"""The `arena` program."""

from __future__ import annotations

import os
import sys

import typer

from arena.cli import bot, compare, doctor, game, league, ratings
from arena.errors import ArenaError

app = typer.Typer(
    name="arena",
    help="Leagues of bots for Taroky, Julepe, Jolly Zoliky, Flip 7 and Tzogous 37.",
    epilog="First steps: arena bot new my_bot --game taroky; arena bot check my_bot.py; arena bot submit my_bot.py; "
    "arena league run taroky",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(bot.app, name="bot")
app.add_typer(league.app, name="league")
app.command()(ratings.ratings)
app.command()(compare.compare)
app.command()(game.trace)
app.command()(game.games)
app.command()(game.bench)
app.command()(doctor.doctor)


def main() -> None:
    """Run the command line; what a person can mend is one line on stderr."""
    try:
        app()
    except ArenaError as error:
        _fail(error, error.code)
    except ValueError as error:
        if not _is_ours(error):
            raise
        _fail(error, 2)
    except RuntimeError as error:
        from arena.jail.limits import HostError

        if not isinstance(error, HostError):
            raise
        _fail(error, 5)
    except KeyboardInterrupt:
        print("arena: stopped", file=sys.stderr)
        os._exit(130)
    except BrokenPipeError:  # the reader of a pipe has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _is_ours(error: ValueError) -> bool:
    """Whether this is an error of `engines` or `leagues`, whose text is for people."""
    return type(error).__module__.partition(".")[0] in ("engines", "leagues")


def _fail(error: Exception, code: int) -> None:
    print(f"arena: {error}", file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
