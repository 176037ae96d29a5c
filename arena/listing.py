"""What there is: the games that can be played, and the leagues with their runs, as plain rows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import engines
from engines import registry
from leagues import definition

if TYPE_CHECKING:
    from .store import Store


def list_games(game: str | None = None) -> list[dict[str, Any]]:
    """List the games (or one of them) with their sizes of the table and their options.

    Raises:
        GameError: there is no such game.
    """
    rows = []
    for rules in map(engines.load, engines.names() if game is None else [game]):
        options = {
            one.name: {"default": one.default, "allowed": one.allowed, "meaning": one.meaning}
            for one in rules.options.values()
        }
        rows.append(
            {"game": rules.name, "players": [rules.min_players, rules.max_players], "options": options}
        )
    return rows


def rules_page(game: str) -> str:
    """Return the rules page of a game, as Markdown; "": it is not installed.

    Raises:
        GameError: there is no such game.
    """
    engines.check_name(game)
    page = registry.home(game).page
    text = page.read_text(encoding="utf-8") if page is not None else ""
    return re.sub(r"<!--.*?-->\n?", "", text, flags=re.DOTALL)  # marks of the tables that are printed


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
