"""A stage of a run: its matches under one secret, and the hash that all it depends on is bound by.

And what all of it comes to: its secrets, and what a worker needs to play a match.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

import engines
from leagues.definition import League
from leagues.formats.tables import LeagueField
from leagues.plan import MatchPlan
from leagues.secret import Secret

from ..errors import UsageError
from ..match import identity
from ..match.played import PlayedMatch
from ..match.setup import MatchSetup
from ..match.steps import Steps
from ..printable import count
from ..store import Store
from ..store.models import Bot, Entrant, LeagueRun, Stage
from ..store.packing import pack_schedule, unpack_schedule, whole


class Entered(NamedTuple):
    """Entrants with the hashes of their contents, and all code that plays them."""

    entries: list[Entrant]
    code: identity.Code


def with_code(store: Store, game: str, bots: Sequence[Bot]) -> Entered:
    """Return the bots as entrants, and the code."""
    imports = [identity.imports_of(store.bots.source(bot.hash)) for bot in bots]
    entries = [
        Entrant.of(bot, identity.digest_of({**files, "": bot.hash}))
        for bot, files in zip(bots, imports, strict=True)
    ]
    code = identity.code_of(game, imports)
    code["versions"]["commit"] = identity.commit()
    return Entered(entries, code)


def field_of(
    league: League, entries: Sequence[Entrant], deals: int | None = None, start: bool = False
) -> LeagueField:
    """Return what a format may know of these entrants.

    Args:
        entries: the entrants, by place.
        start: whether all of them begin now, and nobody has joined.
    """
    named = [{entry.bot.name, entry.bot.label} for entry in entries]
    return LeagueField(
        entrants=len(entries),
        seats=league.players,
        deals=deals or league.deals,
        owners=() if league.same_owner else tuple(entry.bot.owner for entry in entries),
        candidates=tuple(at for at, names in enumerate(named) if names & set(league.candidates)),
        joined=() if start else tuple(at for at, entry in enumerate(entries) if entry.stage),
        until=league.until,
        equal=league.equal,
    )


def new_stage(
    store: Store,
    league: League,
    number: int,
    kind: str,
    entered: Entered,
    deals: int,
    plans: Sequence[MatchPlan],
    drawn: Stage | None = None,
) -> Stage:
    """Return a stage that is not stored yet, with its secret.

    It is the secret that waits for the league, or a fresh one; a round has that of the stage where it was
    drawn.
    """
    packed = pack_schedule([one.rotation, one.first_block, one.blocks, *one.line_up] for one in plans)
    mark = fingerprint(kind, number, league, *entered, packed)
    waiting = store.runs.commitment(league.name) if number == 0 else None
    known = drawn if kind == "round" else waiting
    if league.seed is not None:
        secret = Secret.of_seed(league.seed)
    else:
        secret = Secret(bytes.fromhex(known.secret)) if known else Secret.fresh()
    return Stage(
        run_id=0,
        number=number,
        kind=kind,
        deals=deals,
        fingerprint=mark,
        secret=secret.key.hex(),
        secret_hash=secret.hash,
        commitment=secret.commitment(mark),
        mixed=league.seed is None,
        code=entered.code,
        schedule=packed,
        matches=len(plans),
    )


def check_beacon(store: Store, name: str, beacon: str = "") -> None:
    """Raise UsageError if a league was closed for a beacon and there is none: its secret would be used up."""
    waiting = store.runs.commitment(name)
    if waiting and waiting.closed and not beacon:
        raise UsageError(f"{name} was closed for a beacon: give --beacon VALUE, or commit without --close")


def fingerprint(
    kind: str, number: int, league: League, entries: Sequence[Entrant], code: identity.Code, schedule: bytes
) -> str:
    """Return the hash (hex) of a stage, which is what is committed to.

    In it are the league, entrants in their order with their contents, the code and the schedule.
    """
    names = [[entry.bot.name, entry.bot.version, entry.bot.hash, entry.content] for entry in entries]
    played_by = identity.digest_of(code["files"])
    facts = [kind, number, league.plain(), names, played_by, schedule_hash(schedule)]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def schedule_hash(packed: bytes) -> str:
    """SHA-256 (hex) of the matches of a stage: 32-bit numbers, as `packing.unpack_schedule` gives them."""
    return hashlib.sha256(unpack_schedule(packed).tobytes()).hexdigest()


def hash_line(store: Store, run: LeagueRun) -> str:
    """Say the hash of the newest secret of a run, and where those before it are."""
    newest, more = _newest(store, run)
    return f"secret: blake2b-256 is {newest.secret_hash}, with bots and rules {newest.commitment}{more}"


def secret_line(store: Store, run: LeagueRun) -> str:
    """Say the newest secret of a run that has ended, and where those before it are."""
    newest, more = _newest(store, run)
    hashed = f"(its blake2b-256: {newest.secret_hash})"
    return f"{run.label} {run.state}; secret {newest.secret} {hashed}{more}"


def _newest(store: Store, run: LeagueRun) -> tuple[Stage, str]:
    """Return the newest stage with a secret of its own, and a hint where the others are."""
    *older, newest = [stage for stage in store.runs.stages(run) if stage.kind != "round"]
    where = f"arena league show {run.label} --format json"
    return newest, f"; {count(len(older), 'secret')} before it: {where}" if older else ""


# --- its secrets and matches --------------------------------------------------------------------------------


def deal_secret(stage: Stage) -> Secret:
    """Return the secret that all seeds of a stage come from."""
    secret = drawn_secret(stage)
    with whole("the fingerprint of a run"):
        return secret.mixed(stage.fingerprint) if stage.mixed else secret


def secret_of(store: Store, run: LeagueRun, match: PlayedMatch) -> Secret:
    """Return the secret of the stage of a stored match."""
    with whole(f"match {match.number} of {run.label}"):
        return deal_secret(store.runs.stages(run)[match.stage])


def drawn_secret(stage: Stage) -> Secret:
    """Return the secret of a stage as it was drawn, without what is mixed into it."""
    with whole("the secret of a run"):
        return Secret(bytes.fromhex(stage.secret))


def with_bots(setup: MatchSetup, bots: Sequence[Bot]) -> MatchSetup:
    """Return a match with its bots, by place."""
    named = tuple((bot.name, bot.hash) for bot in bots)
    return replace(setup, bots=named, strangers=any(bot.kind != "house" for bot in bots))


def setups(store: Store, run: LeagueRun, plans: Iterable[MatchPlan] | None = None) -> Iterator[MatchSetup]:
    """Set up matches of a run; all of them by default."""
    secrets = [deal_secret(stage) for stage in store.runs.stages(run)]
    bots = [entry.bot for entry in store.runs.entries(run)]
    league, code = run.definition, identity.playing(run.game)
    for plan in store.runs.plans(run) if plans is None else plans:
        seated = [bots[at] for at in plan.line_up if at < len(bots)]  # rows may have been deleted
        conditions = league.options, league.limits, league.level, code
        yield with_bots(MatchSetup.of_plan(plan, secrets[plan.stage], run.game, *conditions), seated)


def steps_of(store: Store, run: LeagueRun, matches: Sequence[PlayedMatch]) -> Steps:
    """Return all games of some matches of a run, to be played again."""
    league, secrets = run.definition, [deal_secret(stage) for stage in store.runs.stages(run)]
    seeds = np.concatenate([secrets[one.stage].deal_seeds(one.blocks) for one in matches])
    return Steps(engines.load(run.game), league.players, league.options, seeds, matches)
