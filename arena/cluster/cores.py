"""How many CPU cores this process may use."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

FIRST_PID_NAMESPACE = 0xEFFFFFFC  # of the machine; Linux numbers it so, include/linux/proc_ns.h


def cores() -> int:
    """Return how many CPU cores this process may use: those it may run on, at most its group's quota."""
    quota = min((_quota(folder) for folder in _groups()), default=float("inf"))
    return max(1, int(min(len(os.sched_getaffinity(0)), quota)))


def all_seen() -> bool:
    """Tell whether all who could take a core of this process can be seen from it, or there are none.

    Containers of one machine may use the same cores and see nothing of each other. If each pinned its first
    worker to its first core, all would share that one. So only a process outside of containers, or with cores
    that no other control group may use, should pin itself; others leave it to the kernel.
    """
    return _pid_namespace() == FIRST_PID_NAMESPACE or any(map(_exclusive, _groups()[:1]))


def _pid_namespace() -> int:
    return Path("/proc/self/ns/pid").stat().st_ino


def _exclusive(folder: Path) -> bool:
    """Whether no other control group may use the cores of this one (cgroups, version 2)."""
    with contextlib.suppress(OSError):
        return (folder / "cpuset.cpus.partition").read_text().strip() in ("root", "isolated")
    return False


def _groups(root: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")) -> list[Path]:
    """Return the folders of this process's control group and of those around it, of both versions."""
    found = []
    with contextlib.suppress(OSError):
        for line in own.read_text().splitlines():
            _, names, path = line.split(":", 2)
            if names and "cpu" not in names.split(","):
                continue
            base = root / "cpu" if names else root
            inside = base / path.strip("/")
            found += [folder for folder in (inside, *inside.parents) if folder.is_relative_to(base)]
    return found


def _quota(folder: Path) -> float:
    """Cores that a control group may use; infinite without a limit."""
    with contextlib.suppress(OSError, ValueError, ZeroDivisionError):
        most, period = (folder / "cpu.max").read_text().split()
        return int(most) / int(period) if most != "max" else float("inf")
    with contextlib.suppress(OSError, ValueError, ZeroDivisionError):
        most = (folder / "cpu.cfs_quota_us").read_text()
        return int(most) / int((folder / "cpu.cfs_period_us").read_text()) if int(most) > 0 else float("inf")
    return float("inf")
