"""Has a module that takes too long to compile."""

GAMES = ["flip7"]
VERDICT = ["import", "cpu", "memory", "crash"]

exec("x = " + "+".join(["1"] * 200_000))
