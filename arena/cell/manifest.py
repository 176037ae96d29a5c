"""`bot.toml`: what a bot's folder says about a program that is not Python.

Read in the harness's own process, so it is small and everything in it is checked. Whether the program can be
run is not known here (`jail.elf`, `foreign`).
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import Any

from ..jail.program import MANIFEST, Executable, Program

MAX_BYTES = 4096
MAX_ARGUMENTS, MAX_ARGUMENT = 16, 256
KEYS = ("title", "games", "program", "interpreter", "arguments")


class BadManifest(ValueError):
    """What is wrong with a `bot.toml`, in one sentence."""


@dataclass(frozen=True)
class Manifest:
    """What it says."""

    title: str
    games: tuple[str, ...]
    program: str  # a file of the folder: a static executable, or what the interpreter runs
    interpreter: str = ""  # the name of one that the organiser allows; "": none
    # of the program, or of the interpreter, where "{file}" is a path of the program; "{open NAME}" is the
    # number of a descriptor from which a file of the folder is read
    arguments: tuple[str, ...] = ()

    def executable(self, interpreters: dict[str, str]) -> Executable:
        """Return what to start.

        Args:
            interpreters: paths on the host by the names that are allowed.

        Raises:
            BadManifest: the interpreter is not allowed.
        """
        if not self.interpreter:
            return Executable(self.program, self.arguments)
        if self.interpreter not in interpreters:
            allowed = f"allowed are {', '.join(interpreters)}" if interpreters else "none is allowed"
            path = f"{self.interpreter}=/usr/bin/{self.interpreter}"
            raise BadManifest(
                f"{MANIFEST}: the interpreter {self.interpreter!r} is not allowed here: {allowed}. For a "
                f'check: --interpreter {path}; for a league: level = "strict+interpreters" and, under '
                f'[limits], interpreters = ["{path}"]'
            )
        return Executable(self.program, self.arguments or ("{file}",), interpreters[self.interpreter])


def read(bot: Program) -> Manifest:
    """Return what a bot's manifest says.

    Raises:
        BadManifest: says what is wrong; or there is no such program or file in the bot's folder.
    """
    manifest = parse(bot.files[MANIFEST])
    for name in (manifest.program, *Executable(manifest.program, manifest.arguments).opened):
        if name not in bot.files:
            raise BadManifest(f"{MANIFEST}: there is no file {name!r} in the bot's folder")
    return manifest


def parse(data: bytes) -> Manifest:
    """Read a manifest. Raises BadManifest: says what is wrong."""
    if len(data) > MAX_BYTES:
        raise BadManifest(f"{MANIFEST} may have {MAX_BYTES} bytes")
    try:
        values: dict[str, Any] = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise BadManifest(f"{MANIFEST}: {error}") from None
    for key in values:
        if key not in KEYS:
            known = ", ".join(KEYS)
            raise BadManifest(f"{MANIFEST} has {key[:40]!r}, which nothing reads; known are {known}")
    texts = {key: values.get(key, "") for key in ("title", "program", "interpreter")}
    for key, text in texts.items():
        if not isinstance(text, str) or not (text.isprintable() and len(text) <= MAX_ARGUMENT):
            raise BadManifest(f"{MANIFEST}: {key} is one line of text of at most {MAX_ARGUMENT} characters")
    if not texts["program"]:
        raise BadManifest(f'{MANIFEST}: program is missing: which file is started? As in program = "bot"')
    games = _texts(values, "games")
    if not games:
        raise BadManifest(f'{MANIFEST}: games is missing: which games does it play? As in games = ["flip7"]')
    return Manifest(games=games, arguments=_texts(values, "arguments"), **texts)


def _texts(values: dict[str, Any], key: str) -> tuple[str, ...]:
    texts = values.get(key, [])
    fine = isinstance(texts, list) and all(isinstance(text, str) for text in texts)
    if not fine or len(texts) > MAX_ARGUMENTS or any("\0" in t or len(t) > MAX_ARGUMENT for t in texts):
        raise BadManifest(
            f"{MANIFEST}: {key} is a list of at most {MAX_ARGUMENTS} texts of {MAX_ARGUMENT} characters"
        )
    return tuple(texts)
