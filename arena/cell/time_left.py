"""Give a bot `view.clock`: what it may still use.

It is worked out in the bot's own process. The worker believes none of it: it reads the kernel's clocks
(`arena.jail.clock`).
"""

from __future__ import annotations

import time

from leagues.limits import Limits


class BotClock:
    """The account of CPU time of this bot in this match.

    Args:
        limits: what it may use.
        began: CPU seconds of this process that are not charged to the bot.
        decisions: asked of it before, by a process that has died.
    """

    __slots__ = ("_began", "_limits", "decisions")

    def __init__(self, limits: Limits, began: float | None = None, decisions: int = 0) -> None:
        self._limits = limits
        self._began = time.process_time() if began is None else began
        self.decisions = decisions

    @property
    def used(self) -> float:
        """CPU seconds used in this match so far, loading included."""
        return time.process_time() - self._began

    @property
    def allowed(self) -> float:
        """CPU seconds that may have been used by now; more with every decision."""
        return self._limits.cpu_s(self.decisions)

    @property
    def left(self) -> float:
        """CPU seconds that may be used now, for this decision and those asked with it; below 0 it is lost."""
        return self.allowed - self.used

    @property
    def per_decision(self) -> float:
        """CPU seconds that every decision adds."""
        return self._limits.cpu_ms_per_decision / 1000

    def __repr__(self) -> str:
        return f"{self.left:.3f} s CPU left, {self.per_decision:.3f} a decision, {self.decisions} decisions"
