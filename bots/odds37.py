"""Samples the others' cards, bets by its chance and the pot odds, uses a joker where it turns the result."""

import numpy as np

import engines
from engines.core import rows
from engines.tzogous37.state import Action
from engines.tzogous37.tools import planned_action, showdowns

GAMES = ["tzogous37"]
WORLDS = 96  # shared by the seats still alive
RESPECT = 1.8  # a bet of the pot, 1/3 of the pot after the call, leaves the weaker 60 % of the opposition out
BLUFFS = 0.3
GIFT = 0  # 2s: about what the spare card of a hand is worth as a gift
GAME = engines.load("tzogous37")


def act(view):
    """Return the action for this view."""
    states = rows(view.state)
    legal = view.legal
    if legal[0] >= Action.PLACE:
        return planned_action(states, 0, 0)
    views = np.repeat(view.state, WORLDS // len(view.alive))
    worlds = GAME.determinize(views, seed=view.rng.getrandbits(60))
    now = chance(view, worlds)
    jokers = legal[(legal >= Action.USE_JOKER) & (legal < Action.PLACE)]
    if len(jokers) and view.phase == "bet 2":
        joker = best_joker(view, worlds, jokers.tolist(), now)
        if joker is not None:
            return joker
    return bet(view, now)


def chance(view, worlds):
    """Share of the worlds that this seat wins; the more it must call, the fewer weak opponents count."""
    mine, theirs = np.zeros(len(worlds), np.int64), np.zeros(len(worlds), np.int64)
    showdowns(rows(worlds), view.seat, mine, theirs)
    call = view.to_call
    weak = int(len(worlds) * min(0.9, RESPECT * call / (view.pot + call)))
    believed = np.argsort(theirs)[weak:]
    mine, theirs = mine[believed], theirs[believed]
    return float((mine > theirs).mean() + 0.5 * (mine == theirs).mean())


def best_joker(view, worlds, jokers, now):
    """Return the target that raises the chance most, if that is worth a joker; round 3 is the last chance."""
    gains = {}
    for joker in jokers:
        place = joker - Action.USE_JOKER
        if place // 2 in view.alive:
            changed = worlds.copy()
            changed["table"][:, place] = GIFT
            changed["knows"][:, place] |= 1 << view.seat
            gains[joker] = chance(view, changed) - now
    best = max(gains, key=gains.get, default=None)
    least = 1.0 if view.round == 3 else 4.0  # antes
    return best if best is not None and gains[best] * view.pot > least * view.options["ante"] else None


def bet(view, now):
    """Bet the pot when ahead, call by the pot odds, at times bluff."""
    legal, call, pot = view.legal, view.to_call, view.pot
    raises = legal[(legal > Action.CALL) & (legal <= Action.RAISE_MAX)]
    if len(raises) and now > (0.62 if call == 0 else 0.7):
        return raises[-1]
    if call == 0:
        return raises[-1] if len(raises) and view.rng.random() < BLUFFS else Action.CHECK
    return Action.CALL if now * (pot + call) > call else Action.FOLD
