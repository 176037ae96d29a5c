"""Keep bots that wait for their trial, each until it has exactly one outcome.

A submission is taken under a lease (`leases.lives`). Whoever dies during a trial gives it back that way, and
an outcome is written only by the driver that holds the lease, in the transaction that stores the bot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import func
from sqlmodel import Session, col, select

from ..errors import ArenaError, BotError, TooMany
from ..printable import count, first_line
from .bots import AddedBot, insert_bot
from .database import Family, clock
from .leases import Driver, lives
from .models import Bot, Owner, Submission

PER_HOUR = 12
"""Submissions of one owner."""
MOST_TRIES, LAST_TRY = 5, 10
"""After so many failed trials it is tried once in `REST`, and then only when the organiser asks for it."""
REST = timedelta(hours=1)
SHOWN = 20
FAILING = select(Submission).where(Submission.state == "waiting", Submission.tries > 0)


class LeaseLost(ArenaError):
    """Another driver has the submission by now, or it has its outcome."""


class SubmissionTables(Family):
    """The queue of submissions."""

    def add(self, owner: str, file: str, note: str, source: bytes) -> Submission:
        """Store a submission; it is safe when this returns. What waits already is not stored again.

        So an owner whose connection broke may send once more. A name that waits is the sender's: who comes
        later does not get it by an earlier turn.

        Raises:
            TooMany: too many of this owner in an hour.
            BotError: the owner was banned, or a bot of another owner has this name, or waits under it.
        """
        with self.writing() as session:
            if session.get_one(Owner, owner).banned is not None:
                raise BotError(f"{owner} is banned")
            _check_name(session, _name(file), owner)
            time = clock(session)
            for known in session.exec(select(Submission).where(col(Submission.ended).is_(None))):
                if known.owner != owner:
                    if _name(known.file) == _name(file):
                        raise BotError(f"a bot called {_name(file)} waits already: rename your file")
                elif (known.file, known.source, known.note) == (file, source, note):
                    return known
            times = _last_hour(session, owner, time)
            if len(times) >= PER_HOUR:
                wait_s = 3600 - (time - times[-PER_HOUR]).total_seconds()
                raise TooMany(f"{PER_HOUR} submissions an hour: come back later", wait_s)
            one = Submission(owner=owner, file=file, note=note, source=source, state="waiting", sent=time)
            session.add(one)
            session.flush()
            return one

    def left(self, owner: str) -> int:
        """Return how many an owner may still send within the hour that ends now."""
        with self.reading() as session:
            return PER_HOUR - len(_last_hour(session, owner, clock(session)))

    def take(self, driver: Driver) -> Submission | None:
        """Take the next submission under a lease; None if nothing waits.

        A driver tries one at a time: what it still holds it could not give back, without a database.
        """
        with self.writing() as session:
            time = clock(session)
            for one in _of_state(session, "trying"):
                one.tries -= one.driver == driver.key
                if one.driver == driver.key or not _lives(one, time):
                    _give_back(one, "the process that tried it has died" * (one.driver != driver.key))
            due = [one for one in in_turn(session) if _due(one.tries, one.taken, time)]
            if not due:
                return None
            one = due[0]
            one.state, one.driver, one.tries = "trying", driver.key, one.tries + 1
            one.heartbeat = one.taken = time
            return one

    def beat(self, one: Submission, driver: Driver) -> None:
        """Say that the driver of a submission is still there."""
        with self.writing() as session:
            held = _held(session, one, driver)
            held.heartbeat = clock(session)

    def release(self, one: Submission, driver: Driver, failed: str = "") -> None:
        """Give a submission back without an outcome; it keeps its turn.

        Args:
            failed: why the trial failed by our fault: it counts as a try.
        """
        with self.writing() as session:
            held = _held(session, one, driver)
            held.tries -= not failed
            _give_back(held, failed)

    def try_again(self) -> int:
        """Have what waits after failed trials tried as if it were new; return how many these are."""
        with self.writing() as session:
            failing = session.exec(FAILING).all()
            for one in failing:
                one.tries = 0
            return len(failing)

    def refuse(self, one: Submission, driver: Driver, text: str) -> None:
        """Write the outcome of a submission that may not enter. Raises LeaseLost: it is another's by now."""
        with self.writing() as session:
            _end(session, _held(session, one, driver), "refused", text)

    def accept(self, one: Submission, driver: Driver, where: str, bot: Bot, source: bytes) -> AddedBot:
        """Store the bot of a submission and its outcome at once.

        Args:
            where: which league it enters, for the owner.
            bot: what was tried.

        Raises:
            LeaseLost: it is another's by now.
            BotError: the name was taken by another owner during the trial.
        """
        with self.writing() as session:
            held = _held(session, one, driver)
            _check_name(session, bot.name, bot.owner)
            added = insert_bot(session, bot, source)
            held.bot_id = added.bot.id
            what = f"was stored for {where}" if added.new else "is this very source already"
            _end(session, held, "accepted", f"{added.bot.label} {what}")
            return added

    def of_owner(self, owner: str, limit: int | None = SHOWN) -> list[tuple[Submission, int]]:
        """Return what waits of an owner and the newest, oldest first, with the place in the queue, if any."""
        theirs = select(Submission).where(Submission.owner == owner).order_by(col(Submission.id).desc())
        with self.reading() as session:
            both = theirs.limit(limit), theirs.where(col(Submission.ended).is_(None))
            found = {one.id or 0: one for query in both for one in session.exec(query)}
            places = {one.id: at for at, one in enumerate(in_turn(session), 1)}
        return [(found[key], places.get(key, 0)) for key in sorted(found)]

    def newest(self, limit: int) -> list[Submission]:
        """Return the newest submissions of all owners, newest first."""
        with self.reading() as session:
            return list(session.exec(select(Submission).order_by(col(Submission.id).desc()).limit(limit)))

    def queue(self) -> list[Submission]:
        """Return what is being tried, then what waits, next first."""
        with self.reading() as session:
            return [*_of_state(session, "trying"), *in_turn(session)]

    def untaken(self, driver: Driver | None = None) -> bool:
        """Whether there is a submission for `take`, called by this driver."""
        with self.reading() as session:
            time = clock(session)
            waiting = select(Submission.tries, Submission.taken).where(Submission.state == "waiting")
            if any(_due(tries, taken, time) for tries, taken in session.exec(waiting)):
                return True
            mine = driver.key if driver else ""
            return not all(_lives(one, time) and one.driver != mine for one in _of_state(session, "trying"))

    def waits_since(self) -> datetime | None:
        """Return when the oldest submission without an outcome was sent."""
        with self.reading() as session:
            waiting = select(func.min(Submission.sent)).where(col(Submission.ended).is_(None))
            return session.exec(waiting).one()

    def failing(self) -> list[Submission]:
        """Return what waits after trials that failed for no fault of the bot; `text` says why."""
        with self.reading() as session:
            return list(session.exec(FAILING))

    def count(self) -> dict[str, int]:
        """Return how many submissions there are, by state."""
        with self.reading() as session:
            return dict(Counter(session.exec(select(Submission.state)).all()))


def in_turn(session: Session) -> list[Submission]:
    """Return what waits, in the order in which it is taken: one of each owner, then a second of each.

    What an owner has in trial counts as a turn; of owners alike, the one who was served longest ago is first.
    What has failed too often comes last, and is no turn.
    """
    turns = Counter(one.owner for one in _of_state(session, "trying"))
    waiting = _of_state(session, "waiting")
    served = select(Submission.owner, Submission.taken).where(col(Submission.taken).is_not(None))
    last: dict[str, float] = {}
    for owner, taken in session.exec(served.where(col(Submission.owner).in_({one.owner for one in waiting}))):
        if taken is not None:
            last[owner] = max(last.get(owner, 0.0), taken.timestamp())
    order = []
    for one in waiting:
        rests = one.tries >= MOST_TRIES
        order.append((rests, turns[one.owner], last.get(one.owner, 0.0), one.key, one))
        turns[one.owner] += not rests
    return [one for *_, one in sorted(order, key=lambda item: item[:4])]


def _last_hour(session: Session, owner: str, time: datetime) -> Sequence[datetime]:
    """Return when an owner's submissions of the last hour came, the first one first."""
    late = col(Submission.sent) > time - timedelta(hours=1)
    mine = select(Submission.sent).where(Submission.owner == owner, late)
    return session.exec(mine.order_by(col(Submission.sent))).all()


def _name(file: str) -> str:
    """Return the name of the bot in a file that was sent: no dot is in it."""
    return file.partition(".")[0]


def _of_state(session: Session, state: str) -> Sequence[Submission]:
    return session.exec(
        select(Submission).where(Submission.state == state).order_by(col(Submission.id))
    ).all()


def _held(session: Session, one: Submission, driver: Driver) -> Submission:
    found = session.get(Submission, one.key)
    if found is None or found.state != "trying" or found.driver != driver.key:
        raise LeaseLost(f"submission {one.key} is not tried by this process any more")
    return found


def _lives(one: Submission, time: datetime) -> bool:
    return one.heartbeat is not None and lives(one.driver, one.heartbeat, time)


def _due(tries: int, taken: datetime | None, time: datetime) -> bool:
    return tries < MOST_TRIES or (tries < LAST_TRY and (taken is None or time - taken >= REST))


def _give_back(one: Submission, failed: str = "") -> None:
    """Have it wait again; `failed`: why a trial failed, for its owner and the organiser."""
    one.state, one.driver, one.heartbeat = "waiting", "", None
    if failed:
        then = "it is tried again" + " in an hour" * (one.tries >= MOST_TRIES)
        then = then if one.tries < LAST_TRY else "it waits until the organiser runs arena owner try --again"
        often = f"its trial failed {count(one.tries, 'time')} on this server, which is not held against it"
        one.text = f"{often}; {then}: {first_line(failed)}"


def _check_name(session: Session, name: str, owner: str) -> None:
    """Refuse an owner a name whose newest version is another's. Raises BotError: it is."""
    named = select(Bot.owner).where(Bot.name == name, Bot.kind == "submitted")
    newest = session.exec(named.order_by(col(Bot.version).desc())).first()
    if newest not in (None, "", owner):
        raise BotError(f"{name!r} is a bot of {newest}: rename your file")


def _end(session: Session, one: Submission, state: str, text: str) -> None:
    one.state, one.text, one.source, one.driver = state, text, b"", ""
    one.ended = clock(session)
    session.flush()
