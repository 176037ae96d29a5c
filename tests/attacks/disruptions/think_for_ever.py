"""Never answers."""

GAMES = ["flip7"]
VERDICT = "cpu"
WORDS = "s of CPU time in 3 decisions"


def act(view):
    while True:
        pass
