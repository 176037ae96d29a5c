"""All that is to be said of a run, as plain typed data: what `arena league show --format json` prints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict, TypeVar

from ..match.identity import Code
from ..store import Store
from ..store.models import LeagueRun
from ..version import __version__
from .pools import mark_of
from .stages import schedule_hash
from .standings import run_table

Report = TypeVar("Report")


class EntrantReport(TypedDict):
    """A bot in a run; `content` is the hash of its files and of all of ours that it imports.

    What it used: CPU seconds and decisions in all; memory (MiB) and sleep (s) the most of a match.
    """

    bot: str
    version: int
    kind: str
    hash: str
    content: str
    stage: int
    cpu_s: float
    decisions: int
    memory_mib: float
    slept_s: float


class StageReport(TypedDict):
    """A part of a run under one secret, which is None as long as the run is played; `schedule` is a hash."""

    kind: str
    deals: int
    matches: int
    opened: str
    secret_hash: str
    commitment: str
    fingerprint: str
    schedule: str
    secret: str | None
    code: Code


class LeftOutReport(TypedDict):
    """A bot that could not be loaded in the trial before the run, so that it was left out."""

    bot: str
    kind: str
    text: str


class AuditReport(TypedDict):
    """A bot that was asked again about a match, and answered otherwise: the first such decision."""

    bot: str
    match: int
    game: int
    seat: int
    decision: int
    view: str
    then: str
    now: str


class ForfeitReport(TypedDict):
    """What a bot lost by one kind of fault."""

    bot: str
    kind: str
    seats: int
    matches: int
    text: str


class RecheckReport(TypedDict):
    """A match that was played on a second node too: see `arena.match.played.Recheck`."""

    match: int
    nodes: list[str]
    same: bool


class RunReport(TypedDict):
    """A run. Times are ISO 8601 with their zone; `version` is that of the card-arena that reports it."""

    label: str
    version: str
    state: str
    pool: str
    started: str
    finished: str | None
    aborted: str | None
    matches: int
    matches_planned: int
    games: int
    seal: str
    digest: str
    repeated: dict[str, int]
    rechecked: list[RecheckReport]
    definition: dict[str, Any]
    stages: list[StageReport]
    entrants: list[EntrantReport]
    left_out: list[LeftOutReport]
    asked_again: int
    answered_otherwise: list[AuditReport]
    forfeits: list[ForfeitReport]
    table: list[dict[str, Any]]
    notes: list[str]


def report_of(store: Store, run: LeagueRun) -> RunReport:
    """Everything about a run that may be known now."""
    entries, count, rated = store.runs.entries(run), store.matches.counts()[run.key], run_table(store, run)
    audits = store.runs.audits(run)
    return {
        "label": run.label,
        "version": __version__,
        "state": run.state,
        "pool": mark_of(store, run),
        "started": run.started.isoformat(timespec="seconds"),
        "finished": run.finished.isoformat(timespec="seconds") if run.finished else None,
        "aborted": run.aborted.isoformat(timespec="seconds") if run.aborted else None,
        "matches": count.stored,
        "matches_planned": count.planned,
        "games": count.games,
        "seal": run.seal,
        "digest": store.matches.games_digest(run),
        "repeated": dict(store.matches.repeated(run)),
        "rechecked": [
            {"match": number, "nodes": [one.first, one.second], "same": one.same}
            for number, one in store.matches.rechecked(run).items()
        ],
        "definition": run.definition.plain(),
        "stages": _stages(store, run),
        "entrants": _entrants(store, run),
        "left_out": [_filled(LeftOutReport, one, bot=one.bot.label) for one in store.runs.left_out(run)],
        "asked_again": len(audits),
        "answered_otherwise": [
            _filled(AuditReport, one, bot=entries[one.entrant].bot.label) for one in audits if one.now
        ],
        "forfeits": [
            _filled(ForfeitReport, lost, bot=entries[lost.entrant].bot.label)
            for lost in store.matches.forfeits(run)
        ],
        "table": rated.plain()["rows"],
        "notes": list(rated.notes),
    }


def _filled(kind: Callable[..., Report], row: object, **given: object) -> Report:
    """Return a report of a row: fields that are not given are those of the row with these names."""
    names = vars(kind)["__annotations__"]
    return kind(**{name: given[name] if name in given else getattr(row, name) for name in names})


def _stages(store: Store, run: LeagueRun) -> list[StageReport]:
    return [
        _filled(
            StageReport,
            stage,
            opened=stage.opened.isoformat(timespec="seconds"),
            schedule=schedule_hash(stage.schedule),
            secret=stage.secret if run.state != "playing" else None,
        )
        for stage in store.runs.stages(run)
    ]


def _entrants(store: Store, run: LeagueRun) -> list[EntrantReport]:
    used = store.games.used(run)
    return [
        _filled(
            EntrantReport,
            entry.bot,
            bot=entry.bot.name,
            content=entry.content,
            stage=entry.stage,
            cpu_s=round(float(used.cpu_s[at]), 6),
            decisions=int(used.decisions[at]),
            memory_mib=float(used.memory_mib[at]),
            slept_s=float(used.slept_s[at]),
        )
        for at, entry in enumerate(store.runs.entries(run))
    ]
