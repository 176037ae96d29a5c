"""Ctrl-C while the program is still being loaded: a line instead of the traceback of an import.

Importing this is what does it, so that it can come before all that takes time to load. Not here: Ctrl-C
during a command (`arena.__main__.Program`).
"""

from __future__ import annotations

import sys
from types import TracebackType

STOPPED = 130  # the exit code after Ctrl-C


def _tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Report an exception that nobody has caught.

    Python itself then ends the program as SIGINT does, which shells call 130.
    """
    if issubclass(kind, KeyboardInterrupt):
        print("arena: stopped", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


sys.excepthook = _tell
