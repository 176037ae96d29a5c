"""Rate the same games with different libraries, as rows of the table of peers.

50 players of known strength, tables of four, full rankings.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .peer import OURS, Row

ABOUT = "ratings"
PLAYERS, SEATS, GAMES = 50, 4, 5000


def finishes() -> NDArray[np.int64]:
    """Random games as [game, place]: the players from first to last, by the model of Plackett & Luce."""
    rng = np.random.default_rng(1)
    strength = rng.normal(size=PLAYERS)
    seated = np.array([rng.choice(PLAYERS, SEATS, replace=False) for _ in range(GAMES)])
    order = np.argsort(-(strength[seated] + rng.gumbel(size=seated.shape)), axis=1)
    return np.take_along_axis(seated, order, axis=1)


def own() -> Iterator[Row]:
    """Bradley-Terry with error bars by block, every game a block of its own."""
    from leagues.ratings.elo import bradley_terry
    from leagues.ratings.results import Results

    ranked = finishes()
    scores = np.tile(np.arange(SEATS, 0, -1, dtype=np.float64), (GAMES, 1))
    results = Results(ranked, scores, np.arange(GAMES))

    def once() -> int:
        bradley_terry(results, PLAYERS)
        return GAMES

    yield Row(ABOUT, OURS, "Bradley-Terry, all games at once, with error bars", "game of four", once)


def choix() -> Iterator[Row]:
    """Plackett-Luce by two algorithms, without error bars."""
    import choix as library

    rankings = [tuple(map(int, game)) for game in finishes()]

    def lsr() -> int:
        library.lsr_rankings(PLAYERS, rankings, alpha=0.01)
        return GAMES

    def ilsr() -> int:
        library.ilsr_rankings(PLAYERS, rankings, alpha=0.01)
        return GAMES

    yield Row(ABOUT, "choix", "Plackett-Luce, one step (lsr)", "game of four", lsr)
    yield Row(ABOUT, "choix", "Plackett-Luce, converged (ilsr)", "game of four", ilsr)


def openskill() -> Iterator[Row]:
    """Plackett-Luce, game by game: what it gives depends on their order."""
    from openskill.models import PlackettLuce

    model, games = PlackettLuce(), finishes()[:500]

    def once() -> int:
        rated = [model.rating() for _ in range(PLAYERS)]
        for game in games:
            for player, team in zip(game, model.rate([[rated[player]] for player in game]), strict=True):
                rated[player] = team[0]
        return len(games)

    yield Row(ABOUT, "openskill", "Plackett-Luce, game by game", "game of four", once)


LIBRARIES = ((OURS, OURS, own), ("choix", "choix", choix), ("openskill", "openskill", openskill))
"""Name, package, and what makes its rows."""
