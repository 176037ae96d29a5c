"""A short game of each kind as text, with all that the engine tells at every decision.

An edit that changes a rule, a shuffle, a text, a view or an encoding shows here as a difference that can be
read. `REWRITE_SNAPSHOTS=1 python -m pytest -n 0 tests/engines/test_playthroughs.py` writes the files anew; read
the difference before you commit it. Digests are of an onlooker's and every seat's view and
its encoding to four places.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engines

DATA = Path(__file__).parent / "data"
GAMES: dict[str, dict[str, Any]] = {
    "flip7": {"players": 3, "max_rounds": 2, "targeting": "any", "second_chance": "ask"},
    "julepe": {"rounds": 1},
    "taroky": {"rounds": 1},
    "tzogous37": {"players": 3, "hands": 1, "jokers": 4},
    "zoliky": {"players": 2, "max_rounds": 4},
}


def digest(numbers: np.ndarray) -> str:
    return blake2b(np.ascontiguousarray(numbers).tobytes(), digest_size=6).hexdigest()


def playthrough(name: str) -> Iterator[str]:
    """The lines of a game in which random actions are played."""
    game, options = engines.load(name), dict(GAMES[name])
    players = options.pop("players", None)
    position, rng = game.position(seed=7, players=players, record=True, **options), random.Random(7)
    yield f"{name} {GAMES[name]}, seed 7"
    shuffles = 0
    while True:
        for cards in position.shuffles[shuffles:]:
            yield f"shuffle: {' '.join(cards)}"
        shuffles = len(position.shuffles)
        yield ""
        yield from str(position).splitlines()
        seats = range(-1, position.players)
        views = [game.views(position.states, seat) for seat in seats]
        yield f"views: {' '.join(map(digest, views))}"
        rounded = [game.encode(view, seat).round(4) for view, seat in zip(views, seats, strict=True)]
        yield f"encoded: {' '.join(map(digest, rounded))}"
        if position.over:
            yield f"scores: {position.scores()}"
            return
        legal = position.legal()
        yield f"legal for seat {position.seat}: {', '.join(legal)}"
        action = rng.choice(legal)
        yield f"> {action}"
        position.play(action)


@pytest.mark.parametrize("name", engines.names())
def test_a_game_is_told_as_in_its_playthrough(name: str) -> None:
    path, lines = DATA / f"{name}.txt", list(playthrough(name))
    if os.environ.get("REWRITE_SNAPSHOTS"):
        DATA.mkdir(exist_ok=True)
        path.write_text("\n".join(lines) + "\n")
    assert lines == path.read_text().splitlines()
