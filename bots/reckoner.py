"""Julepe, reckons: goes in if the chance of two tricks, at today's pot and company, pays for the risk."""

from math import exp
from typing import Any

from engines.julepe.state import RANKS
from engines.julepe.text import order_of, rank_of, wins_over

GAMES = ["julepe"]
# logistic regression of "won two tricks" on 28 000 hands that went in, a third of them at random
TRUMP = dict(zip(RANKS, (0.5, 0.5, 0.6, 0.7, 0.9, 1.0, 1.25, 1.6, 1.85, 2.35)))
SIDE_ACE, EACH_IN, EACH_TO_COME, NOTHING = 0.6, -0.2, -0.15, -2.5
JOINS = 0.35  # chance of a seat that has not spoken yet


def act(view: Any) -> str:
    """Enters by the sum, keeps trumps and aces, plays to win every trick: so the others are safe."""
    texts, trump, phase = view.texts, view.trump, view.phase
    if phase in ("statements", "house"):
        return (
            "in"
            if "out" not in texts or (goes_in(view) if phase == "statements" else plays_house(view))
            else "out"
        )
    if phase == "exchange":
        return next((text for text in texts[1:] if text[-1] != trump and text[8:-1] != "1"), "done")
    cards = sorted((text.split()[1] for text in texts), key=lambda card: order_of(card, trump))
    return f"discard {cards[0]}" if phase == "down" else f"play {choose_card(view, cards, trump)}"


def goes_in(view: Any) -> bool:
    """Whether the gain to expect is above the loss to expect, in cents."""
    words = view.statements
    others = words.count("in")
    to_come = words.count("") - 2  # without oneself and the dealer, who follows the others
    chance = chance_of_two_tricks(view.hand, view.trump, others, to_come)
    gain = gain_if_safe(view.pot, view.options["stake"], 2 + others + JOINS * to_come)
    return chance * gain > (1 - chance) * view.pot


def plays_house(view: Any) -> bool:
    """Return what a lone dealer expects: below two tricks it pays the pot, with more it takes half or all."""
    return chance_of_two_tricks(view.hand, view.trump, 0, 0) > 0.45


def chance_of_two_tricks(hand: tuple[str, ...], trump: str, others_in: int, to_come: int) -> float:
    """Return the chance to be safe, before the exchange."""
    worth = sum(TRUMP[card[:-1]] if card[-1] == trump else SIDE_ACE * (card[:-1] == "1") for card in hand)
    return 1 / (1 + exp(-(NOTHING + worth + EACH_IN * others_in + EACH_TO_COME * to_come)))


def gain_if_safe(pot: int, coin: int, players: float) -> float:
    """Return what a safe player of so many can expect.

    The split of two, or the losers' payments, mostly for two winners.
    """
    half = pot // (2 * coin) * coin
    if players < 2.5:
        return 0.6 * half + 0.4 * pot
    return (players - 1.8) * (0.9 * half + 0.1 * pot)


def choose_card(view: Any, cards: list[str], trump: str) -> str:
    """Lead the best card, win as cheaply as possible, else play the lowest.

    If others follow, it wins by a card that stays the best.
    """
    best = view.winning
    if not best:
        return cards[-1]
    winners = [card for card in cards if wins_over(card, best, trump)]
    if not winners:
        return cards[0]
    others_follow = not view.house_round and len(view.tricks[-1]) < view.statements.count("in") - 1
    seen = {card for trick in view.tricks for _, card in trick} | set(view.hand)
    staying = [card for card in winners if unbeaten(card, seen)]
    return staying[0] if others_follow and staying else winners[0]


def unbeaten(card: str, seen: set[str]) -> bool:
    """Whether every higher card of its suit is among these."""
    return all(higher + card[-1] in seen for higher in RANKS[rank_of(card) + 1 :])
