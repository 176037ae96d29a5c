"""Write the page reference/cli.md from the commands themselves: a hook that mkdocs calls at every build."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from typer.main import get_command

from arena.__main__ import app

HEAD = """# Commands

Every command with its arguments and options, for people who know which command they want. The same texts are
printed by `arena COMMAND --help`.
"""


def on_files(files: Files, config: Any) -> Files:
    """Add the page of the commands."""
    page = "\n".join([HEAD, *sections(get_command(app), ("arena",))])
    files.append(File.generated(config, "reference/cli.md", content=page))
    return files


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Refuse a page that loads anything from the network: the site has to open from the disk."""
    found = re.findall(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="(https?:[^"]*)"', output)
    if found:
        raise PluginError(f"{page.file.src_uri} loads {found[0]}; keep a copy in docs/assets")
    return output


def sections(command: Any, path: tuple[str, ...]) -> Iterator[str]:
    """Give the section of a command, then those of the commands below it."""
    yield f"\n{'##' if len(path) < 3 else '###'} {' '.join(path)}\n"
    yield re.sub(r"(\n\S.*)\n {4}", r"\1\n\n    ", plain(inspect.cleandoc(command.help or "")))
    context = command.make_context(" ".join(path), [], resilient_parsing=True)
    records = [found for one in command.params if (found := one.get_help_record(context))]
    if records:
        yield "\n| option | meaning |\n| --- | --- |"
        yield from (f"| `{cell(names)}` | {plain(cell(meaning))} |" for names, meaning in records)
    for name, below in getattr(command, "commands", {}).items():
        yield from sections(below, (*path, name))


def cell(text: str) -> str:
    """Give a text for a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def plain(text: str) -> str:
    """Give a text without the marks of click, and with those of HTML escaped."""
    return text.replace("\b", "").replace("<", "&lt;") + "\n" * ("\n" in text)
