"""Which runs may be rated together: those of equal game, table size, options, limits and level.

Runs with a known seed make pools of their own: whoever knows the seed knows the cards, so nobody is rated by them
beside games with secret deals. Runs of trusted bots are in no pool.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import engines

from ..errors import UsageError
from ..store import LeagueRun


@dataclass(frozen=True)
class RunPool:
    """Runs that are rated together. `mark` is short and unique among the pools of a game, `title` is for people."""

    mark: str
    title: str
    runs: tuple[LeagueRun, ...]

    @property
    def matches(self) -> int:
        """Matches of all its runs, also those that are still to be played."""
        return sum(run.matches for run in self.runs)


def pools(runs: Sequence[LeagueRun]) -> list[RunPool]:
    """The pools of some runs of one game: secret deals before known seeds, then the largest first."""
    found: dict[str, list[LeagueRun]] = {}
    for run in runs:
        if run.definition["level"] != "trusted":
            found.setdefault(_key(run), []).append(run)
    made = [
        RunPool(hashlib.sha256(key.encode()).hexdigest()[:4], _title(runs[0]), tuple(runs))
        for key, runs in found.items()
    ]
    return sorted(made, key=lambda pool: (_known(pool.runs[0]), -pool.matches, pool.mark))


def choose(
    runs: Sequence[LeagueRun],
    labels: Sequence[str] = (),
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> list[RunPool]:
    """The pools of the runs that fit what a person asks for, the main one first.

    Args:
        runs: all runs of one game.
        labels: runs by name ("taroky#2") or leagues ("taroky"); all if empty.
        players: table size.
        options: values that the runs' options must have.

    Raises:
        UsageError: a name that no run has.
    """
    for label in labels:
        if not any(label in (run.label, run.name) for run in runs):
            known = ", ".join(run.label for run in runs) or "none yet"
            raise UsageError(f"no run {label!r}; runs: {known}")
    fitting = [
        run
        for run in runs
        if (not labels or run.label in labels or run.name in labels)
        and (players is None or run.definition["players"] == players)
        and all(run.definition["options"].get(key) == value for key, value in (options or {}).items())
    ]
    return pools(fitting)


def _known(run: LeagueRun) -> bool:
    return run.definition["seed"] is not None


def _key(run: LeagueRun) -> str:
    facts = run.definition
    return json.dumps(
        [facts["players"], facts["options"], facts["limits"], facts["level"], _known(run)], sort_keys=True
    )


def _title(run: LeagueRun) -> str:
    """What sets a pool apart: players, options and limits that are not the default, level, known seeds."""
    facts, game = run.definition, engines.load(run.game)
    usual = game.check_options(facts["players"], {})[1]
    changed = [f"{key} = {value}" for key, value in facts["options"].items() if value != usual[key]]
    limits = [f"{key} = {value}" for key, value in facts["limits"].items()]
    level = [] if facts["level"] == "strict" else [f"level {facts['level']}"]
    seeds = ["known seeds"] if _known(run) else []
    return ", ".join([f"{facts['players']} players", *changed, *limits, *level, *seeds])
