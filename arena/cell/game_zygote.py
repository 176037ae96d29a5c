"""A fork server for a game, from which the bots' processes are made; this machine's walls, tried."""

from __future__ import annotations

from collections.abc import Sequence

import engines
from engines import core
from leagues.limits import PROFILES, Level, Limits

from ..errors import UsageError
from ..jail import doctor
from ..jail import early as start
from ..jail.clock import Clock
from ..jail.outcomes import Layer
from ..jail.program import Program
from ..jail.zygote import Server, Zygote
from .asking import BotProcess
from .foreign import ForeignBot


class GameZygote(Zygote):
    """A fork server for one game, whose wall was tried and holds. Use as a context manager.

    Args:
        tested: whether to try the wall; only the doctor, which tries more, does without.
        early: the process, if it was started before (`arena.jail.early`).

    Raises:
        HostError: it does not start, or the wall does not hold.
    """

    def __init__(
        self,
        game: str,
        level: str = Level.STRICT,
        profile: str = "numpy",
        preload: Sequence[str] = (),
        tested: bool = True,
        early: Server | None = None,
    ) -> None:
        self.game = engines.load(game)
        cache = str(core.CACHE_FOLDER) if core.CACHE_FOLDER else None
        super().__init__(lambda: _server(early, cache), game, level, profile, preload)
        try:
            if tested:
                doctor.self_test(self)
        except BaseException:
            self.close()
            raise

    def spawn(
        self,
        bot: Program,
        limits: Limits,
        seed: int,
        core: int | None = None,
        layers: Sequence[Layer] | None = None,
        before: Clock | None = None,
    ) -> BotProcess:
        """Fork a process for a bot; it is loaded later (`BotProcess.ready` waits). Arguments: `Process`."""
        kind = ForeignBot if bot.is_foreign else BotProcess
        return kind(self, self.game, bot, limits, seed, core, layers, before)


def _server(early: Server | None, cache: str | None) -> Server:
    """Return the server that was started before, else a new one.

    The early one is taken only if it keeps compiled code in this folder.
    """
    if early is not None and start.is_for(early, cache):
        return early
    if early is not None:
        early.close()
    return start.game_server(cache)


def examine(level: str = "strict", profile: str = "numpy") -> tuple[doctor.Report, float]:
    """Try on this machine what no bot may do.

    Args:
        profile: what they may use: numpy, or threads.

    Returns:
        What was tried, and the most wall time in seconds that a bot can add to a match by default limits.

    Raises:
        UsageError: no such level or profile.
        HostError: the level cannot be had at all.
    """
    if level not in list(Level):
        raise UsageError(f"level {level!r}: allowed is {', '.join(Level)}")
    if profile not in PROFILES:
        raise UsageError(f"profile {profile!r}: allowed is {' or '.join(PROFILES)}")
    game = engines.names()[0]  # any would do
    report = doctor.examine(lambda each: GameZygote(game, each, profile, tested=False), level)
    return report, Limits(profile=profile).worst_wall_s()
