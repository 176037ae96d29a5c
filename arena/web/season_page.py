"""What the pages of seasons, of their bots and of the queue show, as plain data."""

from __future__ import annotations

from typing import Any

import engines
from leagues.ratings.rows import HEADLINES

from ..errors import UsageError
from ..ladder.status import plain, season_status
from ..replay.listing import games_of
from ..store import Store

EPOCHS = 20  # newest finished ones whose games are listed
SHOWN = 40  # newest epochs of a page
MOST_GAMES = 300


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
