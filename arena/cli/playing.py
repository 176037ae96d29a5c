"""What a command that plays matches does first: Ray starts while all that plays is loaded."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def playing(workers: int | None, address: str | None) -> Iterator[None]:
    """Matches can be played within it by `arena.api`, which is loaded then.

    Args:
        workers: matches at a time; None: one a core.
        address: of a running cluster; None: a Ray of this machine alone, which starts at once and is gone
            in the end.
    """
    from arena.cluster.local import ahead
    from arena.start import loading

    with ahead(workers, address):
        with loading():
            import arena.api  # noqa: F401
        yield
