"""People at a table with house bots: the engine decides what is legal, every person sees the redacted
record of a seat and no more, and a game that was played is kept as a record.

Nothing of the network is in here; one table is used by one thread at a time (`Table.lock`).
"""

from __future__ import annotations

import contextlib
import hmac
import json
import secrets
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import engines
from engines.game import Game
from engines.position import Position

from .. import records
from ..bots.debug import choosers
from ..bots.registry import house_bots
from ..errors import BotError, UsageError
from ..replay.film import Film, film
from ..replay.scenes import scene

PERSON = "person"
"""What a seat of a person is called when a table is made."""
MOST_TABLES = 40
IDLE_S = 3600.0
"""After so long without a word of its people a table is cleared when room is needed."""


@dataclass(eq=False)
class Table:
    """One game in play."""

    game: Game
    position: Position
    seed: int
    names: list[str]
    players: list[Any]  # a chooser, or None for a person
    keys: list[str]  # what lets a person sit in a seat; "" for a bot
    moves: list[int] = field(default_factory=list)
    scenes: list[list[dict[str, Any]]] = field(default_factory=list)  # by seat, one per position so far
    kept: str = ""
    used: float = field(default_factory=time.monotonic)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def seat_of(self, key: str) -> int:
        """The seat that a key opens.

        Raises:
            UsageError: none.
        """
        given = key.encode(errors="replace")
        for seat, known in enumerate(self.keys):
            if known and hmac.compare_digest(known.encode(), given):
                self.used = time.monotonic()
                return seat
        raise UsageError("no seat at this table: the link is not complete, or the table was cleared")

    def play(self, seat: int, action: str, at: int) -> None:
        """Play an action for a person, then all bots until a person is to act.

        Args:
            seat: the person's.
            action: its text.
            at: how many actions were played before it, as the person sees it.

        Raises:
            UsageError: it is another's turn, or the page is behind.
            GameError: not legal; names what is.
        """
        if self.position.seat != seat or at != len(self.moves):
            raise UsageError("it is not your turn here; the page shows an earlier position")
        number = self.game.action(action, self.position.options)
        self.position.play(number)
        self._note(number)
        self.advance()

    def advance(self) -> None:
        """Let the bots play until a person is to act, or the game is over."""
        while self.position.seat is not None and self.players[self.position.seat] is not None:
            seat = self.position.seat
            legal = self.position.legal_numbers()
            number = legal[0]
            if len(legal) > 1:
                with contextlib.suppress(
                    BotError
                ):  # a bot that fails plays the lowest action, as in a league
                    number = self.players[seat](self.position)
            self.position.play(number)
            self._note(self.game.action(number, self.position.options) if isinstance(number, str) else number)

    def show(self, seat: int, since: int) -> dict[str, Any]:
        """What a seat's person may know: what happened since a position, and its legal actions if it is to
        act.
        """
        over, mine = self.position.over, self.position.seat == seat
        return {
            "game": self.game.name,
            "seats": self.names,
            "you": seat,
            "at": len(self.moves),
            "frames": self.scenes[seat][max(0, since) :],
            "legal": self.position.legal() if mine else [],
            "bots": house_names(self.game.name),
            "scores": self.position.scores() if over else None,
            "record": self.kept,
        }

    def hint(self, seat: int, bot: str) -> str:
        """What a house bot would play for a person, from what that person sees.

        Raises:
            UsageError: it is another's turn, or there is no such house bot.
            BotError: the bot fails here.
        """
        if self.position.seat != seat:
            raise UsageError("it is not your turn")
        _check_house(bot, self.game.name)
        with choosers([bot], self.game.name, secrets.randbits(63)) as (ask,):
            action = ask(self.position)
        return action if isinstance(action, str) else self.position.texts[action]

    def film(self) -> Film:
        """The whole game with open cards, once it is over.

        Raises:
            UsageError: it is still played.
        """
        if not self.position.over:
            raise UsageError("the game is not over: its cards are shown afterwards")
        options: dict[str, Any] = self.position.options
        start = self.game.position(self.seed, self.position.players, None, False, **options)
        return film(start, self.moves, self.names)

    def look(self) -> None:
        """Keep what every person sees now."""
        self.scenes = self.scenes or [[] for _ in self.names]
        to_act = self.position.seat
        for seat, kept in enumerate(self.scenes):
            if self.keys[seat]:
                seen = scene(self.game, self.game.views(self.position.states, seat), seat)
                kept.append({"scene": seen, "seat": -1 if to_act is None else to_act})

    def _note(self, number: int) -> None:
        self.moves.append(number)
        self.look()


class Tables:
    """All tables of a server.

    Args:
        folder: where records of played games go; None: they are not kept.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.open: dict[str, Table] = {}
        self._lock = threading.Lock()
        self._bots = contextlib.ExitStack()

    def begin(self, name: str, seats: Sequence[str], options: dict[str, Any]) -> tuple[str, Table]:
        """Set up a table: a house bot's name or PERSON for every seat.

        Raises:
            UsageError: no such bot, nobody to play, or too many tables.
            GameError: no such game, players or option.
        """
        game = engines.load(name)
        given = {
            key: game.option(key).parse(one) if isinstance(one, str) else one for key, one in options.items()
        }
        players, complete = game.check_options(len(seats), given)
        for bot in seats:
            if bot != PERSON:
                _check_house(bot, name)
        if PERSON not in seats:
            raise UsageError("nobody to play: give a seat to a person")
        seed = secrets.randbits(63)
        bots = [bot for bot in seats if bot != PERSON]
        found = iter(self._bots.enter_context(choosers(bots, name, secrets.randbits(63))))
        table = Table(
            game=game,
            position=game.position(seed, players, None, False, **complete),
            seed=seed,
            names=list(seats),
            players=[None if bot == PERSON else next(found) for bot in seats],
            keys=[secrets.token_urlsafe(12) if bot == PERSON else "" for bot in seats],
        )
        table.look()
        table.advance()
        with self._lock:
            self._make_room()
            number = secrets.token_hex(4)
            self.open[number] = table
        self.keep(number, table)
        return number, table

    def find(self, number: str) -> Table:
        """A table.

        Raises:
            UsageError: there is none.
        """
        found = self.open.get(number)
        if found is None:
            raise UsageError("no such table: it was cleared, or the server was started again")
        return found

    def keep(self, number: str, table: Table) -> None:
        """Write the record of a game that is over, once."""
        if self.folder is None or table.kept or not table.position.over:
            return
        seats = [records.follow(table.moves)] * table.position.players
        events = records.play(
            table.game, table.position.players, table.position.options, table.seed, seats, True
        )
        lines = [records.line(event) for event in events]
        head = json.loads(lines[0]) | {"bots": table.names}
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{table.game.name}-{time.strftime('%Y%m%d-%H%M%S')}-{number}.jsonl"
        path.write_text("\n".join([records.line(head), *lines[1:]]) + "\n", encoding="utf-8")
        table.kept = path.name

    def _make_room(self) -> None:
        now = time.monotonic()
        for number, table in list(self.open.items()):
            idle = now - table.used
            if len(self.open) >= MOST_TABLES and (idle > IDLE_S or (table.position.over and idle > 60)):
                del self.open[number]
        if len(self.open) >= MOST_TABLES:
            raise UsageError(f"all {MOST_TABLES} tables are taken: come back later")


def _check_house(bot: str, game: str) -> None:
    known = house_names(game)
    if bot not in known:
        raise UsageError(f"no house bot {bot[:40]!r} for {game}; there is {', '.join(known)}")


def house_names(game: str) -> list[str]:
    """The house bots that play a game."""
    return [name for name, source in house_bots().items() if game in source.games]
