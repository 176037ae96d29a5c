"""One seat as a `gymnasium.Env`: Gymnasium's checker, and the game behind it."""

import warnings

import numpy as np
import pytest

import engines

pytest.importorskip("gymnasium", reason="needs the extra rl: pip install '.[rl]'")
import gymnasium
from gymnasium.utils.env_checker import check_env

from engines.adapters import single, vector


@pytest.mark.parametrize("name", engines.names())
def test_the_environment_of_one_seat_passes_gymnasiums_checker(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*(infinity|spec|render).*")
        check_env(single.env(name, illegal=-1.0), skip_render_check=True)


def test_an_episode_is_the_game_of_its_seed_and_the_next_one_follows() -> None:
    game, env = engines.load("julepe"), single.env("julepe", seat=2, opponents="rule", rounds=1)
    numbers, infos = env.reset(seed=9)
    total, ends = 0.0, 0
    for _ in range(60):
        assert numbers in env.observation_space
        legal = np.flatnonzero(infos["action_mask"])
        assert len(legal) > 1
        numbers, reward, over, cut, infos = env.step(legal[0])
        total += reward
        if over:
            assert not cut and not infos["action_mask"].any() and reward == int(reward)
            ends += 1
            numbers, infos = env.reset()
    assert ends > 3 and game.encoding_size == len(numbers)
    assert np.array_equal(env.reset(seed=9)[0], env.reset(seed=9)[0])


def test_an_illegal_action_is_an_error_or_ends_the_game_with_its_price() -> None:
    env = single.env("julepe", rounds=1)
    _, infos = env.reset(seed=1)
    wrong = int(np.flatnonzero(infos["action_mask"] == 0)[0])
    with pytest.raises(engines.IllegalAction):
        env.step(wrong)
    priced = single.env("julepe", illegal=-5.0, rounds=1)
    priced.reset(seed=1)
    assert priced.step(wrong)[1:4] == (-5.0, True, False)


@pytest.mark.parametrize("illegal", [None, -5.0])
def test_a_step_after_the_end_is_refused_and_reset_shows_the_new_game(illegal: float | None) -> None:
    env = single.env("flip7", illegal=illegal, goal=1)
    numbers, infos = env.reset(seed=1)
    over = False
    while not over:
        over = env.step(13 if illegal else infos["action_mask"].argmax())[2]
    with pytest.raises(engines.GameError, match="the game is over: reset"):
        env.step(0)
    numbers, infos = env.reset()
    assert np.array_equal(numbers, env._lanes.arrays["observations"][0])


@pytest.mark.parametrize("illegal", [None, -5.0])
def test_an_action_out_of_range_is_illegal_and_a_fraction_or_text_is_refused(illegal: float | None) -> None:
    env = single.env("julepe", illegal=illegal, rounds=1)
    with pytest.raises(engines.GameError, match="reset the environment"):
        env.step(0)
    for action in (-1, -63, 10**6):
        env.reset(seed=1)
        if illegal is None:
            with pytest.raises(engines.IllegalAction, match=f"illegal action number {action}"):
                env.step(action)
        else:
            assert env.step(action)[1:4] == (-5.0, True, False)
    env.reset(seed=1)
    for odd in (2.7, "in", None, True):
        with pytest.raises(engines.IllegalAction, match="actions must be 1 whole numbers"):
            env.step(odd)


@pytest.mark.parametrize("name", engines.names())
def test_every_game_has_an_id_of_gymnasium_and_masks_for_learners_that_ask_for_them(name: str) -> None:
    place = f"engines.adapters.single:card_arena/{name.capitalize()}-v0"
    one = gymnasium.make(place, opponents="rule")
    mask = one.reset(seed=3)[1]["action_mask"]
    assert np.array_equal(one.get_wrapper_attr("action_masks")(), mask == 1)
    assert np.array_equal(mask, single.env(name, opponents="rule").reset(seed=3)[1]["action_mask"])
    way = {"vectorization_mode": "vector_entry_point", "opponents": "rule"}
    many = gymnasium.make_vec(place, 3, **way)
    assert np.array_equal(many.reset(seed=3)[0], vector.env(name, 3, opponents="rule").reset(seed=3)[0])
