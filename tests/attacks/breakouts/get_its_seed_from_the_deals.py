"""Wants to learn the deals' seeds from its own."""

import numpy

import engines

from .aim import attempt

GAMES = ["flip7"]
WALL = False

game = engines.load("flip7")
seeds = []


class Bot:
    def __init__(self, seat, seed):
        self.seed = seed

    def act(self, view):
        near = numpy.array([self.seed + i for i in range(-50, 50)] + [self.seed << 1, self.seed ^ (1 << 63)], numpy.uint64)
        guesses = game.views(game.new(len(near), near, players=view.players, **view.options), view.seat)
        same = (guesses.view("u1").reshape(len(near), -1) == view.state.view("u1")).all(1)
        attempt(lambda: numpy.flatnonzero(same).tolist() or None)
        return view.legal[0]
