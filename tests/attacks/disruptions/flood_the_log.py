"""Prints 20 MB."""

GAMES = ["flip7"]


def act(view):
    for _ in range(20):
        print("x" * (1 << 20))
    return view.legal[0]
