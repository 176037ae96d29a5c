"""Cannot be read as Python."""

GAMES = ["flip7"]
VERDICT = "import"
WORDS = "SyntaxError"

exec("def act(view)\n    return 0")
