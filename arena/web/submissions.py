"""Take bots that come over the network.

This is who may send one, how large and how often, and a queue that reads and tries each of them in the jail,
one at a time.
"""

from __future__ import annotations

import hashlib
import hmac
import itertools
import queue
import re
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..bots.conditions import Conditions
from ..bots.entering import Refused, submit
from ..bots.source import MAX_SOURCE, NAME
from ..errors import ArenaError, BotError, UsageError
from ..jail import HostError
from ..store import Store

MAX_BYTES = MAX_SOURCE
PER_HOUR = 12
"""Submissions of one owner."""
MOST_WAITING = 20
OWNER = re.compile(r"[\w.@-]{1,40}")


class TooMany(ArenaError):
    """Too many requests: come back later."""


class Denied(ArenaError):
    """No token, or a wrong one."""


@dataclass
class Submission:
    """A bot on its way into the store; `state`: waiting, trying, accepted or refused."""

    number: int
    owner: str
    file: str
    note: str
    source: bytes
    state: str = "waiting"
    text: str = ""

    def plain(self) -> dict[str, str | int]:
        """Return what its owner may know; the source is not in it."""
        return {"number": self.number, "file": self.file, "state": self.state, "text": self.text}


def read_tokens(path: Path) -> dict[str, str]:
    """Owners and their tokens from a file with lines `owner token`.

    Raises:
        UsageError: says which line is wrong.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from None
    headers: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 2 or not OWNER.fullmatch(words[0]) or len(words[1]) < 16:
            raise UsageError(f"{path}, line {number}: write an owner and a token of 16 characters or more")
        headers[words[0]] = words[1]
    if not headers:
        raise UsageError(f"{path}: no token in it; write lines of an owner and a token")
    return headers


class Submissions:
    """The queue. One thread takes from it; it ends with the process.

    Args:
        store: where accepted bots go.
        tokens: by owner.
        conditions: under which bots are tried, by game; default: the usual ones.
    """

    def __init__(
        self, store: Store, tokens: dict[str, str], conditions: Mapping[str, Conditions] | None = None
    ) -> None:
        self.store = store
        self.conditions = conditions
        self._hashes = {owner: _hash(token) for owner, token in tokens.items()}
        self._times: dict[str, list[float]] = {}
        self._numbers = itertools.count(1)
        self._waiting: queue.Queue[Submission] = queue.Queue(MOST_WAITING)
        self.all: dict[int, Submission] = {}
        self._lock = threading.Lock()
        threading.Thread(target=self._work, name="submissions", daemon=True).start()

    def owner_of(self, token: str) -> str:
        """Whose token this is.

        Raises:
            Denied: nobody's.
        """
        given, owner = _hash(token), ""
        for name, known in self._hashes.items():
            if hmac.compare_digest(given, known):
                owner = name
        if not owner:
            raise Denied("this needs a token of the organiser: Authorization: Bearer TOKEN")
        return owner

    def add(self, owner: str, file: str, note: str, source: bytes) -> Submission:
        """Queue a bot.

        Raises:
            BotError: not a name of a bot, too large, or not text.
            TooMany: too many of this owner in an hour, or in the queue.
        """
        if not file.endswith(".py") or not NAME.fullmatch(file.removesuffix(".py")):
            raise BotError("send one .py file; its name: small letters, digits and _, a letter first")
        if len(source) > MAX_BYTES:
            raise BotError(f"a source file may have {MAX_BYTES >> 20} MiB")
        now = time.monotonic()
        with self._lock:
            recent = [at for at in self._times.get(owner, []) if now - at < 3600]
            if len(recent) >= PER_HOUR:
                raise TooMany(f"{PER_HOUR} submissions an hour: come back later")
            self._times[owner] = [*recent, now]
            one = Submission(next(self._numbers), owner, file, note[:200], source)
            try:
                self._waiting.put_nowait(one)
            except queue.Full:
                raise TooMany(f"{MOST_WAITING} submissions are waiting: come back later") from None
            self.all[one.number] = one
        return one

    def mine(self, owner: str) -> list[Submission]:
        """Return the newest submissions of an owner."""
        return [one for one in self.all.values() if one.owner == owner][-20:]

    def _work(self) -> None:
        while True:
            one = self._waiting.get()
            one.state = "trying"
            try:
                one.text = self._enter(one)
                one.state = "accepted"
            except (ArenaError, HostError) as error:
                one.state, one.text = "refused", str(error)
            except Exception as error:  # ours; the queue goes on
                one.state, one.text = "refused", f"the server failed: {type(error).__name__}"
            one.source = b""

    def _enter(self, one: Submission) -> str:
        """Read the bot in a jailed process, play its trial, store it."""
        with tempfile.TemporaryDirectory(prefix="arena-web-") as folder:
            path = Path(folder) / one.file
            path.write_bytes(one.source)
            try:
                done = submit(self.store, path, owner=one.owner, note=one.note, conditions=self.conditions)
            except Refused as refused:
                raise BotError(_why(refused)) from None
            except BotError as error:
                raise BotError(str(error).replace(f"{folder}/", "")) from None
        if not done.new:
            return f"{done.bot.label} is this very source already"
        return f"{done.bot.label} enters {done.where}"


def _why(refused: Refused) -> str:
    """Why a trial ended badly, with the first fault."""
    for game in refused.checked.games:
        for conditions, fault in game.faults[:1]:
            return f"{conditions.game}: {fault.kind} ({fault.where}): {fault.text.strip()}"
    return str(refused)


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
