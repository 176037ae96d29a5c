"""Never becomes ready."""

GAMES = ["flip7"]
VERDICT = "cpu"
WORDS = "to import the bot"

while True:
    pass
