"""Work arrays in the frame of the function that makes them: `scratch` and `cleared`.

Nothing is allocated, which saves time on the processor, and is what lets a function run on a GPU. Not here:
work arrays that Python makes once and hands in (`plain.work`).

Both take a size, which is a constant of the module, and a type or a record. The array ends with the function
that asked for it: it may hand the array down, but not return it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.core.imputils import impl_ret_untracked
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from .compile import JIT
from .plain import Cells, PlainRows

ALIGNMENT = 16
"""Bytes: as strict as any element may be."""


def _array(size: Any, dtype: Any, clear: bool) -> Any:
    """Return the array's type, and what writes the code that makes it."""
    if not isinstance(size, types.IntegerLiteral):
        raise TypingError("the size of a work array must be a constant of its module")
    n, kind = size.literal_value, types.Array(dtype.dtype, 1, "C")

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        element = context.get_data_type(kind.dtype)
        width = context.get_abi_sizeof(element)
        with builder.goto_entry_block():  # made once, also in a loop
            memory = builder.alloca(ir.ArrayType(element, n))
        memory.align = ALIGNMENT
        if clear:
            cgutils.memset(builder, memory, context.get_constant(types.intp, n * width), 0)
        array = make_array(kind)(context, builder)
        shape, stride = context.get_constant(types.intp, n), context.get_constant(types.intp, width)
        data = builder.bitcast(memory, element.as_pointer())
        populate_array(array, data, [shape], [stride], stride, meminfo=None)
        return impl_ret_untracked(context, builder, kind, array._getvalue())

    return kind(size, dtype), generate


@intrinsic(prefer_literal=True)
def _scratch(typingctx, size, dtype):  # type: ignore[no-untyped-def]
    """`scratch` in compiled code."""
    return _array(size, dtype, clear=False)


@intrinsic(prefer_literal=True)
def _cleared(typingctx, size, dtype):  # type: ignore[no-untyped-def]
    """Return what `cleared` returns, in compiled code."""
    return _array(size, dtype, clear=True)


def _plain(size: int, dtype: Any) -> Any:
    """Both with the JIT off: elements and rows read as plain integers."""
    array = np.zeros(size, dtype)
    if array.dtype.names:
        return PlainRows(array)
    return Cells(array) if array.dtype.kind == "i" else array  # random words wrap around on purpose


scratch: Any = _scratch if JIT else _plain
"""`scratch(size, dtype)`: what is in it is undefined."""
cleared: Any = _cleared if JIT else _plain
"""`cleared(size, dtype)`: all 0."""
