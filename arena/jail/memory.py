"""Memory that two processes share: sealed files without a name, which the jailed one can only read."""

from __future__ import annotations

import fcntl
import mmap
import os

SEAL_FUTURE_WRITE = 0x10  # fcntl's F_SEAL_FUTURE_WRITE (Linux 5.1); Python 3.11 does not name it
_NOEXEC_SEAL = 0x8  # memfd_create's MFD_NOEXEC_SEAL (Linux 6.3); hosts may insist on it


def new(name: str) -> int:
    """Return a memfd that can be sealed and is closed on exec."""
    flags = os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING
    try:
        return os.memfd_create(name, flags | _NOEXEC_SEAL)
    except OSError:  # an older kernel does not know the flag
        return os.memfd_create(name, flags)


def one_way(name: str, size: int) -> tuple[mmap.mmap, int]:
    """Make memory that this process alone can write.

    Return its map, and a read-only descriptor for the other process (the caller closes it).

    The seals keep the size (so that nobody ever gets SIGBUS) and refuse every later writable map.
    """
    fd = new(name)
    try:
        os.ftruncate(fd, size)
        return mmap.mmap(fd, size), _only_read(fd)
    finally:
        os.close(fd)


def zeros(size: int) -> int:
    """Return a descriptor that reads so many zeros, which take memory as they are read."""
    fd = new("zeros")
    try:
        os.ftruncate(fd, size)
        return _only_read(fd)
    finally:
        os.close(fd)


def _only_read(fd: int) -> int:
    """Return another descriptor of a file that nobody can change or map to write from now on."""
    seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | SEAL_FUTURE_WRITE | fcntl.F_SEAL_SEAL
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
    return os.open(f"/proc/self/fd/{fd}", os.O_RDONLY | os.O_CLOEXEC)


def append_only(name: str) -> tuple[int, int]:
    """Return a log: a descriptor that reads it, and one that can only append to it."""
    fd = new(name)
    try:
        return fd, os.open(f"/proc/self/fd/{fd}", os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
    except OSError:
        os.close(fd)
        raise
