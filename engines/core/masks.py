"""Sets of cards as int64 masks, and arrays of cards.

A mask holds up to 63 cards: there are functions to count, pick and write them. Arrays can be filled, and one
card taken.

Signed integers mean the same in Numba, NumPy and Python, so the functions can be called from all three.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core.target_extension import current_target
from numba.extending import intrinsic

from .compile import I64, jit, overload

NOBODY = -1
"""No seat, no card, no trick: the blank of every field that is not a count, a mask or a sum."""


@intrinsic
def _ctpop(typingctx, x):  # type: ignore[no-untyped-def]
    return types.int64(types.int64), lambda context, builder, signature, args: builder.ctpop(args[0])


@intrinsic
def _cttz(typingctx, x):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.cttz(args[0], context.get_constant(types.boolean, False))

    return types.int64(types.int64), generate


@intrinsic
def _ctlz(typingctx, x):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.ctlz(args[0], context.get_constant(types.boolean, False))

    return types.int64(types.int64), generate


@intrinsic
def _deposit(typingctx, bits, mask):  # type: ignore[no-untyped-def]
    """Put the low bits into the places of a mask: one instruction, where a loop goes wrong at its end."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        word = ir.IntType(64)
        kind = ir.FunctionType(word, [word, word])
        return builder.call(builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), kind), args)

    return types.int64(types.int64, types.int64), generate


CAN_DEPOSIT = bool(llvm.get_host_cpu_features().get("bmi2"))
"""Whether this processor has the instruction (x86 since 2013)."""


def count(mask: int) -> int:
    """Return the number of cards in a mask."""
    return int(mask).bit_count()


def lowest(mask: int) -> int:
    """Lowest card number in a mask that is not empty."""
    return (int(mask) & -int(mask)).bit_length() - 1


def highest(mask: int) -> int:
    """Highest card number in a mask that is not empty."""
    return int(mask).bit_length() - 1


@overload(count)
def _count(mask):  # type: ignore[no-untyped-def]
    return lambda mask: _ctpop(I64(mask))


@overload(lowest)
def _lowest(mask):  # type: ignore[no-untyped-def]
    return lambda mask: _cttz(I64(mask))


@overload(highest)
def _highest(mask):  # type: ignore[no-untyped-def]
    return lambda mask: 63 - _ctlz(I64(mask))


@jit
def bit(card: int) -> int:
    """Return the mask of one card."""
    return I64(1) << I64(card)


@jit
def has(mask: int, card: int) -> bool:
    """Whether a mask contains a card."""
    return (I64(mask) >> I64(card)) & 1 == 1


def nth(mask: int, n: int) -> int:
    """Return the card with `n` lower cards in the mask."""
    for _ in range(n):
        mask &= mask - 1
    return lowest(mask)


@overload(nth)
def _nth(mask, n):  # type: ignore[no-untyped-def]
    if CAN_DEPOSIT and current_target() == "cpu":  # not for a GPU
        return lambda mask, n: _cttz(_deposit(I64(1) << I64(n), I64(mask)))

    def counted(mask, n):  # type: ignore[no-untyped-def]
        for _ in range(n):
            mask &= mask - 1
        return lowest(mask)

    return counted


@jit
def cards_into(out: Any, n: int, base: int, mask: int) -> int:
    """Write `base + card` for every card of the mask into `out` from place `n` on; return the new length."""
    while mask != 0:
        out[n] = base + lowest(mask)
        mask &= mask - 1
        n += 1
    return n


@jit
def mask_into(out: Any, n: int, mask: int) -> int:
    """Write the cards of the mask into `out` from place `n` on, ascending; return the new length."""
    return cards_into(out, n, 0, mask)


@jit
def fill(array: Any, value: float) -> None:
    """Set every element of a one-dimensional array (a slice assignment costs compile time)."""
    for i in range(len(array)):
        array[i] = value


@jit
def mask_of(cards: Any) -> int:
    """Return the mask of the cards in a one-dimensional array; blanks are left out."""
    mask = I64(0)
    for i in range(len(cards)):
        if cards[i] != NOBODY:
            mask |= bit(cards[i])
    return mask


@jit
def n_set(array: Any) -> int:
    """Return how many elements of a one-dimensional array are not blank."""
    n = I64(0)
    for i in range(len(array)):
        n += array[i] != NOBODY
    return n


@jit
def filled(array: Any, n: int) -> bool:
    """Whether exactly the first `n` elements of a one-dimensional array are not blank."""
    fits = True
    for i in range(len(array)):
        fits &= (array[i] != NOBODY) == (i < n)
    return fits


@jit
def take(cards: Any, place: int) -> int:
    """Take the card of a place, which is blank then."""
    card = I64(cards[place])
    cards[place] = NOBODY
    return card
