"""Encodings: what a learner sees is what the seat may know, in the ranges that the table says."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engines
from engines.adapters import vector
from engines.core import States
from engines.game import Game
from engines.position import Position
from tests.engines.test_laws import setups
from tests.engines.zoliky.positions import position as zoliky_position

SEVERAL = {"julepe": {"rounds": 2}, "taroky": {"rounds": 2}, "tzogous37": {"hands": 2}}
WITH_ALL = {
    "flip7": {"targeting": "any", "flip_three": "after", "second_chance": "ask"},
    "taroky": {"first_dealer": -1},
    "tzogous37": {"decks": 2, "jokers": 4},
    "zoliky": {"deals": 2},
}
"""Options under which a random game shows every run of columns."""


def some_way_on(game: Game, seed: int, steps: int, players: int | None = None) -> States:
    """Eight games that were played at random for so many steps."""
    states = game.new(8, seed, players, **SEVERAL.get(game.name, {}))
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        mask = game.legal_mask(states)
        chosen = (rng.random(mask.shape) * mask).argmax(axis=1)
        game.step(states, chosen)
    return states


def ranges(game: Game) -> list[np.ndarray]:
    """The least and the largest number of every column, with room for rounding."""
    ends = [(column.low - 1e-6, column.high + 1e-6, column.width) for column in game.columns]
    return [np.concatenate([np.full(end[2], end[at]) for end in ends]) for at in (0, 1)]


@pytest.mark.parametrize("name", engines.names())
@given(seed=st.integers(0, 2**32), steps=st.integers(0, 150), few=st.booleans())
@settings(max_examples=8, deadline=None)
def test_whole_states_views_and_worlds_of_a_seat_are_the_same_numbers_within_their_ranges(
    name: str, seed: int, steps: int, few: bool
) -> None:
    game = engines.load(name)
    states = some_way_on(game, seed, steps, game.min_players if few else game.max_players)
    low, high = ranges(game)
    for seat in range(-1, int(states["players"][0])):
        views = game.views(states, seat)
        numbers = game.encode(views, seat)
        assert np.array_equal(numbers, game.encode(states, seat))
        assert (numbers >= low).all() and (numbers <= high).all()
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


ONE_ROUND = {
    "flip7": {"max_rounds": 3, "targeting": "any"},
    "julepe": {"rounds": 1},
    "taroky": {"rounds": 1},
    "tzogous37": {"hands": 1, "jokers": 4, "stack": 20},
    "zoliky": {"max_rounds": 12},
}
LOGS = {
    "flip7": ("event_what", "event_seat", "events", "decisions"),  # all that they led to lies open
    "tzogous37": ("lain",),
    "zoliky": ("history", "n_events", "drawer", "stock_event", "stock_seat", "stock_jokers"),
}
"""What only says in which order things happened that the other fields and columns count."""
SORTED = {"flip7": ("row",), "zoliky": ("drawn",)}


def known(game: Game, views: States) -> list[dict[str, bytes]]:
    """What each view shows of a game of one round, by field."""
    names = [name for name in game.state.names or () if name not in LOGS.get(game.name, ())]
    mixed = SORTED.get(game.name, ())
    columns = {name: np.sort(views[name], axis=-1) if name in mixed else views[name] for name in names}
    return [{name: column[i].tobytes() for name, column in columns.items()} for i in range(len(views))]


@pytest.mark.parametrize("name", engines.names())
def test_views_that_differ_in_what_happened_in_a_round_have_different_numbers(name: str) -> None:
    """Forty ways to play each of some deals, mostly alike: every two of them are a pair at every step."""
    game, pairs, deal = engines.load(name), 0, 0
    rng = np.random.default_rng(5)
    while pairs < 10_000 and deal < 100:
        deal += 1
        states = game.new(40, np.full(40, deal), **ONE_ROUND[name])
        for _ in range(90):
            mask = game.legal_mask(states)
            common, other = rng.random(mask.shape[1]), rng.random(mask.shape)
            varied = (rng.random(len(mask)) < 0.05)[:, None]
            game.step(states, (np.where(varied, other, common) * mask).argmax(axis=1))
            seat = deal % int(states["players"][0])
            views = game.views(states[~game.over(states)], seat)
            first: dict[bytes, dict[str, bytes]] = {}
            for shown, numbers in zip(known(game, views), game.encode(views, seat), strict=True):
                alike = first.setdefault(numbers.tobytes(), shown)
                assert alike == shown, [field for field in shown if alike[field] != shown[field]]
            pairs += len(first) * (len(first) - 1) // 2
    assert pairs >= 10_000


@settings(max_examples=6)
@given(data=st.data())
@pytest.mark.parametrize("name", engines.names())
def test_whole_games_by_the_rule_policy_stay_within_the_ranges(name: str, data: st.DataObject) -> None:
    game = engines.load(name)
    players, options = data.draw(setups(game))
    env = vector.env(game, 4, seat=None, players=players, forced=True, **options)
    low, high = ranges(game)
    numbers, _ = env.reset(seed=data.draw(st.integers(0, 2**32)))
    for _ in range(250):
        assert ((numbers >= low) & (numbers <= high)).all()
        numbers, *_ = env.step(env.rule())


def test_julepe_shows_who_played_which_card_to_which_trick() -> None:
    game = engines.load("julepe")
    position, rng = game.position(seed=2, rounds=1), random.Random(1)
    while not position.over and len(position.view().tricks) < 3:
        position.play(rng.choice(position.legal()))
    view = position.view()
    seen, expected = columns_of(game, view.encode())["cards"], np.zeros(6 * 30, np.float32)
    for number, trick in enumerate(view.tricks):
        for who, card in trick:
            place = 5 if who == "house" else (who - view.seat) % 5
            expected[30 * place + game.card(card)] = (1 + number) / 5
    assert len(view.tricks) == 3 and seen == expected.tolist()


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
    assert {game.cards[card] for card, n in enumerate(seen["rows"][:22]) if n} == set(view.row)
    busts = sum(n for card, n in view.unseen.items() if card in view.row and card.isdigit())
    assert seen["risk"][0] == pytest.approx(busts / view.left)
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
    told = r"out must be a writable contiguous float32 array \(3, 449\)"
    with pytest.raises(engines.GameError, match=told):
        game.encode(states, out=out[:, ::2])
    with pytest.raises(engines.GameError, match=r"a seat to view from must be -1 \.\. 3"):
        game.encode(states, seats=4)
