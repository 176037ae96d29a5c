"""Closes its log and prints."""

import os

GAMES = ["flip7"]

os.close(1)
os.close(2)


def act(view):
    print("nobody hears this")
    view.log("nor this")
    return view.legal[0]
