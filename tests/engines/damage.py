"""Damaged rows through every public function: `python -m tests.engines.damage taroky 0 500`.

A process of its own (see `test_damage`): compiled code that reads or writes beside an array ends it. For every
row either a `GameError` of one line or a right answer must come out; the row at which the process is goes to
standard error, so that whoever started it knows where it ended. With NUMBA_BOUNDSCHECK=1 Numba checks every
index, and the rows are views of full tables with several numbers of other views.
"""

import os
import pickle
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import engines
from engines import core
from engines.core import States, copy_states
from engines.errors import GameError
from engines.game import Game
from engines.laws.damage import damaged, paste
from engines.position import Position
from engines.search import Settings, flat_monte_carlo, ismcts
from engines.view import View

ALL_OPTIONS: dict[str, tuple[dict[str, Any], ...]] = {
    "flip7": ({}, {"targeting": "any", "flip_three": "after", "second_chance": "ask", "deck": "fresh"}),
    "julepe": (
        {},
        {"village": "vilalba", "overtrump": True, "beat_led": True, "nobody_safe": "pay", "rounds": 3},
    ),
    "taroky": ({"rounds": 2}, {"first_dealer": -1, "ace_high": True, "prever_override": True, "rounds": 1}),
    "tzogous37": (
        {"hands": 2},
        {"decks": 2, "jokers": 4, "stacks": "game", "hands": 2},
        {"joker_use": "lay", "jokers": 4, "joker_limit": True, "hands": 1},
    ),
    "zoliky": (
        {"max_rounds": 40},
        {"cut_jokers": "extra", "opening": "reached", "deals": 2, "max_rounds": 12},
    ),
}


@core.entry
def write_beside(numbers: Any, at: int) -> None:
    """Write to a place that the array may not have."""
    numbers[at] = 1


def indices_are_checked() -> bool:
    """Whether compiled code raises an error where it writes beside an array (NUMBA_BOUNDSCHECK=1)."""
    try:
        write_beside(np.zeros(8, np.int64)[:4], 5)
    except IndexError:
        return True
    return False


def pool(game: Game) -> list[States]:
    """Rows of random games at all stages, one batch a set-up: whole states, and views of all seats."""
    rng, found = np.random.default_rng(1), []
    for options in ALL_OPTIONS[game.name]:
        for players in sorted({game.min_players, game.players, game.max_players}):
            states, kept = game.new(6, seed=5, players=players, **options), []
            for step in range(120):
                mask = game.legal_mask(states)
                game.step(states, (mask * rng.random(mask.shape)).argmax(1))
                if step % 4 == 0 or step > 100:
                    kept += [states.copy(), *(game.views(states, seat) for seat in range(-1, players))]
            found.append(np.concatenate(kept))
    return found


def calls(game: Game, row: States, rng: np.random.Generator) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Every public function that takes rows."""
    seed = int(rng.integers(1 << 60))
    yield "legal_mask", lambda: game.legal_mask(row)
    yield "step", lambda: step(game, copy_states(row), rng)
    yield "playout", lambda: played_out(game, copy_states(row), seed)
    yield "keep", lambda: played_out(game, game.keep(row), seed)
    yield "views", lambda: [game.views(row, seat) for seat in (-1, 0, 1)]
    yield "encode", lambda: [game.encode(row, seat) for seat in (-1, 0, 1)]
    yield "points", lambda: game.points(row)
    yield "scores", lambda: game.scores(row)
    yield "options_of", lambda: game.options_of(row)
    yield "determinize", lambda: imagined(game, row, seed)
    yield "worlds", lambda: game.worlds(row, 3, seed)
    yield "Position.of", lambda: walked(game, row, rng)
    yield "ismcts", lambda: search(game, row, ismcts, rng)
    yield "flat_monte_carlo", lambda: search(game, row, flat_monte_carlo, rng)


def step(game: Game, row: States, rng: np.random.Generator) -> None:
    """One random action, legal or not."""
    mask = game.legal_mask(row)
    game.step(row, [int(rng.choice(np.flatnonzero(mask[0]))) if mask.any() else 0])


def played_out(game: Game, row: States, seed: int) -> None:
    """To the end, where there are scores."""
    game.playout(row, seed)
    assert game.over(row).all()
    game.scores(row)


def imagined(game: Game, row: States, seed: int) -> None:
    """Worlds of a view, which show the view again, and are played on if the seat to act is the viewer's."""
    worlds = game.determinize(np.repeat(row, 2), seed)
    game.views(worlds)
    game.playout(worlds, seed)


def walked(game: Game, row: States, rng: np.random.Generator) -> None:
    """A position is played on for a while, shown, copied and pickled."""
    position = Position.of(game, row)
    for _ in range(8):
        str(position)
        for seat in range(-1, position.players):
            view = position.view(seat)
            str(view)
            view.encode()
            for name in game.fields:
                getattr(view, name)
        legal = position.legal_numbers()
        if not legal:
            break
        position.play(int(rng.choice(legal)))
    pickle.loads(pickle.dumps(position.copy()))


def search(game: Game, row: States, searched: Any, rng: np.random.Generator) -> None:
    """A search from a view that says of itself what its record says."""
    out = core.work(game.n_actions)
    legal = np.arange(3, dtype=np.int16)
    try:
        game.encode(row)
        legal = np.array(out[: core.legal_row(core.rows(copy_states(row)), 0, out)])
    except GameError:
        pass
    view = View(game, row, int(row["seat"][0]), legal)
    searched(view, 4, int(rng.integers(9)), settings=Settings(cut=False))


def main() -> None:
    """Go through so many rows of a game; print how many were refused."""
    game, first, n = engines.load(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    batches, damage, refused, failures = pool(game), None, 0, []
    if os.environ.get("NUMBA_BOUNDSCHECK") == "1":
        assert indices_are_checked()
        full = [rows for rows in batches if rows["players"][0] == game.max_players]
        batches, damage = [rows[rows["form"] == core.VIEW] for rows in full], paste
    for i in range(first, first + n):
        rng = np.random.default_rng(i)
        row = damaged(game, batches[int(rng.integers(len(batches)))], rng, damage)
        for name, call in calls(game, row, rng):
            os.write(2, f"{i} {name}\n".encode())
            try:
                call()
            except GameError as error:
                refused += 1
                if "\n" in str(error):
                    failures.append(f"row {i}, {name}: more than one line: {error}")
            except Exception as error:  # anything else is a failure, and told
                failures.append(f"row {i}, {name}: {type(error).__name__}: {error}")
    print(refused, "refused")
    print(*failures, sep="\n")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
