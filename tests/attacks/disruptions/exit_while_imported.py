"""Leaves by sys.exit before it is ready."""

import sys

GAMES = ["flip7"]
VERDICT = "import"
WORDS = "SystemExit"

sys.exit()
