"""Julepe, daring: goes in on any trump, always plays the house, throws away all that is no trump."""

from typing import Any

from engines.julepe.text import order_of

GAMES = ["julepe"]


def act(view: Any) -> str:
    """Plays the best card that it may."""
    texts, trump, phase = view.texts, view.trump, view.phase
    if phase in ("statements", "house"):
        willing = phase == "house" or any(card[-1] == trump for card in view.hand)
        return "in" if willing or "out" not in texts else "out"
    if phase == "exchange":
        return next((text for text in texts[1:] if text[-1] != trump), "done")
    cards = sorted((text.split()[1] for text in texts), key=lambda card: order_of(card, trump))
    return f"discard {cards[0]}" if phase == "down" else f"play {cards[-1]}"
