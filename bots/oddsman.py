"""Flip 7: counts the cards and hits as long as the next card is expected to add points."""

from typing import Any

GAMES = ["flip7"]


def act(view: Any) -> str:
    """Compare what the row is worth with the mean of what it is worth after one more card."""
    if view.phase == "save":
        return "save"
    if view.phase == "give":
        return give(view)
    if "stay" not in view.texts:
        return "hit"
    _, chances = view.odds
    mean = sum(points * chance for points, chance in chances.items())
    return "hit" if mean > view.points[view.seat] else "stay"


def give(view: Any) -> str:
    """Return a Freeze or Flip Three to the richest of the others, a Second Chance to the poorest."""
    worth = [total + points for total, points in zip(view.totals, view.points)]
    seats = [int(text.split()[1]) for text in view.texts]
    others = [seat for seat in seats if seat != view.seat] or seats
    seat = min(others, key=worth.__getitem__) if view.card == "SC" else max(others, key=worth.__getitem__)
    return f"give {seat}"
