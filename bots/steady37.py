"""Bets and calls by a table of what its score is worth against what lies open, without looking further."""

from engines.core import rows
from engines.tzogous37.state import Action
from engines.tzogous37.tools import WORTH, own_score, planned_action, seen_score, seen_value

GAMES = ["tzogous37"]
AHEAD, FEAR, BEHIND, RICH = 0.68, 0.75, 0.35, 6  # by `arena tune`


def act(view):
    """Return the action for this view."""
    states = rows(view.state)
    legal = view.legal
    if legal[0] >= Action.PLACE:
        return planned_action(states, 0, 0)
    others = [p for p in view.alive if p != view.seat]
    score = own_score(states, 0)
    best_seen = max(seen_score(states, 0, p) for p in others)
    jokers = [
        a
        for a in legal.tolist()
        if Action.USE_JOKER <= a < Action.PLACE and (a - Action.USE_JOKER) // 2 in others
    ]
    if jokers and view.phase == "bet 2" and view.pot >= RICH * view.options["ante"]:
        return max(jokers, key=lambda a: seen_value(states, 0, a - Action.USE_JOKER))
    chance = (WORTH[score] / 1000) ** len(others) if score > best_seen else BEHIND
    call, pot = view.to_call, view.pot
    chance -= FEAR * call / (pot + call)  # who bets has something
    raises = legal[(legal > Action.CALL) & (legal <= Action.RAISE_MAX)]
    if chance > AHEAD and len(raises):
        return raises[len(raises) // 2]
    if call == 0:
        return Action.CHECK
    return Action.CALL if chance * (pot + call) > call else Action.FOLD
