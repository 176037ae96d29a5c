"""Rows of a batch as objects whose fields read as plain integers.

They are for views, for tests, and for running without the JIT.

NumPy's own scalars do not do: small integers wrap around, and a structured array has names of its own.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .compile import JIT

States: TypeAlias = NDArray[np.void]
"""A batch: one row a game."""

FEW_BYTES = 1 << 17
"""Below, bytes objects are the quicker way to a copy; larger ones are asked of the system anew each time."""


class Cells:
    """An integer array whose elements read as plain Python integers (small NumPy integers would wrap)."""

    __slots__ = ("array",)

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array

    def __getitem__(self, key: Any) -> Any:
        value = self.array[key]
        return Cells(value) if type(value) is np.ndarray else int(value)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.array[key] = value

    def __len__(self) -> int:
        return len(self.array)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.array.tolist()) if self.array.ndim == 1 else map(Cells, self.array)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self.array.shape

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.array.size

    def copy(self) -> Cells:
        """Return a copy of the array."""
        return Cells(self.array.copy())

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        return np.array(self.array, dtype)

    def tolist(self) -> list[Any]:
        """Return the elements as (nested) lists of plain integers."""
        return self.array.tolist()


class PlainRow:
    """One record whose fields are attributes, as in compiled code, and read as plain integers."""

    __slots__ = ("_void",)
    _void: Any

    def __init__(self, void: Any) -> None:
        object.__setattr__(self, "_void", void)

    def __getattribute__(self, name: str) -> Any:
        # not `__getattr__`, which is asked only after an error was made and dropped: half of the time
        if name == "_void":
            return _void_of(self)
        try:
            value = _void_of(self)[name]
        except ValueError as error:
            if name.startswith("__"):
                return object.__getattribute__(self, name)
            raise AttributeError(str(error)) from None
        return Cells(value) if type(value) is np.ndarray else int(value)

    def __setattr__(self, name: str, value: Any) -> None:
        self._void[name] = value


_void_of = PlainRow.__dict__["_void"].__get__  # the slot, read without asking the row for it


class PlainRows:
    """Rows of a structured array as `PlainRow`s."""

    __slots__ = ("states",)

    def __init__(self, states: NDArray[np.void]) -> None:
        self.states = states

    def __getitem__(self, i: int) -> PlainRow:
        return PlainRow(self.states[i])

    def __setitem__(self, i: int, row: PlainRow) -> None:
        self.states[i] = row._void

    def __len__(self) -> int:
        return len(self.states)


def plain(states: NDArray[np.void]) -> PlainRows:
    """Rows to read and write in Python: `plain(states)[0].hand[2]` is an int. Changes go to `states`."""
    return PlainRows(states)


def record(row: PlainRow) -> Any:
    """Return what a compiled function takes for a plain row, so that a `Field` can ask the rules (4 us)."""
    return row._void if JIT else row


_kept: dict[int, tuple[weakref.ref[States], States]] = {}
"""By its id a batch that is kept, and the writable array behind it."""


def keep(states: States) -> States:
    """Return a batch that nobody can write into but compiled code that gets it through `rows`.

    Args:
        states: contiguous and writable, checked; nobody else may hold it.
    """
    if not len(states):
        return states
    face = np.frombuffer(states.view(np.uint8).data.toreadonly(), states.dtype)
    key = id(face)
    _kept[key] = weakref.ref(face, lambda _: _kept.pop(key, None)), states
    return face


def behind(states: States) -> States | None:
    """Return the writable array behind a kept batch, or behind a slice of one; None for another array."""
    if states.flags.writeable:
        return None
    for face in (states, states.base):
        known = _kept.get(id(face))
        if known is None or known[0]() is not face:
            continue
        if face is states:
            return known[1]
        if states.dtype != known[1].dtype:
            return None
        at = states.__array_interface__["data"][0] - known[1].__array_interface__["data"][0]
        memory = known[1].view(np.uint8).data
        return np.ndarray(states.shape, states.dtype, memory, at, states.strides)
    return None


def rows(states: NDArray[np.void]) -> Any:
    """Return what a compiled function takes for a batch.

    It is the array itself, and for a kept batch the array behind it. With the JIT off it is rows that behave
    alike.
    """
    if not states.flags.writeable:
        found = behind(states)
        states = states if found is None else found
    return states if JIT else PlainRows(states)


def work(size: int) -> Any:
    """Return a work array (int16) for compiled functions: for legal actions, or the cards of a shuffle."""
    array = np.zeros(size, np.int16)
    return array if JIT else Cells(array)


def copy_states(states: States) -> States:
    """Return a copy that is equal byte for byte, padding included (`states.copy()` leaves it undefined)."""
    if states.nbytes < FEW_BYTES:
        return np.ndarray(states.shape, states.dtype, bytearray(states.tobytes()))
    states = np.ascontiguousarray(states)
    return states.view(np.uint8).copy().view(states.dtype)
