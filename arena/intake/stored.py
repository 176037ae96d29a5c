"""Stored bots and their versions: listed, written out, retired. Names are read by `registry`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import engines

from ..errors import ArenaError, UsageError
from .registry import find_bot, house_bots
from .source import unpack, write

if TYPE_CHECKING:
    from ..store import Store
    from ..store.models import Bot


def facts_of(bot: Bot) -> dict[str, Any]:
    """Return what is known of a stored bot, but for its files."""
    return {
        "bot": bot.name,
        "version": bot.version,
        "kind": bot.kind,
        "games": bot.games,
        "title": bot.title,
        "owner": bot.owner,
        "note": bot.note,
        "conditions": bot.conditions,
        "created": bot.created.isoformat(timespec="seconds"),
        "retired": bot.retired.isoformat(timespec="seconds") if bot.retired else None,
        "hash": bot.hash,
    }


def list_bots(store: Store, game: str | None = None, versions: bool = False) -> list[dict[str, Any]]:
    """List the house bots and the stored ones, by kind, name and version.

    Args:
        store: where they are.
        game: only bots that play it.
        versions: all versions, not only the newest.

    Raises:
        GameError: no such game.
    """
    if game is not None:
        engines.check_name(game)
    rows = [facts_of(bot) for bot in store.bots.all(game, newest=not versions)]
    known = {row["hash"] for row in rows}
    nothing: dict[str, Any] = {"version": None, "owner": "", "note": "", "conditions": {}, "retired": None}
    for source in house_bots().values():
        if source.hash not in known and (game is None or game in source.games):
            house = {"bot": source.name, "kind": "house", "games": list(source.games)}
            rows.append(nothing | house | {"title": source.title, "hash": source.hash})
    return sorted(rows, key=lambda row: (row["kind"], row["bot"], row["version"] or 0))


def files_of(store: Store, bot: Bot) -> dict[str, bytes]:
    """Return the files of a stored bot by their names."""
    return dict(unpack(bot.name, store.bots.source(bot.hash)).files)


def export_bot(store: Store, name: str, folder: Path | str = ".") -> Path:
    """Write the files of a stored bot, as they were submitted; return where they are.

    Raises:
        UsageError: no such bot, or something of its name is there already.
        ArenaError: it cannot be written.
    """
    bot, folder = find_bot(name, store), Path(folder)
    there = next((p for p in (folder / bot.name, folder / f"{bot.name}.py") if p.exists()), None)
    if there is not None:
        raise UsageError(f"{there} is there already; choose another folder with --out")
    try:
        return write(unpack(bot.name, store.bots.source(bot.hash)), folder)
    except OSError as error:
        raise ArenaError(f"{folder}: cannot be written: {error.strerror}") from None


def retire_bot(store: Store, name: str, undo: bool = False) -> Bot:
    """Take a submitted bot out of leagues to come, or let it enter again; what it played stays.

    Args:
        store: where it is.
        name: a name, for all its versions, or a version, after which the one before it enters again.
        undo: let it enter again: the version, or the newest.

    Returns:
        The newest of the versions that were meant.

    Raises:
        UsageError: no such bot, or not a submitted one; or it is not retired.
    """
    bot = find_bot(name, store)
    if undo:
        if bot.retired is None:
            raise UsageError(f"{bot.label} is not retired; name the version: {bot.name}@1")
        return store.bots.restore(bot)
    if bot.kind != "submitted":
        raise UsageError(f"{bot.label} is a {bot.kind} bot: only submitted ones can be retired")
    for one in [bot] if "@" in name else store.bots.versions(bot.name):
        if one.kind == "submitted" and one.retired is None:
            store.bots.retire(one)
    return find_bot(bot.label, store)
