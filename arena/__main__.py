"""The `arena` program."""

from __future__ import annotations

import inspect
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from arena.cli import bot, compare, db, doctor, duel, game, league, play, ratings, replay, web
from arena.errors import exit_code

NO_WRAP = "\b"  # on a line of its own: Click leaves the lines of this paragraph as they are


class Program(TyperGroup):
    """Commands whose errors, if a person can mend them, are one line on stderr and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            code = exit_code(error)
            if code is None:
                raise
            print(f"arena: {_printable(str(error))}", file=sys.stderr)
            raise typer.Exit(code) from None
        except KeyboardInterrupt:
            print("arena: stopped", file=sys.stderr)
            raise typer.Exit(130) from None


def _keep_examples(program: typer.Typer) -> None:
    """Print the examples of every command's help as they were written: one a line."""
    for command in program.registered_commands:
        written = inspect.getdoc(command.callback) or ""
        command.help = written.replace("\n\nExample", f"\n\n{NO_WRAP}\nExample")
    for group in program.registered_groups:
        if group.typer_instance is not None:
            _keep_examples(group.typer_instance)


def _printable(text: str) -> str:
    """Names of strangers' files may be in it: what would steer a terminal, or is no text, is shown
    escaped.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)


app = typer.Typer(
    name="arena",
    cls=Program,
    help="Leagues of bots for Taroky, Julepe, Jolly Zoliky, Flip 7 and Tzogous 37.",
    epilog="First steps: arena bot new my_bot --game taroky; arena bot check my_bot.py; "
    "arena bot submit my_bot.py; arena league run taroky",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(bot.app, name="bot")
app.add_typer(league.app, name="league")
app.add_typer(db.app, name="db")
app.command()(ratings.ratings)
app.command()(compare.compare)
app.command()(duel.duel)
app.command()(replay.replay)
app.command()(play.play)
app.command()(play.watch)
app.command()(web.report)
app.command()(web.serve)
app.command()(game.trace)
app.command()(game.games)
app.command()(game.bench)
app.command()(doctor.doctor)
_keep_examples(app)


def _version(wanted: bool) -> None:
    if wanted:
        import arena

        print(f"card-arena {arena.__version__}")
        raise typer.Exit()


@app.callback()
def program(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and end.")
    ] = False,
) -> None:
    """Leagues of bots for Taroky, Julepe, Jolly Zoliky, Flip 7 and Tzogous 37."""


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
