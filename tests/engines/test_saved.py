"""States that were saved in a file are played on in a new process, to the games that the first process plays."""

import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import engines
from engines import GameError, core
from engines.game import Game
from engines.position import Position

ROWS = 6
LOADED_AND_PLAYED = """
import json, os, pickle, sys
from pathlib import Path
import numpy as np
import engines

folder = Path(sys.argv[1])

def from_pickle():
    return pickle.loads((folder / "states.pickle").read_bytes())

LOADS = {
    "npy": lambda: np.load(folder / "states.npy"),
    "npy in place": lambda: np.load(folder / "states.npy", mmap_mode="c"),
    "npy read only": lambda: np.load(folder / "states.npy", mmap_mode="r"),
    "npz": lambda: np.load(folder / "states.npz")["states"],
    "memory map": lambda: np.memmap(folder / "states.raw", game.state, "r"),
    "odd place": lambda: np.memmap(folder / "odd.raw", game.state, "r", offset=3),
    "strided": lambda: np.load(folder / "twice.npy")[::2],
    "pickle": from_pickle,
}

game = engines.load(sys.argv[2])
for name in sys.argv[3:]:
    sys.stdout.flush()
    child = os.fork()  # a process that has seen no row of this game
    if child:
        assert os.waitpid(child, 0)[1] == 0, name
        continue
    states = LOADS[name]()
    told = {"how": name, "mask": game.legal_mask(states).tolist(), "views": str(game.views(states).tolist())}
    told["text"] = str(engines.position.Position.of(game, states[:1])) if len(states) else ""
    if not (states.flags.writeable and states.flags.c_contiguous):
        states = engines.core.copy_states(states)
    game.playout(states, seed=9)
    print(json.dumps(told | {"scores": game.scores(states).tolist()}), flush=True)
    os._exit(0)
"""
WAYS = ("npy", "npz", "memory map", "pickle")
ARRAYS = ("npy in place", "npy read only", "odd place", "strided")
"""Kinds of arrays: what becomes of them does not depend on the game."""


def midway(game: Game) -> core.States:
    """Games some random decisions on, one of them perhaps over."""
    states = game.new(ROWS, seed=4)
    rng = np.random.default_rng(2)
    for _ in range(20):
        mask = game.legal_mask(states)
        game.step(states, [rng.choice(np.flatnonzero(row)) if row.any() else 0 for row in mask])
    return states


def save(states: core.States, folder: Path) -> None:
    np.save(folder / "states.npy", states)
    np.savez(folder / "states.npz", states=states)
    np.save(folder / "twice.npy", np.repeat(states, 2))
    (folder / "states.raw").write_bytes(states.tobytes())
    (folder / "odd.raw").write_bytes(b"odd" + states.tobytes())
    (folder / "states.pickle").write_bytes(pickle.dumps(states))


def played_elsewhere(game: Game, folder: Path, ways: tuple[str, ...]) -> list[dict[str, object]]:
    command = [sys.executable, "-c", LOADED_AND_PLAYED, str(folder), game.name, *ways]
    root = Path(engines.__file__).parents[1]
    run = subprocess.run(command, check=False, capture_output=True, text=True, cwd=root)
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


def expected(game: Game, states: core.States) -> dict[str, object]:
    told: dict[str, object] = {"mask": game.legal_mask(states).tolist()}
    told["text"] = str(Position.of(game, states[:1]))
    told["views"] = str(game.views(states).tolist())
    game.playout(states, seed=9)
    return told | {"scores": game.scores(states).tolist()}


@pytest.mark.parametrize("name", engines.names())
def test_states_from_files_are_played_on_in_a_new_process(name: str, tmp_path: Path) -> None:
    game = engines.load(name)
    states = midway(game)
    save(states, tmp_path)
    wanted = expected(game, states)
    ways = WAYS + ARRAYS if name == "flip7" else WAYS[:1]
    assert played_elsewhere(game, tmp_path, ways) == [{"how": way} | wanted for way in ways]


def test_a_loaded_array_is_played_on_in_place(tmp_path: Path) -> None:
    game = engines.load("flip7")
    np.save(tmp_path / "states.npy", game.new(3, seed=1))
    loaded = np.load(tmp_path / "states.npy")
    on_disk = np.load(tmp_path / "states.npy", mmap_mode="r+")
    game.playout(loaded, seed=2)
    game.playout(on_disk, seed=2)
    assert game.over(loaded).all()
    assert (game.scores(loaded) == game.scores(np.load(tmp_path / "states.npy"))).all()


def test_states_that_cannot_be_written_to_are_refused_and_the_message_says_what_to_do(tmp_path: Path) -> None:
    game = engines.load("flip7")
    np.save(tmp_path / "states.npy", game.new(3, seed=1))
    loaded = np.load(tmp_path / "states.npy", mmap_mode="r")
    with pytest.raises(GameError, match=r"play on a copy: engines\.core\.copy_states\(states\)"):
        game.playout(loaded)
    game.playout(core.copy_states(loaded))
