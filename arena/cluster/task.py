"""What runs inside a Ray task: one match, with a fork server that is kept for the next one."""

from __future__ import annotations

import fcntl
import os
import socket
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import identity
from ..bots.source import unpack
from ..match.play import play_match
from ..match.setup import BotFiles, MatchResult, MatchSetup

if TYPE_CHECKING:
    from ..jail import Zygote

_zygotes: dict[tuple[str, str, str], Zygote] = {}
_core: list[Any] = []


def run_match(setup: MatchSetup, bots: Sequence[BotFiles]) -> MatchResult:
    """Play a match.

    Args:
        setup: what to play.
        bots: the bot of each place.

    Raises:
        HostError: we failed, or this host cannot separate bots as the league wants.
    """
    _check_code(setup)
    with tempfile.TemporaryDirectory(prefix="arena-bots-") as folder:
        paths = {bot.hash: unpack(bot.name, bot.packed, Path(folder) / bot.hash[:16]) for bot in bots}
        return play_match(setup, [paths[bot.hash] for bot in bots], _zygote(setup), _own_core())


def _check_code(setup: MatchSetup) -> None:
    """A worker with another version of the rules or of the harness would play something else."""
    from ..jail import HostError

    if setup.code and identity.playing(setup.game) != setup.code:
        raise HostError(f"{socket.gethostname()} has another version of the project: install the same everywhere")


def _zygote(setup: MatchSetup) -> Zygote:
    """The fork server for this game, level and profile; a dead one is replaced."""
    from ..jail import Zygote

    key = (setup.game, setup.level, str(setup.limits.get("profile", "numpy")))
    zygote = _zygotes.get(key)
    if zygote is None or not zygote.alive:
        if zygote is not None:
            zygote.close()
        zygote = _zygotes[key] = Zygote(game=setup.game, level=setup.level, profile=key[2])
    return zygote


def _own_core() -> int | None:
    """A CPU core that no other worker on this machine has, kept for life; None if all are taken.

    Worker and bots on one core: a wake-up across cores costs 5 to 10 times more. The kernel drops the lock with the process.
    """
    if _core:
        return _core[0][0]
    folder = Path(tempfile.gettempdir()) / f"arena-cores-{os.getuid()}"
    folder.mkdir(exist_ok=True, mode=0o700)
    for number in sorted(os.sched_getaffinity(0)):
        lock = (folder / str(number)).open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            continue
        _core.append((number, lock))
        os.sched_setaffinity(0, {number})
        return number
    return None
