"""Serve a program's own files from memory through Python's functions.

These are the ordinary ones: `open`, `Path`, `os.listdir`, `numpy.load`, ...

No system call of a jailed process takes a path. `install` replaces Python's functions that do, before other
modules take copies of them: for what lies under `ROOT`, and for relative names, they answer from memory;
everything else goes to the real function, and so to the wall. What opens files below Python (`mmap`,
`numpy.fromfile`, `os.open`) does not see them.
"""

from __future__ import annotations

import builtins
import errno
import glob
import io
import os
import posixpath
import stat
import sys
from collections.abc import Callable, Iterator
from mmap import mmap
from types import ModuleType
from typing import Any

ROOT = "/bot"  # where a program seems to lie
WRITES = frozenset("wax+")


class ServedFiles:
    """The files by their paths, and the folders that follow from them."""

    def __init__(self) -> None:
        self.folder = ""  # the working folder; empty: nothing is served
        self.source: mmap | None = None
        self.places: dict[str, tuple[int, int]] = {}
        self.folders: dict[str, dict[str, None]] = {}

    def mount(self, source: mmap, places: dict[str, tuple[int, int]], folder: str) -> None:
        """Serve these places of `source` as files of `folder`, and make it the working folder."""
        self.source, self.folder = source, folder
        for name, place in places.items():
            path = posixpath.join(folder, name)
            self.places[path] = place
            while path not in ("/", ""):
                above, last = posixpath.split(path)
                self.folders.setdefault(above, {})[last] = None
                path = above

    def find(self, path: Any) -> str | None:
        """Return the whole path of what is served here; None: it is none of ours."""
        if not self.folder or isinstance(path, int):
            return None
        text = os.fsdecode(path)
        whole = posixpath.normpath(posixpath.join(self.folder, text))
        return whole if whole == ROOT or whole.startswith(ROOT + "/") else None

    def read(self, path: str) -> bytes:
        """Return a file. Raises OSError: there is none."""
        if path in self.places and self.source is not None:
            begin, size = self.places[path]
            return self.source[begin : begin + size]
        raise self.missing(path)

    def missing(self, path: str) -> OSError:
        """Why there is no such file."""
        number = errno.EISDIR if path in self.folders else errno.ENOENT
        return OSError(number, os.strerror(number), path)

    def status(self, path: str) -> os.stat_result:
        """Return what `stat` says of a path. Raises FileNotFoundError: it is neither a file nor a folder."""
        if path in self.folders:
            return os.stat_result((stat.S_IFDIR | 0o555, 0, 0, 1, 0, 0, 0, 0, 0, 0))
        if path in self.places:
            return os.stat_result((stat.S_IFREG | 0o444, 0, 0, 1, 0, 0, self.places[path][1], 0, 0, 0))
        raise self.missing(path)

    def names(self, path: str) -> list[str]:
        """Return what is in a folder. Raises OSError: it is none."""
        if path not in self.folders:
            number = errno.ENOTDIR if path in self.places else errno.ENOENT
            raise OSError(number, os.strerror(number), path)
        return list(self.folders[path])


STORE = ServedFiles()


class File(io.BytesIO):
    """An open file; shares the bytes that were read."""

    mode = "rb"

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data)
        self.name = name

    def writable(self) -> bool:
        """No."""
        return False

    def write(self, data: Any) -> int:
        """Raise an error: the file cannot be written to."""
        raise io.UnsupportedOperation("not writable")

    writelines = truncate = write  # type: ignore[assignment]  # they refuse whatever they are given


class ServedEntry:
    """What `os.scandir` gives."""

    def __init__(self, folder: str, name: str) -> None:
        self.name = name
        self.path = posixpath.join(folder, name)

    def __fspath__(self) -> str:
        return self.path

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """As `os.stat`."""
        return os.stat(self.path)  # noqa: PTH116

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """Whether it is a folder."""
        return stat.S_ISDIR(self.stat().st_mode)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """Whether it is a file."""
        return stat.S_ISREG(self.stat().st_mode)

    def is_symlink(self) -> bool:
        """No."""
        return False


class Entries:
    """`os.scandir`'s result: an iterator and a context manager."""

    def __init__(self, entries: list[ServedEntry]) -> None:
        self._entries = iter(entries)

    def __iter__(self) -> Iterator[ServedEntry]:
        return self._entries

    def __next__(self) -> ServedEntry:
        return next(self._entries)

    def __enter__(self) -> Entries:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is held open."""


def _open(real: Callable[..., Any]) -> Callable[..., Any]:
    def open(
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,
        opener: Any = None,
    ) -> Any:
        path = STORE.find(file) if opener is None else None
        if path is None:
            return real(file, mode, buffering, encoding, errors, newline, closefd, opener)
        if WRITES & set(mode):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
        data = File(STORE.read(path), path)
        if "b" in mode:
            return data
        text: Any = io.TextIOWrapper(data, encoding, errors, newline)
        text.mode = mode
        return text

    return open


def _served(real: Callable[..., Any], own: Callable[[str], Any]) -> Callable[..., Any]:
    """Return a function of a path: `own` for a path of ours, else `real`."""

    def function(path: Any = ".", *arguments: Any, **named: Any) -> Any:
        found = STORE.find(path) if path is not None else STORE.folder or None
        return real(path, *arguments, **named) if found is None else own(found)

    function.__name__ = real.__name__
    return function


def _access(real: Callable[..., Any]) -> Callable[..., bool]:
    def access(path: Any, mode: int, **named: Any) -> bool:
        found = STORE.find(path)
        if found is None:
            return bool(real(path, mode, **named))
        return (found in STORE.places or found in STORE.folders) and not mode & os.W_OK

    return access


def _readlink(path: str) -> Any:
    STORE.status(path)
    raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)


def _getcwd(real: Callable[[], str]) -> Callable[[], str]:
    return lambda: STORE.folder or real()


def install() -> None:
    """Replace Python's functions in this process; they serve nothing until `STORE.mount`."""
    real = builtins.open
    served: Any = _open(real)
    for module in list(sys.modules.values()):  # some have taken copies
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if value is real:
                setattr(module, name, served)
    ours: dict[str, Callable[..., Any]] = {
        "stat": _served(os.stat, STORE.status),
        "lstat": _served(os.lstat, STORE.status),
        "listdir": _served(os.listdir, STORE.names),
        "scandir": _served(
            os.scandir, lambda path: Entries([ServedEntry(path, name) for name in STORE.names(path)])
        ),
        "readlink": _served(os.readlink, _readlink),
        "access": _access(os.access),
        "getcwd": _getcwd(os.getcwd),
    }
    _replace_copies(glob, {getattr(os, name): function for name, function in ours.items()})
    for name, function in ours.items():
        setattr(os, name, function)


def _replace_copies(module: ModuleType, by_real: dict[Any, Any]) -> None:
    """In a module's classes: since Python 3.13 one of `glob` has functions of `os` for its own."""
    for kind in [one for one in vars(module).values() if isinstance(one, type)]:
        for name, value in list(vars(kind).items()):
            if isinstance(value, staticmethod) and value.__func__ in by_real:
                setattr(kind, name, staticmethod(by_real[value.__func__]))
