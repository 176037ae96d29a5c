"""The process's side of a program that is not Python: its file in memory, and the one call that starts it.

The program keeps the process: its number, its clock, its limits and every wall. It has three descriptors:
questions come on standard input, answers go to standard output, standard error is the log; and one for every
file of its folder that its arguments ask for, a copy in the memory of this process alone. A static binary
needs no file of the host's; an interpreter has what `readable` names.
"""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Callable

from . import elf, files
from .program import CODE, OPENED, SCRIPT, Executable
from .seccomp import Kind

PROGRAM = 8  # the descriptor of what is started; the kernel closes it on the way
CODE_BYTES = 100_000  # of a script that goes into an argument; the kernel allows 128 KiB
SCRIPT_FD = 9  # that of an interpreter's script, which stays open
FIRST_OPENED = 10  # the files that it finds open
MFD_EXEC = 0x10  # memfd_create's (Linux 6.3); hosts may insist on it
LIBRARIES = (
    "/usr",
    "/lib",
    "/lib64",
    "/etc/ld.so.cache",
    "/etc/ssl/openssl.cnf",
)  # what an interpreter reads, as far as it is there


def kind(executable: Executable | None) -> Kind:
    """Return what will run behind the filter."""
    if executable is None:
        return Kind.PYTHON
    return Kind.INTERPRETER if executable.interpreter else Kind.BINARY


def readable(executable: Executable | None) -> list[str]:
    """Files and folders of the host's that a program may read: none but for an interpreter."""
    if executable is None or not executable.interpreter:
        return []
    return [path for path in (*LIBRARIES, executable.interpreter) if os.path.exists(path)]  # noqa: PTH110


def open_files(executable: Executable, read: Callable[[str], bytes]) -> None:
    """Put what will be started in its descriptor, while paths can still be named.

    Raises:
        OSError: there is no such file, or no memory for it.
    """
    folder = files.STORE.folder
    data = read(f"{folder}/{executable.file}")
    for i, name in enumerate(executable.opened):
        keep(in_memory("file", read(f"{folder}/{name}"), mode=0o444), FIRST_OPENED + i, inheritable=True)
    if executable.interpreter:
        keep(in_memory("script", data, mode=0o444), SCRIPT_FD, inheritable=True)
        keep(os.open(executable.interpreter, os.O_RDONLY), PROGRAM)
    else:
        if what := elf.wrong(data):
            raise OSError(errno.ENOEXEC, f"{executable.file} {what}")
        # without the right to read it, the kernel lets nobody look into the process that runs it
        keep(in_memory("program", data, mode=0o111), PROGRAM)


def keep(fd: int, place: int, inheritable: bool = False) -> None:
    """Move a descriptor to its place."""
    os.dup2(fd, place, inheritable=inheritable)
    os.close(fd)


def in_memory(name: str, data: bytes, mode: int) -> int:
    """Return a descriptor that reads bytes which no path leads to and nobody can write any more."""
    try:
        fd = os.memfd_create(name, os.MFD_CLOEXEC | MFD_EXEC)
    except OSError:  # an older kernel does not know the flag, and needs none
        fd = os.memfd_create(name, os.MFD_CLOEXEC)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(fd, rest) :]
        only_reads = os.open(f"/proc/self/fd/{fd}", os.O_RDONLY | os.O_CLOEXEC)
        os.fchmod(fd, mode)
        return only_reads
    finally:
        os.close(fd)


def run(name: str, executable: Executable, memory: int, channel: int) -> None:
    """Become the program; if it cannot be started, say why and return.

    Args:
        memory: bytes of address space that it may have: less than this process has now.
        channel: where to say why.
    """
    script = f"/proc/self/fd/{SCRIPT_FD}"
    code = os.pread(SCRIPT_FD, CODE_BYTES, 0).decode(errors="replace") if executable.interpreter else ""
    numbers = {name: str(FIRST_OPENED + i) for i, name in enumerate(executable.opened)}
    arguments = [
        OPENED.sub(lambda found: numbers[found[1]], one).replace(SCRIPT, script).replace(CODE, code)
        for one in executable.arguments
    ]
    try:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        os.execve(PROGRAM, [name, *arguments], {"LC_ALL": "C.UTF-8"})
    except OSError as error:
        os.write(channel, f"{error.strerror}".encode())
