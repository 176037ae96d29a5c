"""From a command to its first game: what can begin before NumPy, Numba and the engines are loaded.

A game's fork server loads the same libraries as the process that starts it, so a command that will play
starts it first of all, and both load at the same time. Heavy imports have no place here.
"""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from engines import registry

from .outcomes import HostError
from .zygote import Server

HOOK = "arena.cell.loop"
PACKAGES = ("engines", "numpy", "numba")
PASSED_ON = ("NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK", "ARENA_PLAIN_NJIT")

_kept: list[Server] = []


def game_server(cache: str | None) -> Server:
    """Return the process of a fork server for any game; `cache`: the folder for compiled code or None."""
    return Server(HOOK, *_made_of(cache))


def is_for(server: Server, cache: str | None) -> bool:
    """Whether a server is as `game_server` would start it."""
    return server.made_of == (HOOK, *_made_of(cache))


def early_server() -> Server | None:
    """Return a server with the likely folder for compiled code.

    It is the folder that the engines will most likely choose; they know it when they are loaded, and `is_for`
    tells. None where it is anybody's guess.
    """
    folder = os.environ.get("ARENA_CACHE") or os.path.join(_folder("engines"), "__pycache__")  # noqa: PTH118
    return game_server(str(Path(folder))) if os.access(folder, os.W_OK) else None


def keep_server() -> None:
    """Start an early server for whom asks first, with `take_server`."""
    with contextlib.suppress(HostError):  # it will be told when a server is wanted
        if (server := early_server()) is not None:
            _kept.append(server)


def take_server() -> Server | None:
    """Return the server that was started before, once."""
    return _kept.pop() if _kept else None


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """While libraries are loaded nobody looks for garbage: what comes stays."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _made_of(cache: str | None) -> tuple[tuple[str, ...], dict[str, str]]:
    """Folders to import from, and environment."""
    games = {home.package.partition(".")[0] for home in registry.packaged()}
    roots = tuple(dict.fromkeys(os.path.dirname(_folder(name)) for name in (*PACKAGES, *sorted(games))))  # noqa: PTH120
    environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return roots, environment | ({"ARENA_CACHE": cache} if cache is not None else {})


def _folder(package: str) -> str:
    """Where a package lies; it is not imported."""
    spec = find_spec(package)
    assert spec is not None and spec.submodule_search_locations is not None
    return spec.submodule_search_locations[0]
