"""Make control groups (cgroup v2) where that needs no privileges.

They are the kernel's limits on one jailed process's threads and memory, page tables and kernel buffers
included.

A group can be made where this process's own group is a leaf of a subtree that was handed to this user (by a
service manager: `systemd-run --user --scope -p Delegate=yes -p DelegateSubgroup=arena`), since a group with
processes in it hands no controllers on. The wall needs none: without, `clock` counts threads by looking, and
RLIMIT_AS holds memory.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

CONTROLLERS = ("memory", "pids")
PROC = Path("/proc/self")
DELEGATED = ("user.delegate", "trusted.delegate")  # how a service manager marks what root may use


class NoGroups(Exception):
    """There is no cgroup v2 that this process may use; the text says why."""


def _mount(mountinfo: str) -> tuple[str, str]:
    """Root and place of the cgroup v2 hierarchy: what of it is mounted, and where."""
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        if after.startswith("cgroup2 "):
            _, _, _, root, place = before.split()[:5]
            return root, place
    raise NoGroups("cgroup v2 is not mounted")


def _own(cgroup: str) -> str:
    """Return the group that this process is in."""
    for line in cgroup.splitlines():
        if line.startswith("0::"):
            return line.removeprefix("0::")
    raise NoGroups("this process is in no cgroup v2")


def find(proc: Path = PROC) -> Path:
    """Return the folder in which groups can be made.

    It is the one above this process's own group, and hands its controllers on from now on.

    Raises:
        NoGroups: there is none; with the reason.
    """
    try:
        root, place = _mount((proc / "mountinfo").read_text())
        own = _own((proc / "cgroup").read_text())
    except OSError as error:
        raise NoGroups(f"the kernel does not tell its groups: {error}") from None
    if os.path.commonpath([root, own]) != root or own == root:
        raise NoGroups(f"the group of this process, {own}, has none above it at {place}")
    above = Path(place) / os.path.relpath(os.path.dirname(own), root)  # noqa: PTH120 - a path of the kernel's
    try:
        has = (above / "cgroup.controllers").read_text().split()
    except OSError as error:
        raise NoGroups(f"{above}: {error.strerror}") from None
    if lacks := [name for name in CONTROLLERS if name not in has]:
        raise NoGroups(f"{above} has no controller {' or '.join(lacks)}: cgroup v1 has it, or nobody")
    for name in ("", "cgroup.procs", "cgroup.subtree_control"):
        if not os.access(above / name, os.W_OK):
            raise NoGroups(f"{above / name} may not be written by this user")
    if os.geteuid() == 0 and not any(_marked(above, mark) for mark in DELEGATED):
        raise NoGroups(f"{above} belongs to the service manager: it is not marked as handed to root")
    try:
        if (above / "cgroup.procs").read_text().strip():
            raise NoGroups(f"{above} has processes of its own, so it hands no controllers on")
        (above / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in CONTROLLERS))
    except OSError as error:
        raise NoGroups(f"{above}: {error.strerror}") from None
    return above


def _marked(folder: Path, name: str) -> bool:
    with contextlib.suppress(OSError):
        return os.getxattr(folder, name) == b"1"
    return False


class ControlGroup:
    """A group for one process: at most so many threads and bytes of memory. Raises OSError."""

    def __init__(self, above: Path, threads: int, memory: int) -> None:
        self.folder = above / f"arena-{os.getpid()}-{secrets.token_hex(4)}"
        self.folder.mkdir()
        try:
            (self.folder / "pids.max").write_text(str(threads))
            (self.folder / "memory.max").write_text(str(memory))
        except OSError:
            self.close()
            raise

    def add(self, pid: int) -> None:
        """Move a process into it, before it makes threads or takes memory."""
        (self.folder / "cgroup.procs").write_text(str(pid))

    def ran_out_of_memory(self) -> bool:
        """Whether the kernel has ended its process because memory ran out."""
        with contextlib.suppress(OSError):
            events = dict(line.split() for line in (self.folder / "memory.events").read_text().splitlines())
            return int(events.get("oom_kill", 0)) > 0
        return False

    def close(self) -> None:
        """Remove the group, once its process has ended."""
        with contextlib.suppress(OSError):
            self.folder.rmdir()
