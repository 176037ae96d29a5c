"""What runs inside a Ray task: one match, with a fork server that is kept for the next one."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import engines

from ..intake.source import unpack
from ..jail.early import take_server
from ..jail.outcomes import HostError
from ..match import identity
from ..match.again import ask_again
from ..match.batch import play_match
from ..match.played import PlayedMatch
from ..match.setup import MatchSetup
from .cores import all_seen

if TYPE_CHECKING:
    from ..cell import GameZygote

_zygotes: dict[tuple[str, str, str, tuple[str, ...]], GameZygote] = {}
_core: list[Any] = []


def run_match(setup: MatchSetup, packed: Sequence[bytes]) -> PlayedMatch:
    """Play a match, or ask a bot of one again.

    Raises:
        HostError: we failed, or this host cannot separate bots as the league wants.
    """
    _check_code(setup)
    bots = [unpack(name, files) for (name, _), files in zip(setup.bots, packed, strict=True)]
    if setup.again is not None:
        return ask_again(setup, setup.again, bots[setup.again.place], _zygote(setup), _own_core())
    played = play_match(setup, bots, _zygote(setup), _own_core())
    return replace(played, games_sha256=played.games_digest())  # here, since the driver has least time


def prepare(setup: MatchSetup) -> None:
    """Have all ready for matches like this one; what is wrong will be told when one is played."""
    with contextlib.suppress(HostError):
        _check_code(setup)
        _zygote(setup)


def _check_code(setup: MatchSetup) -> None:
    """Refuse another version of the rules or of the harness: it would play something else."""
    if setup.code and identity.playing(setup.game) != setup.code:
        raise HostError(
            f"{socket.gethostname()} has another version of the project: install the same everywhere"
        )


def _zygote(setup: MatchSetup) -> GameZygote:
    """Return the fork server for this game, level and profile; a dead one is replaced."""
    from ..cell import GameZygote
    from ..match.warm import use_what_matches_call

    key = (setup.game, setup.level, setup.limits.profile, tuple(setup.limits.preload))
    zygote = _zygotes.get(key)
    if zygote is None or not zygote.alive:
        if zygote is None:
            use_what_matches_call(engines.load(setup.game))  # while the fork server loads its libraries
        else:
            zygote.close()
        zygote = _zygotes[key] = GameZygote(*key, early=take_server())
    return zygote


def _own_core() -> int | None:
    """Take a CPU core that no other worker on this machine has, and keep it.

    Return None if there is none, or if other workers cannot be seen from here (`cores.all_seen`).

    Worker and bots on one core: a wake-up across cores costs more. A core is taken by a name that the kernel
    gives once, to whatever user, and drops with the process.
    """
    if _core:
        return _core[0][0]
    for number in sorted(os.sched_getaffinity(0)) if all_seen() else ():
        name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            name.bind(f"\0arena-core-{number}")
        except OSError:
            name.close()
            continue
        _core.append((number, name))
        os.sched_setaffinity(0, {number})
        return number
    return None
