"""What two bots gain that see each other's cards, and whether the view of owners finds them.

    python -m benchmarks.signals julepe --deals 400     # a minute
    python -m benchmarks.signals taroky --deals 120     # ten minutes

No channel inside a match carries more than all cards at no cost, so the pair here simply sees its partner's
hand: that is the best channel, though another way to use it may be better. In Julepe `servant` gives its
games away: it pays its partner, `master`, and keeps the others from being safe. Taroky's pair is in
`signals_taroky`. Six bots play a league, so the pair sits together at some tables and apart at others. The
league is played three times with the same deals: `honest` is the same pair as two house bots, `blind` serves
without a look at the other's cards.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

import engines
from bots import reckoner
from engines import core
from engines.julepe.text import order_of, wins_over
from leagues.ratings.collusion import collusion
from leagues.ratings.elo import bradley_terry
from leagues.ratings.results import Results

from . import signals_taroky
from .verdicts import Games

PAIR = ("master", "servant")
LIKELY = 0.55  # chance to be safe, of a master that is worth serving
Hand = tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A game, the bots of the league, and how the pair plays it.

    Attributes:
        game: its name.
        players: seats at a table.
        base: what the pair plays as, but for the other's cards.
        others: the other four bots.
        act: action for a view, the partner's seat, its view (None: not to be seen), and whether it serves.
    """

    game: str
    players: int
    base: str
    others: tuple[str, ...]
    act: Callable[[Any, int, Any, bool], Any]


def in_julepe(view: Any, other: int, its_view: Any, serves: bool) -> str:
    """Return the action of one of the pair."""
    return (serve if serves else rule)(view, other, its_view.hand if its_view is not None else ())


def in_taroky(view: Any, other: int, its_view: Any, serves: bool) -> int:
    """Return the action of one of the pair."""
    its_hand = core.plain(its_view.state)[0].hand[other] if its_view is not None else 0
    return signals_taroky.act(view, other, its_hand, serves)


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


def game(table: Table, seed: int, names: list[str], kind: str) -> list[int]:
    """Return the scores of one game."""
    position = engines.load(table.game).position(seed=seed, players=table.players)
    acts = {name: import_module(f"bots.{name}").act for name in (table.base, *table.others)}
    places = [names.index(name) if name in names else -1 for name in PAIR]
    together = kind != "honest" and min(places) >= 0
    while (seat := position.seat) is not None and not position.over:
        view, name = position.view(seat), names[seat]
        if name in PAIR and together:
            other = sum(places) - seat
            its_view = position.view(other) if kind == "sees" else None
            action = table.act(view, other, its_view, name == "servant")
        else:
            action = acts[table.base if name in PAIR else name](view)
        position.play(action)
    return position.scores()


def league(table: Table, deals: int, kind: str) -> Results:
    """Play a round-robin; the deals are the same, however the pair plays."""
    names = [*PAIR, *table.others]
    plan = Games.planned(len(names), table.players, deals, np.random.default_rng(7))
    scores = [
        game(table, 1_000 + int(block), [names[at] for at in row], kind)
        for row, block in zip(plan.entrant, plan.block, strict=True)
    ]
    return Results(
        plan.entrant, np.array(scores, np.float64), plan.block, stretch=plan.stretch, match=plan.match
    )


TABLES = {
    "julepe": Table("julepe", 5, "reckoner", ("reckoner", "thumb", "wary", "daring"), in_julepe),
    "taroky": Table("taroky", 4, "rule", ("rule", "steady", "plain", "hasty"), in_taroky),
}


def main() -> None:
    """Play the leagues and print what the pair gains."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.signals", description=__doc__)
    parser.add_argument("game", choices=TABLES)
    parser.add_argument("--deals", type=int, default=400, help="deals a bot")
    asked = parser.parse_args()
    table = TABLES[asked.game]
    for kind in ("honest", "blind", "sees"):
        results = league(table, asked.deals, kind)
        rated = bradley_terry(results, len(PAIR) + len(table.others))
        elo = ", ".join(
            f"{name} {rated.elo[at]:.0f} [{rated.elo_low[at]:.0f}, {rated.elo_high[at]:.0f}]"
            for at, name in enumerate([*PAIR, *table.others])
        )
        print(f"{kind}: {len(results.block)} games; Elo {elo}", flush=True)
        for one in collusion(results, ["one", "one", "", "", "", ""]):
            print(
                f"  owners: together each of the two gains {one.gain:+.1f} points a game, each other "
                f"{one.others:+.1f}, p = {one.p:.4f}; {one.gift:+.1f} pass to the master, "
                f"p = {one.gift_p:.2g}; {one.blocks} blocks together"
            )


if __name__ == "__main__":
    main()
