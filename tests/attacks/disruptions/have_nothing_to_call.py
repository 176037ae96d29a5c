"""Has no act, no Bot and no act_batch."""

GAMES = ["flip7"]
VERDICT = "import"
WORDS = "no act(view)"

nothing = None
