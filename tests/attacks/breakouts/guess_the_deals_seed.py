"""Wants to find the seed that deals the cards it sees, and so all cards to come."""

import numpy

import engines

from .aim import attempt

GAMES = ["flip7"]
WALL = False

game = engines.load("flip7")


def act(view):
    guesses = game.views(game.new(200, seed=0, players=view.players, **view.options), view.seat)
    mine = view.state.view("u1")
    attempt(lambda: numpy.flatnonzero((guesses.view("u1").reshape(200, -1) == mine).all(1)).tolist() or None)
    return view.legal[0]
