"""Keep what happened for those who want to hear of it, and who they are.

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
from .models import Event, Hook
from .owners import note_act

MOST_FAILED = 30
"""A hook that failed so often in a row hears no more."""
PER_OWNER = 3
"""Hooks of one owner."""


class EventTables(Database):
    """Reading and writing events and hooks."""

    def add_event(self, kind: str, text: str, season: str = "", league: int = 0) -> None:
        """Store an event, unless it says what the newest one of its kind and league does."""
        with self.writing() as session:
            alike = select(Event).where(Event.kind == kind, Event.season == season, Event.league == league)
            newest = session.exec(alike.order_by(col(Event.id).desc())).first()
            if newest is None or newest.text != text:
                note_event(session, kind, text, season=season, league=league)

    def events(self, season: str | None = None, limit: int = 100) -> list[Event]:
        """Return the newest events (of a season), oldest first."""
        query = select(Event) if season is None else select(Event).where(Event.season == season)
        with self.reading() as session:
            found = session.exec(query.order_by(col(Event.id).desc()).limit(limit)).all()
        return list(reversed(found))

    def add_hook(self, url: str, owner: str = "", by: str = "") -> Hook:
        """Let an address hear of events from now on; its secret signs them.

        Args:
            url: the address.
            owner: whose it is: it hears of this owner's submissions alone, and of what concerns all.
            by: who adds it, for the log of acts; default: the owner.

        Raises:
            UsageError: it is no address of a web server, or known already, or the owner has too many.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"{url!r}: an address begins with https:// or http:// and names a host")
        with self.writing() as session:
            mine = session.exec(select(Hook).where(Hook.owner == owner)).all()
            if any(one.url == url for one in mine):
                raise UsageError(f"{url} hears of events already")
            if owner and len(mine) >= PER_OWNER:
                raise UsageError(f"{owner} has {PER_OWNER} hooks already: remove one")
            last = session.exec(select(func.max(Event.id))).one() or 0
            hook = Hook(owner=owner, url=url, secret=secrets.token_urlsafe(24), told=last)
            session.add(hook)
            session.flush()
            note_act(session, by or owner, "hook", owner, url)
            return hook

    def remove_hook(self, number: int, owner: str = "", by: str = "") -> Hook:
        """Let an address hear no more; an owner may name own ones only, an organiser any.

        Args:
            number: of the hook.
            owner: who removes it; "": an organiser.
            by: the organiser, for the log of acts.

        Raises:
            UsageError: there is none of this number.
        """
        with self.writing() as session:
            hook = session.get(Hook, number)
            if hook is None or owner not in ("", hook.owner):
                raise UsageError(f"no hook {number}")
            session.delete(hook)
            note_act(session, by or owner, "unhook", hook.owner, hook.url)
            return hook

    def hooks(self, owner: str | None = None) -> list[Hook]:
        """Return all of them (of an owner), oldest first."""
        query = select(Hook) if owner is None else select(Hook).where(Hook.owner == owner)
        with self.reading() as session:
            return list(session.exec(query.order_by(col(Hook.id))).all())

    def untold(self, hook: Hook, limit: int = 20) -> Sequence[Event]:
        """Return the next events that a hook is still to hear of, oldest first."""
        query = select(Event).where(col(Event.id) > hook.told)
        if hook.owner:
            query = query.where(col(Event.owner).in_(("", hook.owner)))
        with self.reading() as session:
            return session.exec(query.order_by(col(Event.id)).limit(limit)).all()

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


def note_event(
    session: Session, kind: str, text: str, season: str = "", league: int = 0, owner: str = ""
) -> None:
    """Write an event, in the transaction of what it tells."""
    session.add(Event(kind=kind, text=text, season=season, league=league, owner=owner))
