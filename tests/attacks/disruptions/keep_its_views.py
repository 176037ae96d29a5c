"""Keeps all views and their rows for ever."""

GAMES = ["flip7"]

kept = []


def act(view):
    kept.append((view, view.state))
    return view.legal[0]
