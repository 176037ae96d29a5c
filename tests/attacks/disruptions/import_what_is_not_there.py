"""Needs a module that is not installed."""

GAMES = ["flip7"]
VERDICT = "import"
WORDS = "preload = ["

import no_such_module
