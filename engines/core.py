"""What every engine shares: compilation, randomness, and the loops that no game needs to write again.

A state is one row of a NumPy structured array. An engine is a set of compiled functions over one row
(`start`, `deck`, `deal`, `legal`, `step`, `redact`, `determinize`, `score`). The generic code here calls those eight by
their plain names; Numba picks the engine by the type of the record, so each loop is written once and is as
fast as if it had been written for the game.

    compilation   jit, plain, record, rows, work
    randomness    shuffle_cards (a deal: keyed by seed and shuffle number), below (a stream: playouts, determinize)
    rules         start .. score (dispatch to the engine of the record), bind
    batches       open_games, legal_mask, first_illegal, step_rows, redact_rows, determinize_rows, score_rows, playout_rows
    one game      legal_row, play_row, due_row, take_row
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

Row = Any
"""One record: `s.seat`, `s.hand[p]`. Numba's type system has it exactly; Python's has no name for it."""

I64: Any = np.int64
U64: Any = np.uint64
# the types for casts in compiled code; Any, as a type checker would not mix them with int

F = TypeVar("F", bound=Callable[..., Any])

OVER = -1
"""`s.seat` when the game is over."""
SHUFFLE = -2
"""`s.seat` when a shuffle is due."""
HAND_SHUFFLES = 64
"""Shuffles are numbered hand * 64 + place in the hand, so that an optional one does not move the later hands."""

JIT = not numba.config.DISABLE_JIT
if not JIT:  # the generators below wrap around on purpose; compiled code does so silently
    np.seterr(over="ignore")


# --- compilation ---------------------------------------------------------------------------------------------------------


def _source_hash() -> str:
    """Hash of all that compiled code depends on. Numba itself does not notice an edit in another file."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    digest.update(f"{numba.__version__} {np.__version__} {sys.version} {platform.machine()}".encode())
    return digest.hexdigest()


def _cache_parents() -> list[Path]:
    """Places for the cache, best first: beside the source (each checkout its own), else the user's cache folder."""
    chosen = os.environ.get("ARENA_CACHE")
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    return [Path(chosen)] if chosen else [Path(__file__).parent / "__pycache__", user / "card-arena"]


def _cache_folder() -> Path | None:
    """A writable folder for compiled code, named by the source hash; folders of older sources beside it are dropped."""
    name = f"numba-{_source_hash()}"
    for parent in _cache_parents():
        try:
            folder = parent / name
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError:
            if (parent / name / "complete").exists():  # filled by somebody who could write; enough to read
                return parent / name
            continue
        for old in parent.glob("numba-*"):
            if old.name != name:
                shutil.rmtree(old, ignore_errors=True)
        return folder
    warnings.warn("no writable folder for compiled code: every start compiles again (set ARENA_CACHE to a folder)", stacklevel=2)
    return None


CACHE_FOLDER: Path | None = _cache_folder() if JIT else None


@contextlib.contextmanager
def _numba_caches_in(folder: Path) -> Iterator[None]:
    """Point Numba at our folder while a function is decorated; other users of Numba keep their own."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


def jit(function: F) -> F:
    """Compile for the machine at hand, cached on disk: the one place with compile options.

    Division by zero does not raise (`error_model="numpy"`), array bounds are not checked unless NUMBA_BOUNDSCHECK=1, the
    GIL is released. With NUMBA_DISABLE_JIT=1 the function stays plain Python.
    """
    if CACHE_FOLDER is None:
        return numba.njit(error_model="numpy", nogil=True)(function)
    with _numba_caches_in(CACHE_FOLDER):
        return numba.njit(cache=True, error_model="numpy", nogil=True)(function)


class Cells:
    """An integer array whose elements read as plain Python integers (small NumPy integers would wrap)."""

    __slots__ = ("array",)

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array

    def __getitem__(self, key: Any) -> Any:
        value = self.array[key]
        return Cells(value) if isinstance(value, np.ndarray) else int(value)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.array[key] = value

    def __len__(self) -> int:
        return len(self.array)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self.array)))

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self.array.shape

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.array.size

    def tolist(self) -> list[Any]:
        """The elements as (nested) lists of plain integers."""
        return self.array.tolist()


class PlainRow:
    """One record whose fields are attributes, as in compiled code, and read as plain integers."""

    __slots__ = ("_void",)
    _void: Any

    def __init__(self, void: Any) -> None:
        object.__setattr__(self, "_void", void)

    def __getattr__(self, name: str) -> Any:
        try:
            value = self._void[name]
        except ValueError as error:
            raise AttributeError(str(error)) from None
        return Cells(value) if isinstance(value, np.ndarray) else int(value)

    def __setattr__(self, name: str, value: Any) -> None:
        self._void[name] = value


class PlainRows:
    """Rows of a structured array as `PlainRow`s."""

    __slots__ = ("states",)

    def __init__(self, states: NDArray[np.void]) -> None:
        self.states = states

    def __getitem__(self, i: int) -> PlainRow:
        return PlainRow(self.states[i])

    def __len__(self) -> int:
        return len(self.states)


def plain(states: NDArray[np.void]) -> PlainRows:
    """Rows for reading and writing in Python: `plain(states)[0].hand[2]` is an int. Changes go to `states`."""
    return PlainRows(states)


def record(row: PlainRow) -> Any:
    """What a compiled function over one row takes for a plain row, so that a `Field` can ask the rules (4 us a call)."""
    return row._void if JIT else row


def rows(states: NDArray[np.void]) -> Any:
    """What a compiled function takes for a batch: the array itself, or with the JIT off rows that behave alike."""
    return states if JIT else PlainRows(states)


def work(size: int) -> Any:
    """A work array (int16) as the compiled functions take it: for legal actions or for the cards of a shuffle."""
    array = np.zeros(size, np.int16)
    return array if JIT else Cells(array)


# --- bits ------------------------------------------------------------------------------------------------------------------
# Card sets are int64 masks of up to 63 cards: signed integers mean the same in Numba, NumPy and Python.


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


def count(mask: int) -> int:
    """Number of cards in a mask."""
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
    """The mask of one card."""
    return I64(1) << I64(card)


@jit
def has(mask: int, card: int) -> bool:
    """Whether a mask contains a card."""
    return (I64(mask) >> I64(card)) & 1 == 1


@jit
def nth(mask: int, n: int) -> int:
    """The card with `n` lower cards in the mask."""
    for _ in range(n):
        mask &= mask - 1
    return lowest(mask)


@jit
def cards_into(out: Any, n: int, base: int, mask: int) -> int:
    """Write `base + card` for every card of the mask into `out` from place `n` on, ascending; return the new length."""
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
def fill(array: Any, value: int) -> None:
    """Set every element of a one-dimensional array (a slice assignment costs compile time)."""
    for i in range(len(array)):
        array[i] = value


# --- randomness ------------------------------------------------------------------------------------------------------------

_PARITY = U64(0x1BD11BDAA9FC1A22)
_ROTATIONS = (16, 42, 12, 31, 16, 32, 24, 21)
_64 = U64(64)


@jit
def threefry(key0: Any, key1: Any, block: Any, lane: Any) -> tuple[Any, Any]:
    """128 random bits as a pure function of a 128-bit key and a 128-bit counter: Threefry-2x64 with 20 rounds.

    Salmon, Moraes, Dror & Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3" (SC11). All words are uint64. It is the
    Threefish cipher with fewer rounds: seen cards do not lead back to the seed, as they would with a linear generator.
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
    """Shuffle in place (Fisher & Yates), as a pure function of the cards' order, the seed and the shuffle's number.

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
    """The next 64 random bits of a stream (SplitMix64: Steele, Lea & Flood 2014). `rng`: uint64[1], modified in place."""
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


# --- the rules of a record's game ------------------------------------------------------------------------------------------
# The eight functions of an engine. Compiled code resolves them by the record's type; with the JIT off they are looked up.

RULES = ("start", "deck", "deal", "legal", "step", "redact", "determinize", "score")
_bound: dict[Any, SimpleNamespace] = {}


def bind(state: np.dtype[np.void], name: str, rules: dict[str, Any]) -> None:
    """Make `rules` (the eight functions by name) the ones for records of type `state`.

    Raises:
        ValueError: another game has the same layout, or a function is missing.
    """
    if sorted(rules) != sorted(RULES):
        raise ValueError(f"{name}: an engine has exactly the functions {', '.join(RULES)}")
    key = numba.from_dtype(state)
    if key in _bound and _bound[key].game != name:
        raise ValueError(f"{name} and {_bound[key].game} have the same state layout: their rules could not be told apart")
    _bound[key] = SimpleNamespace(game=name, **rules)


def _rules(record: Any) -> SimpleNamespace:
    """The rules for a Numba record type (while compiling) or for a `PlainRow` (JIT off)."""
    key = numba.from_dtype(record._void.dtype) if isinstance(record, PlainRow) else record
    if key not in _bound:
        raise TypeError(f"no engine for records of type {key}")
    return _bound[key]


def start(s: Row) -> None:
    """Options and number of players are set: go to the first shuffle."""
    _rules(s).start(s)


def deck(s: Row, out: Any) -> int:
    """Write the cards that are to be shuffled now into `out`, in canonical order; return how many."""
    return _rules(s).deck(s, out)


def deal(s: Row, cards: Any) -> None:
    """Take the due shuffle: the cards of `deck` in their shuffled order. Go on to a decision, shuffle or the end."""
    _rules(s).deal(s, cards)


def legal(s: Row, out: Any) -> int:
    """Write the legal actions of the seat to act into `out`, ascending; return how many."""
    return _rules(s).legal(s, out)


def step(s: Row, action: int) -> None:
    """Apply a legal action; go on to the next decision, shuffle or the end."""
    _rules(s).step(s, action)


def redact(s: Row, seat: int) -> None:
    """Blank in place all that this seat may not know; -1 is an onlooker. The seed is the caller's to blank."""
    _rules(s).redact(s, seat)


def determinize(s: Row, rng: Any) -> None:
    """Fill the blanks of a redacted row with a random world that agrees with it. The seed is the caller's to set."""
    _rules(s).determinize(s, rng)


def score(s: Row, out: Any) -> None:
    """Write the final score of every seat into `out`."""
    _rules(s).score(s, out)


@overload(start)
def _start(s):  # type: ignore[no-untyped-def]
    rule = _rules(s).start
    return lambda s: rule(s)


@overload(deck)
def _deck(s, out):  # type: ignore[no-untyped-def]
    rule = _rules(s).deck
    return lambda s, out: rule(s, out)


@overload(deal)
def _deal(s, cards):  # type: ignore[no-untyped-def]
    rule = _rules(s).deal
    return lambda s, cards: rule(s, cards)


@overload(legal)
def _legal(s, out):  # type: ignore[no-untyped-def]
    rule = _rules(s).legal
    return lambda s, out: rule(s, out)


@overload(step)
def _step(s, action):  # type: ignore[no-untyped-def]
    rule = _rules(s).step
    return lambda s, action: rule(s, action)


@overload(redact)
def _redact(s, seat):  # type: ignore[no-untyped-def]
    rule = _rules(s).redact
    return lambda s, seat: rule(s, seat)


@overload(determinize)
def _determinize(s, rng):  # type: ignore[no-untyped-def]
    rule = _rules(s).determinize
    return lambda s, rng: rule(s, rng)


@overload(score)
def _score(s, out):  # type: ignore[no-untyped-def]
    rule = _rules(s).score
    return lambda s, out: rule(s, out)


@jit
def settle(s: Row, cards: Any) -> None:
    """Do the shuffles that are due, until a seat is to act or the game is over. `cards`: int16 work array.

    Public: a search calls it after `step`.
    """
    while s.seat == SHUFFLE:
        n = deck(s, cards)
        shuffle_cards(cards[:n], s.seed, s.shuffle)
        deal(s, cards[:n])


# --- batches: `states` is a contiguous structured array, `out` and `cards` int16 work arrays ------------------------------


@jit
def open_games(states: Any, cards: Any) -> None:
    """Start every row, whose header and options are set, and go to its first decision. Modified in place."""
    for i in range(len(states)):
        start(states[i])
        settle(states[i], cards)


@jit
def legal_mask(states: Any, mask: Any, out: Any) -> None:
    """Set `mask[i, a]` (bool, all false before) for every legal action a of row i."""
    for i in range(len(states)):
        if states[i].seat >= 0:
            n = legal(states[i], out)
            for k in range(n):
                mask[i, out[k]] = True


@jit
def is_legal(s: Row, action: int, out: Any) -> bool:
    """Whether an action (any int64) is legal now."""
    n = legal(s, out)
    for k in range(n):
        if out[k] == action:
            return True
    return False


@jit
def first_illegal(states: Any, actions: Any, out: Any) -> int:
    """The first row whose action (int64) is not legal, -1 if there is none. Rows that are over are ignored."""
    for i in range(len(states)):
        if states[i].seat >= 0 and not is_legal(states[i], actions[i], out):
            return i
    return -1


@jit
def step_rows(states: Any, actions: Any, cards: Any) -> None:
    """Apply checked actions (int64), one a row. Rows that are over are ignored. Modified in place."""
    for i in range(len(states)):
        if states[i].seat >= 0:
            step(states[i], actions[i])
            settle(states[i], cards)


@jit
def redact_rows(states: Any, seats: Any) -> None:
    """Redact row i for seat `seats[i]` (int64; -1: an onlooker). The seed is blank afterwards. Modified in place."""
    for i in range(len(states)):
        states[i].seed = U64(0)
        redact(states[i], seats[i])


@jit
def determinize_rows(states: Any, seed: int, rng: Any) -> None:
    """Replace every row (a view) by a random world that agrees with it, with a seed of its own. Modified in place."""
    for i in range(len(states)):
        stream(rng, seed, i)
        states[i].seed = next_word(rng)
        determinize(states[i], rng)


@jit
def score_rows(states: Any, out: Any) -> None:
    """Write the final scores into `out` (int64, rows x seats)."""
    for i in range(len(states)):
        score(states[i], out[i])


@jit
def playout_rows(states: Any, seed: int, out: Any, cards: Any, rng: Any) -> int:
    """Play every row to its end by uniformly random legal actions, in place; return the number of decisions made."""
    decisions = 0
    for i in range(len(states)):
        stream(rng, seed, i)
        settle(states[i], cards)
        while states[i].seat >= 0:
            n = legal(states[i], out)
            step(states[i], I64(out[below(rng, n)]))
            settle(states[i], cards)
            decisions += 1
    return decisions


# --- one game --------------------------------------------------------------------------------------------------------------


@jit
def legal_row(states: Any, i: int, out: Any) -> int:
    """`legal` of row i; 0 where nobody is to act."""
    return legal(states[i], out) if states[i].seat >= 0 else 0


@jit
def play_row(states: Any, i: int, action: int, out: Any, n: int, cards: Any) -> int:
    """Apply `action` if it is among `out[:n]`, the legal actions of row i, and write the next ones into `out`.

    Returns:
        How many are legal now; -1, with nothing changed, if the action is not legal; -2 if a shuffle is due and
        `cards` is empty (the caller brings the shuffle).
    """
    for k in range(n):
        if out[k] == action:
            step(states[i], action)
            if len(cards) > 0:
                settle(states[i], cards)
            elif states[i].seat == SHUFFLE:
                return -2
            return legal_row(states, i, out)
    return -1


@jit
def start_row(states: Any, i: int) -> None:
    """`start` of row i, without the shuffles."""
    start(states[i])


@jit
def due_row(states: Any, i: int, cards: Any) -> int:
    """`deck` of row i, whose `seat` is SHUFFLE."""
    return deck(states[i], cards)


@jit
def shuffle_row(states: Any, i: int, cards: Any) -> None:
    """Put the cards of the due shuffle of row i, which are in canonical order, into the order that its seed gives."""
    shuffle_cards(cards, states[i].seed, states[i].shuffle)


@jit
def take_row(states: Any, i: int, cards: Any) -> None:
    """`deal` of row i with a shuffle from outside, already checked."""
    deal(states[i], cards)
