"""Which files a bot may read: Python, the installed libraries and the engines; and its own source. Nothing of the user's."""

from __future__ import annotations

import site
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

LIBRARY_FOLDERS = ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64")
SINGLE_FILES = ("/dev/null", "/dev/urandom", "/proc/cpuinfo", "/etc/ld.so.cache")
THREAD_FOLDERS = ("/sys/devices/system/cpu",)  # torch ends the process if it cannot read it
SITES = ("site-packages", "dist-packages")
PACKAGES = ("numpy", "numba", "llvmlite", "engines")


def readable(cache: Path | None, threads: bool) -> list[Path]:
    """The paths that every bot may read, resolved; those below another one are left out.

    Args:
        cache: folder of the engines' compiled code.
        threads: for bots with threads.

    Raises:
        OSError: Python's own library is not where it says.
    """
    stdlib = Path(sysconfig.get_path("stdlib"))
    if not (stdlib / "os.py").exists():
        raise OSError(f"no standard library in {stdlib}")
    wanted = [stdlib, Path(sysconfig.get_path("platstdlib")), *map(Path, site.getsitepackages())]
    wanted += list(_packages())
    wanted += [*map(Path, SINGLE_FILES), *(map(Path, THREAD_FOLDERS) if threads else ())]
    wanted += [cache] if cache is not None else []
    wanted += list(_shared_libraries())
    return outermost(path.resolve() for path in wanted if path.exists())


def _packages() -> Iterator[Path]:
    """The folders of the packages that are loaded, or of all that is installed beside them."""
    for name in PACKAGES:
        for folder in getattr(sys.modules.get(name), "__path__", ()):
            parent = Path(folder).parent
            yield parent if parent.name in SITES else Path(folder)


def _shared_libraries() -> Iterator[Path]:
    """The shared libraries of this process; the whole folder where it is one of the system's."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    for name in {line.split(maxsplit=5)[5] for line in lines if ".so" in line}:
        path = Path(name)
        yield path.parent if str(path).startswith(tuple(folder + "/" for folder in LIBRARY_FOLDERS)) else path


def outermost(paths: Iterable[Path]) -> list[Path]:
    """The paths without those that lie below another one, sorted."""
    kept: list[Path] = []
    for path in sorted(set(paths)):
        if not any(path.is_relative_to(other) for other in kept):
            kept.append(path)
    return kept
