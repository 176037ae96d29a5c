"""Empties the list of views that it was given, as one does with a stack, and answers for all of them."""

GAMES = ["flip7"]


def act_batch(views):
    answers = []
    while views:
        answers.append(views.pop().legal[0])
    return answers
