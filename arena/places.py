"""Where things of a person are kept: results beside a checkout, else one folder per user."""

from __future__ import annotations

import getpass
import os
import time
from pathlib import Path

from .errors import UsageError

OWN = "results"
DATABASE = "arena.db"
MARK = 'name = "card-arena"'  # in the pyproject.toml of a checkout


def checkout(start: Path | None = None) -> Path | None:
    """Return the checkout of this project that a folder is in (default: the current one), if it is in one."""
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        try:
            if MARK in (folder / "pyproject.toml").read_text(encoding="utf-8", errors="replace"):
                return folder
        except OSError:
            continue
    return None


def user_folder() -> Path:
    """Return the user's own place for data: XDG_DATA_HOME, else ~/.local/share.

    Raises:
        UsageError: the user has no home folder.
    """
    home = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    try:
        return Path(home).expanduser() / "card-arena"
    except RuntimeError:
        raise UsageError(
            "this user has no home folder for results: set HOME or XDG_DATA_HOME, or name one with --db"
        ) from None


def user_name() -> str:
    """Return the login name of who runs this; empty if the system knows none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


def data_folder() -> Path:
    """Return where results go.

    That is `results` of the checkout around the current folder, else the user's place. A folder `results`
    here that has an arena.db comes first; others are not taken, for they are somebody else's.
    """
    if Path(OWN, DATABASE).is_file():
        return Path(OWN)
    root = checkout()
    if root is None:
        return user_folder()
    return Path(OWN) if root == Path.cwd().resolve() else root / OWN


def age_s(path: Path) -> float:
    """Return how long ago a file was written, in seconds; a time to come counts alike: a clock was wrong."""
    return abs(time.time() - path.stat().st_mtime)


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all; what is no file, as a link, a pipe or /dev/stdout, is written to.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        if path.is_symlink() or (path.exists() and not path.is_file()):
            path.write_text(text, encoding="utf-8")
        else:
            write_whole(path, text, 0o666)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from None


def write_whole(path: Path, text: str, mode: int = 0o600) -> None:
    """Write a file whole or not at all, by default for its owner alone to read.

    Raises:
        OSError: it cannot be written.
    """
    part = Path(f"{path}.part")
    part.unlink(missing_ok=True)
    try:
        with open(part, "x", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(text)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
