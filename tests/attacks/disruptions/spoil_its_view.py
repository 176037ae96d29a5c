"""Overwrites the record and the legal actions that it was given."""

GAMES = ["flip7"]


def act(view):
    answer = int(view.legal[0])
    view.state.view("u1")[:] = 255
    view.legal[:] = 7
    return answer
