"""What this machine holds a bot back from, tried with a game's fork server."""

from __future__ import annotations

import engines
from leagues.limits import PROFILES, Level, Limits

from ..errors import UsageError
from ..jail import doctor as jail_doctor
from .game_zygote import GameZygote


def examine(level: str = "strict", profile: str = "numpy") -> tuple[jail_doctor.Report, float]:
    """Try on this machine what no bot may do.

    Args:
        level: how bots are separated.
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
    report = jail_doctor.examine(lambda each: GameZygote(game, each, profile, tested=False), level)
    return report, Limits(profile=profile).worst_wall_s()
