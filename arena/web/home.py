"""What the first page of a server shows, as plain data."""

from __future__ import annotations

from typing import Any

import engines

from ..games import lesson_file
from ..runs.guard import why_not
from ..store import Store
from ..store.packing import GAMES_PER_MATCH
from .live_table import INVITED, PERSON, house_titles

NEWEST = 8  # games


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
