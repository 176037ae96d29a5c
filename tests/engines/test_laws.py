"""Laws that hold for every engine, by property. What they must know of a game is in `<game>/facts.py`:

setups          strategy of (players, options) over all options
conserved       conserved(s): assert that cards (and chips) are complete in a plain row, whatever was played
redeal          redeal(s, seat, rng): change everything that the seat may not know, in place, by the test's own list
                of hidden places (never through `determinize`); the result is a position that could be
zero_sum        zero_sum(options): whether final scores add up to 0
most_decisions  most_decisions(players, options): bound on the decisions of a game
past            past(game, world): the shuffles (lists of card numbers) and the actions (numbers) that lead to this
                row (a one-row batch), read off it by the test's own means; None where it does not hold them.
                A list may leave out the last cards of a shuffle if nobody drew them
                past may take the viewer and its earlier views of this hand, if these tell more than the row
opening         optional, opening(game, world): the row from which they lead there; None for the start of the game
                opening may take these earlier views, too
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import import_module
from inspect import signature
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engines
from engines import core
from engines.core import copy_states
from engines.game import Game
from engines.position import Position
from engines.search.knowledge import shown
from engines.seeds import MAX_SEED

LAW = settings(max_examples=30)
SEEDS = st.integers(0, MAX_SEED)


@pytest.fixture(params=engines.names())
def game(request: pytest.FixtureRequest) -> Game:
    return engines.load(request.param)


def facts(game: Game) -> Any:
    return import_module(f"tests.engines.{game.name}.facts")


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Equal byte for byte."""
    return bool((a.view(np.uint8) == b.view(np.uint8)).all())


def walk(game: Game, data: st.DataObject, steps: int) -> np.ndarray:
    """A few rows of one random game set-up, some random decisions on. Rows may be over."""
    players, options = data.draw(facts(game).setups())
    states = game.new(3, seed=data.draw(SEEDS), players=players, **options)
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    for _ in range(data.draw(st.integers(0, steps))):
        random_step(game, states, rng)
    return states


def random_step(game: Game, states: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    mask = game.legal_mask(states)
    actions = np.array([rng.choice(np.flatnonzero(row)) if row.any() else 0 for row in mask])
    game.step(states, actions)
    return actions


@LAW
@given(data=st.data())
def test_cards_are_conserved_and_legal_actions_ascend_until_a_bounded_end(
    game: Game, data: st.DataObject
) -> None:
    players, options = data.draw(facts(game).setups())
    states = game.new(1, seed=data.draw(SEEDS), players=players, **options)
    rng = random.Random(data.draw(st.integers(0, 2**32)))
    out, decisions = core.work(game.n_actions), 0
    while not game.over(states).all():
        facts(game).conserved(core.PlainRow(states[0]))
        n = core.legal_row(core.rows(states), 0, out)
        legal = out[:n].tolist()
        assert legal and legal == sorted(set(legal)) and legal[0] >= 0 and legal[-1] < game.n_actions
        game.step(states, [rng.choice(legal)])
        decisions += 1
    facts(game).conserved(core.PlainRow(states[0]))
    assert decisions <= facts(game).most_decisions(players, game.options_of(states))
    if facts(game).zero_sum(game.options_of(states)):
        assert game.scores(states).sum() == 0


@LAW
@given(data=st.data())
def test_a_determinized_view_redacts_to_the_same_view_and_can_be_played_on(
    game: Game, data: st.DataObject
) -> None:
    states = walk(game, data, 120)
    states = copy_states(states[~game.over(states)])
    if not len(states):
        return
    for seat in range(int(states["players"][0])):
        views = game.views(states, seat)
        worlds = game.determinize(views, seed=data.draw(SEEDS))
        assert same(game.views(worlds, seat), views)
    views = game.views(states)
    worlds = game.determinize(views, seed=data.draw(SEEDS))
    assert (game.legal_mask(worlds) == game.legal_mask(states)).all()
    for row in worlds:
        facts(game).conserved(core.PlainRow(row))
    game.playout(worlds, seed=1)
    assert game.over(worlds).all()


def by_words(game: Game, states: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random step whose kind of action, its text's first word, is drawn first: rare kinds come up too."""
    texts = game.actions(game.options_of(states))
    actions = []
    for row in game.legal_mask(states):
        legal = [(texts[a].split()[0], int(a)) for a in np.flatnonzero(row)] or [("", 0)]
        word = rng.choice(sorted({word for word, _ in legal}))
        actions.append(rng.choice([a for first, a in legal if first == word]))
    game.step(states, np.array(actions))
    return np.array(actions)


def replayed(game: Game, row: np.ndarray) -> np.ndarray | None:
    """The row to which the past of a row leads, by the rules; None if the row does not hold its past."""
    past = facts(game).past(game, row)
    if past is None:
        return None
    *_, (states, _) = replay(game, row, *past)
    states["seed"] = row["seed"]
    return states


def replay(
    game: Game,
    row: np.ndarray,
    shuffles: list[list[int]],
    actions: list[int],
    earlier: Sequence[np.ndarray] = (),
) -> Iterator[tuple[np.ndarray, int]]:
    """The rows from the opening to where shuffles and actions lead, and the place of the next action.

    What the row itself no longer tells of the opening is taken from earlier views, if there are any.
    """
    opening = getattr(facts(game), "opening", lambda game, row: None)
    takes_views = "earlier" in signature(opening).parameters
    states = opening(game, row, earlier) if takes_views else opening(game, row)
    if states is None:
        states = game.blank(1, int(row["players"][0]), **game.options_of(row))
        core.start_rows(core.rows(states))
    cards, out, at = core.work(game.deck_size), core.work(game.n_actions), 0
    shuffles = list(shuffles)
    while shuffles or at < len(actions):
        if states["seat"][0] == core.SHUFFLE:
            n = core.due_row(core.rows(states), 0, cards)
            given = shuffles.pop(0)
            rest = Counter(cards[:n].tolist())
            assert Counter(given) <= rest
            given = [*given, *(rest - Counter(given)).elements()]
            for i, card in enumerate(given):
                cards[i] = card
            core.take_row(core.rows(states), 0, cards[:n])
        else:
            yield states, at
            n = core.legal_row(core.rows(states), 0, out)
            assert actions[at] in out[:n].tolist()
            core.play_row(core.rows(states), 0, actions[at], out, n, True)
            at += 1
    yield states, at


@LAW
@given(data=st.data())
def test_a_world_could_have_happened(game: Game, data: st.DataObject) -> None:
    players, options = data.draw(facts(game).setups())
    states = game.new(2, seed=data.draw(SEEDS), players=players, **options)
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    for _ in range(data.draw(st.integers(0, 150))):
        by_words(game, states, rng)
    for i in np.flatnonzero(~game.over(states)).tolist():
        state = copy_states(states[i : i + 1])
        for row in [state, *(game.determinize(game.views(state, seat), seed=i) for seat in range(players))]:
            again = replayed(game, row)
            assert again is None or same(again, row), difference(again, row)


def difference(a: np.ndarray, b: np.ndarray) -> str:
    """The fields that differ."""
    names = [name for name in a.dtype.names or () if (a[name] != b[name]).any()]
    return "; ".join(f"{name}: {a[name][0].tolist()} and {b[name][0].tolist()}" for name in names)


@LAW
@given(data=st.data())
def test_a_view_does_not_depend_on_what_the_seat_cannot_know(game: Game, data: st.DataObject) -> None:
    states = walk(game, data, 120)
    for seat in range(-1, int(states["players"][0])):
        other = copy_states(states)
        for row in other:
            facts(game).redeal(core.PlainRow(row), seat, random.Random(data.draw(st.integers(0, 2**32))))
            row["seed"] = data.draw(SEEDS)
        assert same(game.views(other, seat), game.views(states, seat))


@core.jit
def look(states: Any, action: int) -> int:
    """How an action of a one-row batch looks to the others."""
    return shown(states[0], action)


@LAW
@given(data=st.data())
def test_actions_that_all_others_see_alike_look_alike_to_the_search(game: Game, data: st.DataObject) -> None:
    states = walk(game, data, 120)
    for i in np.flatnonzero(~game.over(states)).tolist():
        position = Position.of(game, states[i : i + 1])
        others = [seat for seat in range(-1, position.players) if seat != position.seat]
        looks: dict[tuple[bytes, ...], set[int]] = {}
        for action in position.legal_numbers():
            after = position.copy()
            after.play(action)
            seen = tuple(game.views(after.states, seat).tobytes() for seat in others)
            looks.setdefault(seen, set()).add(look(core.rows(position.states), action))
        assert all(len(alike) == 1 for alike in looks.values()), looks.values()


@LAW
@given(data=st.data())
def test_legal_actions_follow_from_the_view_of_the_seat_to_act(game: Game, data: st.DataObject) -> None:
    states = walk(game, data, 120)
    seen = np.zeros((len(states), game.n_actions), np.bool_)
    core.legal_mask(core.rows(game.views(states)), seen, core.work(game.n_actions))
    assert (seen == game.legal_mask(states)).all()


@LAW
@given(data=st.data())
def test_a_view_has_no_seed_and_redacting_twice_changes_nothing(game: Game, data: st.DataObject) -> None:
    states = walk(game, data, 60)
    views = game.views(states)
    assert (views["seed"] == 0).all()
    assert same(game.views(views, game.seats(states)), views)


@LAW
@given(data=st.data())
def test_a_batch_plays_as_its_rows_do_one_by_one(game: Game, data: st.DataObject) -> None:
    states = walk(game, data, 60)
    alone = [copy_states(states[i : i + 1]) for i in range(len(states))]
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    for _ in range(10):
        actions = random_step(game, states, rng)
        for i, row in enumerate(alone):
            game.step(row, actions[i : i + 1])
            assert same(row, states[i : i + 1])


@LAW
@given(data=st.data())
def test_seed_and_actions_decide_a_game_and_recorded_shuffles_replay_it(
    game: Game, data: st.DataObject
) -> None:
    players, options = data.draw(facts(game).setups())
    seed = data.draw(SEEDS)
    rng = random.Random(data.draw(st.integers(0, 2**32)))
    first = game.position(seed=seed, players=players, record=True, **options)
    again = game.position(seed=seed, players=players, **options)
    actions = []
    while not first.over and len(actions) < 400:
        actions.append(rng.choice(first.legal()))
        first.play(actions[-1])
        again.play(actions[-1])
        assert same(first.states, again.states)
    replay = game.position(players=players, shuffles=first.shuffles, **options)
    for action in actions:
        replay.play(action)
    replayed = replay.states
    replayed["seed"] = seed
    assert same(first.states, replayed)


@LAW
@given(data=st.data())
def test_a_bad_action_is_refused_with_the_row_and_nothing_changes(game: Game, data: st.DataObject) -> None:
    states = walk(game, data, 60)
    mask = game.legal_mask(states)
    actions = mask.argmax(axis=1)
    running = np.flatnonzero(mask.any(axis=1))
    if not len(running) or mask[running[-1]].all():
        return
    bad = int(running[-1])
    before = copy_states(states)
    for wrong in (int(np.flatnonzero(~mask[bad])[0]), -1, game.n_actions, 2**40):
        actions[bad] = wrong
        with pytest.raises(engines.IllegalAction, match=f"row {bad}"):
            game.step(states, actions)
        assert same(before, states)


@LAW
@given(seed=st.integers(0, MAX_SEED - 10))
def test_game_i_of_a_batch_has_the_seed_plus_i(game: Game, seed: int) -> None:
    batch = game.new(3, seed=seed)
    for i in range(3):
        assert same(batch[i : i + 1], game.new(1, seed=seed + i))


def test_playing_on_after_the_end_or_scoring_before_it_is_refused(game: Game) -> None:
    states = game.new(1, seed=3)
    with pytest.raises(engines.GameError, match="not over"):
        game.scores(states)
    game.playout(states, seed=1)
    assert not game.legal_mask(states).any()
    over = copy_states(states)
    game.step(states, [0])
    assert same(over, states)
    position = game.position(seed=3)
    while not position.over:
        position.play(position.legal()[0])
    assert position.legal() == [] and position.seat is None
    with pytest.raises(engines.IllegalAction, match="end"):
        position.play(position.texts[0])


def test_every_action_text_is_unique_and_reads_back(game: Game) -> None:
    texts = game.actions()
    assert len(texts) == game.n_actions == len(set(texts))
    assert [game.action(text) for text in texts] == list(range(game.n_actions))
    with pytest.raises(engines.TextError):
        game.action("no such action")


def test_every_field_of_a_view_can_be_read_and_printed_from_every_seat(game: Game) -> None:
    position = game.position(seed=5)
    for _ in range(40):
        if position.over:
            break
        for seat in range(-1, position.players):
            view = position.view(seat)
            for name in game.fields:
                getattr(view, name)
            assert str(view)
        assert str(position)
        position.play(position.legal()[-1])
    with pytest.raises(AttributeError, match="has no"):
        _ = position.view(0).no_such_field


def test_no_field_hides_a_name_that_every_view_has(game: Game) -> None:
    assert not {"game", "seat", "players", "options", "legal", "texts", "rng", "log", "state"} & set(
        game.fields
    )


def test_options_are_checked_and_named(game: Game) -> None:
    with pytest.raises(engines.OptionError, match="no option"):
        game.new(1, no_such_option=1)
    for players in (0, game.max_players + 1, True, "4", 2.0):
        with pytest.raises(engines.OptionError, match="player"):
            game.new(1, players=players)
    for option in game.options.values():
        wrong = ["x", None, 1.5]
        wrong += [1] if isinstance(option.default, bool | str) else [True, option.low - 1, option.high + 1]
        for value in wrong:
            with pytest.raises(engines.OptionError, match=option.name):
                game.new(1, **{option.name: value})
