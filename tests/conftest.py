"""Set-up for all tests: compile every game once before the workers start, so that they load it instead of each compiling it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import engines

ROOT = Path(__file__).parents[1]
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
os.environ.pop("ARENA_DB", None)


def pytest_sessionstart(session: pytest.Session) -> None:
    """In the process that starts the workers: two games at a time."""
    if not session.config.getoption("numprocesses", None) or hasattr(session.config, "workerinput"):
        return
    code = "import sys; from arena.match.warm import warm_up; [warm_up(name, print) for name in sys.argv[1:]]"
    names = engines.names()
    halves = [subprocess.Popen([sys.executable, "-c", code, *names[i::2]], cwd=ROOT) for i in range(2)]
    if sum(half.wait() for half in halves):
        pytest.exit("compiling the games failed", returncode=1)
