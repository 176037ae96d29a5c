"""The help of a group of commands: every command with its whole first sentence, at any width."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from typer.core import TyperGroup

WHOLE = 1000  # characters: more than any sentence


class Group(TyperGroup):
    """Commands in the order in which they were added."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The commands in the help."""
        self.write_section(formatter, "Commands", self.commands)

    def write_section(self, formatter: Any, head: str, names: Iterable[str]) -> None:
        """Some of the commands; long sentences go on in the next line, where Click would cut them."""
        widest = max(len(name) for name in self.commands)
        with formatter.section(head):
            formatter.write_dl(
                [(name.ljust(widest), self.commands[name].get_short_help_str(WHOLE)) for name in names]
            )
