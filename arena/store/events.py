"""Keep what happened for those who want to hear of it, and who they are; and words of the organiser for all.

An event is written in the transaction of what it tells, so none is lost and none tells what did not happen.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from urllib.parse import urlsplit

from sqlalchemy import func
from sqlmodel import Session, col, select

from ..errors import UsageError
from .database import Database
from .models import Event, Hook, Setting

MESSAGE = "message"  # the key of the message of the day
MOST_FAILED = 30
"""A hook that failed so often in a row hears no more."""


class EventTables(Database):
    """Reading and writing events, hooks and settings."""

    def add_event(self, kind: str, text: str, season: str = "", league: int = 0) -> None:
        """Store an event, unless it says what the newest one of its kind and league does."""
        with self.writing() as session:
            alike = select(Event).where(Event.kind == kind, Event.season == season, Event.league == league)
            newest = session.exec(alike.order_by(col(Event.id).desc())).first()
            if newest is None or newest.text != text:
                note_event(session, kind, text, season=season, league=league)

    def events(self, season: str | None = None, after: int = 0, limit: int = 100) -> list[Event]:
        """Return the first events after a number (of a season), or the newest ones, oldest first."""
        query = select(Event).where(col(Event.id) > after)
        query = query if season is None else query.where(Event.season == season)
        order = col(Event.id) if after else col(Event.id).desc()
        with self.reading() as session:
            found = session.exec(query.order_by(order).limit(limit)).all()
        return sorted(found, key=lambda one: one.key)

    def add_hook(self, url: str) -> Hook:
        """Let an address hear of events from now on; its secret signs them.

        Raises:
            UsageError: it is no address of a web server, or known already.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"{url!r}: an address begins with https:// or http:// and names a host")
        with self.writing() as session:
            if session.exec(select(Hook).where(Hook.url == url)).first() is not None:
                raise UsageError(f"{url} hears of events already; arena ladder hooks lists them")
            last = session.exec(select(func.max(Event.id))).one() or 0
            hook = Hook(url=url, secret=secrets.token_urlsafe(24), told=last)
            session.add(hook)
            session.flush()
            return hook

    def remove_hook(self, number: int) -> Hook:
        """Let an address hear no more.

        Raises:
            UsageError: there is none of this number.
        """
        with self.writing() as session:
            hook = session.get(Hook, number)
            if hook is None:
                raise UsageError(f"no hook {number}; arena ladder hooks lists them")
            session.delete(hook)
            return hook

    def hooks(self) -> list[Hook]:
        """Return all of them, oldest first."""
        with self.reading() as session:
            return list(session.exec(select(Hook).order_by(col(Hook.id))).all())

    def untold(self, hook: Hook, limit: int = 20) -> Sequence[Event]:
        """Return the events that a hook is still to hear of."""
        return self.events(after=hook.told, limit=limit) if hook.told else self._first(limit)

    def _first(self, limit: int) -> Sequence[Event]:
        with self.reading() as session:
            return session.exec(select(Event).order_by(col(Event.id)).limit(limit)).all()

    def note_told(self, hook: Hook, event: Event | None) -> None:
        """Note that a hook has heard of an event; None: it could not be reached."""
        with self.writing() as session:
            kept = session.get(Hook, hook.id)
            if kept is None:
                return
            if event is None:
                kept.failed += 1
            else:
                kept.told, kept.failed = max(kept.told, event.key), 0

    def set_words(self, key: str, value: str) -> None:
        """Keep a text for all; "" removes it."""
        with self.writing() as session:
            kept = session.get(Setting, key)
            if kept is not None:
                session.delete(kept)
                session.flush()
            if value:
                session.add(Setting(key=key, value=value))

    def words(self, key: str) -> str:
        """Return a text that was kept, or ""."""
        with self.reading() as session:
            kept = session.get(Setting, key)
        return kept.value if kept is not None else ""


def note_event(
    session: Session, kind: str, text: str, season: str = "", league: int = 0, owner: str = ""
) -> None:
    """Write an event, in the transaction of what it tells."""
    session.add(Event(kind=kind, text=text, season=season, league=league, owner=owner))
