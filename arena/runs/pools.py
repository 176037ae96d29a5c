"""Which runs may be rated together: those of equal game, table size, options, limits, level and rules.

Runs with a known seed make pools of their own: whoever knows the seed knows the cards, so nobody is rated by
them beside games with secret deals. Runs of trusted bots are in no pool, nor are those without a stored
game, nor comparisons of two bots: these stop when they are sure.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import engines
from leagues.definition import Comparison
from leagues.limits import Level, Limits

from ..errors import UsageError
from ..match import identity
from ..printable import setting
from ..store import Store
from ..store.models import LeagueRun


@dataclass(frozen=True)
class RunPool:
    """Hold runs that are rated together.

    `mark` is short and tells pools apart, `title` is for people, `games` are stored. Games with a bot of
    `without` (ids) do not count.
    """

    mark: str
    title: str
    runs: tuple[LeagueRun, ...]
    games: int
    without: tuple[int, ...] = ()


def pools(store: Store, runs: Sequence[LeagueRun]) -> list[RunPool]:
    """Return the pools of some runs of one game: secret deals before known seeds, then by games."""
    counts = store.matches.counts()
    store.runs.stages_of(runs)  # all at once; they are held
    runs_of: dict[str, list[LeagueRun]] = {}
    for run in runs:
        if (
            run.definition.level != Level.TRUSTED
            and not isinstance(run.definition, Comparison)
            and counts[run.key].games
        ):
            runs_of.setdefault(mark_of(store, run), []).append(run)
    made = [
        RunPool(mark, _title(group[0]), tuple(group), sum(counts[run.key].games for run in group))
        for mark, group in runs_of.items()
    ]
    return sorted(made, key=lambda pool: (_known(pool.runs[0]), -pool.games, pool.mark))


def pools_of(
    store: Store,
    game: str,
    runs: Sequence[str] = (),
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> list[RunPool]:
    """Return the pools of the games that are asked for, the main one first.

    Args:
        store: where the games are.
        game: its name.
        runs: only these; default: all.
        players: only tables of this size.
        options: only games with these options.

    Raises:
        UsageError: no such run.
        GameError: no such game or option.
    """
    engines.check_name(game)
    played = store.runs.all(game=game)
    for label in runs:
        if not any(label in (run.label, run.name) for run in played):
            known = ", ".join(run.label for run in played) or "none yet"
            raise UsageError(f"no run {label!r}; runs: {known}")
    fitting = [
        run
        for run in played
        if (not runs or run.label in runs or run.name in runs)
        and (players is None or run.definition.players == players)
        and all(run.definition.options.get(key) == value for key, value in (options or {}).items())
    ]
    return pools(store, fitting)


def mark_of(store: Store, run: LeagueRun) -> str:
    """Return the mark of a run's pool: a hash of all that its games depend on but bots and deals."""
    facts = run.definition.plain()
    rules = identity.rules_of(store.runs.stages(run)[0].code)
    same = [facts[name] for name in ("game", "players", "options", "limits", "level")]
    same += [_known(run), rules]
    return hashlib.sha256(json.dumps(same, sort_keys=True).encode()).hexdigest()[:6]


def _known(run: LeagueRun) -> bool:
    return run.definition.seed is not None


def _title(run: LeagueRun) -> str:
    """Return what sets a pool apart: players, options, limits not the default, level, known seeds."""
    league, game, allowed = run.definition, engines.load(run.game), Limits()
    usual = {option.name: option.default for option in game.options.values()}
    given = league.options.items()
    changed = [f"{key} = {setting(value)}" for key, value in given if value != usual.get(key)]
    limits = [
        f"{key} = {value}"
        for key, value in league.plain()["limits"].items()
        if getattr(league.limits, key) != getattr(allowed, key)
    ]
    level = [] if league.level == Level.STRICT else [f"level {league.level}"]
    seeds = ["known seeds"] if _known(run) else []
    return ", ".join([f"{league.players} players", *changed, *limits, *level, *seeds])
