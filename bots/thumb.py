"""Julepe, by rule of thumb: in with three good trumps; wins a trick as cheaply as it can."""

from typing import Any

from engines.julepe.text import order_of, rank_of, wins_over

GAMES = ["julepe"]
GOOD, THREE = 5, 8  # ranks; by `arena tune`


def act(view: Any) -> str:
    """Keep trumps and high cards in the exchange, and lead the best card."""
    texts, trump, phase = view.texts, view.trump, view.phase
    if phase in ("statements", "house"):
        return "in" if "out" not in texts or goes_in(view.hand, trump) else "out"
    if phase == "exchange":
        low = [text for text in texts[1:] if text[-1] != trump and rank_of(text[8:]) < THREE]
        return low[0] if low else "done"
    cards = sorted((text.split()[1] for text in texts), key=lambda card: order_of(card, trump))
    if phase == "down":
        return f"discard {cards[0]}"
    best = view.winning
    if not best:
        return f"play {cards[-1]}"
    return f"play {next((card for card in cards if wins_over(card, best, trump)), cards[0])}"


def goes_in(hand: tuple[str, ...], trump: str) -> bool:
    """Three trumps from rank GOOD on."""
    return sum(card[-1] == trump and rank_of(card) >= GOOD for card in hand) >= 3
