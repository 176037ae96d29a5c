"""Hardly ever folds and never raises: calls with anything that is not rubbish."""

from engines.core import rows
from engines.tzogous37.state import Action
from engines.tzogous37.tools import own_score, planned_action

GAMES = ["tzogous37"]
RUBBISH = 17


def act(view):
    """Return the action for this view."""
    states = rows(view.state)
    if view.legal[0] >= Action.PLACE:
        return planned_action(states, 0, 1)
    if Action.CHECK in view.legal:
        return Action.CHECK
    return Action.CALL if own_score(states, 0) > RUBBISH else Action.FOLD
