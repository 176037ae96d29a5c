"""The harness: bots in, matches in separate processes, results into a database, rating tables out.

What the commands do can be called from Python: `from arena import open_store, run_league, ratings` (see
`arena.api`), `arena.play([...], "flip7", 100)` (see `arena.duel`).
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .version import __version__ as __version__

if TYPE_CHECKING:
    from .api import (
        League as League,
    )
    from .api import (
        PlayOptions as PlayOptions,
    )
    from .api import (
        extend_run as extend_run,
    )
    from .api import (
        join_league as join_league,
    )
    from .api import (
        load_league as load_league,
    )
    from .api import (
        open_store as open_store,
    )
    from .api import (
        ratings as ratings,
    )
    from .api import (
        report as report,
    )
    from .api import (
        resume_run as resume_run,
    )
    from .api import (
        run_league as run_league,
    )
    from .api import (
        verify as verify,
    )
    from .duel import Games as Games
    from .duel import play as play

__all__ = [
    "Games",
    "League",
    "PlayOptions",
    "extend_run",
    "join_league",
    "load_league",
    "open_store",
    "play",
    "ratings",
    "report",
    "resume_run",
    "run_league",
    "verify",
]


def __getattr__(name: str) -> Any:
    """The calls of `arena.api` and `arena.duel`, which are only imported when one is used: they are heavy."""
    if name in ("Games", "play"):
        return getattr(import_module("arena.duel"), name)
    if name in __all__:
        return getattr(import_module("arena.api"), name)
    raise AttributeError(f"module 'arena' has no attribute {name!r}")


def _check_siblings() -> None:
    """Refuse to work with a package of somebody else's that has the name of one of ours.

    Raises:
        ImportError: names both places. As a program it prints one line and exits.
    """
    root = Path(__file__).resolve().parents[1]
    for name in ("bots", "engines", "leagues"):
        found = find_spec(name)
        places = [] if found is None else list(found.submodule_search_locations or [str(found.origin)])
        if not places or root / name in [Path(place).resolve() for place in places]:
            continue
        told = (
            f"Python finds the package {name!r} in {places[0]}, but that of card-arena is {root / name}: "
            "rename yours, or run from another folder"
        )
        if sys.argv[0] == "-m" or Path(sys.argv[0]).name == "arena":
            raise SystemExit(f"arena: {told}")
        raise ImportError(told)


_check_siblings()
