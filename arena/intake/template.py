"""Give the first bot that `arena bot new` writes.

It plays legally and calmly in every game, and shows how to look at a hand.

A random one would spoil the tables that it enters: what it calls costs everybody at the table. A game
without a first bot in its words gets the plain one.
"""

from __future__ import annotations

import engines
from engines import registry

TITLE = "Takes the first action that it may."
BODY = """\
    return view.texts[0]  # print(view) names the fields: view.phase, view.hand, ...
"""
"""The plain one."""
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
    bot = {"title": TITLE, "act": BODY, **registry.home(game).words.get("bot", {})}
    return TEMPLATE.format(name=name, game=game, title=bot["title"], body=bot["act"])
