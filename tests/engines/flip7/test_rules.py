"""Flip 7 against its rules page: worked examples and shuffles. Single cards: the law on models."""

from collections import Counter

import numpy as np
import pytest

from engines import core
from engines.flip7 import GAME, state
from engines.position import View
from tests.models.flip7 import DECK, canonical

from .positions import decisions_in, deck_from, facing, opened, see, times, with_row

# --- components -------------------------------------------------------------------------------------------------


def test_the_deck_has_94_cards_in_canonical_order() -> None:
    position = GAME.position(players=2, record=True)
    assert canonical(list(position.shuffles[0])) == DECK and len(DECK) == 94
    assert sum(card.isdigit() for card in DECK) == 79
    assert [Counter(DECK)[card] for card in GAME.cards] == [1, *range(1, 13), 1, 1, 1, 1, 1, 1, 3, 3, 3]


def test_actions_have_the_numbers_of_the_rules_page() -> None:
    assert GAME.actions() == ("hit", "stay", "save", "bust", *(f"give {seat}" for seat in range(10)))


def test_options_have_the_defaults_of_the_rules_page() -> None:
    usual = {"goal": 200, "max_rounds": 50, "first_dealer": 0, "targeting": "self", "flip_three": "now"}
    assert GAME.check_options() == (4, usual | {"second_chance": "auto", "deck": "keep", "tie": "share"})


# --- worked examples --------------------------------------------------------------------------------------------

ROWS = [
    ("5 7 9", 21), ("5 7 9 X2", 42), ("5 7 9 +4 +8", 33), ("5 7 9 X2 +4 +8", 54), ("1 2 3 4 5 6 7 +4", 47),
    ("6 7 8 9 10 11 12 X2 +2 +4 +6 +8 +10", 171), ("0 1 2 3 4 5 6", 36),
    ("", 0), ("0", 0), ("X2", 0), ("X2 +4", 4), ("SC 12", 12),
]  # fmt: skip


@pytest.mark.parametrize(("row", "points"), ROWS)
def test_a_row_is_worth_its_numbers_doubled_then_additions_and_15_for_seven(row: str, points: int) -> None:
    view = View(GAME, with_row(row), 0, np.zeros(0, np.int16))
    assert view.points[0] == points
    assert view.row == tuple(row.split())


def test_a_busted_row_is_worth_nothing() -> None:
    assert see(opened("5 9 5", "hit", goal=5)).points == (9, 0)


ASK = {"goal": 5, "second_chance": "ask"}
OVER = [  # first shuffle, options, actions, scores, statuses
    (
        "5 6 X2 +2 +4 +6 +8 +10 7 8 9 10 11 12",
        {"goal": 171},
        f"stay, {times(12, 'hit')}",
        [171, 5],
        "flip7 stayed",
    ),
    ("12 1 11 2 10 +4 9 3 +2 4 8 5 X2 6 0 7", {"goal": 40}, times(14, "hit"), [47, 102], "flip7 active"),
    ("5 9 5", {"goal": 5}, "hit, stay", [9, 0], "stayed busted"),
    ("SC 9 7 3 7 12 7", {"goal": 5}, "hit, stay, hit, hit, hit, stay", [9, 22], "stayed stayed"),
    ("SC 9 7 3 7 12 7", {"goal": 5}, "hit, stay, hit, hit, hit, hit", [9, 0], "stayed busted"),
    ("SC 9 7 3 7 12 7", ASK, "hit, stay, hit, hit, bust", [9, 0], "stayed busted"),
    ("SC 9 SC 4 4 4 4", {"goal": 5}, "hit, stay, hit, hit, hit, hit", [9, 0], "stayed busted"),
    ("FZ 8 FZ", {"goal": 5}, "hit", [8, 0], "frozen frozen"),
    ("F3 F3 F3 1 2 3 4 5 6 7", {"goal": 43}, "", [0, 43], "active flip7"),
    ("FZ FZ", {"max_rounds": 1}, "", [0, 0], "frozen frozen"),
    ("5 5", {"goal": 5}, "stay, stay", [5, 5], "stayed stayed"),
    ("5 5", {"goal": 5, "tie": "play_on"}, "stay, stay, stay, stay", [5, 6], "stayed stayed"),
    ("5 5", {"max_rounds": 1}, "stay, stay", [5, 5], "stayed stayed"),
]


@pytest.mark.parametrize(("first", "options", "actions", "scores", "statuses"), OVER)
def test_a_short_game_ends_with_these_scores(
    first: str, options: dict, actions: str, scores: list, statuses: str
) -> None:
    position = opened(first, actions, **options)
    assert position.over and position.legal() == []
    assert position.scores() == scores
    assert " ".join(see(position).status) == statuses
    assert see(position).phase == "over" and see(position).totals == tuple(scores)


def test_a_flip_three_draws_what_is_left_and_only_a_single_draw_reshuffles() -> None:
    first = deck_from("", DECK)
    for card in ["10", "11", "12", "F3", "F3", "F3"]:
        first.remove(card)
    shuffles = [[*first, "F3", "F3", "11", "F3", "12", "10"], [*first, "F3", "F3", "F3"]]
    position = GAME.position(players=8, shuffles=shuffles, goal=10_000, max_rounds=12)
    decisions = 0
    while not position.over:
        if see(position).round == 12 and position.seat == 4:
            assert [" ".join(row) for row in see(position).rows] == [
                "2",
                "3",
                "3",
                "3",
                "11 12 10",
                "0",
                "1",
                "2",
            ]
            assert see(position).left == 84 and see(position).discards == {}
        position.play("stay")
        decisions += 1
    assert decisions == see(position).decisions == 93
    assert position.scores() == [80, 80, 86, 96, 116, 84, 75, 77]


TARGETS = [  # seat to act, decision, card, legal, action
    (2, "give", "FZ", "give 0, give 1, give 2", "give 1"),
    (2, "turn", "", "hit", "hit"),
    (0, "turn", "", "hit, stay", "hit"),
    (2, "turn", "", "hit, stay", "hit"),
    (2, "give", "F3", "give 0, give 2", "give 0"),
    (0, "give", "SC", "give 2", "give 2"),
    (0, "give", "FZ", "give 0, give 2", "give 2"),
    (0, "turn", "", "hit, stay", "stay"),
]


def test_with_free_targeting_cards_are_given_as_in_the_worked_example() -> None:
    position = opened("5 FZ 9 3 SC F3 SC 9 FZ", players=3, targeting="any", flip_three="after", goal=9)
    for seat, decision, card, legal, action in TARGETS:
        view = see(position)
        assert (position.seat, view.phase, view.card) == (seat, decision, card)
        assert position.legal() == legal.split(", ")
        if card == "SC":
            assert view.flips == ((0, 2, ()),)
        position.play(action)
        if action == "give 2" and card == "FZ":
            assert see(position).status == ("active", "frozen", "frozen")
            assert see(position).rows == (("9",), ("5",), ("3", "SC"))
    assert position.scores() == [9, 5, 3]
    assert decisions_in(position.view(-1)) == [(seat, action) for seat, _, _, _, action in TARGETS]


# --- shuffles ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("deck", ["keep", "fresh"])
def test_shuffles_are_numbered_by_round_so_that_the_pace_of_earlier_rounds_does_not_matter(deck: str) -> None:
    for action in ("hit", "stay"):
        position = GAME.position(seed=3, players=10, deck=deck, goal=10_000, max_rounds=30, record=True)
        numbers: list[int] = []
        while not position.over:
            before, made = see(position).round, len(position.shuffles or ())
            position.play(action)
            if len(position.shuffles or ()) > made:
                numbers.append(int(position.states["shuffle"][0]))
                assert before <= numbers[-1] // 64 + 1 <= see(position).round
        assert numbers and all(number % 64 == 0 for number in numbers)  # no round needs two of them here
        assert deck == "keep" or numbers == [64 * r for r in range(1, 30)]


def test_players_of_different_pace_meet_the_same_fresh_deck_in_the_same_round() -> None:
    shuffles = []
    for action in ("stay", "hit"):
        position = GAME.position(seed=4, deck="fresh", max_rounds=6, record=True)
        while not position.over:
            position.play(action)
        shuffles.append(position.shuffles)
    assert shuffles[0] == shuffles[1] and len(shuffles[0] or ()) == 6


def test_a_second_shuffle_in_one_round_has_the_next_number() -> None:
    states = facing("5", "", {})
    states["shuffle"] = 0
    core.step_rows(core.rows(states), np.array([state.Action.HIT]), core.work(state.DECK))
    assert states["shuffle"][0] == 1 and states["round_no"][0] == 1


ROUNDS = 30_000
PUBLISHED = {"points": 9.84, "bust": 0.742, "flip 7": 0.0883, "frozen": 0.17, "saved": 0.115}


def is_saved(draws: list[int]) -> bool:
    """Whether a Second Chance was spent on a duplicate in a row of these cards."""
    for i, card in enumerate(draws):
        if card < state.NUMBERS and card in draws[:i]:
            return state.SECOND_CHANCE in draws[:i]
    return False


def test_a_seat_that_always_hits_has_the_published_figures() -> None:
    """Eppie/flip-seven: exact, and 5 * 10**7 rollouts."""
    options = {"targeting": "any", "flip_three": "after", "max_rounds": 1}
    states = GAME.new(ROUNDS, seed=77, players=2, **options)
    while not GAME.over(states).all():
        mask, seats = GAME.legal_mask(states), np.maximum(GAME.seats(states), 0)
        to_itself = mask[np.arange(ROUNDS), state.Action.GIVE + seats]
        gives = mask[:, state.Action.GIVE :].argmax(1) + state.Action.GIVE
        gives = np.where(to_itself, state.Action.GIVE + seats, gives)
        turn = np.where(seats == 0, state.Action.HIT, state.Action.STAY)
        GAME.step(states, np.where(mask[:, state.Action.GIVE :].any(1), gives, turn))
    stands, events = states["status"][:, 0], states["event_what"] - int(state.Event.DRAW)
    drawn = (states["event_seat"] == 0) & (events >= 0) & (events <= state.SECOND_CHANCE)
    found = {
        "points": GAME.scores(states)[:, 0],
        "bust": stands == state.Status.BUSTED,
        "flip 7": stands == state.Status.FLIP7,
        "frozen": stands == state.Status.FROZEN,
        "saved": np.array([is_saved(row[own].tolist()) for row, own in zip(events, drawn)]),
    }
    for name, values in found.items():
        error = values.std() / ROUNDS**0.5
        assert abs(values.mean() - PUBLISHED[name]) < 4 * error, (name, values.mean(), error)
