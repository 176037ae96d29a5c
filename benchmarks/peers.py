"""Random games and copies, ours and OpenSpiel's, in one run: `make bench-peers` (extra `openspiel`).

One decision is one action of a player applied, the legal actions computed before it; dealing is in it.
Policies are uniformly random and in Python on both sides. Every row is a median of several windows of CPU
time, and windows of all rows alternate, so that the machine's moods fall on all alike.

Not the same work: games differ in rules and length, so decisions are compared, and only with the game of
OpenSpiel that is nearest; all of those are written in C++.
"""

from __future__ import annotations

import argparse
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import engines
from arena.errors import needs_extra

WINDOWS = 5
OURS = "card-arena"
POKER = (
    "universal_poker(betting=nolimit,numPlayers=4,numRounds=4,blind=50 100 0 0,firstPlayer=3 1 1 1,"
    "numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,"
    "stack=10000 10000 10000 10000,bettingAbstraction=fcpa)"
)
OPENSPIEL = {  # our game: the nearest game there, and what it is called in the table
    "taroky": ("tarok(players=4)", "tarok, full hands, C++ from Python"),
    "julepe": (
        "oh_hell(players=5,num_suits=3,num_cards_per_suit=10,num_tricks_fixed=5)",
        "oh_hell, 30 cards, C++ from Python",
    ),
    "zoliky": ("gin_rummy", "gin_rummy, C++ from Python"),
    "flip7": ("pig(players=4)", "pig, C++ from Python"),
    "tzogous37": (POKER, "universal_poker, no limit, C++ from Python"),
}
FULL_HAND_BIDS = 5  # of tarok: pass to the highest bid that plays all tricks; the others end after a few


@dataclass
class Row:
    """One thing that a library does, with the rates of its windows: units per CPU second."""

    about: str  # the game of ours that it is compared by
    library: str  # whose
    what: str  # the peer's own game or function, and what makes it easier or harder
    unit: str  # what `once` counts
    once: Callable[[], int]  # does it, and returns how many units that was
    rates: list[float] = field(default_factory=list)

    @property
    def us(self) -> float:
        """Median of microseconds a unit."""
        return 1e6 / statistics.median(self.rates)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(prog="make bench-peers", description=__doc__)
    parser.add_argument("--windows", type=int, default=WINDOWS, help=f"of each row (default: {WINDOWS})")
    parser.add_argument("--seconds", type=float, default=0.5, help="of a window (default: 0.5)")
    asked = parser.parse_args()
    try:
        rows = [*own(), *openspiel()]
    except ImportError:
        sys.exit(needs_extra("make bench-peers", "openspiel"))
    for row in rows:
        row.once()  # compiles
    for number in range(asked.windows):
        for row in rows:
            row.rates.append(rate(row.once, asked.seconds))
        print(f"window {number + 1} of {asked.windows} measured", file=sys.stderr)
    print(as_markdown(rows))


def rate(once: Callable[[], int], seconds: float) -> float:
    """Units per CPU second of `once`, which returns how many it did."""
    began, units = time.process_time(), 0
    while time.process_time() - began < seconds:
        units += once()
    return units / (time.process_time() - began)


def as_markdown(rows: list[Row]) -> str:
    """Return the rows by subject, ours first, each with how much longer it takes than ours."""
    machine = platform.processor() or platform.machine(), f"Python {platform.python_version()}"
    lines = [f"Measured on: {', '.join(machine)}.", ""]
    lines += ["| about | library | what | us | windows differ by | times ours |"]
    lines += ["| --- | --- | --- | ---: | ---: | ---: |"]
    return "\n".join([*lines, *_table(rows)])


def _table(rows: list[Row]) -> Iterator[str]:
    for about in dict.fromkeys(row.about for row in rows):
        mine = [row for row in rows if row.about == about]
        ours = {row.unit: row.us for row in reversed(mine) if row.library == OURS}
        for row in sorted(mine, key=lambda row: row.library != OURS):
            spread, times = max(row.rates) / min(row.rates) - 1, ""
            if row.library != OURS and row.unit in ours:
                times = f"{row.us / ours[row.unit]:.3g}"
            yield (
                f"| {about} | {row.library} | {row.what} | {row.us:.3g} a {row.unit} "
                f"| {spread:.0%} | {times} |"
            )


# --- this project -------------------------------------------------------------------------------------------


def own() -> Iterator[Row]:
    """Single games from Python, and copies."""
    for name in engines.names():
        game = engines.load(name)
        yield Row(name, OURS, "one position from Python, by number", "decision", _position(game))
        middle = game.position(seed=1)
        for _ in range(10):
            middle.play(random.Random(1).choice(middle.legal_numbers()))
        yield Row(name, OURS, "copy of a position", "copy", _thousand(middle.copy))


def _position(game: Any) -> Callable[[], int]:
    rng = random.Random(1)

    def once() -> int:
        position, n = game.position(seed=rng.getrandbits(60)), 0
        while not position.over:
            position.play(rng.choice(position.legal_numbers()))
            n += 1
        return n

    return once


def _thousand(call: Callable[[], Any]) -> Callable[[], int]:
    def once() -> int:
        for _ in range(1000):
            call()
        return 1000

    return once


# --- OpenSpiel ----------------------------------------------------------------------------------------------


def openspiel() -> Iterator[Row]:
    """Random games of the nearest kind, whose cards are drawn uniformly, and copies in the middle of one."""
    import pyspiel

    for about, (name, what) in OPENSPIEL.items():
        game = pyspiel.load_game(name)
        bids = FULL_HAND_BIDS if name.startswith("tarok") else None
        yield Row(about, "OpenSpiel", what, "decision", _spiel_games(game, bids))
        state, rng = game.new_initial_state(), random.Random(1)
        for _ in range(60):
            after = state.clone()
            after.apply_action(_spiel_choice(after, rng, bids))
            if after.is_terminal():
                break
            state = after
        yield Row(about, "OpenSpiel", f"{what}: clone", "copy", _thousand(state.clone))


def _spiel_choice(state: Any, rng: random.Random, bids: int | None) -> int:
    legal = state.legal_actions()
    if (
        bids is not None
        and not state.is_chance_node()
        and str(state.current_game_phase()).endswith("BIDDING")
    ):
        legal = [action for action in legal if action < bids] or legal
    return rng.choice(legal)


def _spiel_games(game: Any, bids: int | None) -> Callable[[], int]:
    rng = random.Random(1)

    def once() -> int:
        state, n = game.new_initial_state(), 0
        while not state.is_terminal():
            n += not state.is_chance_node()
            state.apply_action(_spiel_choice(state, rng, bids))
        return n

    return once


if __name__ == "__main__":
    main()
