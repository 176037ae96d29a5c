"""Answers an object whose class has terminal codes for a name, and which ends the process when asked for it."""

VERDICT = ("exception", "type")
GAMES = ["flip7"]
Coded = type("\x1b[31m\u202e" + "A" * 100_000, (), {})


class Hidden(Coded):
    @property
    def __class__(self):
        raise SystemExit

    def __repr__(self):
        raise KeyboardInterrupt


def act(view):
    return Coded() if view.seat else Hidden()
