"""Groups of commands: their help with every whole first sentence, and what every command has."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from arena.cli.output import Volume

WHOLE = 1000  # characters: more than any sentence
NO_WRAP = "\b"  # on a line of its own: Click leaves the lines of this paragraph as they are


class Group(TyperGroup):
    """Commands in the order in which they were added."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands into the help."""
        self.write_section(formatter, "Commands", self.commands)

    def write_section(self, formatter: Any, head: str, names: Iterable[str]) -> None:
        """Write some of the commands; long sentences go on in the next line, where Click would cut them."""
        widest = max(len(name) for name in self.commands)
        with formatter.section(head):
            formatter.write_dl(
                [(name.ljust(widest), self.commands[name].get_short_help_str(WHOLE)) for name in names]
            )


def _be_quiet(wanted: bool) -> None:
    Volume.quiet = Volume.quiet or wanted


def _be_verbose(wanted: bool) -> None:
    Volume.verbose = Volume.verbose or wanted


QuietOption = Annotated[
    bool,
    typer.Option("--quiet", "-q", callback=_be_quiet, help="Print results and errors, and no notes."),
]
VerboseOption = Annotated[
    bool,
    typer.Option(
        "--verbose", "-v", callback=_be_verbose, help="Say which database, how long, an error's traceback."
    ),
]


def finish(program: typer.Typer) -> None:
    """Give every command `-q` and `-v`, and print the examples of its help as they were written."""
    for command in program.registered_commands:
        written = inspect.getdoc(command.callback) or ""
        command.help = written.replace("\n\nExample", f"\n\n{NO_WRAP}\nExample")
        if command.callback is not None:
            command.callback = _with_volume(command.callback)
    for group in program.registered_groups:
        if group.typer_instance is not None:
            finish(group.typer_instance)


def _with_volume(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that also takes `-q` and `-v`, whose callbacks do all."""

    @functools.wraps(command)
    def called(*, quiet: bool, verbose: bool, **given: Any) -> None:
        command(**given)

    plain = inspect.signature(command, eval_str=True)
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=kind)
        for name, kind in (("quiet", QuietOption), ("verbose", VerboseOption))
    ]
    whole = plain.replace(parameters=[*plain.parameters.values(), *more])
    vars(called)["__signature__"] = whole
    called.__annotations__ = {name: one.annotation for name, one in whole.parameters.items()}
    return called
