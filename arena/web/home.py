"""What a server's first page and those of seasons, their bots and the queue show, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

import engines
from leagues.ratings.rows import HEADLINES, RatingTable

from ..errors import Unknown
from ..games import lesson_file, list_games
from ..intake.conditions import Conditions
from ..intake.registry import house_of
from ..intake.sent import open_seasons
from ..intake.source import MAX_PACKED, MAX_SOURCE
from ..ladder.epochs import Chosen, season_pool
from ..ladder.status import plain, season_status
from ..replay.listing import games_of
from ..runs.guard import why_not
from ..runs.standings import pool_table, run_table
from ..store import Store
from ..store.models import Season
from ..store.packing import GAMES_PER_MATCH
from ..store.submissions import PER_HOUR
from .figures import run_facts
from .live_table import INVITED, PERSON

NEWEST = 8  # games, and bots
SEASONS, FIRST = 6, 3  # newest seasons, and of each league the first bots
EPOCHS = 20  # newest finished ones whose games are listed
SHOWN = 40  # newest epochs of a page
MOST_GAMES = 300
SHOWN_LIMITS = ("cpu_ms_per_decision", "cpu_s_bank", "memory_mib", "preload")


def home(
    store: Store, submissions: bool, registration: bool, first: Callable[[Season], dict[str, Any]]
) -> dict[str, Any]:
    """Return runs, newest first, with their progress; games with their house bots.

    `first` is `leaders` of a season, which is costly.
    """
    counts, driven, epochs = store.matches.counts(), store.leases.all(), store.seasons.of_runs()
    runs = [
        run_facts(run, counts[run.key], driven) | {"game": run.game, "season": epochs.get(run.key, "")}
        for run in reversed(store.runs.all()[-200:])
    ]
    games = []
    for row in list_games():
        name = row["game"]
        game = engines.load(name)
        games.append(
            {
                "name": name,
                "title": game.title,
                "players": [game.min_players, game.players, game.max_players],
                "bots": {bot: source.title for bot, source in house_of(name).items()},
                "lesson": lesson_file(name) is not None,
                "options": row["options"],
                "played": any(run["game"] == name and run["games"] for run in runs),
            }
        )
    return {
        "runs": runs,
        "seasons": [first(one) for one in reversed(store.seasons.all()[-SEASONS:])],
        "games": games,
        "newest": _newest(store),
        "bots": _newest_bots(store),
        "submissions": submissions,
        "registration": registration,
        "person": PERSON,
        "invited": INVITED,
    }


def leaders(store: Store, season: Season) -> dict[str, Any]:
    """Return a season with the first three of each of its leagues."""
    leagues, file = [], season.definition
    for at, one in enumerate(file.leagues):
        pool = season_pool(store, Chosen(season, file, at))
        table = pool_table(store, pool) if pool else RatingTable((), ())
        title = f"{engines.load(one.game).title}, {one.players} players"
        by, rows = table.headline, table.rows[:FIRST]
        first = [(f"{row.bot}@{row.version}", getattr(row, by)) for row in rows]
        leagues.append({"title": title, "by": "Elo" if by == "elo" else "points a game", "first": first})
    return {"name": season.name, "state": season.state, "lasts": file.lasts, "leagues": leagues}


def _newest_bots(store: Store) -> list[dict[str, Any]]:
    """Return the bots that were submitted last, with a season in which they play."""
    seasons = [(file.name, {league.game for league in file.leagues}) for file in open_seasons(store)]
    bots = [one for one in store.bots.all() if one.kind == "submitted" and one.retired is None]
    return [
        {
            "bot": bot.label,
            "owner": bot.owner,
            "games": bot.games,
            "created": bot.created.isoformat(timespec="minutes"),
            "season": next((name for name, games in seasons if games & {*bot.games}), ""),
        }
        for bot in sorted(bots, key=lambda bot: bot.created, reverse=True)[:NEWEST]
    ]


def _newest(store: Store) -> list[dict[str, Any]]:
    """Return games that can be watched of finished runs: the last matches of the newest runs in turn."""
    ended = (run for run in reversed(store.runs.all()) if run.state != "playing")
    runs = list(islice((run for run in ended if not why_not(store, run, replayed=True)), NEWEST))
    last = [sorted(store.matches.stored(run), reverse=True) for run in runs]
    turns = [(run, n[at]) for at in range(NEWEST) for run, n in zip(runs, last, strict=True) if at < len(n)]
    rows: list[dict[str, Any]] = []
    for run, number in turns[:NEWEST]:
        (match,), entries = store.matches.all(run, [number]), store.runs.entries(run)
        names = [entries[match.line_up[place]].bot.label for place in match.places[0].tolist()]
        seats = list(zip(names, match.scores[0].tolist(), strict=True))
        label = f"{run.label}/{match.number * GAMES_PER_MATCH}"
        rows.append({"run": run.label, "label": label, "game": run.game, "seats": seats})
    return rows


def season_of(store: Store, name: str) -> dict[str, Any]:
    """Return how a season stands; the secret of an epoch only when that has ended.

    Raises:
        Unknown: there is no such season.
    """
    season = store.seasons.find(name)
    made = plain(season, season_status(store, season))
    made["lasts"] = season.definition.lasts
    del made["definition"]
    for league in made["leagues"]:
        league["title"] = f"{engines.load(league['game']).title}, {league['players']} players"
        league["table"]["headline"] = HEADLINES[league["table"]["headline"]]
        every, shown = league["epochs"], league["epochs"][-SHOWN:]
        league["played"] = {"epochs": len(every), "matches": sum(epoch["matches"] for epoch in every)}
        league["epochs"] = [epoch | {"player": ""} for epoch in shown]
    return made


def games_in_season(store: Store, season: str, label: str) -> dict[str, Any]:
    """Return the games of a version in the newest finished epochs, newest first, and whose it is.

    Raises:
        Unknown: there is no such bot.
    """
    bot = next((bot for bot in store.bots.all(newest=False) if bot.label == label), None)
    if bot is None:
        raise Unknown(f"no bot {label[:80]!r}")
    games: list[dict[str, Any]] = []
    history = list[dict[str, Any]]()
    ended = [one for one in store.seasons.epochs(season) if one.run.state == "finished"][-EPOCHS:]
    for epoch, run in reversed(ended):
        field = sorted(entry.bot.label for entry in store.runs.entries(run))
        if label not in field:
            continue
        if len(games) < MOST_GAMES:
            games += [one.plain() for one in reversed(games_of(store, run, label))]
        table = run_table(store, run)
        row = next((row for row in table.rows if f"{row.bot}@{row.version}" == label), None)
        values = [getattr(row, f"{table.headline}{end}", None) for end in ("", "_low", "_high")]
        by = HEADLINES[table.headline]
        history.insert(0, {"epoch": epoch.number, "by": by, "values": values, "field": field})
    banned = any(one.owner == bot.owner and one.banned for one in store.owners.all())
    games = games[:MOST_GAMES]
    return {"owner": bot.owner, "banned": banned, "games": games, "history": history}


def entering(store: Store, taken: Mapping[str, Conditions]) -> dict[str, Any]:
    """Return what who submits must know: games with their seasons and limits, sizes of files, the quota."""
    files = open_seasons(store)
    games = []
    for game, one in taken.items():
        mine = [file for file in files if any(league.game == game for league in file.leagues)]
        seasons = [
            {"name": file.name, "lasts": file.lasts, "versions": file.versions_per_owner} for file in mine
        ]
        limits = {name: getattr(one.limits, name) for name in SHOWN_LIMITS}
        title = engines.load(game).title
        games.append({"game": game, "title": title, "seasons": seasons, **limits})
    return {"games": games, "source": MAX_SOURCE, "archive": MAX_PACKED, "per_hour": PER_HOUR}


def queue_of(store: Store) -> dict[str, Any]:
    """Return what is tried and what waits, in their order, and how many were tried before."""
    rows = [
        {"owner": one.owner, "state": one.state, "tries": one.tries, "sent": one.sent.isoformat()}
        for one in store.submissions.queue()
    ]
    return {"rows": rows, "counts": store.submissions.count()}
