"""Picks a kind of action at random, then an action of that kind; passes and cuts plainly at Taroky."""

from functools import lru_cache

GAMES = ["*"]


@lru_cache(maxsize=64)
def kinds_of(texts):
    """Return the kind of every action of a game, the first word of its text.

    So one `fold` is as likely as all raises together.
    """
    return [text.split()[0] for text in texts]


class Bot:
    """One game. Keeps the table of kinds, as a table of texts costs more to ask for than a decision."""

    def __init__(self, seat, seed):
        self.kinds = None

    def act(self, view):
        """Return a random action, as the module says."""
        if self.kinds is None:
            self.kinds = kinds_of(view.game_rules.actions(view.options))
        by_kind = {}
        for action in view.legal.tolist():
            by_kind.setdefault(self.kinds[action], []).append(action)
        if view.game == "taroky":  # random calls and knocks would drown everything else in chips and noise
            for kind in ("cut", "pass"):
                if kind in by_kind:
                    return by_kind[kind][0]
        kind = view.rng.choice(list(by_kind))
        return view.rng.choice(by_kind[kind])
