"""What a bot is asked, and what travels between a match worker and it, byte for byte.

A bot is asked about the decisions that wait for it, of one game or of many (`Decisions`). Both sides read the
bytes here; everything is of fixed layout.

    request memory   one request after the other, each packed from its start on (`layout`)
    bell             worker -> bot, `BELL`: number of rows, of legal actions, and a random nonce
    reply            bot -> worker, one message: `REPLY` (the bell's nonce, number of rows, status), one int16
                     action a row (-1: this row failed), then last output to the message's end

Last words are entries of `WORDS` (first row, number of rows, code of the fault, bytes of text) and the text
in UTF-8, for rows that failed, in ascending order; neighbours with the same fault share an entry. With a
status other than OK there are no rows, and one entry says why the bot cannot go on.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engines.core import States
from engines.game import Game

from ..jail.outcomes import Failed, FaultKind

BELL = struct.Struct("<IIQ")
REPLY = struct.Struct("<QHHI")  # nonce, rows, status, nothing
WORDS = struct.Struct("<HHHH")
NONCES = struct.Struct("<64Q")
OK, FAILED = 0, 1

MAX_ROWS = 1024  # of one request
MAX_TEXT = 4096  # bytes of one fault
MAX_WORDS = 24 * 1024  # bytes of last output in a reply
MAX_REPLY = REPLY.size + 2 * MAX_ROWS + MAX_WORDS
UNSAID = "its last output did not fit into the reply; see the other faults"

ROW_FAULTS = (FaultKind.ILLEGAL, FaultKind.TYPE, FaultKind.EXCEPTION)  # their codes are their places here
END_FAULTS = (FaultKind.IMPORT, FaultKind.MEMORY)


class Decisions(NamedTuple):
    """Decisions that a bot is asked about at once."""

    rows: NDArray[np.void]  # [n] redacted records, contiguous
    games: NDArray[np.int32]  # [n] number of the game in the match
    seats: NDArray[np.int8]  # [n] seat to act
    legal: NDArray[np.int16]  # the legal actions of all rows, one after the other
    offsets: NDArray[np.int32]  # [n + 1] where each row's legal actions begin; `legal_of` cuts them out

    @classmethod
    def of(cls, game: Game, states: States, games: Sequence[int] | None = None) -> Decisions:
        """Make the decisions that a batch of states waits for."""
        rows, mask = game.views(states), game.legal_mask(states)
        numbers = np.arange(len(rows)) if games is None else np.array(games)
        offsets = np.concatenate([[0], mask.sum(1).cumsum()]).astype(np.int32)
        legal = np.nonzero(mask)[1].astype(np.int16)
        return cls(rows, numbers.astype(np.int32), rows["seat"].astype(np.int8), legal, offsets)

    def legal_of(self, row: int) -> NDArray[np.int16]:
        """Return the legal actions of a row."""
        return self.legal[self.offsets[row] : self.offsets[row + 1]]

    def part(self, first: int, end: int) -> Decisions:
        """Return the rows from `first` up to `end`."""
        begin, cut = self.offsets[first], slice(first, end)
        return Decisions(
            self.rows[cut],
            self.games[cut],
            self.seats[cut],
            self.legal[begin : self.offsets[end]],
            self.offsets[first : end + 1] - begin,
        )


class Words(NamedTuple):
    """Why `rows` rows from `first` on failed."""

    first: int
    rows: int
    kind: FaultKind
    text: str


def layout(n: int, m: int, itemsize: int) -> tuple[int, int, int, int]:
    """Return where the parts of a request begin in its memory, in bytes.

    The request is for `n` rows of `itemsize` bytes with `m` legal actions.

    The rows begin at 0. Then offsets and games (int32 [n + 1] and [n]), legal (int16 [m]), seats (int8 [n]),
    and the end.
    """
    numbers = -(-n * itemsize // 8) * 8
    legal = numbers + 4 * (2 * n + 1)
    seats = legal + 2 * m
    return numbers, legal, seats, seats + n


# --- the bot's side -----------------------------------------------------------------------------------------


def reply(nonce: int, actions: bytes, failures: Sequence[tuple[int, FaultKind, str]]) -> bytes:
    """Return a reply: actions as int16, and why rows failed as (row, kind, text), ascending."""
    head = REPLY.pack(nonce, len(actions) // 2, OK, 0)
    return head + actions + _pack(failures) if failures else head + actions


def last_reply(nonce: int, kind: FaultKind, text: str) -> bytes:
    """Return the reply of a bot that cannot go on."""
    data = _bytes(text)
    return REPLY.pack(nonce, 0, FAILED, 0) + WORDS.pack(0, 0, END_FAULTS.index(kind), len(data)) + data


def _pack(failures: Sequence[tuple[int, FaultKind, str]]) -> bytes:
    """At most MAX_WORDS bytes: where the texts do not all fit, the later rows keep their kind only."""
    groups: list[Words] = []
    for row, kind, text in failures:
        last = groups[-1] if groups else None
        if last is not None and last.first + last.rows == row and (last.kind, last.text) == (kind, text):
            groups[-1] = last._replace(rows=last.rows + 1)
        else:
            groups.append(Words(row, 1, kind, text))
    room = MAX_WORDS - WORDS.size * len(groups)
    parts = []
    for group in groups:
        data = _bytes(group.text)
        data = data if len(data) <= room else b""
        room -= len(data)
        parts.append(WORDS.pack(group.first, group.rows, ROW_FAULTS.index(group.kind), len(data)) + data)
    return b"".join(parts)


def _bytes(text: str) -> bytes:
    return text[:MAX_TEXT].encode(errors="backslashreplace")[:MAX_TEXT]


# --- the worker's side: nothing is believed -----------------------------------------------------------------


def nonces() -> Iterator[int]:
    """Numbers of questions that nobody can know before they are asked; a system call gives many."""
    while True:
        yield from NONCES.unpack(os.urandom(NONCES.size))


def read_reply(message: bytes, n: int, nonce: int) -> tuple[NDArray[np.int16], list[Words]]:
    """Return the actions (unchecked, but for -1) and the last output of a reply to a request for `n` rows.

    Raises:
        Failed: it is none, or says that the bot cannot go on.
    """
    if len(message) < REPLY.size:
        raise _broken("a reply begins with 16 bytes")
    echo, rows, status, nothing = REPLY.unpack_from(message)
    if echo != nonce:
        raise _broken("it does not repeat the question's number")
    if status == FAILED and rows == nothing == 0:
        raise _read_end(message)
    end = REPLY.size + 2 * n
    if status != OK or rows != n or nothing != 0 or len(message) < end:
        raise _broken(f"{rows} rows, status {status}, {len(message)} bytes, where {n} rows were asked for")
    actions = np.frombuffer(message, "<i2", n, REPLY.size).astype(np.int16)
    return actions, _read_words(message, end, actions)


def _read_words(message: bytes, at: int, actions: NDArray[np.int16]) -> list[Words]:
    """Return the entries from `at` on; each for rows without an action."""
    entries: list[Words] = []
    free = 0  # the first row that the next entry may be about
    while at < len(message):
        if len(message) - at < WORDS.size:
            raise _broken("its last output end in the middle")
        first, rows, code, size = WORDS.unpack_from(message, at)
        at += WORDS.size
        if (
            first < free
            or rows == 0
            or first + rows > len(actions)
            or code >= len(ROW_FAULTS)
            or size > len(message) - at
        ):
            raise _broken("its last output are about no row, of no kind or longer than the reply")
        if (actions[first : first + rows] != -1).any():
            raise _broken("its last output are about a row that has an action")
        entries.append(Words(first, rows, ROW_FAULTS[code], _text(message[at : at + size])))
        at += size
        free = first + rows
    return entries


def _read_end(message: bytes) -> Failed:
    """Why a bot cannot go on, as it says."""
    if len(message) < REPLY.size + WORDS.size:
        return _broken("it ends without a reason")
    _, _, code, size = WORDS.unpack_from(message, REPLY.size)
    text = message[REPLY.size + WORDS.size :]
    if code >= len(END_FAULTS) or size != len(text):
        return _broken("it ends for no known reason")
    return Failed(END_FAULTS[code], _text(text))


def _text(data: bytes) -> str:
    return data[:MAX_TEXT].decode(errors="replace") or UNSAID


def _broken(what: str) -> Failed:
    return Failed(FaultKind.PROTOCOL, f"wrote to the reply channel itself: {what}")
