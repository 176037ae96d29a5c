"""Answers with an action that is not legal now."""

GAMES = ["flip7"]
VERDICT = "illegal"
WORDS = "illegal action"


def act(view):
    return view.game_rules.n_actions - 1
