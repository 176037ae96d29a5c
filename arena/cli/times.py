"""Times on a command line: 90s, 10m, 4h."""

from __future__ import annotations

import re

from arena.errors import UsageError

SECONDS = {"s": 1, "m": 60, "h": 3600}


def seconds_of(text: str | None) -> float | None:
    """Return a time such as 90s, 10m or 4h in seconds.

    Raises:
        UsageError: it is none.
    """
    if text is None:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh])", text)
    if match is None:
        raise UsageError(f"--until {text!r}: write a time as 90s, 10m or 4h")
    return float(match[1]) * SECONDS[match[2]]


def goal_and_time(text: str | None) -> tuple[str | None, float | None]:
    """Return the parts of `best,4h`: the goal and the seconds.

    The goal is "" for a time alone; the seconds are None for a goal alone. Both are None if there is no text.

    Raises:
        UsageError: two times or two goals.
        LeagueError: no such goal.
    """
    from leagues.definition import goal

    if text is None:
        return None, None
    parts = [part.strip() for part in text.split(",")]
    times = [part for part in parts if part[:1].isdigit()]
    goals = [part for part in parts if part not in times]
    if len(times) > 1 or len(goals) > 1:
        raise UsageError(f"--until {text!r}: one goal and one time at most, as in best,4h")
    goal(*goals or [""])  # said before anything is loaded: to load a game takes half a second
    return (goals or [""])[0], seconds_of(times[0]) if times else None
