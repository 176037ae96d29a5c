"""Random games and copies, ours and other libraries', in one run: `make bench-peers` (extra `bench`).

One decision is one action of a player applied, the legal actions computed before it; dealing is in it.
Policies are uniformly random and in Python on both sides, unless a row says otherwise. Every row is a median
of several windows of CPU time, and windows of all rows alternate, so that the machine's moods fall on all
alike. A library that is not installed is told as skipped: every function imports its own when it is called.

Not the same work: games differ in rules and length, so decisions are compared, and only with the peer whose
game is nearest; libraries written in C++ are marked.
"""

from __future__ import annotations

import argparse
import copy
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from importlib import metadata
from pathlib import Path
from typing import Any

import engines

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
RLCARD = {
    "zoliky": ("gin-rummy", 2),
    "flip7": ("uno", 2),
    "taroky": ("bridge", 4),
    "tzogous37": ("no-limit-holdem", 4),
}


@dataclass
class Row:
    """One thing that a library does, with the rates of its windows: units per CPU second."""

    about: str  # the game of ours that it is compared by
    library: str  # whose
    what: str  # the peer's own game or function, and what makes it easier or harder
    unit: str  # what `once` counts
    once: Callable[[], int]  # does it, and returns how many units that was
    version: str = ""
    rates: list[float] = field(default_factory=list)

    @property
    def us(self) -> float:
        """Median of microseconds a unit."""
        return 1e6 / statistics.median(self.rates)


def main() -> None:
    """Measure what is installed, and print the table."""
    parser = argparse.ArgumentParser(prog="make bench-peers", description=__doc__)
    parser.add_argument("--windows", type=int, default=WINDOWS, help=f"of each row (default: {WINDOWS})")
    parser.add_argument("--seconds", type=float, default=0.5, help="of a window (default: 0.5)")
    parser.add_argument("--only", default="", help="rows whose library or subject has this in its name")
    asked = parser.parse_args()
    rows, skipped = ready(asked.only)
    for number in range(asked.windows):
        for row in rows:
            row.rates.append(rate(row.once, asked.seconds))
        print(f"window {number + 1} of {asked.windows} measured", file=sys.stderr)
    print(as_markdown(rows, skipped))


def ready(only: str) -> tuple[list[Row], dict[str, str]]:
    """All rows whose library works, called once; and why the others' libraries do not."""
    rows: list[Row] = []
    skipped: dict[str, str] = {}
    for library, package, make in LIBRARIES:
        try:
            for row in make():
                if only in row.library or only in row.about:
                    row.once()
                    rows.append(replace(row, version=version(package)))
        except ImportError as error:
            skipped[library] = f"not installed ({error})"
        except Exception as error:  # another library's: any; one that fails spoils no other's row
            skipped[library] = f"failed: {type(error).__name__}: {error}"[:300]
    return rows, skipped


def version(package: str) -> str:
    """Of an installed package; of this one the commit is what counts."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "this checkout"


def rate(once: Callable[[], int], seconds: float) -> float:
    """Units per CPU second of `once`, which returns how many it did."""
    began, units = time.process_time(), 0
    while time.process_time() - began < seconds:
        units += once()
    return units / (time.process_time() - began)


def machine() -> dict[str, str]:
    """Return what was measured on."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    for line in info.read_text().splitlines() if info.exists() else ():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    return {"processor": model, "cores": str(os.cpu_count()), "python": platform.python_version()}


def as_markdown(rows: list[Row], skipped: dict[str, str]) -> str:
    """Return the rows by subject, ours first, each with how much longer it takes than ours."""
    lines = [f"Measured on: {', '.join(machine().values())}.", ""]
    lines += ["| about | library | what | us | windows differ by | times ours |"]
    lines += ["| --- | --- | --- | ---: | ---: | ---: |"]
    lines += list(_table(rows))
    lines += ["", *(f"Skipped: {library}, {why}." for library, why in skipped.items())]
    return "\n".join(lines).rstrip() + "\n"


def _table(rows: list[Row]) -> Iterator[str]:
    for about in dict.fromkeys(row.about for row in rows):
        mine = [row for row in rows if row.about == about]
        ours = {row.unit: row.us for row in reversed(mine) if row.library == OURS}
        for row in sorted(mine, key=lambda row: row.library != OURS):
            spread, times = max(row.rates) / min(row.rates) - 1, ""
            if row.library != OURS and row.unit in ours:
                times = f"{row.us / ours[row.unit]:.3g}"
            yield (
                f"| {about} | {row.library} {row.version} | {row.what} | {row.us:.3g} a {row.unit} "
                f"| {spread:.0%} | {times} |"
            )


# --- this project -------------------------------------------------------------------------------------------


def own() -> Iterator[Row]:
    """Single games from Python, compiled playouts, copies."""
    for name in engines.names():
        game = engines.load(name)
        yield Row(name, OURS, "one position from Python, by number", "decision", _position(game))
        yield Row(name, OURS, "500 compiled random playouts a call", "decision in a playout", _playouts(game))
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


def _playouts(game: Any) -> Callable[[], int]:
    rng = random.Random(1)
    return lambda: int(game.playout(game.new(500, seed=rng.getrandbits(60)), seed=1))


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


# --- RLCard, PokerKit ---------------------------------------------------------------------------------------


def rlcard() -> Iterator[Row]:
    """Random games through its `Env`, which encodes the observation at every step."""
    import rlcard as library

    for about, (name, players) in RLCARD.items():
        config = {"game_num_players": players} if name == "no-limit-holdem" else {}
        env = library.make(name, config={"seed": 1, **config})
        yield Row(about, "RLCard", f"{name}, Python, with observations", "decision", _rlcard_games(env))
        env.reset()
        yield Row(about, "RLCard", f"{name}: deepcopy", "copy", _deep_copy(env.game))


def _deep_copy(thing: Any) -> Callable[[], int]:
    def once() -> int:
        copy.deepcopy(thing)
        return 1

    return once


def _rlcard_games(env: Any) -> Callable[[], int]:
    rng = random.Random(1)

    def once() -> int:
        state, _ = env.reset()
        n = 0
        while not env.is_over():
            state, _ = env.step(rng.choice(list(state["legal_actions"])))
            n += 1
        return n

    return once


def pokerkit() -> Iterator[Row]:
    """Random hands of pot-limit Omaha, four players: fold, check or call, the least raise, the most."""
    from pokerkit import Automation, PotLimitOmahaHoldem

    rng = random.Random(1)

    def start() -> Any:
        return PotLimitOmahaHoldem.create_state(tuple(Automation), True, 0, (50, 100), 100, 10_000, 4)

    def once() -> int:
        state, n = start(), 0
        while state.status:
            moves = [state.fold] if state.can_fold() else []
            if state.can_check_or_call():
                moves.append(state.check_or_call)
            if state.can_complete_bet_or_raise_to():
                for amount in (
                    state.min_completion_betting_or_raising_to_amount,
                    state.max_completion_betting_or_raising_to_amount,
                ):
                    moves.append(lambda amount=amount: state.complete_bet_or_raise_to(amount))
            rng.choice(moves)()
            n += 1
        return n

    hand = start()
    yield Row("tzogous37", "PokerKit", "pot-limit Omaha, Python", "decision", once)
    yield Row("tzogous37", "PokerKit", "deepcopy", "copy", _deep_copy(hand))


LIBRARIES = (
    (OURS, OURS, own),
    ("OpenSpiel", "open_spiel", openspiel),
    ("RLCard", "rlcard", rlcard),
    ("PokerKit", "pokerkit", pokerkit),
)
"""Name, package, and what makes its rows."""


if __name__ == "__main__":
    main()
