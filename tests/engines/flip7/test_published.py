"""Flip 7: published figures of one seat that always hits (Eppie/flip-seven: exact, and 5 * 10**7 rollouts)."""

from __future__ import annotations

import numpy as np

import engines
from engines.flip7.state import NUMBERS, SECOND_CHANCE, Action, Event, Status

ROUNDS = 30_000
PUBLISHED = {"points": 9.84, "bust": 0.742, "flip 7": 0.0883, "frozen": 0.17, "saved": 0.115}


def is_saved(draws: list[int]) -> bool:
    """Whether a Second Chance was spent on a duplicate in a row of these cards."""
    for i, card in enumerate(draws):
        if card < NUMBERS and card in draws[:i]:
            return SECOND_CHANCE in draws[:i]
    return False


def test_a_seat_that_always_hits_has_the_published_figures() -> None:
    game = engines.load("flip7")
    options = {"targeting": "any", "flip_three": "after", "max_rounds": 1}
    states = game.new(ROUNDS, seed=77, players=2, **options)
    while not game.over(states).all():
        mask, seats = game.legal_mask(states), np.maximum(game.seats(states), 0)
        to_itself = mask[np.arange(ROUNDS), Action.GIVE + seats]
        gives = mask[:, Action.GIVE :].argmax(1) + Action.GIVE
        gives = np.where(to_itself, Action.GIVE + seats, gives)
        turn = np.where(seats == 0, Action.HIT, Action.STAY)
        game.step(states, np.where(mask[:, Action.GIVE :].any(1), gives, turn))
    stands, events = states["status"][:, 0], states["event_what"] - int(Event.DRAW)
    drawn = (states["event_seat"] == 0) & (events >= 0) & (events <= SECOND_CHANCE)
    found = {
        "points": game.scores(states)[:, 0],
        "bust": stands == Status.BUSTED,
        "flip 7": stands == Status.FLIP7,
        "frozen": stands == Status.FROZEN,
        "saved": np.array([is_saved(row[own].tolist()) for row, own in zip(events, drawn)]),
    }
    for name, values in found.items():
        error = values.std() / ROUNDS**0.5
        assert abs(values.mean() - PUBLISHED[name]) < 4 * error, (name, values.mean(), error)
