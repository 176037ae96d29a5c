"""Play random games to their end on a GPU, a thread a row.

The rules, the random numbers and so the rows are those of `Game.playout`. Needs the extra `cuda` and an
NVIDIA GPU.

Numba compiles the engines' own functions once more, for the GPU, when a process first plays a game there;
that code is not kept on disk. Not here: any rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import blake2b
from importlib import import_module
from types import SimpleNamespace
from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numpy.typing import NDArray

from . import core, load, names
from .core import States, scratch
from .core.frame import ALIGNMENT
from .errors import GameError, OptionError
from .game import Game
from .seeds import seeds_of

try:  # NVIDIA's package takes the place of the `numba.cuda` that comes with Numba
    import_module("_numba_cuda_redirector")
    cuda: Any = import_module("numba.cuda")
except ImportError:
    raise ImportError(
        "engines.cuda: the extra is missing: in the checkout, pip install -e '.[cuda]'"
    ) from None

BLOCK = 256
"""Threads that start together."""
CONSTANT_SPACE = 4
"""The address space of constant memory, as NVIDIA's compiler numbers it."""


def playout(states: States, seed: int = 0) -> int:
    """Play every row to its end by uniformly random legal actions, in place.

    The rows come out as those of `Game.playout`, byte for byte.

    Args:
        states: rows of one game that fit into the GPU's memory together; played on.
        seed: 0 to 2**64 - 1; row i depends on its state, the seed and i only.

    Returns:
        Decisions made, forced ones included.

    Raises:
        GameError: no batch of a game that a GPU can play, or no GPU; nothing is changed.
        OptionError: bad seed.
    """
    game = game_of(states)
    states = game._checked(states, core.PLAYABLE, writable=True)
    key = seeds_of(seed, 1)[0]
    check_gpu()
    if len(states) == 0:
        return 0
    return _run(game.name, states, key, cuda.device_array((0, 0), np.int64), len(states))


def play_new(
    name: str, n: int, seed: int = 0, players: int | None = None, **options: Any
) -> tuple[NDArray[np.int64], int]:
    """Deal new games on the GPU and play them to their end: one row goes there, and scores come back.

    Args:
        name: of the game.
        n: games, from 1.
        seed: 0 to 2**64 - 1, of the first game's deal as in `Game.new`, and of the actions as in `playout`.
        players: number of seats.
        options: by name; the rest by default.

    Returns:
        The scores of `states = game.new(n, seed, players, **options)` after `game.playout(states, seed)`,
        int64 [n, players], and the decisions made.

    Raises:
        GameError: no GPU.
        OptionError: bad n, seed, players or options.
    """
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise OptionError(f"{name}: n = {n!r}: allowed is a whole number of games, from 1")
    first = load(name)._copies(1, players, options, started=True)
    key = seeds_of(seed, 1)[0]
    check_gpu()
    scores = cuda.device_array((n, int(first["players"][0])), np.int64)
    decisions = _run(name, first, key, scores, n)
    return scores.copy_to_host(), decisions


def _run(name: str, states: States, key: Any, scores: Any, n: int) -> int:
    """Run the kernel of a game in `n` threads, and fetch the rows where no scores are; the decisions made."""
    simulated = numba.config.ENABLE_CUDASIM
    rows = core.rows(states) if simulated else cuda.to_device(states)
    decisions = cuda.device_array(n, np.int64)
    with _shared_tables():
        _on_gpu(name)[-(-n // BLOCK), BLOCK](rows, key, scores, decisions)
    if not simulated and not len(scores):
        rows.copy_to_host(states)
    return int(decisions.copy_to_host().sum())


def game_of(states: Any) -> Game:
    """Return the game whose records these are. Raises GameError: of none."""
    for name in sorted(names(), key=lambda name: name not in core.GAMES.values()):  # loaded ones first
        if load(name).state == getattr(states, "dtype", None):
            return load(name)
    raise GameError("engines.cuda: states must be a one-dimensional array of one game's records")


def check_gpu() -> None:
    """Whether a kernel can run here. Raises GameError: says what is in the way."""
    if numba.config.ENABLE_CUDASIM:
        if core.JIT:
            raise GameError("engines.cuda: Numba's simulator runs plain Python: set NUMBA_DISABLE_JIT=1, too")
    elif not core.JIT:
        raise GameError("engines.cuda: with NUMBA_DISABLE_JIT=1 nothing runs on a GPU")
    elif not cuda.is_available():
        raise GameError("engines.cuda: no NVIDIA GPU with a driver here; Game.playout plays on the processor")


def compile_to_ptx(name: str, capability: tuple[int, int] = (8, 0)) -> str:
    """Return the kernel of a game's playouts in the GPU's assembly language (PTX); needs no GPU."""
    record = types.Array(numba.from_dtype(load(name).state), 1, "C")
    signature = types.void(record, types.uint64, types.int64[:, ::1], types.int64[::1])
    with _for_capability(capability), _shared_tables():
        ptx, _ = cuda.compile_ptx(_kernel(name), signature, cc=capability)
    return str(ptx)


class Resources(NamedTuple):
    """What a thread of a kernel takes of the GPU."""

    registers: int
    local: int  # bytes
    constant: int  # bytes, of all threads together


def resources(name: str) -> Resources:
    """Return what the kernel of a game takes, once it has been compiled by a call of `playout` on a GPU."""
    kernel = _on_gpu(name)
    asked = (kernel.get_regs_per_thread(), kernel.get_local_mem_per_thread(), kernel.get_const_mem_size())
    return Resources(*(max(told.values()) for told in asked))  # by signature, of which there is one


@cache
def _on_gpu(name: str) -> Any:
    """Return the kernel of a game, which compiles when it is called first."""
    return cuda.jit(_kernel(name))


def _kernel(name: str) -> Callable[[Any, Any, Any, Any], None]:
    """Return what one thread does: play the row of its number, or with room for scores a new deal.

    The row is copied into the thread's own memory, which a GPU lays out so that neighbouring threads read
    neighbouring words; rows side by side are too long for that.
    """
    game = load(name)
    record, actions, cards = game.state, game.n_actions, game.deck_size

    def play(states: Any, seed: Any, scores: Any, decisions: Any) -> None:
        i, new = cuda.grid(1), len(scores) > 0
        if i < len(decisions):
            row, rng = scratch(1, record), scratch(1, np.uint64)
            row[0] = states[0 if new else i]
            if new:
                row[0].seed = seed + np.uint64(i)
            core.stream(rng, seed, i)
            decisions[i] = core.play_out(row[0], scratch(actions, np.int16), scratch(cards, np.int16), rng)
            if new:
                core.score(row[0], scores[i])
            else:
                states[i] = row[0]

    return play


@contextmanager
def _for_capability(capability: tuple[int, int]) -> Iterator[None]:
    """Compile for this kind of GPU: numba-cuda asks the one at hand when a kernel calls another function."""
    dispatcher: Any = import_module("numba.cuda.dispatcher")
    asked = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=capability)
    try:
        yield
    finally:
        dispatcher.get_current_device = asked


@contextmanager
def _shared_tables() -> Iterator[None]:
    """Compile every table once: numba-cuda writes it once more for every function that reads it.

    The tables of Zoliky are 41 KiB so, and 141 KiB else; a GPU has 64 KiB of constant memory.
    """
    if numba.config.ENABLE_CUDASIM:
        yield
        return
    target: Any = import_module("numba.cuda.target").CUDATargetContext
    original = target.make_constant_array

    def table(context: Any, builder: Any, kind: Any, array: Any) -> Any:
        if array.flags.c_contiguous:
            return _table(context, builder, kind, array)
        return original(context, builder, kind, array)

    target.make_constant_array = table
    try:
        yield
    finally:
        target.make_constant_array = original


def _table(context: Any, builder: Any, kind: Any, array: NDArray[Any]) -> Any:
    """Return an array in constant memory: tables with the same bytes have the same name and become one."""
    content = array.tobytes()
    name = f"table_{blake2b(content, digest_size=16).hexdigest()}"
    found = builder.module.globals.get(name)
    if found is None:
        numbers = ir.Constant(ir.ArrayType(ir.IntType(8), len(content)), bytearray(content))
        found = ir.GlobalVariable(builder.module, numbers.type, name, addrspace=CONSTANT_SPACE)
        found.linkage, found.global_constant, found.initializer = "linkonce_odr", True, numbers
        found.align = ALIGNMENT
    made = context.make_array(kind)(context, builder)
    whole = context.get_constant
    shape, strides = ([whole(types.intp, n) for n in of] for of in (array.shape, array.strides))
    data = builder.bitcast(builder.addrspacecast(found, ir.PointerType(ir.IntType(8))), made.data.type)
    width = whole(types.intp, array.itemsize)
    context.populate_array(
        made, data=data, shape=shape, strides=strides, itemsize=width, parent=made.parent, meminfo=None
    )
    return made._getvalue()
