"""The file wall: with Landlock a process gives up every right to files, for ever.

Needs Linux 5.13 with Landlock enabled, no privilege, no_new_privs. The kernel is asked for its ABI, never for
its version: every right that the ABI knows is handled, so refused; what newer ABIs add (TCP, signals,
sockets) the system-call wall refuses too.
"""

from __future__ import annotations

import errno
import os
import stat
import struct
from collections.abc import Sequence

from . import linux

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same on every architecture
PATH_BENEATH = 1
EXECUTE, READ_FILE, READ_DIR = 1, 4, 8

# ABI: how many rights to files it knows (2: moving, 3: truncating, 5: devices)
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
TCP_RIGHTS = 0b11  # bind, connect; from ABI 4
SCOPES = 0b11  # abstract sockets, signals; from ABI 6

MISSING = {
    errno.ENOSYS: "the kernel has no Landlock (Linux 5.13), or a container's profile blocks system call 444",
    errno.EOPNOTSUPP: "Landlock is switched off: add it to the boot parameter lsm=",
    errno.EPERM: "a container's profile blocks system call 444",
}


def abi() -> int:
    """Return the newest Landlock ABI that this kernel has. Raises OSError: none; the text says why."""
    try:
        return linux.syscall(CREATE_RULESET, None, 0, 1)
    except OSError as error:
        number = error.errno or 0
        raise OSError(
            number, f"{os.strerror(number)}: {MISSING.get(number, 'Landlock cannot be had')}"
        ) from None


def ruleset(known: int) -> int:
    """Return a descriptor of rules that refuse everything which ABI `known` can refuse, with no exception."""
    rights = (1 << max(count for since, count in FILE_RIGHTS.items() if since <= known)) - 1
    attributes = struct.pack("Q", rights)
    if known >= 4:
        attributes += struct.pack("Q", TCP_RIGHTS)
    if known >= 6:
        attributes += struct.pack("Q", SCOPES)
    return linux.syscall(CREATE_RULESET, attributes, len(attributes), 0)


def allow_reading(rules: int, path: str) -> None:
    """Add an exception: a file or folder of the host's may be read and run."""
    fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rights = EXECUTE | READ_FILE | (READ_DIR if stat.S_ISDIR(os.fstat(fd).st_mode) else 0)
        linux.syscall(ADD_RULE, rules, PATH_BENEATH, struct.pack("=Qi", rights, fd), 0)
    finally:
        os.close(fd)


def restrict(known: int | None = None, readable: Sequence[str] = ()) -> None:
    """Give up every right to files. Needs no_new_privs and one thread.

    Args:
        known: an older ABI to make do with (for tests); default: the kernel's.
        readable: what may be read all the same: for interpreters, at the level that has them.

    Raises:
        OSError: the kernel refuses.
    """
    rules = ruleset(abi() if known is None else known)
    try:
        for path in readable:
            allow_reading(rules, path)
        linux.syscall(RESTRICT_SELF, rules, 0)
    finally:
        os.close(rules)
