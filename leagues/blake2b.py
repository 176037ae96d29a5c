"""BLAKE2b of many short messages under one key at once (RFC 7693), with digests of 64 bits.

hashlib computes the same in four times the time: it takes the key in again for every message, and each
message is three calls from Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.core import U64, jit, kernel

BLOCK = 128
"""Bytes that are hashed together. A message has fewer, so it is one block."""
_WORDS = BLOCK // 8
_IV = np.array(
    [
        0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
        0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
    ],
    np.uint64,
)  # fmt: skip
_SIGMA = np.array(
    [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
        [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
        [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
        [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
        [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
        [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
        [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
        [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
        [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
    ]
)
_DIGEST = 8  # bytes
_ROUNDS = 12
_64 = U64(64)


def keyed_hashes(key: bytes, purpose: bytes, numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the digests, read as big-endian numbers, of "purpose/n/n/..." for each row of numbers >= 0.

    Args:
        key: 1 to 64 bytes.
        purpose: the beginning of all messages.
        numbers: (messages, numbers of a message), C order. A message has to be shorter than `BLOCK`.
    """
    n, many = numbers.shape
    if len(purpose) + many * len(f"/{numbers.max(initial=0)}") >= BLOCK or numbers.min(initial=0) < 0:
        raise ValueError(f"numbers from 0 on, in messages of fewer than {BLOCK} bytes")
    padded = np.frombuffer(key.ljust(BLOCK, b"\0"), "<u8").astype(np.uint64)
    state, work = _IV.copy(), np.empty((_WORDS, 1), np.uint64)
    state[0] ^= U64(0x01010000 | len(key) << 8 | _DIGEST)
    _compress(state, padded.reshape(_WORDS, 1), np.array([BLOCK], np.uint64), False, work)
    state = work[: len(_IV), 0].copy()  # the key is taken in
    words, work = np.zeros((_WORDS, n), np.uint64), np.empty((_WORDS, n), np.uint64)
    hashed = np.full(n, BLOCK, np.uint64)
    _write(np.frombuffer(purpose, np.uint8), numbers, words, hashed)
    _compress(state, words, hashed, True, work)
    return work[0].byteswap()


@kernel
def _write(purpose: Any, numbers: Any, words: Any, hashed: Any) -> None:
    """Write the messages, and add their sizes to what is hashed.

    Args:
        purpose: uint8, their beginning.
        numbers: (messages, numbers of a message), 0 and above.
        words: uint64 [_WORDS, messages], all 0. Modified in place.
        hashed: uint64 [messages]. Modified in place.
    """
    for i in range(len(numbers)):
        size = 0
        for byte in purpose:
            size = _put(words, i, size, U64(byte))
        for j in range(numbers.shape[1]):
            size = _put(words, i, size, U64(ord("/")))
            unit = 1
            while numbers[i, j] // unit >= 10:
                unit *= 10
            while unit > 0:
                size = _put(words, i, size, U64(ord("0") + numbers[i, j] // unit % 10))
                unit //= 10
        hashed[i] += U64(size)


@jit
def _put(words: Any, i: Any, at: Any, byte: Any) -> Any:
    """Write a byte of a message; return where the next one goes."""
    words[at // 8, i] |= byte << U64(at % 8 * 8)
    return at + 1


@kernel
def _compress(state: Any, words: Any, hashed: Any, last: Any, v: Any) -> None:
    """Take a block into a state, of many messages side by side: RFC 7693, section 3.2, function F.

    Args:
        state: uint64 [8], before.
        words: uint64 [_WORDS, messages], the blocks.
        hashed: uint64 [messages], bytes up to the end of this block, without padding.
        last: whether it is the last block.
        v: uint64 [16, messages], its first 8 rows are the states afterwards. Modified in place.
    """
    for row in range(8):
        v[row], v[row + 8] = state[row], _IV[row]
    for i in range(len(hashed)):
        v[12, i] ^= hashed[i]
        if last:
            v[14, i] = ~v[14, i]
    for r in range(_ROUNDS):
        order = _SIGMA[r % 10]
        for g in range(8):
            column, turned = g % 4, g // 4  # four columns, then four diagonals
            a, b = column, 4 + (column + turned) % 4
            c, d = 8 + (column + 2 * turned) % 4, 12 + (column + 3 * turned) % 4
            for i in range(len(hashed)):
                v[a, i] += v[b, i] + words[order[2 * g], i]
                v[d, i] = _turned(v[d, i] ^ v[a, i], U64(32))
                v[c, i] += v[d, i]
                v[b, i] = _turned(v[b, i] ^ v[c, i], U64(24))
                v[a, i] += v[b, i] + words[order[2 * g + 1], i]
                v[d, i] = _turned(v[d, i] ^ v[a, i], U64(16))
                v[c, i] += v[d, i]
                v[b, i] = _turned(v[b, i] ^ v[c, i], U64(63))
    for row in range(8):
        for i in range(len(hashed)):
            v[row, i] ^= state[row] ^ v[row + 8, i]


@jit
def _turned(word: Any, by: Any) -> Any:
    """Rotate a word to the right."""
    return (word >> by) | (word << (_64 - by))
