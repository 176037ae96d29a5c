"""What bots would play in games: house bots, and an owner's own in the sandbox.

Bots are asked one after another in a thread of their own, which stays: the sandbox's processes end with the
thread that has started them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import takewhile
from typing import Any

from ..errors import BotError, TooMany, UsageError
from ..replay.analysis import analyse, in_units, made_by
from ..replay.losses import choices
from ..replay.recorded import Recorded
from ..store import Store
from ..store.models import Bot
from .live_table import house_bot

PATIENCE_S = 20.0
"""A bot is not asked on after so long; what it has said by then is shown."""
Answer = dict[str, Any]
MOST_WAITING = 6
"""Questions that wait for a bot's answers."""
MOST_OF_ONE = 2
"""Questions of one address that wait."""


class Advisers:
    """Asks bots for a server."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._thread = ThreadPoolExecutor(1, "advice")
        self._waiting: list[str] = []  # who asks
        self._counting = threading.Lock()

    def bot(self, name: str, game: str, owner: str | None) -> str | Bot:
        """Return the bot that is to be asked: a house bot's name, or the row of one of the owner's.

        Raises:
            UsageError: it is neither.
        """
        if "@" in name and owner is not None:
            for one in self._store.owners.bots_of(owner):
                if one.label == name and ({game, "*"} & set(one.games)):
                    return one
            raise UsageError(f"no bot {name[:40]!r} of yours plays {game}")
        return house_bot(name, game)

    def ask(self, game: Recorded, bot: str | Bot, seat: int, who: str) -> dict[str, Any]:
        """Ask a bot at every decision of a seat; a game in play ends with the decision that is due.

        Returns:
            `choices`: decision and action; `until`: how far it was asked; `failed`: why no farther.

        Raises:
            UsageError: no such seat.
            TooMany: too many questions wait.
        """
        return self._queued(game, seat, who, lambda: self._asked(game, bot, seat))

    def costs(self, game: Recorded, seat: int, who: str) -> dict[str, Any]:
        """Return what the decisions of a seat cost, as far as there is time for: `analysis.in_units`.

        Raises:
            UsageError: no such seat.
            TooMany: too many questions wait.
        """
        return self._queued(game, seat, who, lambda: self._judged(game, seat))

    def _queued(self, game: Recorded, seat: int, who: str, answer: Callable[[], Answer]) -> Answer:
        """Return an answer of the thread; few wait for it."""
        if not 0 <= seat < game.players:
            raise UsageError(f"seats are 0 to {game.players - 1}")
        with self._counting:
            if len(self._waiting) >= MOST_WAITING or self._waiting.count(who) >= MOST_OF_ONE:
                raise TooMany("bots are being asked already: wait a moment", 5)
            self._waiting.append(who)
        try:
            return self._thread.submit(answer).result()
        finally:
            with self._counting:
                self._waiting.remove(who)

    def _judged(self, game: Recorded, seat: int) -> Answer:
        end = time.monotonic() + PATIENCE_S
        found = list(takewhile(lambda _: time.monotonic() < end, analyse(game, [seat])))
        return in_units(game.game, found, made_by(game.game).by)

    def _asked(self, game: Recorded, bot: str | Bot, seat: int) -> Answer:
        found: list[tuple[int, str]] = []
        failed, end = "", time.monotonic() + PATIENCE_S
        try:
            for one in choices(game, bot, seat, str(self._store.url)):
                found.append((one.decision, one.other))
                if time.monotonic() > end:
                    failed = f"it was asked for {PATIENCE_S:.0f} s"
                    break
        except BotError as error:
            failed = str(error)
        return {"choices": found, "until": found[-1][0] if found else -1, "failed": failed}
