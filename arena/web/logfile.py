"""A log of what goes on for months: JSON lines in a file that is rotated."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

from ..errors import UsageError

LOG_BYTES = 10_000_000  # of one file
LOG_FILES = 5  # older ones beside it


class LogFile:
    """A file with a JSON line for everything that is written to it, rotated.

    A full disk ends nothing: then lines are missing.

    Args:
        path: the file.
        option: that named it, for the error.

    Raises:
        UsageError: it cannot be written.
    """

    def __init__(self, path: Path, option: str) -> None:
        try:
            handler = RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{option} {path}: cannot be written: {error.strerror}") from None
        handler.handleError = lambda record: None  # type: ignore[method-assign]
        self._log = logging.Logger("arena")
        self._log.addHandler(handler)

    def write(self, **fields: Any) -> None:
        """Write a line, with the time first."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._log.info(json.dumps({"at": at, **fields}))
