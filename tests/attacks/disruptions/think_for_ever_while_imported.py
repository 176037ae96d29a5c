"""Never becomes ready."""

GAMES = ["flip7"]
VERDICT = "cpu"
WORDS = "to load the bot"

while True:
    pass
