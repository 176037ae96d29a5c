"""What a run of a league is, as plain data: its definition as it is stored, and pools of games that may be rated together."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from leagues.definition import League

from .. import identity
from ..errors import UsageError
from ..store.models import LeagueRun, Stage
from ..store.runs import Entry


class Definition(TypedDict):
    """What is played: everything is written out, so that no default can move under a stored run."""

    game: str
    players: int
    options: dict[str, Any]
    deals: int
    seed: int | None
    level: str
    limits: dict[str, Any]


def definition_of(league: League) -> Definition:
    """The complete definition of a league, with all options and limits.

    Raises:
        UsageError: a limit or level that does not exist; names it.
    """
    return {
        "game": league.game,
        "players": league.players,
        "options": dict(league.options),
        "deals": league.deals,
        "seed": league.seed,
        "level": _checked_level(league),
        "limits": _checked_limits(league),
    }


def _checked_level(league: League) -> str:
    from ..jail import Level

    if league.level not in list(Level):
        raise UsageError(f"league {league.name}: level {league.level!r}: allowed is {', '.join(Level)}")
    return league.level


def _checked_limits(league: League) -> dict[str, Any]:
    from ..jail import Limits

    known = {field.name: field for field in dataclasses.fields(Limits)}
    for key, value in league.limits.items():
        if key not in known:
            raise UsageError(f"league {league.name}: unknown limit {key!r}; limits: {', '.join(known)}")
        default = known[key].default
        wanted = {int: "a whole number", float: "a number", str: "text"}[type(default)]
        right = isinstance(value, int | float) if isinstance(default, float) else isinstance(value, type(default))
        if not right or isinstance(value, bool):
            raise UsageError(f"league {league.name}: limit {key} = {value!r} must be {wanted}")
    try:
        return dataclasses.asdict(Limits(**league.limits))
    except (TypeError, ValueError) as error:
        raise UsageError(f"league {league.name}: limits: {error}") from None


def fingerprint(kind: str, number: int, definition: Definition, entries: Sequence[Entry], code: identity.Code) -> str:
    """Hash (hex) of a stage: definition, entrants in their order with their contents, and the code. What is committed to."""
    names = [[entry.bot.name, entry.bot.version, entry.bot.hash, entry.content] for entry in entries]
    facts = [kind, number, definition, names, identity.digest_of(code["files"])]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def code_of(stage: Stage) -> identity.Code | None:
    """The code that a stage was begun with; None if it was not kept."""
    return identity.Code(files=stage.code["files"], versions=stage.code["versions"]) if stage.code else None


@dataclass(frozen=True)
class PoolKey:
    """Games that may be rated together: the same game, options, limits and level under the same rules.

    Runs with a known seed are pools of their own: who knows the seed knows the cards.

    Attributes:
        mark: six characters that tell pools apart.
        text: what the games have in common, for people.
    """

    mark: str
    text: str


def pool_of(run: LeagueRun, stages: Sequence[Stage]) -> PoolKey:
    """The pool of a run."""
    facts = dict(run.definition)
    known = facts.pop("seed") is not None
    facts.pop("deals")
    code = code_of(stages[0]) if stages else None
    rules = identity.rules_of(code) if code else "not kept"
    mark = hashlib.sha256(json.dumps([facts, known, rules], sort_keys=True).encode()).hexdigest()[:6]
    words = [run.game, f"{facts['players']} players", *_unusual_options(run), facts["level"]]
    words += [f"{key} = {value:g}" for key, value in _unusual_limits(facts["limits"])]
    words += ["known seed"] if known else []
    return PoolKey(mark, ", ".join(words))


def _unusual_options(run: LeagueRun) -> list[str]:
    import engines

    known = engines.load(run.game).options
    given = run.definition["options"].items()
    return [f"{key} = {value}" for key, value in given if key not in known or known[key].default != value]


def _unusual_limits(limits: dict[str, Any]) -> list[tuple[str, float]]:
    from ..jail import Limits

    usual = dataclasses.asdict(Limits())
    return [(key, value) for key, value in limits.items() if isinstance(value, int | float) and usual.get(key) != value]
