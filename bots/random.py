"""Picks a kind of action at random, then an action of that kind."""

GAMES = ["*"]


def act(view):
    """Return a random action, as the module says.

    The kind of an action is the first word of its text: so one `fold` is as likely as all raises together.
    """
    by_kind = {}
    for action, text in zip(view.legal.tolist(), view.texts, strict=True):
        by_kind.setdefault(text.partition(" ")[0], []).append(action)
    if view.game == "taroky":  # random calls and knocks would drown everything else in chips and noise
        for kind in ("cut", "pass"):
            if kind in by_kind:
                return by_kind[kind][0]
    kind = view.rng.choice(list(by_kind))
    return view.rng.choice(by_kind[kind])
