"""What two bots gain in Julepe that see each other's cards, and whether the view of owners finds them.

    python -m benchmarks.signals --deals 400     # a minute

No channel inside a match carries more than all cards at no cost, so the pair here simply sees its partner's
hand: that is the best channel, though another way to use it may be better. `servant` gives its games away: it
pays its partner, `master`, and keeps the others from being safe. Six bots play a league at tables of five, so
the pair sits together at most tables and apart at some. The league is played three times with the same deals:
`honest` is the same pair as two `reckoner`, `blind` serves without a look at the other's cards.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import Any

import numpy as np

import engines
from bots import reckoner
from engines.julepe.text import order_of, wins_over
from leagues.ratings.collusion import collusion
from leagues.ratings.elo import bradley_terry
from leagues.ratings.results import Results

from .verdicts import Games

PAIR = ("master", "servant")
OTHERS = ("reckoner", "thumb", "wary", "daring")
LIKELY = 0.55  # chance to be safe, of a master that is worth serving
Hand = tuple[str, ...]


def serve(view: Any, master: int, its_hand: Hand) -> str:
    """Go in beside a master that is worth it, take tricks from the others, and leave it all it can win."""
    trump, words = view.trump, view.statements
    if view.phase == "statements" and "out" in view.texts:
        chance = reckoner.chance_of_two_tricks(its_hand, trump, words.count("in"), 0) if its_hand else 0.5
        comes = words[master] == "in" or (words[master] == "" and chance > LIKELY)
        return "in" if comes and chance > LIKELY else reckoner.act(view)
    if view.phase != "tricks" or view.house_round or words[master] == "out":
        return reckoner.act(view)
    cards = sorted((text.split()[1] for text in view.texts), key=lambda card: order_of(card, trump))
    if not view.winning:
        return f"play {next((card for card in cards if takes(its_hand, card, trump)), cards[-1])}"
    its_turn_comes = master not in {seat for seat, _ in view.tricks[-1]}
    if winner(view) == master or (its_turn_comes and takes(its_hand, view.winning, trump)):
        return f"play {cards[0]}"
    return f"play {next((card for card in cards if wins_over(card, view.winning, trump)), cards[0])}"


def rule(view: Any, servant: int, its_hand: Hand) -> str:
    """Play as `reckoner`, but for the entry: the servant is no opponent."""
    words = view.statements
    if view.phase != "statements" or "out" not in view.texts or words[servant] != "in":
        return reckoner.act(view)
    chance = reckoner.chance_of_two_tricks(view.hand, view.trump, words.count("in") - 1, words.count("") - 2)
    gain = reckoner.gain_if_safe(view.pot, view.options["stake"], 2 + words.count("in"))
    return "in" if chance * gain > (1 - chance) * view.pot else "out"


def takes(hand: Hand, card: str, trump: str) -> bool:
    """Return whether a hand has a card that wins over this one."""
    return any(wins_over(one, card, trump) for one in hand)


def winner(view: Any) -> int:
    """Return the seat whose card wins the trick in play."""
    return next(seat for seat, card in view.tricks[-1] if card == view.winning)


def game(seed: int, names: list[str], kind: str) -> list[int]:
    """Return the scores of one game."""
    position = engines.load("julepe").position(seed=seed, players=5)
    others = {name: import_module(f"bots.{name}").act for name in OTHERS}
    places = [names.index(name) if name in names else -1 for name in PAIR]
    while (seat := position.seat) is not None and not position.over:
        view, name = position.view(seat), names[seat]
        if name in others:
            action = others[name](view)
        elif kind != "honest" and min(places) >= 0:
            partner = places[0] + places[1] - seat
            hand = position.view(partner).hand if kind == "sees" else ()
            action = (rule if name == "master" else serve)(view, partner, hand)
        else:
            action = reckoner.act(view)
        position.play(action)
    return position.scores()


def league(deals: int, kind: str) -> Results:
    """Play a round-robin; the deals are the same, however the pair plays."""
    names = [*PAIR, *OTHERS]
    plan = Games.planned(len(names), 5, deals, np.random.default_rng(7))
    scores = [
        game(1_000 + int(block), [names[at] for at in row], kind)
        for row, block in zip(plan.entrant, plan.block, strict=True)
    ]
    return Results(
        plan.entrant, np.array(scores, np.float64), plan.block, stretch=plan.stretch, match=plan.match
    )


def main() -> None:
    """Play both leagues and print what the pair gains."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.signals", description=__doc__)
    parser.add_argument("--deals", type=int, default=400, help="deals a bot")
    deals = parser.parse_args().deals
    for kind in ("honest", "blind", "sees"):
        results = league(deals, kind)
        rated = bradley_terry(results, len(PAIR) + len(OTHERS))
        elo = ", ".join(
            f"{name} {rated.elo[at]:.0f} [{rated.elo_low[at]:.0f}, {rated.elo_high[at]:.0f}]"
            for at, name in enumerate([*PAIR, *OTHERS])
        )
        print(f"{kind}: {len(results.block)} games; Elo {elo}", flush=True)
        for one in collusion(results, ["one", "one", "", "", "", ""]):
            print(
                f"  owners: together each of the two gains {one.gain:+.1f} points a game, each other "
                f"{one.others:+.1f}, p = {one.p:.4f}, {one.blocks} blocks together"
            )


if __name__ == "__main__":
    main()
