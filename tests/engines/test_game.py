"""`Game`, `Position` and `View` as Python objects: copies, pickles, batches and numbers that are refused; states from
a file are played on in a new process, to the same games.
"""

import copy
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engines
from engines import GameError, IllegalAction, OptionError, core
from engines.core import copy_states
from engines.game import Game
from engines.position import Position
from engines.view import View
from tests.python import python

COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
}


@pytest.fixture(params=COPIES)
def copied(request: pytest.FixtureRequest) -> Callable[[Any], Any]:
    return COPIES[request.param]


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return bool((a.view(np.uint8) == b.view(np.uint8)).all())


def test_a_copied_position_goes_its_own_way_to_the_end(game: Game, copied: Callable[[Any], Any]) -> None:
    position = game.position(seed=3)
    before = copy_states(position.states)
    twin: Position = copied(position)
    while not twin.over:
        assert twin.seat == int(twin.states["seat"][0]) and twin.legal()
        twin.play(twin.legal()[-1])
    assert twin.seat is None and twin.legal() == []
    assert same(position.states, before) and position.legal()
    assert len(twin.scores()) == position.players


NO_ACTIONS = [
    (True, "True is a bool, which is no action"), (np.False_, "False_? is a bool, which is no action"),
    (1.0, "a whole number, not 1.0"), (None, "a whole number, not None"),
]  # fmt: skip


@pytest.mark.parametrize("action, said", NO_ACTIONS)
def test_what_is_no_text_or_whole_number_is_no_action_and_changes_nothing(action: Any, said: str) -> None:
    position = engines.load("flip7").position(seed=1)
    before = copy_states(position.states)
    with pytest.raises(engines.TextError, match=said):
        position.play(action)
    assert same(position.states, before)


def test_shuffles_that_are_missing_or_no_permutation_are_refused(game: Game) -> None:
    first = game.position(seed=5, record=True)
    shuffle, wrong = first.shuffles[0], game.cards[0]
    for shuffles in ([], [shuffle[:-1]], [[*shuffle, wrong]], [[*shuffle[:-1], shuffle[0]]]):
        with pytest.raises(engines.ShuffleError, match="missing" if not shuffles else "permutation"):
            game.position(players=first.players, shuffles=shuffles)
    with pytest.raises(engines.TextError, match="no card '!'"):
        game.position(players=first.players, shuffles=[[*shuffle[:-1], "!"]])


def test_an_action_whose_shuffle_is_missing_is_refused_and_changes_nothing() -> None:
    taroky = engines.load("taroky")
    position = taroky.position(shuffles=taroky.position(seed=5, record=True).shuffles)
    with pytest.raises(engines.ShuffleError, match="shuffle 2 is missing"):
        while True:
            before, legal = position.states.tobytes(), position.legal()
            position.play(legal[0])
    assert position.states.tobytes() == before and position.legal() == legal


def test_a_copied_position_keeps_the_shuffles_that_were_brought(copied: Callable[[Any], Any]) -> None:
    game = engines.load("flip7")
    first = game.position(seed=5, record=True)
    while not first.over:
        first.play(first.legal()[0])
    again = copied(game.position(shuffles=first.shuffles))
    while not again.over:
        again.play(again.legal()[0])
    assert again.shuffles == first.shuffles and again.scores() == first.scores()


def test_a_copied_view_shows_the_same_and_has_an_own_rng(game: Game, copied: Callable[[Any], Any]) -> None:
    view = game.position(seed=3).view()
    twin: View = copied(view)
    assert str(twin) == str(view) and twin.texts == view.texts and twin.options == view.options
    assert same(twin.state, view.state)
    twin.state["players"] = 1
    assert int(view.state["players"][0]) > 1
    assert 0 <= twin.rng.random() < 1


def test_a_deep_copy_of_a_view_draws_what_the_view_would_draw() -> None:
    view = engines.load("flip7").position(seed=3).view()
    view.rng.seed(8)
    twin = copy.deepcopy(view)
    assert twin.rng.random() == view.rng.random()


def test_a_game_is_itself_after_copying_and_pickling(game: Game, copied: Callable[[Any], Any]) -> None:
    assert copied(game) is game


def test_a_batch_of_two_kinds_of_games_is_refused_with_its_row() -> None:
    game = engines.load("flip7")
    four, two, short = game.new(2, seed=1), game.new(1, seed=1, players=2), game.new(1, seed=1, goal=50)
    views = lambda batch: np.concatenate([game.views(batch[:2]), game.views(batch[2:])])
    calls = (lambda batch: game.step(batch, [0, 0, 0]), lambda batch: game.determinize(views(batch), seed=1))
    for other, what in ((two, "players = 2"), (short, "goal = 50")):
        for call in (game.legal_mask, game.views, game.scores, game.playout, *calls):
            with pytest.raises(engines.GameError, match=f"row 2 has {what}"):
                call(np.concatenate([four, other]))


def test_rows_that_are_no_game_are_refused(game: Game) -> None:
    with pytest.raises(engines.GameError, match="row 0 is no"):
        game.legal_mask(np.zeros(2, game.state))


def test_wrong_numbers_and_lengths_are_refused_in_words(game: Game) -> None:
    states = game.new(2, seed=1)
    for n in (-1, True, 1.5, "2"):
        with pytest.raises(engines.OptionError, match="n = "):
            game.new(n, seed=1)
    for seed in (-1, 2**64, 1.5, True, [1], [1, -2], np.array([0.5, 1.0]), np.array([[1, 2]])):
        with pytest.raises(engines.OptionError, match="seed"):
            game.new(2, seed=seed)
    for seats in ([0], [0, 1, 0], 0.5, [[0, 1]], "0"):
        with pytest.raises(engines.GameError, match="seats"):
            game.views(states, seats)
    with pytest.raises(engines.GameError, match="empty batch"):
        game.options_of(states[:0])
    assert same(states, game.new(2, seed=1))


def test_seeds_may_be_a_list_or_an_array_of_integers(game: Game) -> None:
    expected = game.new(2, seed=7)
    assert same(game.new(2, seed=[7, 8]), expected)
    assert same(game.new(2, seed=np.array([7, 8])), expected)
    assert same(game.new(2, seed=np.array([7, 8], np.uint64)), expected)


def test_worlds_of_a_view_are_those_of_determinize(game: Game) -> None:
    view = game.position(seed=4).view()
    worlds = game.worlds(view, 5, seed=9)
    assert same(worlds, game.determinize(np.repeat(view.state, 5), seed=9))
    assert same(game.worlds(view.state, 5, seed=9), worlds) and len(game.worlds(view, 0, seed=9)) == 0
    with pytest.raises(engines.GameError, match="one view"):
        game.worlds(worlds, 5, seed=9)
    with pytest.raises(engines.OptionError, match="n = -2"):
        game.worlds(view, -2, seed=9)


def test_worlds_need_a_seed(game: Game) -> None:
    with pytest.raises(TypeError):
        game.determinize(game.views(game.new(1, seed=4)))


def test_a_seat_to_view_from_is_checked(game: Game) -> None:
    position = game.position(seed=4)
    for seat in (-2, position.players, "0", 1.5):
        with pytest.raises(engines.GameError, match="seat"):
            position.view(seat)
    assert str(position.view(np.int64(1))) == str(position.view(1))


def test_a_view_of_a_position_is_the_view_of_its_batch(game: Game) -> None:
    position = game.position(seed=4)
    for seat in range(-1, position.players):
        assert same(position.view(seat).state, game.views(position.states, seat))
    assert position.view().legal.tolist() == position.legal_numbers()


def test_options_that_are_changed_by_a_caller_stay_those_of_the_game(game: Game) -> None:
    position = game.position(seed=4)
    position.view().options.clear()
    position.options.clear()
    game.options_of(position.states).clear()
    assert set(position.view().options) == set(game.options)


@pytest.mark.parametrize("threads", [2, 3, 50])
def test_threads_share_the_rows_and_change_no_result(game: Game, threads: int) -> None:
    states = [game.new(37, seed=5) for _ in range(2)]
    worlds = [game.determinize(game.views(states[0]), 3, n) for n in (1, threads)]
    assert worlds[0].tobytes() == worlds[1].tobytes()
    actions = game.legal_mask(states[0]).argmax(axis=1)
    decisions = []
    for batch, n in zip(states, (1, threads), strict=True):
        game.step(batch, actions, n)
        decisions.append(game.playout(batch, 7, n))
    assert decisions[0] == decisions[1] > 37
    assert states[0].tobytes() == states[1].tobytes()


def test_an_illegal_action_in_any_thread_is_named_by_its_row_and_nothing_is_changed(game: Game) -> None:
    states = game.new(20, seed=5)
    actions = game.legal_mask(states).argmax(axis=1)
    actions[[13, 17]] = game.n_actions - 1 - game.legal_mask(states)[[13, 17], ::-1].argmin(axis=1)
    before = states.tobytes()
    with pytest.raises(IllegalAction, match="row 13: "):
        game.step(states, actions, threads=4)
    assert states.tobytes() == before


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "2"])
def test_a_wrong_number_of_threads_is_refused_in_words(game: Game, threads: Any) -> None:
    states = game.new(2, seed=5)
    before = states.tobytes()
    for call in (
        lambda: game.playout(states, 1, threads),
        lambda: game.determinize(game.views(states), 1, threads),
        lambda: game.step(states, game.legal_mask(states).argmax(axis=1), threads),
    ):
        with pytest.raises(OptionError, match="threads = "):
            call()
    assert states.tobytes() == before


@pytest.mark.parametrize("name", ["julepe", "taroky", "tzogous37", "zoliky"])
def test_a_phase_that_the_rules_have_forgotten_is_an_error(name: str) -> None:
    game = engines.load(name)
    states = game.new(1, seed=1).copy()
    states["phase"] = 63
    with pytest.raises(ValueError, match=f"{name}: no .* is known for the phase of this row"):
        core.step_rows(core.rows(states), np.array([game.n_actions - 1]), core.work(game.deck_size))
    if name != "tzogous37":  # where it asks for a card, any phase but a betting one lists the hand
        with pytest.raises(ValueError, match=f"{name}: no legal actions are known for the phase"):
            core.legal_row(core.rows(states), 0, core.work(game.n_actions))


ROWS = 6
LOADED_AND_PLAYED = """
import json, os, pickle, sys
from pathlib import Path
import numpy as np
import engines

folder = Path(sys.argv[1])

LOADS = {
    "npy": lambda: np.load(folder / "states.npy"),
    "npy in place": lambda: np.load(folder / "states.npy", mmap_mode="c"),
    "npy read only": lambda: np.load(folder / "states.npy", mmap_mode="r"),
    "npz": lambda: np.load(folder / "states.npz")["states"],
    "memory map": lambda: np.memmap(folder / "states.raw", game.state, "r"),
    "odd place": lambda: np.memmap(folder / "odd.raw", game.state, "r", offset=3),
    "strided": lambda: np.load(folder / "twice.npy")[::2],
    "pickle": lambda: pickle.loads((folder / "states.pickle").read_bytes()),
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
    run = python(
        "-c", LOADED_AND_PLAYED, str(folder), game.name, *ways, cwd=Path(engines.__file__).parents[1]
    )
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
