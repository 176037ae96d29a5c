"""Give the first bot that `arena bot new` writes.

It plays legally and calmly in every game, and shows how to look at a hand.

A random one would spoil the tables that it enters: what it calls costs everybody at the table. A game
without a first bot of its own here gets the plain one.
"""

from __future__ import annotations

import engines

TITLE = "Takes the first action that it may."
BODY = """\
    return view.texts[0]  # print(view) names the fields: view.phase, view.hand, ...
"""
"""The plain one."""
TITLES = {
    "flip7": "Hits until its row is worth 20 points, then stays.",
    "julepe": "Goes in with three trumps, leads high and follows low.",
    "taroky": "Calls nothing, leads high and follows low.",
    "tzogous37": "Checks, calls what is cheap with a fair pair, never raises.",
    "zoliky": "Lays out what it can, else discards its first card.",
}
BODIES = {
    "flip7": """\
    if view.phase == "turn":  # view.row is your row: ("7", "12", "x2"); view.points what each would score now
        calm = view.points[view.seat] >= 20
        return "stay" if calm and "stay" in view.texts else "hit"
    return view.texts[0]  # a second chance is used, an action card goes to the first who may get it
""",
    "julepe": """\
    trumps = [card for card in view.hand if card.endswith(view.trump)]  # view.hand is ("7o", "12c", ...)
    if view.phase in ("statements", "house"):
        return "in" if "out" not in view.texts or len(trumps) >= 3 else "out"
    if view.phase == "exchange":
        return "done" if "done" in view.texts else view.texts[0]
    return view.texts[0] if view.winning else view.texts[-1]  # cards stand from low to high
""",
    "taroky": """\
    if view.phase != "play":
        return view.texts[0]  # "pass", "keep", "call XIX": the quietest one stands first
    trumps = [card for card in view.hand if card.isupper()]  # view.hand is ("7s", "Kh", "XXI", ...)
    if not view.trick and trumps:
        view.log("leading with", len(trumps), "trumps")
    return view.texts[0] if view.trick else view.texts[-1]  # cards stand from low to high
""",
    "tzogous37": """\
    if view.phase.startswith("bet"):
        fair = (view.scores[view.seat] or 0) >= 27  # of your pair in this round; 37 is the best
        if "check" in view.texts:
            return "check"
        return "call" if "call" in view.texts and fair and view.to_call * 3 <= view.pot else "fold"
    places = [text for text in view.texts if text.startswith("place ")]  # view.hand is ("2h", "JK", ...)
    return places[0] if places else view.texts[0]
""",
    "zoliky": """\
    if view.phase == "drawing":
        return "draw stock" if "draw stock" in view.texts else view.texts[0]
    melds = [text for text in view.texts if not text.startswith(("draw", "discard", "undo"))]
    return melds[0] if melds else view.texts[0]  # view.hand is ("As", "2s", "JK", ...)
""",
}
TEMPLATE = '''"""{title}"""

GAMES = ["{game}"]


def act(view):
    """Answer with one of view.texts, or with its number from view.legal."""
    # print(view) shows all that you see; view.log(...) writes to the log: arena replay GAME --logs {name}
{body}'''


def source(name: str, game: str) -> str:
    """Return the source of a first bot.

    Raises:
        GameError: no such game.
    """
    engines.check_name(game)
    title, body = TITLES.get(game, TITLE), BODIES.get(game, BODY)
    return TEMPLATE.format(name=name, game=game, title=title, body=body)
