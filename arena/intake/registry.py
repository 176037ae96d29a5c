"""Which bot a name means: house bots, stored versions, files given by path; their list, trials passed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import engines
from engines import registry
from engines.errors import nearest
from leagues.definition import League

from ..errors import ArenaError, BotError, UsageError
from ..jail.program import Program
from ..match import identity
from ..printable import printable
from .conditions import Conditions
from .source import Source, read, unpack, write

if TYPE_CHECKING:
    from ..store import Store
    from ..store.models import Bot

HOUSE = Path(str(resources.files("bots")))
"""Where the bots are that ship with the project."""


def is_path(name: str) -> bool:
    """Whether what a person names is a file, and no name."""
    return "/" in name or name.endswith(".py")


def house_source(name: str) -> Path | None:
    """Return the file of a house bot; None if there is none of this name."""
    return _house_files().get(name)


@cache
def house_bots() -> dict[str, Source]:
    """Return the bots that ship with the project and with the packages of games, by name."""
    return {name: read(path, own=True) for name, path in sorted(_house_files().items())}


def house_of(game: str) -> dict[str, Source]:
    """Return the house bots that play a game, by name."""
    return {name: source for name, source in house_bots().items() if game in source.games}


@cache
def _house_files() -> dict[str, Path]:
    """Return the files of house bots by name; of two, the project's own."""
    theirs = [path for home in registry.packaged() for path in home.files("bots", ".py")]
    paths = [*theirs, *HOUSE.glob("*.py")]
    return {path.stem: path for path in paths if path.stem.isidentifier() and not path.stem.startswith("_")}


def check_free(source: Source, store: Store | None = None) -> None:
    """Make sure that a bot does not have the name of a house bot.

    Args:
        store: where bots that were submitted before the house bot came keep their names.

    Raises:
        BotError: it has.
    """
    house = house_bots().get(source.name)
    old = store.bots.versions(source.name) if store is not None and house is not None else []
    if house is not None and house.hash != source.hash and not any(bot.kind == "submitted" for bot in old):
        raise BotError(f"{source.name!r} is the name of a house bot; choose another")


def check_owner(name: str, owner: str, store: Store) -> None:
    """Whether somebody may submit under a name: a new one, or one's own.

    Raises:
        BotError: it belongs to somebody else.
    """
    owners = [bot.owner for bot in store.bots.versions(name) if bot.kind == "submitted"]
    if owners and owners[-1] not in ("", owner):
        raise BotError(
            f"{name!r} is a bot of {owners[-1]}: rename your file, or submit it with --owner {owners[-1]} "
            f"if it is yours"
        )


def as_row(
    source: Source, kind: str, owner: str = "", note: str = "", conditions: Mapping[str, Any] | None = None
) -> Bot:
    """Make a row for the store, where it gets its version; `conditions` is `Conditions.needs`."""
    from ..store.models import Bot  # takes its time to import

    return Bot(
        name=source.name,
        version=0,
        kind=kind,
        games=list(source.games),
        title=source.title,
        hash=source.hash,
        owner=owner,
        note=printable(note, keep=""),
        conditions=dict(conditions or {}),
    )


def resolve(text: str, game: str, store: Store) -> Bot:
    """Return the bot that a person names, and store it if it is new.

    The name is `rule`, `my_bot@2`, or a path (`./draft.py`), which plays as a guest.

    A name without a version is a house bot if there is one of that name, else the newest submitted one.

    Raises:
        UsageError: no such bot; says the nearest.
        BotError: it does not play this game, or it was retired.
    """
    if is_path(text):
        return _stored(read(Path(text)), "guest", game, store)
    name, _, version = text.partition("@")
    if name in house_bots() and not version:
        return _stored(house_bots()[name], "house", game, store)
    bot = find_bot(text, store)
    if bot.retired is not None and not version:
        raise BotError(f"{bot.label} was retired; name its version to play it all the same: {bot.label}")
    check_plays(bot.label, bot.games, game)
    return bot


def program_of(name: str, game: str, db: str | None = None) -> Program:
    """Return the files of a bot: a house bot, a path, a stored version.

    Raises:
        UsageError, BotError: no such bot, or it does not play this game.
    """
    own = Path(name) if is_path(name) else house_source(name)
    if own is None:
        from ..store import Store  # takes its time to import

        store = Store(db)
        bot = resolve(name, game, store)
        return unpack(bot.name, store.bots.source(bot.hash))
    source = read(own, own=True)
    check_plays(source.name, source.games, game)
    return source.program


def find_bot(text: str, store: Store) -> Bot:
    """Return the stored bot of a name, `my_bot` (the newest version) or `my_bot@2`.

    Raises:
        UsageError: no such bot; says the nearest.
    """
    name, _, version = text.partition("@")
    if version and not version.isdecimal():
        raise UsageError(f"{text!r}: after @ stands a version number, as in {name}@2")
    versions = store.bots.versions(name)
    meant = [bot for bot in versions if not version or bot.version == int(version)]
    if meant:
        return next((bot for bot in reversed(meant) if bot.retired is None), meant[-1])
    known = sorted({*house_bots(), *(bot.name for bot in store.bots.all())})
    hint = nearest(name, known, "see `arena bot show`")
    if name in house_bots():
        hint = f"{name} is a house bot, and gets into a database with its first league there"
    if versions:
        hint = f"there is {', '.join(bot.label for bot in versions)}"
    raise UsageError(f"no bot {text!r}; {hint}")


def _stored(source: Source, kind: str, game: str, store: Store) -> Bot:
    check_plays(source.name, source.games, game)
    return store.bots.add(as_row(source, kind), source.packed).bot


def check_plays(name: str, games: Sequence[str], game: str) -> None:
    """Raise BotError unless a bot of these games plays a game; say which house bots do."""
    if game not in games:
        house = ", ".join(house_of(game)) or "none"
        raise BotError(f"{name} plays {', '.join(games)}, not {game}; house bots: {house}")


# --- which bots have passed a trial: nobody is tried twice --------------------------------------------------


def note_passed(store: Store, bot: Bot, under: Iterable[Conditions | League]) -> None:
    """Remember that a bot has passed its trials under these conditions."""
    for one in under:
        store.runs.keep_standing(_subject(store, bot, one), _code(one.game), {})


def not_passed(store: Store, bots: Sequence[Bot], under: Conditions | League) -> list[Bot]:
    """Return those of these bots that have not passed a trial under these conditions by this code."""
    subjects = {bot.hash: _subject(store, bot, under) for bot in bots}
    passed = store.runs.standings(list(subjects.values()), _code(under.game), dict)
    return [bot for bot in bots if subjects[bot.hash] not in passed]


def _subject(store: Store, bot: Bot, under: Conditions | League) -> str:
    options = sorted(under.options.items())
    conditions = repr((under.game, under.players, options, str(under.level), under.limits))
    imports = identity.imports_of(store.bots.source(bot.hash))
    return f"trial {identity.digest_of({**imports, bot.hash: conditions})}"


def _code(game: str) -> str:
    return identity.digest_of({**identity.code_of(game)["versions"], "playing": identity.playing(game)})


# --- stored bots: listed, written out, retired --------------------------------------------------------------


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
