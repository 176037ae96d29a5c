"""The extra wall of `strict+ns`: an empty root of its own, no network, nobody to talk to.

User, mount, network, IPC and UTS namespaces; no process namespace, as the process that one must fork into
would have another CPU clock than the one that the worker reads. Refused in most containers and in some
distributions; `doctor` says.

A time namespace is apart from that: the fork server makes one for every child, at any level, where it may.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from . import linux

# any folder that exists everywhere: what it held is not seen any more, nor anything else
MOUNT_POINT = "/tmp"
NOBODY = 65534
_SETS_CLOCKS = 1 << 21 | 1 << 25  # CAP_SYS_ADMIN, CAP_SYS_TIME
EMPTY = linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC


def start_clocks() -> bool:
    """Let the clocks of the next child begin at zero: when the machine was started tells which one it is.

    Each child needs it anew: what two of them had in common would name the worker.

    Returns:
        Whether this is allowed here: it takes CAP_SYS_ADMIN and CAP_SYS_TIME.
    """
    try:
        linux.unshare(linux.CLONE_NEWTIME)
        fd = os.open("/proc/self/timens_offsets", os.O_WRONLY)
    except OSError:
        return False
    try:
        os.write(fd, "".join(map(_begun, ("monotonic", "boottime"))).encode())
    except OSError:
        return False
    finally:
        os.close(fd)
    return True


def may_start_clocks() -> bool:
    """Tell whether `start_clocks` is allowed here, by the kernel and by what this process may do."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (has,) = (int(line.split()[1], 16) for line in lines if line.startswith("CapEff:"))
    return has & _SETS_CLOCKS == _SETS_CLOCKS and Path("/proc/self/ns/time_for_children").exists()


def _begun(clock: str) -> str:
    """Return the line that lets a clock begin now; the nanoseconds must not be below 0."""
    seconds, part = divmod(-time.clock_gettime_ns(getattr(time, f"CLOCK_{clock.upper()}")), 10**9)
    return f"{clock} {seconds + 1} {part}\n"


def leave_root() -> None:
    """Root becomes nobody: there is no limit on root's number of threads."""
    if os.geteuid() == 0:
        with contextlib.suppress(OSError):  # in a container that has one user only: it is not the host's root
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            linux.prctl(linux.PR_SET_DUMPABLE, 1)  # else /proc/self stays root's


def enter() -> None:
    """Move this process into namespaces of its own, its root an empty folder that cannot be written to."""
    leave_root()
    user, group = os.geteuid(), os.getegid()
    kinds = (
        linux.CLONE_NEWUSER | linux.CLONE_NEWNS | linux.CLONE_NEWNET | linux.CLONE_NEWIPC | linux.CLONE_NEWUTS
    )
    linux.unshare(kinds)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    linux.mount("", "/", flags=linux.MS_REC | linux.MS_PRIVATE)
    linux.mount("tmpfs", MOUNT_POINT, "tmpfs", EMPTY, "size=4k,mode=0555")
    linux.enter_root(MOUNT_POINT)
    linux.mount("", "/", flags=linux.MS_REMOUNT | linux.MS_BIND | linux.MS_RDONLY | EMPTY)
