"""Randomness: the one place in the engines that makes random numbers, each a pure function of seeds.

A deal is keyed by the game's seed and the number of the shuffle; a stream (playouts, random worlds) by a seed
and a lane.
"""

from __future__ import annotations

from typing import Any

from .compile import I64, U64, jit
from .masks import bit, count, nth

_PARITY = U64(0x1BD11BDAA9FC1A22)
_ROTATIONS = (16, 42, 12, 31, 16, 32, 24, 21)
_64 = U64(64)


@jit
def threefry(key0: Any, key1: Any, block: Any, lane: Any) -> tuple[Any, Any]:
    """128 random bits as a pure function of a 128-bit key and a 128-bit counter: Threefry-2x64 with 20
    rounds.

    Salmon, Moraes, Dror & Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3" (SC11). All words are
    uint64. It is the Threefish cipher with fewer rounds: seen cards do not lead back to the seed, as they
    would with a linear generator.
    """
    key2 = key0 ^ key1 ^ _PARITY
    keys = (key0, key1, key2)
    x0 = block + key0
    x1 = lane + key1
    for r in range(20):
        turn = U64(_ROTATIONS[r & 7])
        x0 = x0 + x1
        x1 = ((x1 << turn) | (x1 >> (_64 - turn))) ^ x0
        if r & 3 == 3:
            j = (r + 1) >> 2
            x0 = x0 + keys[j % 3]
            x1 = x1 + keys[(j + 1) % 3] + U64(j)
    return x0, x1


@jit
def shuffle_cards(cards: Any, seed: int, shuffle: int) -> None:
    """Shuffle in place (Fisher & Yates), as a pure function of the cards' order, the seed and the shuffle's
    number.

    Each place is drawn from 64 bits, so no order is favoured by more than 2**-57.
    """
    key0, key1 = U64(seed), U64(shuffle)
    spare = U64(0)
    for i in range(len(cards) - 1, 0, -1):
        if i & 1 == 1 or i == len(cards) - 1:
            word, spare = threefry(key0, key1, U64(i), U64(0))
        else:
            word = spare
        j = I64(word % U64(i + 1))
        card = cards[i]
        cards[i] = cards[j]
        cards[j] = card


@jit
def next_word(rng: Any) -> Any:
    """The next 64 random bits of a stream (SplitMix64: Steele, Lea & Flood 2014).

    `rng`: uint64[1], modified in place.
    """
    rng[0] = rng[0] + U64(0x9E3779B97F4A7C15)
    z = rng[0]
    z = (z ^ (z >> U64(30))) * U64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> U64(27))) * U64(0x94D049BB133111EB)
    return z ^ (z >> U64(31))


@jit
def below(rng: Any, n: int) -> int:
    """A random integer 0 .. n-1, n < 2**31. `rng`: uint64[1], modified in place."""
    return I64(((next_word(rng) >> U64(32)) * U64(n)) >> U64(32))


@jit
def shuffle_with(cards: Any, n: int, rng: Any) -> None:
    """Shuffle the first `n` cards in place with a stream (for `determinize`)."""
    for i in range(n - 1, 0, -1):
        j = below(rng, i + 1)
        card = cards[i]
        cards[i] = cards[j]
        cards[j] = card


@jit
def draw_from(mask: int, n: int, rng: Any) -> int:
    """A random subset of `n` cards of a mask that holds at least `n`, as a mask."""
    drawn = I64(0)
    size = count(mask)
    while n > 0:
        card = bit(nth(mask, below(rng, size)))
        drawn |= card
        mask &= ~card
        size -= 1
        n -= 1
    return drawn


@jit
def stream(rng: Any, seed: int, lane: int) -> None:
    """Start a stream of its own for each (seed, lane). `rng`: uint64[1], set in place."""
    word, _ = threefry(U64(seed), U64(lane), U64(0), U64(1))
    rng[0] = word
