"""Raises the pot more often than not, whatever it holds, and throws its jokers at the best card it sees."""

from engines.core import rows
from engines.tzogous37.state import Action
from engines.tzogous37.tools import own_score, planned_action, seen_value

GAMES = ["tzogous37"]


def act(view):
    """Return the action for this view."""
    states = rows(view.state)
    legal = view.legal
    if legal[0] >= Action.PLACE:
        return planned_action(states, 0, view.rng.randrange(3))
    jokers = [a for a in legal.tolist() if Action.USE_JOKER <= a < Action.PLACE]
    if jokers:
        return max(jokers, key=lambda a: seen_value(states, 0, a - Action.USE_JOKER))
    raises = legal[(legal > Action.CALL) & (legal <= Action.RAISE_MAX)]
    if len(raises) and view.rng.random() < 0.6:
        return raises[-1]
    if Action.CHECK in legal:
        return Action.CHECK
    return Action.CALL if own_score(states, 0) >= 20 or view.rng.random() < 0.5 else Action.FOLD
