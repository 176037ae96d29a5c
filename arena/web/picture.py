"""A picture of a position: the page of its game, drawn by a browser on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode

from ..errors import UsageError

# the first has no window and needs a third less CPU time
BROWSERS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
SIZE = (1280, 720)
PATIENCE_S = 120.0


def browser() -> str | None:
    """Return the program of the first browser that is on this machine."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def picture(html: str, path: Path, where: Mapping[str, int]) -> None:
    """Write a PNG of a position: 1280 x 720, the table alone.

    Args:
        html: the page of the game.
        path: the file.
        where: `decision`, and `seat` whose eyes are looked through.

    Raises:
        UsageError: there is no browser, or it fails.
    """
    program = browser()
    if program is None:
        raise UsageError("a picture needs Chromium: apt install chromium-headless-shell, where it is Debian")
    with tempfile.TemporaryDirectory(prefix="arena-picture-") as folder:
        page, made = Path(folder) / "page.html", Path(folder) / "made.png"
        page.write_text(html, encoding="utf-8")
        address = f"{page.as_uri()}#{urlencode({**where, 'picture': 1})}"
        options = [
            "--headless",
            "--hide-scrollbars",
            "--disable-gpu",
            "--force-prefers-reduced-motion",
            f"--user-data-dir={folder}/profile",
            f"--window-size={SIZE[0]},{SIZE[1]}",
            "--virtual-time-budget=10000",
            f"--screenshot={made}",
        ]
        if os.geteuid() == 0:  # Chromium refuses to confine itself for root; the page loads nothing
            options.append("--no-sandbox")
        try:
            ended = subprocess.run(
                [program, *options, address], capture_output=True, timeout=PATIENCE_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UsageError(f"{program} took no picture: {error}") from None
        if not made.is_file():
            raise UsageError(f"{program} took no picture (exit code {ended.returncode})")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(made, path)
        except OSError as error:
            raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
