"""A short game of each kind on one screen: its shuffles, its actions, a view in the middle, its scores.

An edit that changes a rule, a shuffle, a text, a view or an encoding shows here as a difference.
`REWRITE_SNAPSHOTS=1 python -m pytest -n 0 tests/engines/test_playthroughs.py` writes the files anew; read the
difference before you commit it. A digest is of what is told at every decision; encodings count to four places.
"""

import os
import random
import textwrap
from hashlib import blake2b
from pathlib import Path
from typing import Any

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


def playthrough(name: str) -> list[str]:
    """The lines of a game in which random actions are played."""
    game, options = engines.load(name), dict(GAMES[name])
    players = options.pop("players", None)
    position, rng = game.position(seed=7, players=players, record=True, **options), random.Random(7)
    told = {what: blake2b(digest_size=6) for what in ("texts", "legal", "views", "encodings")}
    moves, shown = list[str](), list[str]()
    while True:
        told["texts"].update(str(position).encode())
        shown.append(str(position.view()))
        for seat in range(-1, position.players):
            view = game.views(position.states, seat)
            told["views"].update(view.tobytes())
            told["encodings"].update(game.encode(view, seat).round(4).tobytes())
        if position.over:
            break
        legal = position.legal()
        told["legal"].update(f"{position.seat}: {legal}\n".encode())
        moves.append(f"{position.seat} {rng.choice(legal)}")
        position.play(moves[-1].split(" ", 1)[1])
    lines = [f"{name} {GAMES[name]}, seed 7"]
    lines += [f"shuffle: {' '.join(cards)}" for cards in position.shuffles]
    lines += ["moves: " + ", ".join(moves), shown[len(moves) // 2], f"scores: {position.scores()}"]
    lines.append(", ".join(f"{what} {told[what].hexdigest()}" for what in told))
    lines = "\n".join(lines).splitlines()
    return [part for line in lines for part in textwrap.wrap(line, 200, break_on_hyphens=False) or [""]]


@pytest.mark.parametrize("name", engines.names())
def test_a_game_is_told_as_in_its_playthrough(name: str) -> None:
    path, lines = DATA / f"{name}.txt", playthrough(name)
    if os.environ.get("REWRITE_SNAPSHOTS"):
        path.write_text("\n".join(lines) + "\n")
    assert lines == path.read_text().splitlines() and len(lines) <= 40
