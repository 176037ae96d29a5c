"""Fields of a row to their blanks: `clear(s, "hand played leaders")`.

The record says what the blank of a field is (`Record.blanks`). Compiled code fills the bytes of the fields,
and takes fields that follow each other together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

from .compile import JIT, Row
from .dispatch import rules_of


def _blanks(row: Any, names: str) -> dict[str, int]:
    """Return the blanks of the fields that are named."""
    blanks = rules_of(row).blanks
    for name in names.split():
        if name not in blanks:
            raise TypingError(f"clear: the record has no field {name!r}; fields: {', '.join(blanks)}")
    return {name: blanks[name] for name in blanks if name in names.split()}


def _runs(row: Any, names: str) -> Iterator[tuple[int, int, int]]:
    """Yield runs of bytes that hold one value: the first byte, how many, and -1 or 0."""
    at = size = value = 0
    fields = rules_of(row).state.fields
    for name, blank in _blanks(row, names).items():
        kind, offset = fields[name][:2]
        if size and (offset, blank) == (at + size, value):
            size += kind.itemsize
            continue
        if size:
            yield at, size, value
        at, size, value = offset, kind.itemsize, blank
    if size:
        yield at, size, value


@intrinsic(prefer_literal=True)
def _clear(typingctx, row, names):  # type: ignore[no-untyped-def]
    """Return what `clear` does, in compiled code."""
    if not isinstance(names, types.StringLiteral):
        raise TypingError("clear: the names of the fields must be a text in the code")
    runs = list(_runs(row, names.literal_value))

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        memory = builder.bitcast(args[0], ir.IntType(8).as_pointer())
        for at, size, value in runs:
            start = cgutils.pointer_add(builder, memory, at)
            cgutils.memset(builder, start, context.get_constant(types.intp, size), value & 255)
        return context.get_dummy_value()

    return types.void(row, names), generate


def _plain(s: Row, names: str) -> None:
    """Do the same with the JIT off."""
    for name, blank in _blanks(s, names).items():
        setattr(s, name, blank)


clear: Any = _clear if JIT else _plain
"""`clear(s, "hand played")`: the fields of these names are blank then, in whole."""
