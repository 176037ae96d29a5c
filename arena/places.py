"""Where things of a person are kept: results beside a checkout, else one folder per user."""

from __future__ import annotations

import os
from pathlib import Path

OWN = "results"
MARK = 'name = "card-arena"'  # in the pyproject.toml of a checkout


def checkout(start: Path | None = None) -> Path | None:
    """The checkout of this project that a folder is in (default: the current one), if it is in one."""
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        try:
            if MARK in (folder / "pyproject.toml").read_text(encoding="utf-8", errors="replace"):
                return folder
        except OSError:
            continue
    return None


def user_folder() -> Path:
    """The user's own place for data: XDG_DATA_HOME, else ~/.local/share."""
    home = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(home).expanduser() / "card-arena"


def data_folder() -> Path:
    """Where results go: `results` of the current folder or of the checkout around it, else the user's
    place.
    """
    if Path(OWN).is_dir():
        return Path(OWN)
    root = checkout()
    if root is None:
        return user_folder()
    return Path(OWN) if root == Path.cwd().resolve() else root / OWN
