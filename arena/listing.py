"""What there is: the games that can be played, and the leagues with their runs, as plain rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import engines
from leagues import definition

if TYPE_CHECKING:
    from .store import Store


def list_games() -> list[dict[str, Any]]:
    """List the games with their sizes of the table and their options."""
    rows = []
    for game in map(engines.load, engines.names()):
        options = {
            one.name: {"default": one.default, "allowed": one.allowed, "meaning": one.meaning}
            for one in game.options.values()
        }
        rows.append({"game": game.name, "players": [game.min_players, game.max_players], "options": options})
    return rows


def list_leagues(store: Store) -> list[dict[str, Any]]:
    """List the leagues that ship with the project, then all runs, with their state."""
    rows: list[dict[str, Any]] = []
    for name in definition.names():
        league = definition.load(name)
        facts = {"game": league.game, "players": league.players, "deals": league.deals}
        rows.append({"league": name, **facts, "state": "ready"})
    counts = store.counts()
    for run in store.runs():
        count = counts[run.key]
        far = f" ({count.stored} of {count.planned} matches)" if run.state != "finished" else ""
        rows.append(
            {
                "league": run.label,
                "game": run.game,
                "players": run.definition.players,
                "deals": run.definition.deals,
                "state": run.state + far,
                "started": run.started.isoformat(timespec="seconds"),
                "finished": run.finished.isoformat(timespec="seconds") if run.finished else None,
            }
        )
    return rows
