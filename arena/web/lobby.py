"""The tables of a server: set up, found again, written down, cleared.

A game that was played is kept as a record. A table that is not finished is written down after every action,
so that it is there again when the server is started anew: from its seed and its actions. House bots then play
on as fresh instances.
"""

from __future__ import annotations

import contextlib
import json
import re
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import engines

from ..errors import TooMany, Unknown, UsageError
from ..intake.conditions import typed
from ..intake.debug import house_chooser
from ..match.records import line
from ..places import age_s, write_whole
from ..replay.recorded import Recorded
from .live_table import INVITED, PERSON, WebTable, house_bot

MOST_TABLES = 40
MOST_OF_ONE = 6
"""Tables of one address that are not over, where half of all are taken: a class may have one address."""
LEFT_S = 300.0
"""After so long without an action of its people, or a question from their pages, a table may be cleared."""
UNOPENED_S = 60.0
"""So soon one that is over, or that no page has asked about yet."""
MOST_CLEARED = 1000
"""Tables of which it is known why they were cleared."""


class Tables:
    """All tables of a server.

    Args:
        folder: where records of played games go, and in `open/` in it the tables that are not finished; None:
            nothing is kept.
        ready: raises an error for a game that cannot be played yet.
        tell: hears a cause, and the line that says why tables are not kept.
    """

    def __init__(
        self,
        folder: Path | None,
        ready: Callable[[str], None] = lambda game: None,
        tell: Callable[[str, str], None] = lambda cause, line: None,
    ) -> None:
        self.folder, self._ready, self._tell = folder, ready, tell
        self.open: dict[str, WebTable] = {}
        self._cleared: dict[str, str] = {}  # why, by number
        self._begun = time.monotonic()
        self._lock = threading.Lock()

    def begin(
        self, name: str, seats: Sequence[str], options: dict[str, Any], by: str = "", watched: bool = False
    ) -> tuple[str, WebTable]:
        """Set up a table.

        Args:
            seats: a house bot's name or level, PERSON or INVITED for every seat.
            options: those that differ from the game's defaults.
            watched: whether people may look on; at a table of bots they always may.

        Raises:
            UsageError: no such bot, nobody to play, or too many tables.
            GameError: no such game, players or option.
        """
        game = engines.load(name)
        self._ready(name)
        _, complete = game.check_options(len(seats), typed(name, options))
        alone = not {PERSON, INVITED} & {*seats}
        if PERSON not in seats and not alone:
            raise UsageError("nobody to play: give a seat to a person")
        invitations = [secrets.token_urlsafe(12) if seat == INVITED else "" for seat in seats]
        names = [PERSON if seat == INVITED else seat for seat in seats]
        watch = secrets.token_urlsafe(12) if watched or alone else ""
        keys = _keys(names)
        made = _table(name, secrets.randbits(63), names, keys, complete, invitations, watch)
        return self._open(made, by)

    def rematch(self, number: str, key: str, by: str = "") -> tuple[str, WebTable, str]:
        """Set up a table at which everybody sits one seat further, or return the one that another has set up.

        One person with house bots gets the same deal. Several people know its cards and get another one.

        Returns:
            Number of the table, the table, and the key of the seat of who asks.

        Raises:
            UsageError: no such table or seat, or its game is not over.
        """
        old = self.find(number)
        with old.lock:
            seat = (old.seat_of(key) + 1) % len(old.names)
            if not old.position.over:
                raise UsageError("the game is not over: play it to its end first")
            alone = old.names.count(PERSON) == 1
            made = None if alone else self.open.get(old.following)
            if made is None:
                old.following, made = self._open(_further(old, alone), by)
            return old.following, made, made.keys[seat]

    def onward(
        self, played: Recorded, decision: int, seats: Sequence[str], by: str = ""
    ) -> tuple[str, WebTable]:
        """Set up a table that plays a game on from one of its positions.

        Raises:
            UsageError: no such decision, seats or bot; nobody to play, or too many tables.
        """
        if played.seed is None or not 0 <= decision < len(played.moves):
            raise UsageError(f"{played.label} cannot be played on from decision {decision}")
        if len(seats) != played.players or PERSON not in seats:
            raise UsageError(f"name all {played.players} seats, and take at least one yourself ({PERSON})")
        names, nobody = list(seats), [""] * len(seats)
        table = _table(played.game, played.seed, names, _keys(names), played.options, nobody, "")
        for move in played.moves[:decision]:
            table.play(move)
        table.origin, table.begun = f"{played.label}, decision {decision}", decision
        table.earlier = [{"seats": list(played.names), "scores": list(played.scores)}]
        return self._open(table, by)

    def _open(self, table: WebTable, by: str) -> tuple[str, WebTable]:
        """Let the bots begin, and find room for a table.

        Raises:
            TooMany: too many tables.
        """
        table.by = by
        table.advance()
        with self._lock:
            if self._make_room_of(by):
                table.note = f"Your address had {MOST_OF_ONE} tables or more. One was cleared."
            self._make_room()
            number = secrets.token_hex(4)
            self.open[number] = table
        self.keep(number, table)
        return number, table

    def find(self, number: str) -> WebTable:
        """Return a table; one that was written down before the server was started is set up again.

        Raises:
            UsageError: there is none, or what was written down cannot be read.
        """
        table = self.open.get(number)
        if table is not None:
            return table
        if number in self._cleared:
            raise Unknown(f"this table was cleared: {self._cleared[number]}")
        written = self._written(number)
        if written is None:
            raise Unknown(
                "no such table: it was cleared, or its game was over before the server was restarted"
            )
        with self._lock:
            return self.open.setdefault(number, written)

    def keep(self, number: str, table: WebTable) -> None:
        """Write the table down; the record of a game that is over, once.

        If that cannot be done, the table says why, and the game goes on.
        """
        if self.folder is None or table.kept:
            return
        try:
            waiting = self.folder / "open"
            waiting.mkdir(parents=True, exist_ok=True)
            path = waiting / f"{number}.json"
            if not table.position.over:
                write_whole(path, json.dumps(_plain(table)))
            else:
                name = f"{table.game.name}-{time.strftime('%Y%m%d-%H%M%S')}-{number}.jsonl"
                write_whole(self.folder / name, "".join(f"{line(one)}\n" for one in table.so_far().events()))
                table.kept = name
                path.unlink(missing_ok=True)
            table.unkept = ""
        except OSError as error:
            table.unkept = error.strerror or type(error).__name__
            self._tell("tables", f"tables cannot be kept in {self.folder}: {table.unkept}")

    def _written(self, number: str) -> WebTable | None:
        """Return a table of before the server was started."""
        path = self._path(number)
        if path is None or not path.is_file():
            return None
        try:
            plain = json.loads(path.read_text(encoding="utf-8"))
            game, seats, keys = plain["game"], plain["seats"], plain["keys"]
            self._ready(game)
            invitations = plain.get("invitations") or [""] * len(seats)
            watch = plain.get("watch", "")
            table = _table(game, plain["seed"], seats, keys, plain["options"], invitations, watch)
            table.earlier, table.origin = plain.get("earlier", []), plain.get("origin", "")
            table.begun, table.called = plain.get("begun", 0), plain.get("called", table.called)
            for move in plain["moves"]:
                table.play(move)
            table.acted, table.by = True, plain.get("by", "")  # whether somebody has acted nobody knows
            table.advance()
        except (ValueError, KeyError, TypeError):  # GameError is a ValueError
            raise UsageError(
                "this table was written down by another version, or its file is damaged: it is lost"
            ) from None
        return table

    def taken(self) -> int:
        """Count the tables that take room: those of before a restart too."""
        return len(self._waiting().keys() | self.open.keys())

    def _by(self, number: str) -> str:
        """Return the address that has set up a table of before a restart."""
        try:
            return str(json.loads(cast(Path, self._path(number)).read_text(encoding="utf-8"))["by"])
        except (OSError, ValueError, KeyError, TypeError):
            return ""

    def _waiting(self) -> dict[str, float]:
        """Return the tables that are written down, and the seconds since then."""
        found = {}
        for path in self.folder.glob("open/*.json") if self.folder is not None else ():
            with contextlib.suppress(OSError):
                found[path.stem] = age_s(path)
        return found

    def _path(self, number: str) -> Path | None:
        """Where a table is written down; None for what is no number of a table."""
        known = self.folder is not None and re.fullmatch(r"[0-9a-f]{8}", number)
        return self.folder / "open" / f"{number}.json" if known and self.folder is not None else None

    def _make_room_of(self, by: str) -> bool:
        """Clear a table of an address that has too many, if nobody is at it; return whether it had.

        Raises:
            TooMany: people are at all of them.
        """
        if not by or 2 * self.taken() < MOST_TABLES:
            return False
        old = (left := self._left()).keys() - self.open.keys()
        theirs = {number for number in old if self._by(number) == by}
        theirs |= {one for one, table in self.open.items() if by == table.by and not table.position.over}
        if len(theirs) < MOST_OF_ONE:
            return False
        longest = max(theirs, key=lambda one: left[one])
        if left[longest] <= 0:
            many = f"{len(theirs)} tables of your address are in play"
            what = f"{many}, and half of all are taken: finish a game, or leave one for 5 minutes"
            raise TooMany(what, 1 - left[longest])
        self._clear(longest, f"nobody was at it, and its address wanted more than {MOST_OF_ONE}")
        return True

    def _clear(self, number: str, why: str) -> None:
        self.open.pop(number, None)
        self._cleared[number] = why
        if len(self._cleared) > MOST_CLEARED:
            del self._cleared[next(iter(self._cleared))]
        written = self._path(number)
        if written is not None:
            with contextlib.suppress(OSError):
                written.unlink(missing_ok=True)

    def _left(self) -> dict[str, float]:
        """Return for how long each table could have been cleared, in seconds; below 0: people are at it."""
        now = time.monotonic()
        most = now - self._begun - UNOPENED_S  # after a restart pages are given time to ask again
        left = {number: min(age - LEFT_S, most) for number, age in self._waiting().items()}
        for number, table in self.open.items():
            opened = (table.acted or table.heard) and not table.position.over
            silent = now - max([table.used, *table.heard.values()])
            left[number] = silent - (LEFT_S if opened else UNOPENED_S)
        return left

    def _make_room(self) -> None:
        """Clear the tables that people have left longest ago, when there are too many.

        Raises:
            TooMany: people are at all of them.
        """
        left = self._left()
        for number in sorted(left, key=lambda one: -left[one]):
            if len(left) < MOST_TABLES:
                return
            if left[number] <= 0:
                raise TooMany(f"all {MOST_TABLES} tables are taken: come back later", 1 - left[number])
            self._clear(number, f"there were {MOST_TABLES}, and nobody was at this one for too long")
            del left[number]


def _table(
    name: str,
    seed: int,
    seats: list[str],
    keys: list[str],
    options: dict[str, Any],
    invitations: list[str],
    watch: str,
) -> WebTable:
    """Return a table before the first action.

    Raises:
        UsageError: no such bot.
        GameError: no such game, players or option.
    """
    game = engines.load(name)
    seats = [seat if seat == PERSON else house_bot(seat, name) for seat in seats]
    table = WebTable(
        position=game.position(seed, len(seats), None, False, **options),
        seed=seed,
        names=seats,
        bots=[None if bot == PERSON else house_chooser(bot, name, secrets.randbits(63)) for bot in seats],
        keys=keys,
        called=[""] * len(seats),
        invitations=invitations,
        watch=watch,
    )
    table.look()
    return table


def _further(old: WebTable, same: bool) -> WebTable:
    """Return the table after one, with everybody one seat further; `same`: with its cards again."""
    seats = [*old.names[-1:], *old.names[:-1]]
    seed, nobody = old.seed if same else secrets.randbits(63), [""] * len(seats)
    table = _table(old.game.name, seed, seats, _keys(seats), old.position.options, nobody, old.watch)
    table.called = [*old.called[-1:], *old.called[:-1]]
    if same:
        table.earlier = [*old.earlier, {"seats": old.shown, "scores": old.position.scores()}]
    return table


def _keys(seats: Sequence[str]) -> list[str]:
    """Return a new key for every seat of a person; "" for a bot."""
    return [secrets.token_urlsafe(12) if seat == PERSON else "" for seat in seats]


def _plain(table: WebTable) -> dict[str, Any]:
    """All that a table is set up from again. It has the deal and the keys in it: nobody else may read it."""
    options = table.position.options
    plain = {"game": table.game.name, "options": options, "seed": table.seed, "seats": table.names}
    plain |= {"keys": table.keys, "invitations": table.invitations, "watch": table.watch}
    plain |= {"moves": table.moves, "called": table.called, "earlier": table.earlier, "by": table.by}
    return plain | {"origin": table.origin, "begun": table.begun}
