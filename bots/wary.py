"""Julepe, cautious: goes in only with two tricks as good as won, and never plays the house without them."""

from typing import Any

from engines.julepe.text import order_of, rank_of

GAMES = ["julepe"]
THREE = 8


def act(view: Any) -> str:
    """Join with sure tricks, lead the best card, follow with the lowest.

    In the exchange it keeps trumps and what is above the king.
    """
    texts, trump, phase = view.texts, view.trump, view.phase
    if phase in ("statements", "house"):
        return "in" if "out" not in texts or sure_tricks(view.hand, trump) >= 2 else "out"
    if phase == "exchange":
        low = [text for text in texts[1:] if text[-1] != trump and rank_of(text[8:]) < THREE]
        return low[0] if low else "done"
    cards = sorted((text.split()[1] for text in texts), key=lambda card: order_of(card, trump))
    if phase == "down":
        return f"discard {cards[0]}"
    return f"play {cards[0] if view.winning else cards[-1]}"


def sure_tricks(hand: tuple[str, ...], trump: str) -> int:
    """Count trumps that nobody can beat, or every trump from the third on if that is more.

    Nobody can beat the ace, the three beside it, and so on.
    """
    trumps = sorted((rank_of(card) for card in hand if card[-1] == trump), reverse=True)
    unbeaten = 0
    while unbeaten < len(trumps) and trumps[unbeaten] == 9 - unbeaten:
        unbeaten += 1
    return max(unbeaten, len(trumps) - 2)
