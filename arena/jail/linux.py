"""The system calls that Python does not offer, by ctypes: nothing else in the jail knows about libc."""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import struct

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_TSC, PR_TSC_SIGSEGV = 26, 2
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4

CLONE_NEWTIME, CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWNET = (
    0x80,
    0x20000,
    0x4000000,
    0x8000000,
    0x10000000,
    0x40000000,
)
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = (
    1,
    2,
    4,
    8,
    32,
    4096,
    16384,
    1 << 18,
)
MNT_DETACH = 2

CAPSET = {"x86_64": 126, "aarch64": 91}
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
CAPABILITY_VERSION_3 = 0x20080522
MOST_CAPABILITIES = 64

_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> int:
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")
    return result


def syscall(number: int, *arguments: int | bytes | None) -> int:
    """Any system call by number. Raises OSError: with the kernel's errno."""
    plain = (ctypes.c_long(a) if isinstance(a, int) else a for a in arguments)
    return _checked(int(_libc.syscall(ctypes.c_long(number), *plain)), f"system call {number}")


def prctl(option: int, *arguments: int) -> int:
    """`prctl` with integer arguments. Raises OSError: with the kernel's errno."""
    padded = (*arguments, 0, 0, 0, 0)[:4]
    return _checked(
        int(_libc.prctl(ctypes.c_int(option), *(ctypes.c_ulong(a) for a in padded))), f"prctl({option})"
    )


def die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent ends, which may have ended already."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def drop_capabilities() -> None:
    """Give up every capability, for ever; a process of root keeps its user id and nothing of its power."""
    for capability in range(MOST_CAPABILITIES):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        # no such capability, or without the right to drop it: then it cannot be gained either
        except OSError:
            break
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    syscall(CAPSET[platform.machine()], struct.pack("Ii", CAPABILITY_VERSION_3, 0), bytes(24))


def unshare(flags: int) -> None:
    """Leave the namespaces of these kinds for new ones. Raises OSError: with the kernel's errno."""
    _checked(int(_libc.unshare(ctypes.c_int(flags))), f"unshare({flags:#x})")


def mount(source: str, target: str, kind: str = "", flags: int = 0, data: str = "") -> None:
    """`mount(2)`. Raises OSError: with the kernel's errno."""
    texts = (text.encode() or None for text in (source, target, kind))
    result = _libc.mount(*texts, ctypes.c_ulong(flags), data.encode() or None)
    _checked(int(result), f"mount {source} on {target}")


def enter_root(folder: str) -> None:
    """Make a mounted folder the root of all paths; nothing of the old root can be reached any more."""
    os.chdir(folder)
    syscall(PIVOT_ROOT[platform.machine()], b".", b".")  # the old root is now mounted above the new one
    _checked(int(_libc.umount2(b".", ctypes.c_int(MNT_DETACH))), "umount2")
    os.chdir("/")
