"""OpenSpiel: its conformance test, its players on our games, our games' rules behind it."""

import hashlib
import random
from typing import Any

import numpy as np
import pytest

import engines
from tests.engines.short import SHORT
from tests.python import python

WITHOUT = "needs the extra openspiel: pip install '.[openspiel]'"
pyspiel = pytest.importorskip("pyspiel", reason=WITHOUT)
adapter = pytest.importorskip("engines.adapters.openspiel", reason=WITHOUT)
ismcts = pytest.importorskip("open_spiel.python.algorithms.ismcts", reason=WITHOUT)
mcts = pytest.importorskip("open_spiel.python.algorithms.mcts", reason=WITHOUT)
mccfr = pytest.importorskip("open_spiel.python.algorithms.outcome_sampling_mccfr", reason=WITHOUT)


def short(name: str) -> str:
    """Options of a short game, as OpenSpiel writes them."""
    return ",".join(f"{option}={value}" for option, value in SHORT[name].items())


def at_play(text: str, seed: bytes = b"\x00\x00\x00\x07") -> Any:
    """A state after the seed's bytes."""
    adapter.register()  # it has: to do it again changes nothing
    state = pyspiel.load_game(text).new_initial_state()
    for byte in seed:
        state.apply_action(byte)
    return state


@pytest.mark.parametrize("name", engines.names())
def test_conformance_of_openspiel_with_saved_states(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    game = pyspiel.load_game(f"arena_{name}({short(name)})")
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("name", engines.names())
def test_a_state_is_the_game_of_its_seed_and_options(name: str) -> None:
    key, _, value = short(name).partition("=")
    state = at_play(f"arena_{name}({short(name)})")
    position = engines.load(name).position(7, **{key: int(value)})
    rng = random.Random(1)
    while not position.over:
        assert state.current_player() == position.seat
        assert [state.action_to_string(a) for a in state.legal_actions()] == position.legal()
        numbers = state.observation_tensor(position.seat)
        assert np.array_equal(np.array(numbers, np.float32), position.view().encode())
        assert state.information_state_tensor(position.seat) == numbers
        action = rng.choice(position.legal_numbers())
        state.apply_action(action)
        position.play(action)
    assert state.is_terminal() and state.returns() == position.scores()


SEVERAL = {"flip7": "goal=60,players=3", "julepe": "rounds=2", "taroky": "rounds=2"}
SEVERAL |= {"tzogous37": "hands=2,players=2", "zoliky": "deals=2,max_rounds=4,players=2"}
"""Games of two deals at least, or so long that views forget."""


@pytest.mark.parametrize("name", engines.names())
def test_different_views_that_a_player_had_are_different_information_states(name: str) -> None:
    """One deal, played 60 times: player 0 by a fixed rule, the others nearly, so that many games are alike."""
    known: dict[str, tuple[bytes, ...]] = {}
    for playing in range(60):
        state, rng = at_play(f"arena_{name}({SEVERAL[name]})"), random.Random(playing)
        had: tuple[bytes, ...] = ()
        while not state.is_terminal() and len(state.history()) < 300:
            player, legal = state.current_player(), state.legal_actions()
            view = hashlib.blake2b(state.view(0).state.tobytes()).digest()
            had = had if had[-1:] == (view,) else (*had, view)
            assert known.setdefault(state.information(0), had) == had
            varied = player != 0 and rng.random() < 0.1
            state.apply_action(rng.choice(legal) if varied else legal[-1])
    assert len(known) > 100


@pytest.mark.parametrize("name", engines.names())
def test_all_that_a_player_has_stays_in_states_that_are_resampled_for_it(name: str) -> None:
    """Along a game and for every player: strings, tensors, who is to act and what it may do."""
    state, rng, compared = at_play(f"arena_{name}({short(name)})"), random.Random(3), 0
    chance = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    while not state.is_terminal() and compared < 30:
        for player in range(state.num_players()) if rng.random() < 0.3 else ():
            other = state.resample_from_infostate(player, chance)
            for told in (
                f"{what}_{how}"
                for what in ("information_state", "observation")
                for how in ("string", "tensor")
            ):
                assert getattr(other, told)(player) == getattr(state, told)(player), told
            assert other.current_player() == state.current_player()
            if player == state.current_player():
                assert other.legal_actions() == state.legal_actions()
            compared += 1
        state.apply_action(rng.choice(state.legal_actions()))
    assert compared


def test_bots_and_information_set_search_of_openspiel_play_a_game_to_its_end() -> None:
    game, rng = pyspiel.load_game("arena_tzogous37(hands=1)"), np.random.RandomState(1)
    search = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, rng), 10.0, 4, random_state=rng)
    other = pyspiel.make_uniform_random_bot(1, 3)
    state = at_play("arena_tzogous37(hands=1)")
    while not state.is_terminal():
        player = state.current_player()
        state.apply_action(search.step(state) if player == 0 else other.step(state))
    assert sum(state.returns()) == 0
    both = [pyspiel.make_uniform_random_bot(seat, seat) for seat in range(2)]
    assert sum(pyspiel.evaluate_bots(game.new_initial_state(), both, 5)) == 0


def test_outcome_sampling_cfr_visits_information_states_and_gives_a_policy_for_them() -> None:
    np.random.seed(2)
    game = pyspiel.load_game("arena_flip7(players=2,goal=1,max_rounds=1,seed_bytes=1)")
    solver = mccfr.OutcomeSamplingSolver(game)
    for _ in range(60):
        solver.iteration()
    learnt = solver.average_policy()
    assert len(solver._infostates) > 20
    state = at_play("arena_flip7(players=2,goal=1,max_rounds=1,seed_bytes=1)", b"\x05")
    chances = learnt.action_probabilities(state, state.current_player())
    assert set(chances) == set(state.legal_actions()) and sum(chances.values()) == pytest.approx(1)


def test_engines_import_without_the_libraries_that_adapters_are_for() -> None:
    text = (
        "import sys; import engines, engines.adapters; engines.load('flip7')\n"
        "for name in ('ray', 'sqlmodel', 'typer', 'gymnasium', 'pettingzoo', 'pyspiel'): assert name not in sys.modules\n"
        "sys.modules['gymnasium'] = None\n"
        "from engines.adapters import vector\n"
        "env = vector.env('flip7', 2); env.reset(seed=1); env.step(env.sample())\n"
    )
    python("-c", text, check=True)
