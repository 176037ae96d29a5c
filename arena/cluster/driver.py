"""Matches on Ray: one task per match, a bounded number in flight, results as they come. The driver alone writes."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import RunError
from ..jail.limits import HostError, Limits
from ..match.setup import MatchResult, MatchSetup

TRIES = 3  # a match that we (not a bot) failed to play is played again, elsewhere if possible
IN_FLIGHT = 2  # matches waiting or running per worker: a worker never idles while the driver writes
WORKER_MIB = 512  # of memory for a worker and its fork server
OBJECT_STORE = 128 << 20  # bytes; bots and results are small, and the default is a third of the memory


@contextlib.contextmanager
def cluster(workers: int, address: str | None) -> Iterator[Any]:
    """Ray, embedded with `workers` CPUs or a running cluster at `address`; silent, without dashboard and usage reports.

    Raises:
        RunError: it cannot be started or reached.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    if (
        address and Path("~/.ray/auth_token").expanduser().is_file()
    ):  # an explicit address: Ray does not look for the token itself
        os.environ.setdefault("RAY_AUTH_MODE", "token")  # read once, when Ray is imported
    import ray

    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if address:
            _reach(address)
            ray.init(address=address, **quiet)
        else:
            ray.init(address="local", num_cpus=workers, include_dashboard=False, object_store_memory=OBJECT_STORE, **quiet)
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        where = f"no Ray cluster at {address}" if address else "Ray cannot be started here"
        raise RunError(f"{where}: {str(error).splitlines()[0]}") from None
    try:
        yield ray
    finally:
        ray.shutdown()


@dataclass(frozen=True)
class _Task:
    """A match that waits or is being played, and why it was called off before."""

    setup: MatchSetup
    sources: list[tuple[str, str, Any]]  # name, hash and packed files of each place
    causes: tuple[str, ...] = ()


def play_all(
    setups: Iterable[tuple[MatchSetup, list[tuple[str, str, bytes]]]], workers: int, address: str | None = None
) -> Iterator[tuple[MatchSetup, MatchResult]]:
    """Play matches on Ray; yields each with its result as it ends, in no particular order.

    A match is played again only if its worker was lost or its host failed (`HostError`), never for anything that a bot has done:
    the deals are the same, and who knows them wins. Each repetition is in the result with its cause.

    Raises:
        RunError: a match could not be played in `TRIES` tries, with the reason; or no Ray.
    """
    with cluster(workers, address) as ray:
        remote = ray.remote(num_cpus=1, max_retries=0, scheduling_strategy="SPREAD" if address else "DEFAULT")(_run_match)
        if address:
            workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
        most = max((int(node["Resources"].get("memory", 0)) for node in ray.nodes() if node["Alive"]), default=0)
        todo = iter(setups)
        running: dict[Any, _Task] = {}
        packed: dict[str, Any] = {}  # one copy of a bot's files in the object store

        def submit(task: _Task) -> None:
            sized = remote.options(memory=min(memory_of(task.setup), most))
            names = [source[:2] for source in task.sources]
            running[sized.remote(task.setup, names, *[source[2] for source in task.sources])] = task

        try:
            while True:
                while len(running) < workers * IN_FLIGHT and (item := next(todo, None)) is not None:
                    setup, sources = item
                    for _, digest, data in sources:
                        if digest not in packed:
                            packed[digest] = ray.put(data)
                    submit(_Task(setup, [(name, digest, packed[digest]) for name, digest, _ in sources]))
                if not running:
                    return
                done, _ = ray.wait(list(running), num_returns=1)
                task = running.pop(done[0])
                try:
                    result = ray.get(done[0])
                except ray.exceptions.RayError as error:
                    submit(_again(task, error, isinstance(error, ray.exceptions.RayTaskError)))
                    continue
                yield task.setup, replace(result, repeated=task.causes)
        finally:
            for reference in running:
                ray.cancel(reference, force=True)


def _again(task: _Task, error: Exception, raised: bool) -> _Task:
    """The task of a match that is to be played again; `raised`: the match itself has raised the error.

    Raises:
        RunError: it is not, since that would not help or was tried often enough.
    """
    cause = getattr(error, "cause", None) or error
    if raised and not isinstance(cause, HostError):
        raise RunError(f"match {task.setup.number} could not be played: {type(cause).__name__}: {_reason(error)}") from None
    causes = (*task.causes, _reason(error))
    if len(causes) >= TRIES:
        raise RunError(f"match {task.setup.number} could not be played in {TRIES} tries: {_reason(error)}") from None
    return replace(task, causes=causes)


def memory_of(setup: MatchSetup) -> int:
    """Bytes that a match may use: what its bots may have, and the worker with its fork server."""
    bots = len(setup.bot_seeds) * Limits(**setup.limits).memory_mib
    return (WORKER_MIB + bots) << 20


def _reach(address: str) -> None:
    """Connect once: Ray itself would try for many minutes.

    Raises:
        OSError: nobody answers there.
        ValueError: not HOST:PORT.
    """
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if address == "auto":
        return
    if not colon or not port.isdecimal():
        raise ValueError("an address is HOST:PORT, ray://HOST:PORT or auto")
    socket.create_connection((host, int(port)), timeout=5).close()


def _run_match(setup: MatchSetup, names: list[tuple[str, str]], *packed: bytes) -> MatchResult:
    from .task import run_match

    return run_match(setup, [(name, digest, data) for (name, digest), data in zip(names, packed, strict=True)])


def _reason(error: Exception) -> str:
    cause = getattr(error, "cause", None) or error
    lines = [line for line in str(cause).splitlines() if line.strip()]
    return lines[-1].strip() if lines else type(cause).__name__
