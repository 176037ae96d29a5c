"""Groups of commands: their help with every whole first sentence and with examples as they were written."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

import typer
from typer.core import TyperGroup

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


def group(about: str) -> typer.Typer:
    """Make a group of commands."""
    return typer.Typer(cls=Group, no_args_is_help=True, help=about, rich_markup_mode=None)


def finish(program: typer.Typer) -> None:
    """Print the examples of every command's help as they were written."""
    for command in program.registered_commands:
        written = inspect.getdoc(command.callback) or ""
        command.help = written.replace("\n\nExample", f"\n\n{NO_WRAP}\nExample")
    for group in program.registered_groups:
        if group.typer_instance is not None:
            finish(group.typer_instance)
