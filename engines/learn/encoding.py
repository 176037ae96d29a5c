"""A view as a row of numbers: the generic part of encodings. Compiled.

A game has in its room `encoding` a function `encode(s, seat, out)` that writes what a redacted row shows into
`out` (float32, all 0 before), seats counted from the viewer, and its COLUMNS. Rows are always redacted before
they are encoded, so that nothing hidden can get into the numbers.
"""

from __future__ import annotations

from typing import Any

from ..core import Row, copy_words, dispatched, entry, fill, jit, redact


@dispatched()
def encode(s: Row, seat: int, out: Any) -> None:
    """Write the numbers of a row that is redacted for `seat` into `out`, all 0 before."""


@jit
def encode_view(words: Any, i: int, seat: int, view: Any, view_words: Any, out: Any) -> None:
    """Encode row i of `words` as `seat` sees it (-1: an onlooker, who sits at seat 0). `view`: a work row."""
    copy_words(words, i, view_words, 0)
    redact(view[0], seat)
    fill(out, 0.0)
    encode(view[0], max(seat, 0), out)


@entry
def encode_rows(words: Any, seats: Any, view: Any, view_words: Any, out: Any) -> None:
    """Encode every row as `seats[i]` (int64; -1: an onlooker) sees it. `out`: float32 [rows, columns]."""
    for i in range(len(words)):
        encode_view(words, i, seats[i], view, view_words, out[i])
