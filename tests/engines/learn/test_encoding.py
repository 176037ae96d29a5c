"""Encodings: what a learner sees is what the seat may know, in the ranges that the table says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engines
from engines.core import States
from engines.game import Game
from engines.position import Position
from engines.zoliky.positions import position as zoliky_position

SEVERAL = {
    "flip7": {},
    "julepe": {"rounds": 2},
    "taroky": {"rounds": 2},
    "tzogous37": {"hands": 2},
    "zoliky": {},
}
WITH_ALL = {"flip7": {"targeting": "any"}, "tzogous37": {"decks": 2, "jokers": 4}, "zoliky": {"deals": 2}}
"""Options under which a random game shows every run of columns."""


def some_way_on(game: Game, seed: int, steps: int, players: int | None = None) -> States:
    """Eight games that were played at random for so many steps."""
    states = game.new(8, seed, players, **SEVERAL[game.name])
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        mask = game.legal_mask(states)
        chosen = (rng.random(mask.shape) * mask).argmax(axis=1)
        game.step(states, chosen)
    return states


@pytest.mark.parametrize("name", engines.names())
@given(seed=st.integers(0, 2**32), steps=st.integers(0, 150), few=st.booleans())
@settings(max_examples=8, deadline=None)
def test_whole_states_views_and_worlds_of_a_seat_are_the_same_numbers_within_their_ranges(
    name: str, seed: int, steps: int, few: bool
) -> None:
    game = engines.load(name)
    states = some_way_on(game, seed, steps, game.min_players if few else game.max_players)
    low = np.concatenate([np.full(c.width, c.low) for c in game.columns])
    high = np.concatenate([np.full(c.width, c.high) for c in game.columns])
    for seat in range(-1, int(states["players"][0])):
        views = game.views(states, seat)
        numbers = game.encode(views, seat)
        assert np.array_equal(numbers, game.encode(states, seat))
        assert (numbers >= low - 1e-6).all() and (numbers <= high + 1e-6).all()
    running = ~game.over(states)
    views = game.views(states[running])
    worlds = game.determinize(views, seed)
    assert np.array_equal(game.encode(views), game.encode(worlds))
    assert np.array_equal(game.legal_mask(worlds), game.legal_mask(states[running]))


@pytest.mark.parametrize("name", engines.names())
def test_every_run_of_columns_is_used_in_random_games(name: str) -> None:
    game = engines.load(name)
    used = np.zeros(game.encoding_size, np.bool_)
    states = game.new(48, 1, **WITH_ALL.get(name, {}))
    rng = np.random.default_rng(1)
    while not game.over(states).all():
        used |= (game.encode(states) != 0).any(axis=0)
        mask = game.legal_mask(states)
        game.step(states, (rng.random(mask.shape) * mask).argmax(axis=1))
    begin = 0
    for column in game.columns:
        assert used[begin : begin + column.width].any(), column.name
        begin += column.width


def columns_of(game: Game, numbers: np.ndarray) -> dict[str, list[float]]:
    named, begin = {}, 0
    for column in game.columns:
        named[column.name] = numbers[begin : begin + column.width].tolist()
        begin += column.width
    return named


def test_taroky_shows_the_hand_by_card_and_seats_counted_from_the_viewer() -> None:
    game = engines.load("taroky")
    position = game.position(seed=3)
    while position.view().phase != "play":
        position.play(position.legal()[0])
    position.play(position.legal()[0])
    view = position.view()
    seen = columns_of(game, view.encode())
    assert {game.cards[card] for card, one in enumerate(seen["hand"]) if one} == set(view.hand)
    assert [game.cards[card] for card, one in enumerate(seen["trick"]) if one] == list(view.trick)
    assert seen["to_act"] == [1, 0, 0, 0]
    assert seen["leader"] == [0, 0, 0, 1]  # the seat before the viewer has led
    assert seen["dealer"].index(1) == (view.dealer - view.seat) % 4
    assert game.actions()[int(np.flatnonzero(view.legal_mask())[0])] == view.texts[0]


def test_flip7_shows_rows_totals_and_the_risk_of_the_next_card() -> None:
    game = engines.load("flip7")
    states = game.new(1, 5)
    for _ in range(9):
        game.step(states, game.legal_mask(states).argmax(axis=1))
    view = Position.of(game, states).view()
    seen = columns_of(game, view.encode())
    assert {game.cards[card] for card, one in enumerate(seen["row"]) if one} == set(view.row)
    assert seen["risk"][0] == pytest.approx(
        sum(n for card, n in view.unseen.items() if card in view.row and card.isdigit()) / view.left
    )
    turned = [view.points[(view.seat + place) % 4] / 171 for place in range(4)]
    assert seen["points"][:4] == pytest.approx(turned)


def test_flip7_counts_the_card_that_a_row_bust_with_once_in_its_risk() -> None:
    game = engines.load("flip7")
    states, busts = game.new(200, 5), 0
    rng = np.random.default_rng(3)
    for _ in range(40):
        mask = game.legal_mask(states)
        game.step(states, (rng.random(mask.shape) * mask).argmax(axis=1))
        for i in np.flatnonzero(~game.over(states)):
            view = Position.of(game, states[i : i + 1]).view()
            other = (view.seat + 1) % view.players
            row = [game.cards[card] for card in states["row"][i, other] if card >= 0]
            numbers = [card for card in row if card.isdigit()]
            if len(numbers) > len(set(numbers)) and view.left:
                risk = columns_of(game, view.encode())["risk"][1]
                assert risk == pytest.approx(
                    sum(view.unseen.get(card, 0) for card in set(numbers)) / view.left
                )
                busts += 1
    assert busts > 0


def test_zolikys_columns_are_within_their_ranges_where_jokers_repeat_runs() -> None:
    game = engines.load("zoliky")
    melds = ("3s JK(4s) 5s", "3s JK(4s) 5s", "2s JK(3s) 4s", "4s JK(5s) 6s", "9s 9h 9d")
    states = zoliky_position("Kh Kd", melds, opened=(0,))
    seen = columns_of(game, game.encode(states)[0])
    assert max(seen["runs"]) == 2.0
    for column in game.columns:
        assert column.low <= min(seen[column.name]) and max(seen[column.name]) <= column.high, column.name


def test_encoding_takes_a_batch_of_views_a_list_of_a_bots_views_and_an_array_to_write_into() -> None:
    game = engines.load("flip7")
    states = game.new(3, 1)
    views = [Position.of(game, states[i : i + 1]).view() for i in range(3)]
    out = np.full((3, game.encoding_size), 9, np.float32)
    assert game.encode(states, out=out) is out
    assert np.array_equal(game.encode(views), out)
    with pytest.raises(
        engines.GameError, match=r"out must be a writable contiguous float32 array \(3, 201\)"
    ):
        game.encode(states, out=out[:, ::2])
    with pytest.raises(engines.GameError, match=r"a seat to view from must be -1 \.\. 3"):
        game.encode(states, seats=4)
