"""One game in play: people with house bots, and who looks on.

The engine decides what is legal, and every person sees the redacted record of a seat and no more. Who looks
on sees what is public; the hands of a deal are shown to them when it is over.

Nothing of the network is in here; one table is used by one thread at a time (`Table.lock`).
"""

from __future__ import annotations

import contextlib
import hmac
import secrets
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from engines import registry
from engines.scene import Scene

from ..errors import BotError, UsageError
from ..games import lesson_file
from ..intake.debug import house_chooser
from ..intake.registry import house_of
from ..people.table import InPlay
from ..replay.film import Film, film
from ..replay.scenes import closing, deal_of, scene, told

Frame = dict[str, Any]  # a position as a page gets it
PERSON = "person"
"""What a seat of a person is called when a table is made."""
INVITED = "invited"
"""A seat of a person who gets a link to it."""
AWAY_S = 120.0  # after so long without a question from a person's page a house bot may take the seat


@dataclass(eq=False, kw_only=True)
class WebTable(InPlay):
    """A game in play, with what lets people sit or look on, and what was seen of it."""

    keys: list[str]  # what lets a person sit in a seat; "" for a bot
    called: list[str]  # how people want to be called, by seat; "": a bot, or no name was given
    invitations: list[str]  # what is exchanged for a key, once; "": nothing, or it was used
    watch: str = ""  # what lets people look on; "": nobody may
    scenes: list[list[Frame]] = field(default_factory=list)  # by seat, one per position so far
    public: list[Frame] = field(default_factory=list)  # what who looks on may see at once
    opened: list[Frame] = field(default_factory=list)  # what they may see when the deal is over
    kept: str = ""
    unkept: str = ""  # why it could not be written down
    by: str = ""  # the address that has set it up
    earlier: list[dict[str, Any]] = field(default_factory=list)  # seats and scores of games of the same deal
    origin: str = ""  # the position that it is played on from
    begun: int = 0  # actions before that position
    note: str = ""  # for who set it up, until the first action
    following: str = ""  # the table that its people go to after the game
    acted: bool = False  # a person has played an action here
    used: float = field(default_factory=time.monotonic)  # the last of them; looking on is none
    heard: dict[int, float] = field(default_factory=dict)  # when the page of a seat asked how it stands
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def shown(self) -> list[str]:
        """Who sits where, by the names that people gave; several people without a name have numbers."""
        people = [seat for seat, name in enumerate(self.names) if name == PERSON]
        numbered = {seat: f"{PERSON} {at}" for at, seat in enumerate(people, 1)} if people[1:] else {}
        return [self.called[seat] or numbered.get(seat, name) for seat, name in enumerate(self.names)]

    def seat_of(self, key: str) -> int:
        """Return the seat that a key opens.

        Raises:
            UsageError: none.
        """
        for seat, known in enumerate(self.keys):
            if _same(known, key):
                return seat
        raise UsageError("no seat at this table: the link is not complete, or a bot plays on in it")

    def join(self, invitation: str) -> str:
        """Exchange an invitation for the key of its seat. It is good once.

        Raises:
            UsageError: it was used, or there was none.
        """
        for seat, known in enumerate(self.invitations):
            if _same(known, invitation):
                self.invitations[seat] = ""
                return self.keys[seat]
        raise UsageError("this invitation was used already, or is not complete: ask for a new table")

    def act(self, seat: int, action: str, at: int) -> None:
        """Play an action for a person, then all bots until a person is to act.

        Args:
            at: how many actions were played before it, as the person sees it.

        Raises:
            UsageError: it is another's turn, or the page is behind.
            GameError: not legal; names what is.
        """
        if self.position.seat != seat or at != len(self.moves):
            raise UsageError("it is not your turn here; the page shows an earlier position")
        self.play(action)
        self.acted, self.used = True, time.monotonic()
        self.advance()

    def undo(self, seat: int) -> list[int]:
        """Take a person's last action back, where nobody else sits or looks on, and the game is not over.

        Raises:
            UsageError: there is none here.
        """
        asked = [at for at in self.so_far().asked(seat) if at >= self.begun]
        if not asked or self.position.over or self.watch or self.names.count(PERSON) > 1:
            raise UsageError("there is nothing to take back here")
        gone = super().undo(seat)
        del self.scenes[seat][len(self.moves) + 1 :]
        return gone

    @property
    def away(self) -> int:
        """The seat to act, if the page of its person has been silent for too long; else -1."""
        seat = -1 if self.position.seat is None else self.position.seat
        return seat if time.monotonic() - self.heard.get(seat, self.used) > AWAY_S else -1

    def stand_in(self) -> None:
        """Let the strongest house bot play on for a person who is away, whose key opens nothing then.

        Raises:
            UsageError: nobody is away.
        """
        seat, bot = self.away, house_names(self.game.name)[0]
        if seat < 0:
            raise UsageError("nobody is away: the page of who is to act still asks")
        self.names[seat], self.bots[seat] = bot, house_chooser(bot, self.game.name, secrets.randbits(63))
        self.keys[seat] = self.invitations[seat] = self.called[seat] = ""
        self.advance()

    def advance(self) -> None:
        """Let the bots play until a person is to act, or the game is over; where all are bots, once."""
        while self.position.seat is not None and self.bots[self.position.seat] is not None:
            action: str | int = self.position.legal_numbers()[0]
            with contextlib.suppress(BotError):  # a bot that fails plays the lowest action, as in a league
                action = self.choice()
            self.play(action)
            if PERSON not in self.names:
                self.acted, self.used = True, time.monotonic()
                return

    def show(self, seat: int, since: int) -> dict[str, Any]:
        """Return what a seat's person may know.

        That is what happened since a position, and its legal actions if it is to act.
        """
        self.heard[seat] = time.monotonic()
        over, mine = self.position.over, self.position.seat == seat
        return {
            "game": self.game.name,
            "title": self.game.title,
            "lesson": lesson_file(self.game.name) is not None,
            "seats": self.shown,
            "away": self.away,
            "people": self.names.count(PERSON),
            "you": seat,
            "at": len(self.moves),
            "frames": self.scenes[seat][max(0, since) :],
            "legal": self.offered if mine else [],
            "last": self.words.get("last", {}),
            "goal": "" if self.acted else self.words.get("goal", ""),
            "bots": house_names(self.game.name),
            "scores": self.position.scores() if over else None,
            "record": self.kept,
            "unkept": self.unkept,
            "note": "" if self.acted else self.note,
            "earlier": self.earlier if over else [],
            "options": self.position.options if over else {},
            "origin": self.origin,
            "begun": self.begun,
            "following": self.following,
            "waiting": [free for free, invitation in enumerate(self.invitations) if invitation],
        }

    def show_onlooker(self, code: str, since: int, opened: int) -> dict[str, Any]:
        """Return what who looks on may know: the hands of a deal are hidden until it is over.

        Args:
            code: what lets people look on.
            since: positions that are known.
            opened: positions that are known with open cards.

        Returns:
            `frames` from position `since` on, `open`: those from `opened` on that are open by now.

        Raises:
            UsageError: nobody may look on, or not with this code.
        """
        if not _same(self.watch, code):
            raise UsageError("nobody may look on here, or the link is not complete")
        over, now = self.position.over, deal_of(self.public[-1]["scene"])
        begun = next(at for at, one in enumerate(self.public) if deal_of(one["scene"]) == now)
        end = len(self.opened) if over else begun
        return {
            "game": self.game.name,
            "title": self.game.title,
            "seats": self.shown,
            "frames": self.public[max(0, since) :],
            "open": self.opened[max(0, opened) : end],
            "scores": self.position.scores() if over else None,
            "following": self.following,
        }

    def check_over(self) -> None:
        """Raise UsageError if the game is still played: its cards are not for anybody yet."""
        if not self.position.over:
            raise UsageError("the game is not over: its cards are shown afterwards")

    def film(self) -> Film:
        """Return the whole game with open cards, once it is over.

        Raises:
            UsageError: it is still played.
        """
        self.check_over()
        options: dict[str, Any] = self.position.options
        start = self.game.position(self.seed, self.position.players, None, False, **options)
        return film(start, self.moves, self.shown)

    def look(self, actor: int = -1, action: str = "") -> None:
        """Keep what everybody sees now, and is told of the action that led here."""
        self.scenes = self.scenes or [[] for _ in self.names]
        for seat, kept in enumerate(self.scenes):
            if self.keys[seat]:
                seen = scene(self.game, self.game.views(self.position.states, seat), seat)
                kept.append(self._seen(seen, kept, actor, action, seat == actor))
        if self.watch:
            seen = scene(self.game, self.game.views(self.position.states, -1))
            self.public.append(self._seen(seen, self.public, actor, action, False))
            seen = scene(self.game, self.position.states)
            self.opened.append(self._seen(seen, self.opened, actor, action, True))

    def _seen(self, seen: Scene, before: Sequence[Frame], actor: int, action: str, knows: bool) -> Frame:
        """Return a position as a page gets it; `knows`: is told all of the action."""
        did = action if knows or not before else told(self.game.name, action, before[-1]["scene"], seen)
        if before:
            seen |= closing(self.position, actor, action, before[-1]["scene"], seen)
        to_act = -1 if self.position.seat is None else self.position.seat
        return {"scene": seen, "seat": to_act, "by": actor, "did": did}

    def play(self, action: str | int) -> None:
        """Play an action for the seat to act, and keep what everybody sees of it."""
        actor = self.position.seat
        super().play(action)
        self.look(-1 if actor is None else actor, self.position.texts[self.moves[-1]])


def _same(known: str, given: str) -> bool:
    """Whether a key is the one that is known, in a time that tells nothing of it; "" is none."""
    return bool(known) and hmac.compare_digest(known.encode(), given.encode(errors="replace"))


def house_bot(called: str, game: str) -> str:
    """Return the house bot of a game by its name or its level, such as `club`.

    Raises:
        UsageError: there is none.
    """
    known, levels = house_names(game), registry.home(game).words.get("levels", {})
    bot = str(levels.get(called, called))
    if bot not in known:
        raise UsageError(f"no house bot {called[:40]!r} for {game}; there is {', '.join([*levels, *known])}")
    return bot


def house_names(game: str) -> list[str]:
    """Return the house bots that play a game; the strongest first, then those of the other levels."""
    levels = [*reversed(registry.home(game).words.get("levels", {}).values())]
    return sorted(house_of(game), key=lambda name: levels.index(name) if name in levels else len(levels))
