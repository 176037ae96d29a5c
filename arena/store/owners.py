"""Keep who may submit bots over the network, and a log of what organisers and owners did.

A token is handed out once and kept as its hash. Tokens are random and long, so the hash needs no salt.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func
from sqlmodel import Session, col, select

from ..errors import TooMany, UsageError
from .database import Family, clock
from .models import Act, Bot, BotSource, Entrant, LeagueRun, Log, Owner, Submission, Token, now

MOST_TOKENS = 10
"""Tokens of one owner that the owner may have made."""

PER_NETWORK, PER_DAY = 3, 100
"""Owners who register by themselves in a day: of one network, and of all."""

NAME = re.compile(r"[A-Za-z0-9_.@-]{1,40}")
"""No other letters: many of them look like these."""
ALIKE = str.maketrans("01i5", "olls")
"""Characters that pass for others in many fonts."""


@dataclass(frozen=True)
class OwnerRow:
    """An owner, as a table shows it."""

    owner: str
    invited: datetime
    tokens: list[str]  # their marks
    bots: int  # versions that are not retired
    waiting: int  # submissions without an outcome
    banned: datetime | None
    reason: str


class OwnerTables(Family):
    """Inviting, banning, and knowing owners by their tokens. `by` says who does it."""

    def invite(self, name: str, by: str) -> str:
        """Make an owner; return the first token, which is kept nowhere.

        Raises:
            UsageError: not a name, or it is taken.
        """
        _check_name(name)
        with self.writing() as session:
            if session.get(Owner, name) is not None:
                raise UsageError(f"{name} is an owner; another token: arena owner invite {name} --again")
            return _new_owner(session, name, by, "invite")

    def register(self, name: str, network: str) -> str:
        """Make an owner who was not invited; return the first token, which is kept nowhere.

        Args:
            network: who asks: an address, or a network of version 6.

        Raises:
            UsageError: not a name, or it is taken.
            TooMany: too many of this network, or of all, in a day.
        """
        _check_name(name)
        with self.writing() as session:
            time = clock(session)
            day = select(Owner.network, Owner.invited).where(
                Owner.network != "", col(Owner.invited) > time - timedelta(days=1)
            )
            times = session.exec(day.order_by(col(Owner.invited))).all()
            mine = [at for where, at in times if where == network]
            for some, most in ((mine, PER_NETWORK), ([at for _, at in times], PER_DAY)):
                if len(some) >= most:
                    wait_s = 86_400 - (time - some[-most]).total_seconds()
                    raise TooMany("too many have registered today: come back tomorrow", wait_s)
            if session.get(Owner, name) is not None:
                raise UsageError(f"{name} is an owner already: choose another name")
            return _new_owner(session, name, name, "register", network)

    def delete(self, name: str, by: str) -> list[str]:
        """Delete what an owner sent: files, notes and logs of bots, submissions, tokens; return the bots.

        Games stay, with the bots' names: the ratings of others depend on them. The owner is banned.

        Raises:
            UsageError: no such owner, or a bot of the owner plays in a run that is not finished.
        """
        with self.writing() as session:
            owner = _known(session, name)
            bots = session.exec(select(Bot).where(Bot.owner == name, Bot.kind == "submitted")).all()
            ids = [bot.id for bot in bots]
            seats = session.exec(select(Entrant).where(col(Entrant.bot_id).in_(ids))).all()
            for seat in seats:
                run = session.get_one(LeagueRun, seat.run_id)
                if run.state == "playing":
                    raise UsageError(f"{run.label} with a bot of {name} is not finished: wait for its end")
                session.exec(delete(Log).where(col(Log.run_id) == run.id, col(Log.entrant) == seat.place))
            for bot in bots:
                bot.retired, bot.deleted, bot.title, bot.note = bot.retired or now(), now(), "", ""
                others = select(Bot.id).where(Bot.hash == bot.hash, col(Bot.id).not_in(ids))
                if session.exec(others).first() is None:
                    session.get_one(BotSource, bot.hash).packed = b""
            for one in session.exec(select(Submission).where(Submission.owner == name)):
                one.state = one.state if one.ended else "refused"
                one.source, one.note, one.text, one.ended, one.driver = b"", "", "", one.ended or now(), ""
            for token in _tokens(session, name):
                session.delete(token)
            owner.banned, owner.reason = now(), "deleted"
            note_act(session, by, "delete", name, ", ".join(bot.label for bot in bots))
            return [bot.label for bot in bots]

    def new_token(self, name: str, by: str) -> str:
        """Make one more token for an owner; return it.

        Raises:
            UsageError: no such owner, or the owner asks and has too many.
        """
        with self.writing() as session:
            have = _tokens(session, _known(session, name).name)
            if by == name and len(have) >= MOST_TOKENS:
                raise UsageError(f"{name} has {MOST_TOKENS} tokens already: end one of them first")
            return _new_token(session, name, by)

    def tokens_of(self, name: str) -> list[Token]:
        """Return the tokens of an owner, oldest first."""
        with self.reading() as session:
            return _tokens(session, name)

    def revoke(self, name: str, mark: str | None, by: str) -> list[str]:
        """End tokens of an owner at once, wherever a server runs; return their marks.

        Args:
            mark: of one token; None: all of them.

        Raises:
            UsageError: no such owner or token.
        """
        with self.writing() as session:
            tokens = _tokens(session, _known(session, name).name)
            ended = [token for token in tokens if mark in (None, token.mark)]
            if not ended:
                have = ", ".join(token.mark for token in tokens) or "none"
                raise UsageError(
                    f"{name} has no token {mark}; tokens: {have}" if mark else f"{name} has no token"
                )
            for token in ended:
                session.delete(token)
                note_act(session, by, "revoke", name, token.mark)
            return [token.mark for token in ended]

    def ban(self, name: str, reason: str, by: str) -> tuple[list[str], int]:
        """Retire all bots of an owner, refuse what waits and what comes; the tokens stay and open nothing.

        Returns:
            The bots that were retired, and how many submissions were refused.

        Raises:
            UsageError: no such owner, or banned already and no new reason.
        """
        with self.writing() as session:
            owner = _known(session, name)
            if owner.banned is not None and not reason:
                raise UsageError(f"{name} is banned already; arena owner ban {name} --undo ends it")
            owner.banned, owner.reason = owner.banned or now(), reason
            bots = session.exec(_active(name)).all()
            for bot in bots:
                bot.retired = now()
            waiting = session.exec(_open(name)).all()
            for one in waiting:  # a trial that is under way finds its lease gone
                one.state, one.source, one.driver, one.ended = "refused", b"", "", now()
                one.text = f"{name} is banned" + f": {reason}" * bool(reason)
            retired = [bot.label for bot in bots]
            told = f"{reason}; " * bool(reason) + f"retired: {', '.join(retired) or 'none'}"
            note_act(session, by, "ban", name, told)
        return retired, len(waiting)

    def unban(self, name: str, by: str) -> None:
        """Let an owner submit again; the bots stay retired until they are restored.

        Raises:
            UsageError: no such owner, or not banned.
        """
        with self.writing() as session:
            owner = _known(session, name)
            if owner.banned is None:
                raise UsageError(f"{name} is not banned")
            owner.banned, owner.reason = None, ""
            note_act(session, by, "unban", name)

    def of_token(self, token: str) -> Owner | None:
        """Whose token this is."""
        with self.reading() as session:
            found = session.get(Token, _hash(token))
            return session.get_one(Owner, found.owner) if found is not None else None

    def bots_of(self, name: str) -> list[Bot]:
        """Return all versions that an owner submitted, by name and version."""
        mine = select(Bot).where(Bot.owner == name, Bot.kind == "submitted")
        with self.reading() as session:
            return list(session.exec(mine.order_by(col(Bot.name), col(Bot.version))).all())

    def set_retired(self, name: str, label: str, retired: bool) -> Bot:
        """Retire or restore a version for its owner; what is so already stays.

        Raises:
            UsageError: the owner has no such bot.
        """
        with self.writing() as session:
            mine = session.exec(select(Bot).where(Bot.owner == name, Bot.kind == "submitted")).all()
            bot = next((one for one in mine if one.label == label), None)
            if bot is None:
                raise UsageError(f"{name} has no bot {label[:80]!r}")
            if (bot.retired is not None) != retired:
                bot.retired = now() if retired else None
                note_act(session, name, "retire" if retired else "restore", name, label)
            return bot

    def all(self) -> list[OwnerRow]:
        """Return all owners by name."""
        with self.reading() as session:
            return [_row(session, one) for one in session.exec(select(Owner).order_by(col(Owner.name))).all()]

    def acts(self, owner: str | None = None, limit: int | None = None) -> list[Act]:
        """Return what was done (to one owner), oldest first; of many, the newest."""
        newest = select(Act).order_by(col(Act.id).desc()).limit(limit)
        with self.reading() as session:
            found = session.exec(newest if owner is None else newest.where(Act.owner == owner)).all()
        return list(reversed(found))

    def note(self, by: str, what: str, text: str) -> None:
        """Write what was done to no owner, such as the pause of a season, into the log."""
        with self.writing() as session:
            note_act(session, by, what, "", text)


def _check_name(name: str) -> None:
    if not NAME.fullmatch(name):
        raise UsageError(
            f"{name!r}: an owner's name has letters (a to z, A to Z), digits, . _ @ and -, at most 40"
        )


def _new_owner(session: Session, name: str, by: str, what: str, network: str = "") -> str:
    """Make an owner; return the first token."""
    for other in session.exec(select(Owner.name)):
        if _as_seen(other) == _as_seen(name):
            raise UsageError(f"{name} looks like {other}, who is an owner already: choose another name")
    session.add(Owner(name=name, network=network, invited=clock(session)))
    session.flush()
    note_act(session, by, what, name)
    return _new_token(session, name, by)


def note_act(session: Session, who: str, what: str, owner: str, text: str = "") -> None:
    """Write into the log, in the transaction of what is done."""
    session.add(Act(who=who, what=what, owner=owner, text=text))


def _row(session: Session, owner: Owner) -> OwnerRow:
    marks = [token.mark for token in _tokens(session, owner.name)]
    bots, waiting = (
        session.exec(select(func.count()).select_from(some.subquery())).one()
        for some in (_active(owner.name), _open(owner.name))
    )
    return OwnerRow(owner.name, owner.invited, marks, bots, waiting, owner.banned, owner.reason)


def _as_seen(name: str) -> str:
    """Return a name as a hurried eye reads it: two names that are equal so are taken for each other."""
    return name.casefold().translate(ALIKE).replace("rn", "m").replace("vv", "w")


def _known(session: Session, name: str) -> Owner:
    found = session.get(Owner, name)
    if found is None:
        raise UsageError(f"no owner {name!r}: arena owner list; arena owner invite {name} makes one")
    return found


def _tokens(session: Session, name: str) -> list[Token]:
    return list(session.exec(select(Token).where(Token.owner == name).order_by(col(Token.made))).all())


def _active(name: str):  # type: ignore[no-untyped-def]  # SQLModel's own types of selects are private
    return select(Bot).where(Bot.owner == name, Bot.kind == "submitted", col(Bot.retired).is_(None))


def _open(name: str):  # type: ignore[no-untyped-def]
    return select(Submission).where(Submission.owner == name, col(Submission.ended).is_(None))


def _new_token(session: Session, name: str, by: str) -> str:
    token = secrets.token_urlsafe(24)
    row = Token(hash=_hash(token), owner=name)
    session.add(row)
    note_act(session, by, "token", name, row.mark)
    return token


def mark_of(token: str) -> str:
    """Return the mark of a token, by which people tell it from others."""
    return Token(hash=_hash(token), owner="").mark


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
