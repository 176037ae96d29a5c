"""What a run of a league is, as plain data: its definition as it is stored, and the hash that all of it is
bound by.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Sequence
from typing import Any, NotRequired, TypedDict

from leagues.definition import League, check_limits
from leagues.formats.field import LeagueField

from .. import identity
from ..errors import UsageError
from ..jail.limits import MATCH_GAMES, WITH_INTERPRETERS, Level, Limits
from ..store.models import Stage
from ..store.packing import unpack_schedule
from ..store.runs import Entry


class Definition(TypedDict):
    """What is played: everything is written out, so that no default can move under a stored run."""

    game: str
    players: int
    options: dict[str, Any]
    deals: int
    tournament: str
    candidates: list[str]
    until: str
    same_owner: bool
    seed: int | None
    level: str
    limits: dict[str, Any]
    beacon: NotRequired[str]  # a public value that nobody knew when the entrants were fixed


# what runs were played by that do not say it
FORMER: dict[str, Any] = {"tournament": "round-robin", "candidates": [], "until": "", "same_owner": True}


def definition_of(league: League, beacon: str = "") -> Definition:
    """The complete definition of a league, with all options and limits.

    Args:
        league: it.
        beacon: a public value that is mixed into the deals; "" for none.

    Raises:
        DefinitionError, UsageError: a limit or level that does not exist; names it.
    """
    definition: Definition = {
        "game": league.game,
        "players": league.players,
        "options": dict(league.options),
        "deals": league.deals,
        "tournament": league.tournament,
        "candidates": list(league.candidates),
        "until": league.until,
        "same_owner": league.same_owner,
        "seed": league.seed,
        "level": _checked_level(league),
        "limits": _checked_limits(league),
    }
    return {**definition, "beacon": beacon} if beacon else definition


def field_of(
    definition: Definition, entries: Sequence[Entry], deals: int | None = None, start: bool = False
) -> LeagueField:
    """What a format may know of these entrants.

    Args:
        definition: of the run.
        entries: the entrants, by place.
        deals: other deals than the definition's.
        start: whether all of them begin now, and nobody has joined.
    """
    facts = {**FORMER, **definition}
    named = [{entry.bot.name, entry.bot.label} for entry in entries]
    candidates = [at for at, names in enumerate(named) if names & set(facts["candidates"])]
    return LeagueField(
        entrants=len(entries),
        seats=definition["players"],
        deals=deals or definition["deals"],
        owners=() if facts["same_owner"] else tuple(entry.bot.owner for entry in entries),
        candidates=tuple(candidates),
        joined=() if start else tuple(at for at, entry in enumerate(entries) if entry.stage),
        until=facts["until"],
    )


def _checked_level(league: League) -> str:
    if league.level not in list(Level):
        raise UsageError(f"league {league.name}: level {league.level!r}: allowed is {', '.join(Level)}")
    return league.level


def _checked_limits(league: League) -> dict[str, Any]:
    check_limits(league.limits, Limits)
    if league.limits.get("interpreters") and league.level not in WITH_INTERPRETERS:
        raise UsageError(
            f"league {league.name}: interpreters are allowed at level strict+interpreters, where they can "
            f"name files; this league's level is {league.level}"
        )
    _check_fit(league.name, Limits(**league.limits))
    return complete_limits(league.limits)


def _check_fit(league: str, limits: Limits) -> None:
    """Make sure that a bot may use what it is given for its decisions, at one a game.

    Raises:
        UsageError: no match would ever allow it.
    """
    given = limits.cpu_s_start + limits.cpu_s_bank + limits.cpu_ms_per_decision / 1000 * MATCH_GAMES
    if given > limits.cpu_s_match:
        raise UsageError(
            f"league {league}: cpu_s_match = {limits.cpu_s_match:g}, but loading, bank and one decision in "
            f"each of {MATCH_GAMES} games come to {given:g} s: raise it, or lower cpu_ms_per_decision, "
            "cpu_s_bank or cpu_s_start"
        )


def complete_limits(values: dict[str, Any]) -> dict[str, Any]:
    """All limits, with defaults where none is given, as the store gives them back: a tuple becomes a list."""
    complete: dict[str, Any] = json.loads(json.dumps(dataclasses.asdict(Limits(**values))))
    return complete


def fingerprint(
    kind: str,
    number: int,
    definition: Definition,
    entries: Sequence[Entry],
    code: identity.Code,
    schedule: bytes,
) -> str:
    """Hash (hex) of a stage: definition, entrants in their order with their contents, the code and the
    schedule. What is committed to.
    """
    names = [[entry.bot.name, entry.bot.version, entry.bot.hash, entry.content] for entry in entries]
    played_by = identity.digest_of(code["files"])
    facts = [kind, number, definition, names, played_by, schedule_hash(schedule)]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def schedule_hash(packed: bytes) -> str:
    """SHA-256 (hex) of the matches of a stage: 32-bit numbers, as `packing.unpack_schedule` gives them."""
    return hashlib.sha256(unpack_schedule(packed).tobytes()).hexdigest()


def code_of(stage: Stage) -> identity.Code:
    """The code that a stage was begun with."""
    return identity.Code(files=stage.code["files"], versions=stage.code["versions"])
