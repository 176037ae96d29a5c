"""`arena` in a folder of its own, with a database of its own: in this process, or as a process that can be stopped."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from arena.__main__ import app

Head = tuple[str, str]  # the option with the address of a Ray cluster
# before a program that is to end when the tests are killed
ENDS_WITH_US = ["setpriv", "--pdeathsig", "TERM"] if shutil.which("setpriv") else []


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A disk of this size in a folder; the test is skipped where none can be mounted."""
    disk = folder / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


class Arena:
    """The program in a folder, which is the present one: what commands write by default lands there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.started: list[subprocess.Popen[str]] = []

    def run(self, *words: str, code: int = 0) -> tuple[str, str]:
        """What a command prints, here: the same code as in a process of its own, without its start.

        An error that the program does not tell as one line is raised, so no traceback passes for a message.
        """
        done = CliRunner().invoke(app, list(words), prog_name="arena", catch_exceptions=False)
        assert done.exit_code == code, told(words, done.exit_code, done.stdout, done.stderr)
        return done.stdout, done.stderr

    def json(self, *words: str) -> Any:
        """What a command prints as JSON."""
        return json.loads(self.run(*words, "--format", "json")[0])

    def start(self, *words: str) -> subprocess.Popen[str]:
        """A process of the program."""
        command, pipe = [sys.executable, "-m", "arena", *words], subprocess.PIPE
        process = subprocess.Popen(
            command, cwd=self.folder, stdout=pipe, stderr=pipe, text=True, start_new_session=True
        )
        self.started.append(process)
        return process

    def process(self, *words: str, code: int = 0) -> tuple[str, str]:
        """What a process of the program prints."""
        process = self.start(*words)
        out, err = process.communicate(timeout=600)
        assert process.returncode == code, told(words, process.returncode, out, err)
        return out, err

    def write(self, name: str, source: str, games: str = '["flip7"]') -> Path:
        """Write a bot."""
        path = self.folder / f"{name}.py"
        path.write_text(f'"""Bot {name}."""\n\nGAMES = {games}\n\n{source}')
        return path


def until(done: Callable[[], object], process: subprocess.Popen[Any] | None = None) -> None:
    """Wait until something is so; a process that is to bring it about may not end before."""
    deadline = time.monotonic() + 600
    while not done():
        assert time.monotonic() < deadline, "not in time"
        assert process is None or process.poll() is None or done(), process.communicate()
        time.sleep(0.02)


def cli(*words: str, code: int = 0) -> Result:
    """What became of a command in the present folder, here."""
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == code, done.output + done.stderr
    return done


def told(words: tuple[str, ...], code: int, out: str, err: str) -> str:
    """A command that did not end as it should."""
    return f"arena {' '.join(words)}: exit code {code}\n{out}\n{err}"


def without_clocks(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A table without what differs from run to run."""
    return [{key: value for key, value in row.items() if not key.startswith("cpu_")} for row in rows]


def processes_that_know(folder: str) -> list[str]:
    """Command lines of living processes that have a folder in their environment, but for this one."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            another = entry.name.isdecimal() and entry.name != str(os.getpid())
            if another and folder in (entry / "environ").read_text():
                found.append((entry / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found
