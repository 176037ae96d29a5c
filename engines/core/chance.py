"""Randomness: the one place in the engines that makes random numbers, each a pure function of seeds.

A deal is keyed by the game's seed and the number of the shuffle; a stream (playouts, random worlds) by a seed
and a lane.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .compile import I64, JIT, U64, jit, overload
from .masks import bit, count, nth

_PARITY = U64(0x1BD11BDAA9FC1A22)
_ROTATIONS = (16, 42, 12, 31, 16, 32, 24, 21)
_64 = U64(64)
LANES = 8
"""Blocks of random words that are made side by side."""
MOST_CARDS = 255
"""Cards that a shuffle can have."""
_PARTS_OF_64_BITS = np.array([0, 0, *(2**64 // n for n in range(2, MOST_CARDS + 1))], np.uint64)


@jit
def threefry(key0: Any, key1: Any, block: Any, lane: Any) -> tuple[Any, Any]:
    """Return 128 random bits: Threefry-2x64 with 20 rounds.

    They are a pure function of a 128-bit key and a 128-bit counter.

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


def _one_by_one(key0: Any, key1: Any, first: Any) -> list[Any]:
    """Return the words of `LANES` blocks of `threefry` on lane 0.

    Each block gives two words: first block `first`, then the odd numbers below it, downwards.
    """
    numbers = [first, *((first | U64(1)) - U64(2 * lane) for lane in range(1, LANES))]
    return [word for number in numbers for word in threefry(key0, key1, number, U64(0))]


@intrinsic
def _side_by_side(typingctx, key0, key1, first):  # type: ignore[no-untyped-def]
    """Compute `_one_by_one` for all blocks together, in vectors.

    The blocks go through the rounds in the processor's vectors, which takes a third of the time. The code is
    `threefry` line by line, on vectors of `LANES` words.

    Returns a pointer into the frame of the function that calls it: no `overload` may stand in between.
    """
    word, place = ir.IntType(64), ir.IntType(32)
    lanes = ir.VectorType(word, LANES)

    def constant(values: Iterable[int]) -> Any:
        return ir.Constant(lanes, [value % 2**64 for value in values])

    def shuffled(builder: Any, one: Any, other: Any, order: Sequence[int]) -> Any:
        return builder.shuffle_vector(one, other, ir.Constant(ir.VectorType(place, len(order)), order))

    def in_all(builder: Any, value: Any) -> Any:
        nothing = ir.Constant(lanes, ir.Undefined)
        return shuffled(builder, builder.insert_element(nothing, value, place(0)), nothing, [0] * LANES)

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        key2 = builder.xor(builder.xor(args[0], args[1]), word(int(_PARITY)))
        keys = [in_all(builder, key) for key in (args[0], args[1], key2)]
        odd = in_all(builder, builder.or_(args[2], word(1)))
        numbers = builder.add(odd, constant(range(0, -2 * LANES, -2)))
        x0 = builder.add(builder.insert_element(numbers, args[2], place(0)), keys[0])
        x1 = keys[1]
        for r in range(20):
            turn = _ROTATIONS[r & 7]
            left, right = constant([turn] * LANES), constant([64 - turn] * LANES)
            x0 = builder.add(x0, x1)
            x1 = builder.xor(builder.or_(builder.shl(x1, left), builder.lshr(x1, right)), x0)
            if r & 3 == 3:
                j = (r + 1) >> 2
                x0 = builder.add(x0, keys[j % 3])
                x1 = builder.add(x1, builder.add(keys[(j + 1) % 3], constant([j] * LANES)))
        order = [lane + half * LANES for lane in range(LANES) for half in range(2)]
        both = shuffled(builder, x0, x1, order)
        memory = cgutils.alloca_once(builder, both.type)
        builder.store(both, memory)
        return builder.bitcast(memory, word.as_pointer())

    return types.CPointer(types.uint64)(types.uint64, types.uint64, types.uint64), generate


threefry_words: Any = _side_by_side if JIT else _one_by_one


@jit
def remainder(value: Any, n: int) -> int:
    """Return `value % n` of 64 bits, for 2 <= n <= MOST_CARDS, by multiplying, which is quicker."""
    rest = value - high_product(value, _PARTS_OF_64_BITS[n]) * U64(n)
    return I64(rest if rest < U64(n) else rest - U64(n))


def high_product(a: Any, b: Any) -> Any:
    """Return the upper 64 of the 128 bits of a product of two uint64."""
    return U64(int(a) * int(b) >> 64)


@overload(high_product)
def _high_product(a, b):  # type: ignore[no-untyped-def]
    return lambda a, b: _upper_half(a, b)


@intrinsic
def _upper_half(typingctx, a, b):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        double = ir.IntType(128)
        product = builder.mul(*(builder.zext(arg, double) for arg in args))
        return builder.trunc(builder.lshr(product, double(64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), generate


@jit
def shuffle_cards(cards: Any, seed: int, shuffle: int) -> None:
    """Shuffle in place (Fisher & Yates).

    The result is a pure function of the cards' order, the seed and the shuffle's number.

    Each place is drawn from 64 bits, so no order is favoured by more than 2**-57. An odd place and the
    last one take the first word of the block of their number, the others the second word of the place above.
    """
    key0, key1 = U64(seed), U64(shuffle)
    i = len(cards) - 1
    while i > 0:
        words = threefry_words(key0, key1, U64(i))
        k = 0
        while k < 2 * LANES and i > 0:
            j = remainder(words[k], i + 1)
            card = cards[i]
            cards[i] = cards[j]
            cards[j] = card
            k += 2 if k == 0 and i & 1 == 0 else 1  # an even last place uses one word of its block
            i -= 1


@jit
def next_word(rng: Any) -> Any:
    """Return the next 64 bits of a stream, uint64[1] (SplitMix64: Steele, Lea & Flood 2014)."""
    rng[0] = rng[0] + U64(0x9E3779B97F4A7C15)
    z = rng[0]
    z = (z ^ (z >> U64(30))) * U64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> U64(27))) * U64(0x94D049BB133111EB)
    return z ^ (z >> U64(31))


@jit
def below(rng: Any, n: int) -> int:
    """Return a random integer 0 .. n-1, n < 2**31. `rng`: uint64[1], modified in place."""
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
    """Return a random subset of `n` cards of a mask that holds at least `n`, as a mask."""
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
