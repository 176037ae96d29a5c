"""The harness: bots in, matches in separate processes, results into a database, rating tables out.

What the commands do can be called from Python: `from arena import open_store, run_league, ratings` (see
`arena.api`), `arena.play([...], "flip7", 100)` (see `arena.duel`).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .version import __version__ as __version__

if TYPE_CHECKING:
    from .api import (
        extend_run as extend_run,
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
    "extend_run",
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
