"""Which bot a name means: the house bots that ship with the project, stored versions, files given by path."""

from __future__ import annotations

import difflib
from functools import cache
from importlib import resources
from pathlib import Path

from ..errors import BotError, UsageError
from ..store import Bot, Store
from .source import Source, read

HOUSE = Path(str(resources.files("bots")))
"""Where the bots are that ship with the project."""


@cache
def house_bots() -> dict[str, Source]:
    """The bots that ship with the project, by name."""
    return {path.stem: read(path, own=True) for path in sorted(HOUSE.glob("*.py")) if not path.stem.startswith("_")}


def reserved(name: str) -> bool:
    """Whether a name belongs to a house bot."""
    return name in house_bots()


def as_row(source: Source, kind: str) -> Bot:
    """A row for the store; it gets its version there."""
    return Bot(
        name=source.name,
        version=0,
        kind=kind,
        games=list(source.games),
        title=source.title,
        hash=source.hash,
        source=source.packed,
    )


def resolve(text: str, game: str, store: Store) -> Bot:
    """The bot that a person names: `rule`, `my_bot@2`, or a path (`./draft.py`), which plays as a guest. Stored if new.

    Raises:
        BotError: no such bot, or it does not play this game; says the nearest.
    """
    if "/" in text or text.endswith(".py"):
        return _for_game(store.add_bot(as_row(_fitting(read(Path(text)), game), "guest"))[0], game)
    name, _, version = text.partition("@")
    if name in house_bots() and not version:
        return store.add_bot(as_row(_fitting(house_bots()[name], game), "house"))[0]
    if version and not version.isdecimal():
        raise UsageError(f"{text!r}: after @ stands a version number, as in {name}@2")
    found = [bot for bot in store.bots(newest=False) if bot.name == name and (not version or bot.version == int(version))]
    if not found:
        known = sorted({*house_bots(), *(bot.name for bot in store.bots())})
        near = difflib.get_close_matches(name, known, 1)
        versions = [bot.label for bot in store.bots(newest=False) if bot.name == name]
        hint = f"there is {', '.join(versions)}" if versions else f"did you mean {near[0]}?" if near else "see `arena bot list`"
        raise BotError(f"no bot {text!r}; {hint}")
    return _for_game(found[-1], game)


def _fitting(source: Source, game: str) -> Source:
    if game not in source.games:
        raise BotError(f"{source.name} plays {', '.join(source.games)}, not {game}")
    return source


def _for_game(bot: Bot, game: str) -> Bot:
    if game not in bot.games:
        raise BotError(f"{bot.label} plays {', '.join(bot.games)}, not {game}")
    return bot
