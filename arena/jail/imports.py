"""Imports from memory: the code of every module that a program may import, read once by the fork server.

What is written in C has to be loaded before the fork, and what the fork server has loaded every program has;
the rest is here as code, compiled where Python has
stored it compiled, and becomes a module when a program asks for it. What is not here raises an ImportError
that says so.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import marshal
import os
import posixpath
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from mmap import PROT_READ, mmap
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from . import memory
from .files import ROOT, STORE

NOT_FOR_BOTS = {
    "__pycache__",
    "ensurepip",
    "idlelib",
    "lib-dynload",
    "site-packages",
    "test",
    "tests",
    "turtledemo",
}
PYC_HEADER = 16  # bytes: magic number, flags, source's time, source's size
NOT_LOADED = (
    "{} cannot be imported: bots have the standard library, {}; "
    "a league names others: [limits] preload = [{!r}]"
)


class Stored(NamedTuple):
    """Hold where one module came from and where its code is kept.

    Also whether it is a package, and whether its code is compiled (marshalled).
    """

    path: str
    package: bool
    compiled: bool
    begin: int
    end: int


class Library:
    """Finds and loads modules whose code is in memory. Stands in `sys.meta_path`."""

    def __init__(self) -> None:
        self.modules: dict[str, Stored] = {}
        self.packages: list[str] = []  # other than the standard library's
        self.code: bytearray | mmap = bytearray()

    def add_standard_library(self) -> None:
        """Read the standard library."""
        self._add(Path(sysconfig.get_path("stdlib")), "")

    def add_package(self, name: str) -> None:
        """Read a package that has been imported, with all its modules."""
        self.packages.append(name)
        for folder in getattr(sys.modules[name], "__path__", ()):
            self._add(Path(folder), f"{name}.")

    def _add(self, folder: Path, prefix: str) -> None:
        for path in sorted(folder.iterdir()):
            name = prefix + path.stem
            if path.suffix == ".py":
                package = path.stem == "__init__"
                module = prefix.rstrip(".") if package else name
                if module in sys.modules:
                    continue  # half of the code, 15 MiB
                compiled, code = _code(path)
                begin = len(self.code)
                self.code += code  # type: ignore[operator]  # a bytearray until it is closed
                stored = Stored(str(path), package, compiled, begin, len(self.code))
                self.modules[module] = stored
            elif (
                path.name.isidentifier() and path.name not in NOT_FOR_BOTS and (path / "__init__.py").exists()
            ):
                self._add(path, f"{name}.")

    def close(self) -> None:
        """Close the library when all is read.

        It is kept in memory that nobody can write to, and that need not be copied with a process.
        """
        kept, fd = memory.one_way("library", len(self.code))
        kept[:] = self.code
        kept.close()
        self.code = mmap(fd, len(self.code), prot=PROT_READ)
        os.close(fd)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return the module of this name, if it is here."""
        found = self.modules.get(name)
        if found is None:
            return None
        folders = [posixpath.dirname(found.path)] if found.package else None
        loader: Any = self
        return importlib.util.spec_from_file_location(
            name, found.path, loader=loader, submodule_search_locations=folders
        )

    def create_module(self, spec: Any) -> None:
        """As usual."""

    def exec_module(self, module: ModuleType) -> None:
        """Run a module's code."""
        exec(self.get_code(module.__name__), module.__dict__)

    def get_code(self, name: str) -> CodeType:
        """Return a module's code."""
        found = self.modules[name]
        code = self.code[found.begin : found.end]
        return marshal.loads(code) if found.compiled else compile(code, found.path, "exec", dont_inherit=True)

    def get_source(self, name: str) -> None:
        """Not kept."""

    def is_package(self, name: str) -> bool:
        """Whether it is one."""
        return self.modules[name].package


def _code(path: Path) -> tuple[bool, bytes]:
    """Return whether a module's code is compiled, and it: Python's stored code if that is of this source."""
    try:
        code = Path(importlib.util.cache_from_source(str(path))).read_bytes()
        status = path.stat()
        told = importlib.util.MAGIC_NUMBER + bytes(4)
        told += (int(status.st_mtime) & 0xFFFFFFFF).to_bytes(4, "little") + (
            status.st_size & 0xFFFFFFFF
        ).to_bytes(4, "little")
        if code[:PYC_HEADER] == told:
            return True, code[PYC_HEADER:]
    except OSError:
        pass
    return False, path.read_bytes()


class NotLoaded:
    """The last in `sys.meta_path`: says of every other module why there is none."""

    def __init__(self, library: Library) -> None:
        self.library = library

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """Raise, unless somebody only asks whether there is such a module.

        Raises:
            ModuleNotFoundError: says what can be imported.
        """
        first = name.partition(".")[0]
        known = first in sys.modules or first in self.library.modules or first in sys.stdlib_module_names
        if known or sys._getframe(2).f_code.co_name == "find_spec":  # that of importlib.util
            return
        has = ", ".join(package for package in self.library.packages if not package.startswith("_"))
        raise ModuleNotFoundError(NOT_LOADED.format(name, has, first), name=name)


class ProgramFinder:
    """Finds the modules of a program among its own files."""

    def __init__(self, module: str, folder: str | None) -> None:
        self.module = module
        self.folder = folder  # of a program that is one

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return the module of this name, if it is the program's."""
        first, *rest = name.split(".")
        if first != self.module or self.folder is None:
            return None
        place = posixpath.join(self.folder, *rest)
        for file, folders in ((f"{place}/__init__.py", [place]), (f"{place}.py", None)):
            if file in STORE.places:
                return program_spec(name, file, folders)
        return None


class ProgramLoader(importlib.machinery.SourceFileLoader):
    """Loads a module, and data files beside it (`pkgutil.get_data`), from the program's files."""

    def get_data(self, path: Any) -> bytes:
        """Return a file of the program's. Raises OSError: it has no such file."""
        return STORE.read(posixpath.normpath(path))

    def path_stats(self, path: Any) -> Any:
        """Raise OSError: there is no compiled code to look for."""
        raise OSError


def program_spec(name: str, file: str, folders: list[str] | None) -> Any:
    """How a module of the program is loaded."""
    loader = ProgramLoader(name, file)
    return importlib.util.spec_from_file_location(
        name, file, loader=loader, submodule_search_locations=folders
    )


def free_name(name: str) -> str:
    """Return the name to import a program under: its own, unless that hides a module others import."""
    if (
        name.isidentifier()
        and name not in sys.stdlib_module_names
        and name not in sys.modules
        and _finds_none(name)
    ):
        return name
    return "bot_" + "".join(c if c.isalnum() else "_" for c in name)


def _finds_none(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is None
    except (ImportError, ValueError):
        return True


def program_module(name: str, is_folder: bool) -> ModuleType:
    """Import the program that `STORE` serves; whatever its code raises goes to the caller."""
    module_name = free_name(name)
    folder = f"{ROOT}/{name}" if is_folder else None
    sys.meta_path.insert(0, ProgramFinder(module_name, folder))
    spec = program_spec(
        module_name, f"{folder}/__init__.py" if folder else f"{ROOT}/{name}.py", [folder] if folder else None
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    spec.loader.exec_module(module)
    return module


# --- what has to be loaded before the fork ------------------------------------------------------------------


def extension_modules(folder: Path, prefix: str = "") -> Iterator[str]:
    """Yield the names of the modules below a folder that are written in C, but for tests."""
    suffixes = tuple(importlib.machinery.EXTENSION_SUFFIXES)
    for path in sorted(folder.rglob("*.so")):
        parts = path.relative_to(folder).parts
        name = path.name.partition(".")[0]
        if path.name.endswith(suffixes) and not any("test" in part for part in parts):
            yield prefix + ".".join((*parts[:-1], name))


def load(names: Iterable[str]) -> None:
    """Import modules, those that do not work here excepted."""
    for name in names:
        try:
            importlib.import_module(name)
        # a library that this machine lacks: then the module does not exist for programs either
        except Exception:
            sys.modules.pop(name, None)


def from_memory_only(library: Library) -> None:
    """From now on this process imports nothing from a disk."""
    builtin, frozen = importlib.machinery.BuiltinImporter, importlib.machinery.FrozenImporter
    sys.meta_path[:] = [builtin, frozen, library, NotLoaded(library)]


def from_disk_too() -> None:
    """For programs without a wall: what is not in memory is looked for on the disk."""
    sys.meta_path[-1] = importlib.machinery.PathFinder
