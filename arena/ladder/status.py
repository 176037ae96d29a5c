"""How a season stands, for people and as JSON."""

from __future__ import annotations

from collections import Counter
from typing import Any, TypedDict

from leagues.pairing import Role
from leagues.ratings.rows import RatingTable

from ..runs.standings import pool_table
from ..store import Store
from ..store.matches import RunCount
from ..store.models import Season, SeasonDriver, age
from ..store.seasons import PlayedEpoch
from .epochs import Chosen, field_of, season_pool


class EpochStatus(TypedDict):
    """An epoch; `secret` and `ended` (ISO 8601) are "" as long as it is played."""

    epoch: int
    run: str
    state: str
    matches: int
    planned: int
    blocks: int
    newcomer_blocks: int
    player: str
    word: str
    secret_hash: str
    secret: str
    seal: str
    ended: str


class LeagueStatus(TypedDict):
    """One league of a season.

    `queue` has the newcomers, next first; `archived` says why a bot does not play, `owners` whose it is, if
    somebody's; `next_secret_hash` is published before the next epoch.
    """

    game: str
    players: int
    epochs: list[EpochStatus]
    next_secret_hash: str
    roles: dict[str, int]
    queue: list[str]
    archived: dict[str, str]
    owners: dict[str, str]
    table: RatingTable


def season_status(store: Store, season: Season) -> list[LeagueStatus]:
    """Return how every league of a season stands."""
    file = season.definition
    return [_league(store, Chosen(season, file, at)) for at in range(len(file.leagues))]


def _league(store: Store, chosen: Chosen) -> LeagueStatus:
    pool = season_pool(store, chosen)
    field = field_of(store, chosen, pool)
    waiting = store.runs.commitment(chosen.file.run_name(chosen.league))
    counts = store.matches.counts()
    cast = list(zip(field.bots, field.roles, strict=True))
    banned = {one.owner for one in store.owners.all() if one.banned}
    there = store.bots.all(game=chosen.plays.game, newest=False)
    acts = [act.text.partition(": ") for act in store.owners.acts() if act.what == "exclude"]
    why = {which: colon + reason for which, colon, reason in acts}  # of several the newest
    excluded = {
        bot.label: "it was excluded by the organiser" + why.get(f"{bot.label} in {chosen.season.name}", "")
        for bot in there
        if bot.id in chosen.season.without
    }
    return {
        "game": chosen.plays.game,
        "players": chosen.plays.players,
        "epochs": [
            _epoch(store, one, counts[one.run.key])
            for one in store.seasons.epochs(chosen.season.name, chosen.league)
        ],
        "next_secret_hash": waiting.secret_hash if waiting else "",
        "roles": dict(Counter(str(role.role) for role in field.roles)),
        "queue": [bot.label for bot in field.queue()] if chosen.season.state != "closed" else [],
        "archived": excluded
        | {
            bot.label: "its owner is banned" if bot.retired and bot.owner in banned else role.why
            for bot, role in cast
            if role.role is Role.ARCHIVED
        },
        "owners": {bot.label: bot.owner for bot in there if bot.kind == "submitted" and bot.owner},
        "table": pool_table(store, pool) if pool else RatingTable((), ()),
    }


def _epoch(store: Store, one: PlayedEpoch, far: RunCount) -> EpochStatus:
    stage, ended = store.runs.stages(one.run)[0], one.run.finished or one.run.aborted
    player = (store.leases.player(one.run) or "") if one.run.state == "playing" else ""
    return {
        "epoch": one.epoch.number,
        "run": one.run.label,
        "state": one.run.state,
        "matches": far.stored,
        "planned": far.planned,
        "blocks": one.epoch.blocks,
        "newcomer_blocks": one.epoch.newcomer_blocks,
        "player": player,
        "word": far.word(one.run.state, bool(player)),
        "secret_hash": stage.secret_hash,
        "secret": "" if one.run.state == "playing" else stage.secret,
        "seal": one.run.seal,
        "ended": ended.isoformat() if ended else "",
    }


def driver_line(one: SeasonDriver | None) -> str:
    """Say who drives a season, when it was last heard of, and what it does; "" if nobody does."""
    if one is None:
        return ""
    ago = int(age(one.heartbeat) or 0)
    return f"{one.who}, {f'silent for {ago} s' if one.silent else f'alive {ago} s ago'}: {one.does}"


def plain(season: Season, leagues: list[LeagueStatus]) -> dict[str, Any]:
    """Return all of it as plain data, with the file that the season was opened with."""
    return {
        "season": season.name,
        "state": season.state,
        "opened": season.opened.isoformat(),
        "closed": season.closed.isoformat() if season.closed else None,
        "definition": season.definition.plain(),
        "leagues": [dict(one) | {"table": one["table"].plain()} for one in leagues],
    }
