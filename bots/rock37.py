"""Waits for a good pair: bets it in full, calls small bets with a fair one, folds the rest."""

from engines.core import rows
from engines.tzogous37.state import Action
from engines.tzogous37.tools import own_score, planned_action

GAMES = ["tzogous37"]
GOOD, FAIR = 33, 29


def act(view):
    """Return the action for this view."""
    states = rows(view.state)
    legal = view.legal
    if legal[0] >= Action.PLACE:
        return planned_action(states, 0, 0)
    score = own_score(states, 0)
    raises = legal[(legal > Action.CALL) & (legal <= Action.RAISE_MAX)]
    if score >= GOOD and len(raises):
        return raises[-1]
    if Action.CHECK in legal:
        return Action.CHECK
    cheap = view.to_call * 3 <= view.pot
    return Action.CALL if score >= GOOD or (score >= FAIR and cheap) else Action.FOLD
