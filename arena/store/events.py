"""Keep what happened to seasons.

An event is written in the transaction of what it tells, so none is lost and none tells what did not happen.
"""

from __future__ import annotations

from sqlmodel import Session, col, select

from .database import Database
from .models import Event


class EventTables(Database):
    """Reading and writing events."""

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


def note_event(session: Session, kind: str, text: str, season: str = "", league: int = 0) -> None:
    """Write an event, in the transaction of what it tells."""
    session.add(Event(kind=kind, text=text, season=season, league=league))
