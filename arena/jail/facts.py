"""Find what this host is and what it lacks for the sandbox.

These are the facts that can be known without trying; `doctor` tries.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable
from typing import Any

from leagues.limits import Level

from . import clock, landlock, seccomp
from .outcomes import Layer


def host_facts(level: str = Level.STRICT) -> dict[str, Any]:
    """Return what a result should say about its machine and its sandbox."""
    return {
        "level": str(level),
        "landlock_abi": landlock_abi(),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "root": os.geteuid() == 0,
    }


def landlock_abi() -> int:
    """Return the kernel's Landlock ABI; 0: none."""
    try:
        return landlock.abi()
    except OSError:
        return 0


def missing(layers: Iterable[Layer]) -> str:
    """Return what this host lacks for these layers; empty: nothing that is known."""
    if not sys.platform.startswith("linux"):
        return f"{platform.system()} cannot hold bots apart: Linux 5.14 or newer does"
    try:
        clock.core_wait_s("/proc/thread-self")
    except (FileNotFoundError, PermissionError, IndexError, ValueError):  # not: no descriptor is left
        return (
            "the kernel does not tell how long a process waits for a core "
            "(/proc/PID/schedstat, CONFIG_SCHED_INFO)"
        )
    if Layer.CALLS in layers and not seccomp.supported():
        known = ", ".join(seccomp.AUDIT_ARCH)
        return f"there is no table of system calls for {platform.machine()}; there are tables for {known}"
    if Layer.FILES in layers:
        try:
            landlock.abi()
        except OSError as error:
            return f"Landlock: {error.strerror}"
    return ""
