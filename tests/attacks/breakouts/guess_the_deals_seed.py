"""Wants to find the seed that deals the cards it sees, and so all cards to come."""

import numpy

import engines

from .aim import attempt, is_a_deals_seed

GAMES = ["flip7"]
WALL = False
game = engines.load("flip7")


def act(view):
    guesses = game.views(game.new(200, seed=0, players=view.players, **view.options), view.seat)
    same = (guesses.view("u1").reshape(200, -1) == view.state.view("u1")).all(1)
    attempt(lambda: [seed for seed in numpy.flatnonzero(same).tolist() if is_a_deals_seed(seed)] or None)
    return view.legal[0]
