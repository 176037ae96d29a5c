"""What travels between a match worker and a bot process, byte for byte. Both sides read it here.

    request memory   a memfd of the worker's, sealed, which the bot can only map for reading: first the bot's configuration
                     (JSON), then one request after the other, packed from its start on (`layout`)
    doorbell pipe    worker -> bot, `BELL`: number of rows, of legal actions, and a random nonce
    reply pipe       bot -> worker, `REPLY`: number of rows, status, bytes of last words, the bell's nonce; then one int16 action
                     a row (-1: this row failed), then the words. Without words it is one atomic write below PIPE_BUF bytes.

The words are UTF-8 lines of JSON, one per failed row: `[row, kind, text]`, or instead of the text the number of an earlier row
with the same; with a status other than OK: `[-1, kind, text]`.
"""

from __future__ import annotations

import fcntl
import json
import mmap
import os
import struct
from collections.abc import Sequence
from typing import Any

BELL = struct.Struct("<IIQ")
REPLY = struct.Struct("<IIIIQ")
OK, FAILED, REFUSED = 0, 1, 2  # REFUSED: the host cannot jail a bot; only believed before a bot's code has run

MAX_ROWS = 1024  # of one request: 24 + 2 * 1024 bytes of reply are below PIPE_BUF (4096)
MAX_WORDS = 56 * 1024  # bytes; with a reply below the pipe's 64 KiB, so that a bot never blocks while it writes
MAX_TEXT = 4096  # characters of one fault
UNSAID = "its last words did not fit into the reply; see the other faults"
MAX_CONFIG = 16 * 1024

BELL_FD, REPLY_FD = 3, 4  # descriptors in the bot's process; 0 is /dev/null, 1 and 2 are its log

SEAL_FUTURE_WRITE = 0x10  # fcntl's F_SEAL_FUTURE_WRITE (Linux 5.1); Python 3.11 does not name it
_NOEXEC_SEAL = 0x8  # memfd_create's MFD_NOEXEC_SEAL (Linux 6.3); hosts may insist on it


def layout(n: int, m: int, itemsize: int) -> tuple[int, int, int, int, int]:
    """Where the parts of a request for `n` rows of `itemsize` bytes with `m` legal actions begin in its memory, in bytes.

    The rows begin at 0. Then offsets (int32 [n + 1]), games (int32 [n]), legal (int16 [m]), seats (int8 [n]), and the end.
    """
    offsets = -(-n * itemsize // 8) * 8
    games = offsets + 4 * (n + 1)
    legal = games + 4 * n
    seats = legal + 2 * m
    return offsets, games, legal, seats, seats + n


def new_memory(name: str) -> int:
    """A memfd that can be sealed and is closed on exec."""
    flags = os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING
    try:
        return os.memfd_create(name, flags | _NOEXEC_SEAL)
    except OSError:  # an older kernel does not know the flag
        return os.memfd_create(name, flags)


def request_memory(size: int) -> tuple[mmap.mmap, int]:
    """Memory that this process alone can write: its map, and a read-only descriptor for the bot (the caller closes it).

    The seals keep the size (so that the worker never gets SIGBUS) and refuse every later writable map.
    """
    fd = new_memory("request")
    try:
        os.ftruncate(fd, size)
        memory = mmap.mmap(fd, size)
        seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | SEAL_FUTURE_WRITE | fcntl.F_SEAL_SEAL
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
        return memory, os.open(f"/proc/self/fd/{fd}", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(fd)


def pack_words(entries: Sequence[tuple[int, str, str]]) -> bytes:
    """Last words as bytes, at most MAX_WORDS: where the texts do not all fit, the later rows keep their kind only."""
    room = MAX_WORDS - 40 * len(entries)  # 40 bytes hold an entry without its text
    first: dict[str, int] = {}
    lines = []
    for row, kind, text in entries:
        quoted = json.dumps(text[:MAX_TEXT], ensure_ascii=False).encode(errors="backslashreplace")
        if text in first:
            quoted = str(first[text]).encode()
        elif len(quoted) > room:
            quoted = b'""'
        else:
            first[text] = row
            room -= len(quoted)
        lines.append(b'[%d, "%s", %s]\n' % (row, kind.encode(), quoted))
    return b"".join(lines)


def unpack_words(words: bytes) -> list[tuple[int, str, str]]:
    """The entries of `pack_words`; what does not look like one is left out (a bot may have written it)."""
    texts: dict[int, str] = {}
    entries = []
    for line in words.split(b"\n"):
        try:
            entry: Any = json.loads(line)
        except (ValueError, RecursionError):
            continue
        match entry:
            case [int(row), str(kind), str() | int() as text]:
                texts[row] = text[:MAX_TEXT] if isinstance(text, str) else texts.get(text, "")
                entries.append((row, kind, texts[row] or UNSAID))
    return entries
