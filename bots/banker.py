"""Flip 7: hits until its row is worth 25 points, then stays."""

from typing import Any

GAMES = ["flip7"]
ENOUGH = 25


def act(view: Any) -> str:
    """Stay from `ENOUGH` points on, but never with a Second Chance; give cards to the others in turn."""
    if view.phase == "turn":
        safe = "SC" in view.row
        return "stay" if view.points[view.seat] >= ENOUGH and not safe and "stay" in view.texts else "hit"
    if view.phase == "save":
        return "save"
    others = [text for text in view.texts if text != f"give {view.seat}"]
    return others[view.round % len(others)] if others else view.texts[0]
