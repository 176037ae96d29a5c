"""Answers with a text that equals every action."""

GAMES = ["flip7"]
VERDICT = "illegal"
WORDS = "no action 'win'"


class Text(str):
    def __eq__(self, other):
        return True

    def __hash__(self):
        return hash("hit")

    def __str__(self):
        return "win"


def act(view):
    return Text("win")
