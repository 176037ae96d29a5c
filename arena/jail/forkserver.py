"""Run the fork server, of which every jailed process is a fork.

It is a fresh, single-threaded interpreter with everything loaded.

Started by `zygote.Server` with one socket and the name of its hook, whose libraries it loads at once. The
first message orders what to prepare with them, the others are `FORK` (with four descriptors, six for a
program that is not Python) and `REAP <pid>`, one answer each. It is told nothing about programs, nor does it
learn how one has ended: what it knew, every later one could read in its own memory, where even objects that
are no longer used leave their bytes. Ends when the worker closes the socket or dies.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import fcntl
import gc
import importlib
import json
import mmap
import os
import platform
import signal
import socket
import struct
import sys
import sysconfig
import time
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

from . import files, imports, inside, namespaces, pages, seccomp

FORK = b"fork"
REAP = b"reap"
COMMON = """
abc array base64 bisect bz2 cmath codecs collections.abc colorsys contextlib copy csv ctypes dataclasses
datetime decimal difflib enum fractions functools gc glob gzip hashlib heapq hmac html importlib.metadata
importlib.readers importlib.resources importlib.util inspect io itertools json linecache locale logging
lzma math mmap multiprocessing numbers operator os pathlib pickle pkgutil platform pprint queue random re
resource sched secrets select shutil signal socket statistics string struct subprocess symtable tempfile
textwrap threading time timeit tokenize traceback types typing unittest uuid warnings weakref zipfile zlib
encodings.ascii encodings.idna encodings.latin_1 encodings.utf_16 encodings.utf_8_sig
"""  # of the standard library: what bots import often, loaded late, would cost each of them
# of its modules written in C
NOT_LOADED = {"_tkinter", "nis", "readline", "ossaudiodev", "xxlimited", "xxlimited_35"}
# the answer to REAP: a status as of waitpid, and the begin of the C library's struct rusage: seconds and
# microseconds of CPU time in user mode, then in the kernel
END = struct.Struct("@i4x4l")
STATUS = 8  # bytes that the status has in it


def load(hook: str) -> tuple[ModuleType, imports.Library]:
    """Load what programs use whatever the order will be: the standard library, and the hook."""
    files.install()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some modules will not be in Python for ever
        imports.load(name for name in imports.extension_modules(_extensions()) if name not in NOT_LOADED)
        imports.load(COMMON.split())
    module = importlib.import_module(hook)
    module.load()
    library = imports.Library()
    library.add_standard_library()
    return module, library


def prepare(module: ModuleType, library: imports.Library, order: dict[str, Any]) -> inside.Hook:
    """Load all else that programs use; afterwards the process must still have one thread.

    Raises:
        ImportError: one of the modules to preload cannot be imported.
        RuntimeError: something has started a thread.
    """
    hook: inside.Hook = module.prepare(order["argument"])
    for name in order["preload"]:
        importlib.import_module(name)
        first = name.partition(".")[0]
        for folder in getattr(sys.modules[first], "__path__", ()):
            imports.load(imports.extension_modules(Path(folder), f"{first}."))
    others = {name for name, loaded in sys.modules.items() if "." not in name and hasattr(loaded, "__path__")}
    others -= {*sys.stdlib_module_names, *module.PACKAGES, __package__.partition(".")[0]}
    for name in sorted({*module.PACKAGES, *(others if order["preload"] else ())}):
        library.add_package(name)
    if not order["preload"]:
        _hide(others)
    library.close()
    _load_what_c_libraries_look_for()
    default_signals()
    imports.from_memory_only(library)
    if seccomp.supported():
        seccomp.packed(platform.machine(), order["profile"] == "threads")  # made once
    tasks = len(list(Path("/proc/self/task").iterdir()))
    if tasks != 1:
        raise RuntimeError(f"the fork server has {tasks} threads: a fork would not be safe")
    gc.freeze()  # with what garbage there is: to look for it takes a tenth of the start
    pages.make_private()
    gc.enable()
    return hook


def _extensions() -> Path:
    """Return the folder of the standard library's modules that are written in C."""
    return Path(
        sysconfig.get_config_var("DESTSHARED") or Path(sysconfig.get_path("platstdlib")) / "lib-dynload"
    )


def _hide(packages: set[str]) -> None:
    """Hide packages that others have imported by the way: only some hosts have them."""
    for name in list(sys.modules):
        if name.partition(".")[0] in packages:
            del sys.modules[name]


def _load_what_c_libraries_look_for() -> None:
    """Load what would be opened by its path later: the unwinder, the time zone, the host's name and kind."""
    with contextlib.suppress(OSError):  # a C library that has none needs none
        ctypes.CDLL("libgcc_s.so.1")
    time.tzset()
    system, _, release, version, machine = os.uname()
    anonymous = os.uname_result((system, "jail", release, version, machine))
    patched: Any = os
    patched.uname = lambda: anonymous
    vars(platform)["_uname_cache"] = None  # it has asked already


def default_signals() -> None:
    """Set the default signals that children inherit; a full log or a lost reader can still be caught."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    # a segmentation fault leaves a traceback in the log, and so does the worker before it ends a loop;
    # switched on here, it costs no process anything
    faulthandler.enable(2, all_threads=False)
    faulthandler.register(inside.STACK_SIGNAL, 2, all_threads=False)


def fork(server: socket.socket, descriptors: list[int], hook: inside.Hook) -> None:
    """Fork a process; answer with its id and a pidfd, or with what the kernel said."""
    this = os.getpid()
    namespaces.start_clocks()
    try:
        pid = os.fork()
    except OSError as error:
        return say(server, error=str(error))
    if pid == 0:
        inside.run(descriptors, hook, this)
    try:
        pidfd = os.pidfd_open(pid)
    except OSError as error:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        return say(server, error=str(error))
    socket.send_fds(server, [json.dumps({"pid": pid}).encode()], [pidfd])
    os.close(pidfd)


class Ends:
    """Hold how a process has ended and what it has used.

    The kernel writes it into memory that no later process gets, and takes it from there on its way to the
    worker. No object of Python's ever holds it.
    """

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.mmap.restype = ctypes.c_void_p
        rights, private = mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        size = ctypes.c_size_t(mmap.PAGESIZE)
        address = self._libc.mmap(None, size, rights, private, -1, ctypes.c_long(0))
        self._place, self._usage = ctypes.c_void_p(address), ctypes.c_void_p(address + STATUS)
        if self._libc.madvise(self._place, size, mmap.MADV_DONTFORK) != 0:
            raise OSError(ctypes.get_errno(), "there is no memory that a fork does not get")

    def reap(self, server: socket.socket, pid: int) -> None:
        """Wait for the end of a process that the worker has seen or ordered; answer how it was (`END`)."""
        if self._libc.wait4(pid, self._place, 0, self._usage) != pid:
            raise OSError(ctypes.get_errno(), "there is no such process")
        self._libc.send(server.fileno(), self._place, ctypes.c_size_t(END.size), 0)


def say(server: socket.socket, **answer: Any) -> None:
    """Answer the worker."""
    server.send(json.dumps(answer).encode())


def main(fd: int, hook_name: str) -> None:
    """Serve until the worker is gone."""
    server = socket.socket(fileno=fd)
    gc.disable()  # what is loaded stays: to look for garbage again and again meanwhile costs a quarter more
    module, library = load(hook_name)
    order = server.recv(1 << 16)
    if not order:  # nobody needed it after all
        return
    flags = fcntl.fcntl(server, fcntl.F_GETFL)
    fcntl.fcntl(server, fcntl.F_SETOWN, os.getpid())
    # the worker says nothing meanwhile: if it ends, a signal ends this process, which may compile for minutes
    fcntl.fcntl(server, fcntl.F_SETFL, flags | os.O_ASYNC)
    hook = prepare(module, library, json.loads(order))
    fcntl.fcntl(server, fcntl.F_SETFL, flags)
    ends = Ends()
    say(server, ready=True)
    while True:
        request, descriptors, _, _ = socket.recv_fds(server, 64, 6)
        if not request:
            return
        if request == FORK:
            fork(server, descriptors, hook)
            for descriptor in descriptors:
                os.close(descriptor)
        else:
            ends.reap(server, int(request.removeprefix(REAP)))
