"""How strong a search is against house bots, by its budget; or the network, which has none.

    python -m benchmarks.strength julepe --ms 1 5 20 50 --deals 40
    python -m benchmarks.strength julepe --search trained

One table of it and house bots, in this process, every deal in all rotations of the seats; all rows play
the same deals. The first house bot is the mark: how often the search finishes before it, as
Elo, and how much more it scores. Both intervals are 95 %, by deal. A row is printed when it is done, so that
one may stop at any time. Not here: ratings of a league (`arena league run julepe-strong`).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from math import inf
from typing import Any

import numpy as np

import engines
from arena.errors import ArenaError
from arena.intake.conditions import Conditions
from arena.runs.duelling import Duel, Games
from engines import GameError
from engines.search import Settings, flat_monte_carlo, ismcts, preset, use_all
from leagues.comparison import elo_of_share

SEARCHES, NETWORK = {"ismcts": ismcts, "montecarlo": flat_monte_carlo}, "trained"
OPPONENTS = {
    "flip7": ["racer", "racer", "oddsman"],
    "julepe": ["reckoner", "reckoner", "thumb", "wary"],
    "taroky": ["rule", "rule", "steady"],
    "tzogous37": ["odds37"],
    "zoliky": ["tallyman", "tallyman", "tallyman"],
}
"""Who sits at the table with the search, by game; the first is the mark."""
MOST_ELO = 1200.0
"""What always or never finishing before the mark counts as."""
HEAD = (
    "| game | against | budget | CPU ms | deals | Elo | mean score, difference |\n"
    "| --- | --- | --- | --- | --- | --- | --- |"
)
Interval = tuple[float, float, float]
"""A mean and its 95 % interval."""


@dataclass(frozen=True)
class Strength:
    """What a search with one budget came to."""

    game: str
    against: str
    budget: str
    cpu_ms: float  # CPU time of the search's bot a decision, those that it leaves to a rule included
    deals: int  # played, each in all rotations
    elo: Interval  # from the share of the games in which it finishes before the mark
    score: Interval  # how much more it scores a game than the mark

    def __str__(self) -> str:
        (elo, low, high), mean = self.elo, self.score[0]
        return (
            f"| {self.game} | {self.against} | {self.budget} | {self.cpu_ms:.1f} | {self.deals} |"
            f" {elo:+.0f} [{low:+.0f}, {high:+.0f}] | {mean:+.2f} +-{self.score[2] - mean:.2f} |"
        )


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.strength", description=__doc__)
    parser.add_argument("game", choices=sorted(OPPONENTS))
    parser.add_argument("--search", choices=[*sorted(SEARCHES), NETWORK], default="ismcts")
    parser.add_argument("--ms", type=float, nargs="+", help="budgets of CPU time a decision")
    parser.add_argument("--playouts", type=int, nargs="+", help="budgets of playouts a decision")
    parser.add_argument("--opponents", nargs="+", help="house bots, one for every other seat, the mark first")
    parser.add_argument("--deals", type=int, default=100, help="of a row, at most (default: 100)")
    parser.add_argument("--seconds", type=float, help="stop a row after this time")
    parser.add_argument("--seed", type=int, default=1, help="of the deals (default: 1)")
    parser.add_argument("--json", action="store_true", help="a JSON object a row")
    asked = parser.parse_args()
    if bool(asked.ms or asked.playouts) == (asked.search == NETWORK):
        parser.error(f"a search needs a budget, --ms 1 5 20 or --playouts 1000; {NETWORK} takes none")
    if asked.deals < 2:
        parser.error("--deals: of one deal no error is known")
    if not all(0 < ms < inf for ms in asked.ms or ()) or any(n < 1 for n in asked.playouts or ()):
        parser.error("--ms is above 0, --playouts at least 1")
    budgets = [{"cpu_ms": ms} for ms in asked.ms or ()] + [{"playouts": n} for n in asked.playouts or ()]
    try:
        if not asked.json:
            print(HEAD, flush=True)
        opponents = asked.opponents or OPPONENTS[asked.game]
        table = asked.game, asked.search, budgets or [{}], opponents
        for row in rows(*table, asked.deals, asked.seconds, asked.seed):
            print(json.dumps(asdict(row)) if asked.json else row, flush=True)
    except (ArenaError, GameError) as error:
        sys.exit(str(error))


def rows(
    game: str,
    search: str,
    budgets: Sequence[dict[str, Any]],
    opponents: Sequence[str],
    deals: int,
    seconds: float | None,
    seed: int,
    settings: Settings | None = None,
) -> Iterator[Strength]:
    """Yield a row for every budget (arguments of the search), by `settings` or the game's preset."""
    use_all(engines.load(game).position(seed=1))  # else the first row pays for what is compiled
    for budget in budgets:
        bot = searcher(SEARCHES[search], settings or preset(game)[1], budget) if budget else search
        games = played([bot, *opponents], game, deals, seconds, seed)
        spent = (f"{amount:g} {'ms' if name == 'cpu_ms' else name}" for name, amount in budget.items())
        yield row_of(games, game, opponents, next(spent, search))


def searcher(search: Any, settings: Settings, budget: dict[str, Any]) -> Callable[[Any], int]:
    """Return a bot of this process that searches."""

    def act(view: Any) -> int:
        return int(search(view, seed=view.rng.getrandbits(60), settings=settings, **budget).action)

    return act


def played(bots: Sequence[Any], game: str, deals: int, seconds: float | None, seed: int) -> Games:
    """Return the games of a table, until so many deals are played or the time is up."""
    conditions = Conditions.usual(game, len(bots), level="trusted")
    began, games = time.monotonic(), None
    with Duel(bots, conditions, seed) as duel:
        left = deals
        while left > 0 and (games is None or seconds is None or time.monotonic() - began < seconds):
            part = duel.play(min(left, 2))
            games = part if games is None else games + part
            left -= 2
    if games is None or games.faults:
        sys.exit(f"a bot broke a rule: {games.faults[0] if games else 'no games'}")
    return games


def row_of(games: Games, game: str, opponents: Sequence[str], budget: str) -> Strength:
    """Compare bot 0 with the mark, which sits at the places 1, 2, ... that have its name."""
    mark = opponents[0]
    others = sorted(set(opponents) - {mark})
    copies = [f"{opponents.count(name)} {name}" if opponents.count(name) > 1 else name for name in others]
    beside = ", ".join([str(opponents.count(mark)), *copies] if len(opponents) > 1 else [])
    places, score = against(games, [1 + at for at, name in enumerate(opponents) if name == mark])
    elo = [min(max(elo_of_share(value, False), -MOST_ELO), MOST_ELO) for value in places]
    return Strength(
        game,
        f"{mark} ({beside})" if beside else mark,
        budget,
        1000 * float(games.cpu_s[0]) / max(1, int(games.decisions[0])),
        len(games.by_deal),
        (elo[0], elo[1], elo[2]),
        score,
    )


def against(games: Games, marks: Sequence[int]) -> tuple[Interval, Interval]:
    """Compare bot 0 with the marks, taken as one bot: by places, then by points.

    By places a game counts 1 before a mark, 0 level with it, -1 behind it.
    """
    points = replace(games, bots=np.where(np.isin(games.bots, marks), marks[0], games.bots))
    own = np.where(games.bots == 0, games.counted, 0).sum(axis=1, keepdims=True)
    places = replace(points, scores=np.sign(games.counted - own))
    return places.difference(0, marks[0]), points.difference(0, marks[0])


if __name__ == "__main__":
    main()
