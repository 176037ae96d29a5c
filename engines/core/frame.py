"""Work space inside compiled code: arrays in the frame of the function that makes them.

Nothing is allocated, so that rules run as they are where nothing can be (a GPU), and no time is lost where it
can. Not here: work arrays that Python makes once and hands in (`plain.work`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.imputils import impl_ret_untracked
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from .compile import JIT
from .plain import Cells, PlainRows

ALIGNMENT = 16
"""Bytes: as strict as any element may be."""


@intrinsic(prefer_literal=True)
def _in_frame(typingctx, size, dtype):  # type: ignore[no-untyped-def]
    """An array of `size` elements, a constant, with undefined contents; gone when its function returns."""
    if not isinstance(size, types.IntegerLiteral):
        return None
    n, kind = size.literal_value, types.Array(dtype.dtype, 1, "C")

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        element = context.get_data_type(kind.dtype)
        with builder.goto_entry_block():
            memory = builder.alloca(ir.ArrayType(element, n))
        memory.align = ALIGNMENT
        width, array = context.get_abi_sizeof(element), make_array(kind)(context, builder)
        whole = [context.get_constant(types.intp, number) for number in (n, width)]
        data = builder.bitcast(memory, element.as_pointer())
        populate_array(array, data, whole[:1], whole[1:], whole[1], meminfo=None)
        return impl_ret_untracked(context, builder, kind, array._getvalue())

    return kind(size, dtype), generate


def _made(size: int, dtype: Any) -> Any:
    """`scratch` with the JIT off: all 0, elements and rows that read as plain integers."""
    array = np.zeros(size, dtype)
    if array.dtype.names:
        return PlainRows(array)
    return array if array.dtype.kind == "u" else Cells(array)  # random words wrap around on purpose


scratch: Any = _in_frame if JIT else _made
"""`scratch(size, dtype)`: a work array in the frame of the caller, which must not return it.

`size` is a constant of the module, `dtype` a type or a record; the contents are undefined.
"""
