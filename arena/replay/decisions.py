"""Give decisions of stored games as arrays, for learning by imitation.

They hold what a bot saw, might do and did, and the final score of its seat. Games are replayed in compiled
code, some matches at a time, each group into a file of its own: so memory is bounded, and processes share the
work.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import engines

from ..errors import RunError, StoreError, UsageError
from ..match.played import PlayedMatch
from ..runs.guard import check_rules
from ..runs.stages import steps_of
from ..store import Store
from ..store.models import LeagueRun
from ..store.packing import GAMES_PER_MATCH

GAMES_A_FILE = 250  # or a match more: 80 MiB of numbers of Taroky, held three times while they are written
Columns = dict[str, NDArray[Any]]


def export_decisions(
    store: Store,
    run: LeagueRun | str,
    folder: Path | str,
    workers: int | None = None,
    on_games: Callable[[int], None] = lambda games: None,
) -> int:
    """Write the decisions of all games of a run into files of a folder.

    Decisions with one legal action are left out, for no bot is asked. So are those of a seat that had
    forfeited the game: a fixed action was played for it.

    Args:
        store: with the run.
        run: finished or aborted; or its label.
        folder: gets `<league>-<number>-<first match>.npz`.
        workers: processes; default: one a CPU core.
        on_games: called with the number of games of each file.

    Returns:
        How many decisions there are. Columns: see `docs/guides/research.md`.

    Raises:
        UsageError: the run is not finished, or a file is there already.
        RunError: it was played under other rules, or a match cannot be replayed.
    """
    run = store.runs.find(run)
    if run.state == "playing":
        raise UsageError(f"{run.label} is not finished: its games are shown when nobody can learn from them")
    folder = Path(folder)
    check_rules(store, run)
    groups = list(_groups(store, run))
    files = [folder / f"{run.name}-{run.number}-{group[0]:07d}.npz" for group in groups]
    taken = next((path for path in files if path.exists()), None)
    if taken is not None:
        raise UsageError(f"{taken} is there already; choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    workers = min(workers or len(os.sched_getaffinity(0)), len(groups))
    decisions = 0
    for games, written in _written(store, run, groups, files, workers):
        decisions += written
        on_games(games)
    return decisions


def _groups(store: Store, run: LeagueRun) -> Iterator[list[int]]:
    """Numbers of matches that come into one file."""
    group, games = list[int](), 0
    for number, count in store.matches.games_by_match(run).items():
        group, games = [*group, number], games + count
        if games >= GAMES_A_FILE:
            yield group
            group, games = [], 0
    if games:
        yield group


def _written(
    store: Store, run: LeagueRun, groups: Sequence[list[int]], files: Sequence[Path], workers: int
) -> Iterator[tuple[int, int]]:
    """Games and decisions of each file, once it is written."""
    if workers <= 1:
        yield from (_write(store, run, *task) for task in zip(groups, files, strict=True))
        return
    url = store.engine.url.render_as_string(hide_password=False)
    with ProcessPoolExecutor(workers, get_context("spawn"), _open, (url, run.label)) as pool:
        yield from pool.map(_write_opened, groups, files)


_OPENED: list[tuple[Store, LeagueRun]] = []
"""The store of a worker process, and the run."""


def _open(url: str, label: str) -> None:
    store = Store(url)
    _OPENED.append((store, store.runs.find(label)))


def _write_opened(numbers: list[int], path: Path) -> tuple[int, int]:
    return _write(*_OPENED[0], numbers, path)


def _write(store: Store, run: LeagueRun, numbers: Sequence[int], path: Path) -> tuple[int, int]:
    """Write the decisions of some matches; the file is there when it is whole."""
    matches = list(store.matches.all(run, numbers))
    try:
        columns = decisions_of(store, run, matches)
    except (engines.GameError, IndexError) as error:
        where = f"{run.label}: matches {numbers[0]} to {numbers[-1]} cannot be replayed: {error}"
        raise RunError(f"{where}; arena league verify {run.label} says what else") from None
    part = Path(f"{path}.part")
    try:
        _save(part, columns)
        part.rename(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise StoreError(f"{path}: cannot be written: {error.strerror}") from None
    return sum(len(match.blocks) for match in matches), len(columns["action"])


def decisions_of(store: Store, run: LeagueRun, matches: Sequence[PlayedMatch]) -> Columns:
    """Return the decisions of some matches of a run, a row each, in the order of games and decisions."""
    labels = np.array([entry.bot.label for entry in store.runs.entries(run)])
    steps = steps_of(store, run, matches)
    game, none = steps.game, np.zeros(0, np.int64)
    match = np.repeat([one.number for one in matches], [len(one.blocks) for one in matches])
    at = np.concatenate([np.arange(len(one.blocks)) for one in matches])
    deal = np.concatenate([one.blocks for one in matches])
    score = np.concatenate([one.scores for one in matches])
    blank = steps.states[:0]
    parts = [(game.encode(blank), game.legal_mask(blank), none, none, none, none)]
    for made, rows, states, legal, actions, seats in steps:
        asked = (legal.sum(axis=1) > 1) & (made < steps.lost_at[rows, seats])
        if asked.any():
            seen = game.encode(states[asked]), legal[asked], actions[asked], seats[asked], rows[asked]
            parts.append((*seen, np.full(len(seen[-1]), made)))
    encoding, legal, action, seat, row, decision = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    order = np.lexsort((decision, row))
    seat, row = seat[order], row[order]
    return {
        "encoding": encoding[order],
        "mask": legal[order],
        "action": action[order].astype(np.int16),
        "seat": seat.astype(np.int8),
        "score": score[row, seat].astype(np.int32),
        "bot": labels[steps.entrant[row, seat]],
        "run": np.full(len(row), run.label),
        "match": match[row].astype(np.int64),
        "game": match[row] * GAMES_PER_MATCH + at[row],
        "deal": deal[row].astype(np.int32),
        "decision": decision[order].astype(np.int32),
    }


def _save(path: Path, columns: Columns) -> None:
    """As `numpy.savez_compressed`, in a fifth of its time for a few more bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, values in columns.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, values, allow_pickle=False)
