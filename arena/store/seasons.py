"""Keep seasons in the store, and which runs are their epochs.

What a season does is in `arena.ladder`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from typing import NamedTuple

from sqlalchemy import delete, func
from sqlmodel import col, select

from ..errors import Unknown, UsageError
from .database import Family
from .models import Bot, Commitment, Entrant, Epoch, LeagueRun, LeftOut, Season, SeasonDriver, Stage, now
from .owners import note_act
from .runs import drawn, insert_run


class PlayedEpoch(NamedTuple):
    """An epoch and its run."""

    epoch: Epoch
    run: LeagueRun


class SeasonTables(Family):
    """Reading and writing seasons."""

    def add(self, season: Season) -> None:
        """Store a new season.

        Raises:
            UsageError: there is one of this name, or runs that would be mixed with its own.
        """
        with self.writing() as session:
            if session.get(Season, season.name) is not None:
                raise UsageError(f"there is a season {season.name} already; give this one another name")
            taken = select(LeagueRun).where(LeagueRun.name == season.name)
            if session.exec(taken).first() is not None:
                raise UsageError(f"{season.name} is a league that has runs; give the season another name")
            session.add(season)

    def find(self, name: str) -> Season:
        """Return the season of a name. Raises Unknown: there is none."""
        with self.reading() as session:
            found = session.get(Season, name)
        if found is None:
            known = ", ".join(season.name for season in self.all()) or "none yet"
            raise Unknown(f"no season {name!r}; seasons: {known}", "arena ladder new FILE opens one")
        return found

    def all(self) -> list[Season]:
        """All seasons, oldest first."""
        with self.reading() as session:
            return list(session.exec(select(Season).order_by(col(Season.opened))).all())

    def mark(self, name: str) -> str:
        """Return a mark that changes when a season, one of its epochs or the set of bots does."""
        ended = [func.count(col(one)) for one in (LeagueRun.finished, LeagueRun.aborted)]
        epochs = select(func.count(col(Epoch.number)), *ended).where(
            col(LeagueRun.id) == col(Epoch.run_id), col(Epoch.season) == name
        )
        bots = select(func.max(col(Bot.id)), func.count(col(Bot.retired)))
        season = self.find(name)
        with self.reading() as session:
            known = [session.exec(query).one() for query in (epochs, bots)]
        return f"{season.state} {season.without} {season.definition.ends} {known}"

    def delete(self, name: str, by: str) -> None:
        """Remove a season of which nothing was played, with the secrets that wait for its runs.

        Raises:
            UsageError: it has an epoch.
        """
        file = self.find(name).definition
        runs = [file.run_name(at) for at in range(len(file.leagues))]
        with self.writing() as session:
            if begun := session.exec(select(Epoch).where(Epoch.season == name)).first():
                raise UsageError(f"{name} has begun epoch {begun.number}: close it without --delete")
            session.exec(delete(Commitment).where(col(Commitment.league).in_(runs)))
            session.exec(delete(SeasonDriver).where(col(SeasonDriver.season) == name))
            session.delete(session.get_one(Season, name))
            note_act(session, by, "delete season", "", name)

    def set_counts(self, name: str, bot: Bot, counts: bool, by: str, reason: str = "") -> None:
        """Let the games of a bot count in a season, or not. Raises UsageError: no such season."""
        self.find(name)
        with self.writing() as session:
            season = session.get_one(Season, name)
            season.without = sorted({*season.without, bot.id or 0} - ({bot.id or 0} if counts else set()))
            text = f"{bot.label} in {name}" + f": {reason}" * bool(reason)
            note_act(session, by, "include" if counts else "exclude", bot.owner, text)

    def set_state(self, name: str, state: str, unless: Sequence[str] = ("closed",)) -> Season:
        """Change the state of a season, unless it is in one of these; return it as it is then."""
        with self.writing() as session:
            season = session.get_one(Season, name)
            if season.state not in unless:
                season.state = state
                season.closed = now() if state == "closed" else None
            return season

    def set_ends(self, name: str, ends: date | None, by: str) -> None:
        """Move the last day of a season that goes on. Raises UsageError: it does not."""
        with self.writing() as session:
            season = session.get_one(Season, name)
            if season.state not in ("open", "paused"):
                raise UsageError(f"season {name} is {season.state}: its last day cannot be moved")
            season.definition = season.definition.model_copy(update={"ends": ends})
            note_act(session, by, "move last day", "", f"{name}: {season.definition.lasts}")

    def epochs(self, name: str, league: int | None = None) -> list[PlayedEpoch]:
        """Return the epochs of a season (of one of its leagues) in order."""
        query = select(Epoch, LeagueRun).where(Epoch.run_id == LeagueRun.id, Epoch.season == name)
        query = query if league is None else query.where(Epoch.league == league)
        with self.reading() as session:
            return [PlayedEpoch(*row) for row in session.exec(query.order_by(col(Epoch.number))).all()]

    def of_runs(self, ended: bool = True) -> dict[int, str]:
        """Return which season each run is an epoch of, by the run's key (without `ended`: if it goes on)."""
        query = select(Epoch.run_id, Epoch.season).where(Epoch.run_id == LeagueRun.id)
        if not ended:
            query = query.where(col(LeagueRun.finished).is_(None), col(LeagueRun.aborted).is_(None))
        with self.reading() as session:
            return dict(session.exec(query).all())

    def add_epoch(
        self,
        epoch: Epoch,
        run: LeagueRun,
        stage: Stage,
        entries: Sequence[Entrant],
        missed: Iterable[tuple[Bot, str, str]] = (),
    ) -> PlayedEpoch | None:
        """Store the next epoch; return it, or that of another driver that was quicker.

        `missed` are bots that could not be loaded before it, with the kind of fault and the last output.
        Returns None if the season is not open any more.

        Raises:
            RunError: another run has taken the secret that waited.
        """
        with self.writing() as session:
            there = session.get(Epoch, (epoch.season, epoch.number))
            if there is not None:
                return PlayedEpoch(there, session.get_one(LeagueRun, there.run_id))
            if session.get_one(Season, epoch.season).state != "open":
                return None
            insert_run(session, run, stage, entries)
            drawn(session, run.name)  # for the next one, before anybody knows who plays in it
            epoch.run_id = run.key
            session.add(epoch)
            for bot, kind, text in missed:
                session.add(LeftOut(run_id=run.key, bot_id=bot.id or 0, kind=kind, text=text))
            return PlayedEpoch(epoch, run)

    def appearances(self, name: str, league: int) -> dict[int, tuple[int, int]]:
        """Return by bot the first and the last epoch of a league in which it was an entrant."""
        query = (
            select(Entrant.bot_id, func.min(Epoch.number), func.max(Epoch.number))
            .where(col(Entrant.run_id) == col(Epoch.run_id), Epoch.season == name, Epoch.league == league)
            .group_by(col(Entrant.bot_id))
        )
        with self.reading() as session:
            return {bot: (first, last) for bot, first, last in session.exec(query).all()}

    def failed_trials(self, name: str) -> Counter[int]:
        """Return by bot how often it could not be loaded before an epoch of a season."""
        query = select(LeftOut.bot_id).where(col(LeftOut.run_id) == col(Epoch.run_id), Epoch.season == name)
        with self.reading() as session:
            return Counter(session.exec(query).all())
