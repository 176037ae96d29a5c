"""Needs a module that is not installed."""

GAMES = ["flip7"]
VERDICT = "import"
WORDS = "No module named 'no_such_module'"

import no_such_module
