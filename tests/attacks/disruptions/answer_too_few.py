"""Answers a batch of views with one action."""

GAMES = ["flip7"]
VERDICT = "type"
WORDS = "1 answers for 3 views"


def act_batch(views):
    return [0]
