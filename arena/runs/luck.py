"""The luck of stored games: replayed once per run, kept in the store, given to the rating table.

A run whose rules have changed since, or whose game has no luck room, has none: nothing is taken out for it.
Not here: what luck is (`engines/<game>/luck.py`), and what is done with it (`leagues.ratings.control`).
"""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import engines
from engines import luck
from leagues.ratings.control import ALARM, FEWEST, Weights
from leagues.ratings.rows import RatingRow

from ..errors import StoreError
from ..store import Store
from ..store.arrays import RunGames
from ..store.models import LeagueRun
from ..store.packing import GAMES_PER_MATCH
from .guard import why_not
from .stages import secret_of

Floats = NDArray[np.float64]

KEY = 0x6C75636B  # of the random orders that luck is compared with; has nothing to do with any deal
LUCKIEST = 3  # games that are named where luck is no luck


def weights_of(run: LeagueRun) -> Weights | None:
    """Return what a point of luck is worth under a run's options; None if the game has no luck room."""
    found = luck.weights(engines.load(run.game), run.definition.options)
    return None if found is None else Weights(*found)


def kept_luck(
    store: Store, runs: Sequence[LeagueRun], games: Sequence[int], compute: bool
) -> dict[int, Floats]:
    """By key of the run, (games, seats) luck of all its stored games, in the order of `Store.games`.

    A run is left out if its luck was not kept and is not to be computed, or if its games cannot be replayed.

    Args:
        compute: whether to replay the matches whose luck was not kept yet: 0.5 ms a game of Flip 7, 5 ms of
            Julepe.
    """
    state = str(luck.version(engines.load(runs[0].game)) or "") if runs else ""
    if not state:
        return {}
    known, found = store.runs.standings([_subject(run) for run in runs], state, dict[str, str]), {}
    for run, stored in zip(runs, games, strict=True):
        if why_not(store, run, replayed=True):
            continue
        kept: dict[str, str] = known.get(_subject(run), {})
        if compute:
            kept = _completed(store, run, state, kept)
        packed = b"".join(base64.b64decode(kept[number]) for number in sorted(kept, key=int))
        values = np.frombuffer(packed, "<f4").astype(np.float64).reshape(-1, run.definition.players)
        if len(values) == stored:
            found[run.key] = values
    return found


def _subject(run: LeagueRun) -> str:
    return f"luck {run.id}"


def _completed(store: Store, run: LeagueRun, state: str, kept: dict[str, str]) -> dict[str, str]:
    """Replay the matches whose luck is not among what was kept, and keep it; nothing if they cannot be."""
    missing = [number for number in store.matches.stored(run) if str(number) not in kept]
    if missing:
        try:
            kept = kept | _replayed(store, run, missing)
        except engines.GameError:
            return {}
        with contextlib.suppress(StoreError):
            store.runs.keep_standing(_subject(run), state, dict(kept))
    return kept


def _replayed(store: Store, run: LeagueRun, numbers: Sequence[int]) -> dict[str, str]:
    """Return the luck of the games of some matches, by number of the match, packed."""
    facts, game, packed = run.definition, engines.load(run.game), {}
    for match in store.matches.all(run, numbers):
        seeds = secret_of(store, run, match).deal_seeds(match.blocks)
        lucky = np.zeros((0, facts.players))
        if len(seeds):
            key = KEY + match.number
            lucky = luck.of_games(game, facts.players, facts.options, seeds, match.moves, key)
        packed[str(match.number)] = base64.b64encode(lucky.astype("<f4").tobytes()).decode()
    return packed


def alarming(row: RatingRow) -> bool:
    """Whether a bot's luck is no luck."""
    return row.luck_z is not None and abs(row.luck_z) > ALARM and row.blocks >= FEWEST


def luckiest_games(rows: Sequence[RatingRow], labels: Sequence[str], runs: Sequence[RunGames]) -> list[str]:
    """For every row whose luck is no luck, a sentence with the games in which it was luckiest."""
    told = []
    for row, label in zip(rows, labels, strict=True):
        if row.luck_z is None or not alarming(row):
            continue
        best: list[tuple[float, str]] = []
        for games in runs:
            if games.luck is None or label not in games.labels:
                continue
            mine = games.entrant == games.labels.index(label)
            gained = np.where(mine, games.luck * np.sign(row.luck_z), -np.inf).max(axis=1)
            first = np.searchsorted(games.match, games.match)
            for i in np.argsort(-gained, kind="stable")[:LUCKIEST]:
                number = int(games.match[i]) * GAMES_PER_MATCH + int(i - first[i])
                best.append((-float(gained[i]), f"{games.run.label}/{number}"))
        names_of_games = ", ".join(name for _, name in sorted(best)[:LUCKIEST])
        told.append(
            f"look at the games of {label} where chance gave most: {names_of_games} (arena replay GAME)"
        )
    return told
