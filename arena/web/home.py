"""What a server's first page and those of seasons, their bots and the queue show, as plain data."""

from __future__ import annotations

from typing import Any

import engines
from leagues.ratings.rows import HEADLINES

from ..errors import UsageError
from ..games import lesson_file
from ..ladder.status import plain, season_status
from ..replay.listing import games_of
from ..runs.guard import why_not
from ..store import Store
from ..store.packing import GAMES_PER_MATCH
from .live_table import INVITED, PERSON, house_titles

NEWEST = 8  # games
EPOCHS = 20  # newest finished ones whose games are listed
SHOWN = 40  # newest epochs of a page
MOST_GAMES = 300


def home(store: Store, submissions: bool, registration: bool) -> dict[str, Any]:
    """Return runs, newest first, with their progress; games with their house bots."""
    counts = store.matches.counts()
    runs = [
        {
            "label": run.label,
            "game": run.game,
            "state": run.state,
            "games": counts[run.key].games,
            "matches": counts[run.key].stored,
            "planned": counts[run.key].planned,
            "started": run.started.isoformat(timespec="minutes"),
        }
        for run in reversed(store.runs.all()[-200:])
    ]
    games = []
    for name in engines.names():
        game = engines.load(name)
        seats = [game.min_players, game.players, game.max_players]
        options = {
            one.name: {
                "default": str(one.default).lower() if isinstance(one.default, bool) else one.default,
                "allowed": one.allowed,
                "meaning": one.meaning,
            }
            for one in game.options.values()
        }
        played = any(run["game"] == name and run["games"] for run in runs)
        games.append(
            {
                "name": name,
                "title": engines.load(name).title,
                "players": seats,
                "bots": house_titles(name),
                "lesson": lesson_file(name) is not None,
                "options": options,
                "played": played,
            }
        )
    return {
        "runs": runs,
        "seasons": [{"name": one.name, "state": one.state} for one in reversed(store.seasons.all())],
        "games": games,
        "newest": _newest(store),
        "submissions": submissions,
        "registration": registration,
        "person": PERSON,
        "invited": INVITED,
    }


def _newest(store: Store) -> list[dict[str, Any]]:
    """Return games of finished runs that can be watched, newest first: one of each of the last matches."""
    rows: list[dict[str, Any]] = []
    for run in reversed(store.runs.all()):
        if len(rows) >= NEWEST:
            break
        if run.state == "playing" or why_not(store, run, replayed=True):
            continue
        entries = store.runs.entries(run)
        last = sorted(store.matches.stored(run))[len(rows) - NEWEST :]
        for match in reversed(list(store.matches.all(run, last))):
            names = [entries[match.line_up[place]].bot.label for place in match.places[0].tolist()]
            seats = list(zip(names, match.scores[0].tolist(), strict=True))
            label = f"{run.label}/{match.number * GAMES_PER_MATCH}"
            rows.append({"run": run.label, "label": label, "game": run.game, "seats": seats})
    return rows


def season_of(store: Store, name: str) -> dict[str, Any]:
    """Return how a season stands; the secret of an epoch only when that has ended.

    Raises:
        UsageError: there is no such season.
    """
    season = store.seasons.find(name)
    made = plain(season, season_status(store, season))
    del made["definition"]
    for league in made["leagues"]:
        league["title"] = f"{engines.load(league['game']).title}, {league['players']} players"
        league["table"]["headline"] = HEADLINES[league["table"]["headline"]]
        league["epochs"] = league["epochs"][-SHOWN:]
    return made


def games_in_season(store: Store, season: str, label: str) -> dict[str, Any]:
    """Return the games of a version in the newest finished epochs, newest first, and whose it is.

    Raises:
        UsageError: there is no such bot.
    """
    bot = next((bot for bot in store.bots.all(newest=False) if bot.label == label), None)
    if bot is None:
        raise UsageError(f"no bot {label[:80]!r}")
    games: list[dict[str, Any]] = []
    for run in reversed(
        [one.run for one in store.seasons.epochs(season) if one.run.state == "finished"][-EPOCHS:]
    ):
        if len(games) < MOST_GAMES and any(entry.bot.label == label for entry in store.runs.entries(run)):
            games += [one.plain() for one in reversed(games_of(store, run, label))]
    return {"owner": bot.owner, "games": games[:MOST_GAMES]}


def queue_of(store: Store) -> dict[str, Any]:
    """Return what is tried and what waits, in their order, and how many were tried before."""
    rows = [
        {"owner": one.owner, "state": one.state, "sent": one.sent.isoformat(timespec="minutes")}
        for one in store.submissions.queue()
    ]
    return {"rows": rows, "counts": store.submissions.count()}
