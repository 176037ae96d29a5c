"""Keep bots in the store: versions of names, and their sources by hash.

Which bot a person means is in `arena.intake.registry`.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from typing import NamedTuple

from sqlmodel import Session, col, select

from ..errors import Damaged, StoreError, UsageError
from .database import Family
from .models import Bot, BotSource, now


class AddedBot(NamedTuple):
    """A stored bot, and whether it is new."""

    bot: Bot
    new: bool


class BotTables(Family):
    """Reading and adding bots."""

    def all(self, game: str | None = None, newest: bool = True) -> list[Bot]:
        """Bots (of one game) by name and version, without guests.

        Args:
            game: only those that play it.
            newest: only the newest version of each name and kind that is not retired.
        """
        with self.reading() as session:
            order = (col(Bot.name), col(Bot.version))
            stored = list(session.exec(select(Bot).where(Bot.kind != "guest").order_by(*order)).all())
        if newest:
            active = [bot for bot in stored if bot.retired is None]
            stored = list({(bot.name, bot.kind): bot for bot in active}.values())
        return [bot for bot in stored if game is None or game in bot.games]

    def versions(self, name: str) -> list[Bot]:
        """All versions of a name, oldest first, without guests."""
        with self.reading() as session:
            query = select(Bot).where(Bot.name == name, Bot.kind != "guest").order_by(col(Bot.version))
            return list(session.exec(query).all())

    def source(self, digest: str) -> bytes:
        """Return the packed files of a bot.

        Raises:
            StoreError: they are not there, or not as they were stored.
        """
        with self.reading() as session:
            found = session.get(BotSource, digest)
        if found is None:
            raise StoreError(f"{self.database.name}: the source {digest[:12]} is not in it")
        if not found.packed:
            raise StoreError(f"the files of this bot ({digest[:12]}) were deleted at its owner's wish")
        try:
            whole = zipfile.ZipFile(io.BytesIO(found.packed)).testzip() is None
        except Exception:  # from damaged bytes `zipfile` raises errors of many types
            whole = False
        if not whole:
            raise Damaged(f"the files of a bot ({digest[:12]}) cannot be read: the database was damaged")
        return found.packed

    def same(self, bot: Bot) -> Bot | None:
        """Find the stored bot that is the same: its files and conditions are those of the newest version.

        Of guests every one counts, as they have no versions.
        """
        with self.reading() as session:
            return _same(session, bot)

    def add(self, bot: Bot, source: bytes) -> AddedBot:
        """Store a bot as the next version of its name (a guest: 0), unless its newest is the very same."""
        with self.writing() as session:
            return insert_bot(session, bot, source)

    def retire(self, bot: Bot) -> Bot:
        """Take a version out of leagues to come; what it played stays."""
        with self.writing() as session:
            bot.retired = now()
            return session.merge(bot)

    def restore(self, bot: Bot) -> Bot:
        """Let a version that was retired enter leagues again. Raises UsageError: its files were deleted."""
        if bot.deleted is not None:
            raise UsageError(f"the files of {bot.label} were deleted: submit it again")
        with self.writing() as session:
            bot.retired = None
            return session.merge(bot)


def insert_bot(session: Session, bot: Bot, source: bytes) -> AddedBot:
    """Store a bot in a writing transaction; see `BotTables.add`."""
    old = _same(session, bot)
    if old is not None:
        return AddedBot(old, False)
    if session.get(BotSource, bot.hash) is None:
        session.add(BotSource(hash=bot.hash, packed=source))
        session.flush()
    if bot.kind != "guest":
        bot.version = 1 + max((one.version for one in _alike(session, bot)), default=0)
    session.add(bot)
    session.flush()
    return AddedBot(bot, True)


def _alike(session: Session, bot: Bot) -> Sequence[Bot]:
    """Bots of its name, oldest version first: guests, or those that have versions."""
    mine = select(Bot).where(Bot.name == bot.name, (Bot.kind == "guest") == (bot.kind == "guest"))
    return session.exec(mine.order_by(col(Bot.version))).all()


def _same(session: Session, bot: Bot) -> Bot | None:
    alike = [old for old in _alike(session, bot) if old.kind == bot.kind]
    for old in alike if bot.kind == "guest" else alike[-1:]:
        if (old.hash, old.conditions) == (bot.hash, bot.conditions) and old.retired is None:
            return old
    return None
