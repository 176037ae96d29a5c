"""Matches on Ray: one task per match, a bounded number in flight, results as they come. Nothing is stored
here.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import RunError
from ..jail.limits import HostError, Limits
from ..match.setup import BotFiles, MatchResult, MatchSetup

TRIES = 3  # a match that we (not a bot) failed to play is played again
FAILURES = 5  # so many matches that cannot be played end a run; fewer are told at its end
IN_FLIGHT = 2  # matches waiting or running per worker: a worker never idles while the driver writes
WORKER_MIB = 512  # of memory for a worker and its fork server
STARTS = 3  # of an embedded Ray, before it is given up
OBJECT_STORE = 128 << 20  # bytes; bots and results are small, and the default is a third of the memory


@dataclass(frozen=True)
class BotName:
    """A bot of a job: its name, and the hash by which its files are loaded."""

    name: str
    hash: str


@dataclass(frozen=True)
class Job:
    """A match to be played, with the bot of each place."""

    setup: MatchSetup
    bots: tuple[BotName, ...]


@dataclass(frozen=True, eq=False)
class Played:
    """A match that was played."""

    setup: MatchSetup
    result: MatchResult


class MatchFailed(RunError):
    """Matches that could not be played; `host` says that a host could not separate bots."""

    def __init__(self, text: str, host: bool) -> None:
        super().__init__(text)
        self.host = host


@dataclass(frozen=True)
class _Task:
    """A match that is being played, and why it was called off before."""

    job: Job
    causes: tuple[str, ...] = ()


class Cluster:
    """A Ray cluster that is ready; see `cluster`.

    Attributes:
        workers: matches that can be played at a time.
    """

    def __init__(self, ray: Any, workers: int, spread: bool) -> None:
        self.ray, self.workers = ray, workers
        strategy = "SPREAD" if spread else "DEFAULT"
        self._remote = ray.remote(num_cpus=1, max_retries=0, scheduling_strategy=strategy)(_run_match)
        alive = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        self._most = max((int(resources.get("memory", 0)) for resources in alive), default=0)
        self._packed: dict[str, Any] = {}  # one copy of a bot's files in the object store

    def play(self, jobs: Iterable[Job], load: Callable[[str], bytes]) -> Iterator[Played]:
        """Play matches; yields each as it ends, in no particular order.

        A match is played again only if its worker was lost or its host failed (`HostError`), never for
        anything that a bot has done: the deals are the same, and who knows them wins. Each repetition is in
        the result with its cause.

        Args:
            jobs: asked for one by one, as workers become free.
            load: the packed files of a bot, by hash.

        Raises:
            MatchFailed: after all others, or after `FAILURES`, if matches could not be played.
        """
        todo = iter(jobs)
        running: dict[Any, _Task] = {}
        failed: list[MatchFailed] = []
        try:
            while len(failed) < FAILURES:
                while len(running) < self.workers * IN_FLIGHT and (job := next(todo, None)) is not None:
                    running[self._submit(job, load)] = _Task(job)
                if not running:
                    break
                done, _ = self.ray.wait(list(running), num_returns=1)
                task = running.pop(done[0])
                try:
                    result = self.ray.get(done[0])
                except self.ray.exceptions.RayError as error:
                    try:
                        again = _again(task, error, isinstance(error, self.ray.exceptions.RayTaskError))
                        running[self._submit(again.job, load)] = again
                    except MatchFailed as failure:
                        failed.append(failure)
                    continue
                yield Played(task.job.setup, replace(result, repeated=task.causes))
        finally:
            for reference in running:
                self.ray.cancel(reference, force=True)
        if failed:
            more = f" ({len(failed)} matches in all)" if len(failed) > 1 else ""
            raise MatchFailed(f"{failed[0]}{more}", failed[0].host)

    def _submit(self, job: Job, load: Callable[[str], bytes]) -> Any:
        for bot in job.bots:
            if bot.hash not in self._packed:
                self._packed[bot.hash] = self.ray.put(load(bot.hash))
        sized = self._remote.options(memory=min(memory_of(job.setup), self._most))
        return sized.remote(job.setup, job.bots, *(self._packed[bot.hash] for bot in job.bots))


def _again(task: _Task, error: Exception, raised: bool) -> _Task:
    """The task of a match that is to be played again; `raised`: the match itself has raised the error.

    Raises:
        MatchFailed: it is not, since that would not help or was tried often enough.
    """
    cause, number = getattr(error, "cause", None) or error, task.job.setup.number
    host = isinstance(cause, HostError)
    if raised and not host:
        raise MatchFailed(
            f"match {number} could not be played: {type(cause).__name__}: {_reason(error)}", host
        )
    causes = (*task.causes, _reason(error))
    if len(causes) >= TRIES:
        raise MatchFailed(f"match {number} could not be played in {TRIES} tries: {_reason(error)}", host)
    return replace(task, causes=causes)


def memory_of(setup: MatchSetup) -> int:
    """Bytes that a match may use: what its bots may have, and the worker with its fork server."""
    bots = len(setup.bot_seeds) * Limits(**setup.limits).memory_mib
    return (WORKER_MIB + bots) << 20


@contextlib.contextmanager
def cluster(workers: int, address: str | None = None) -> Iterator[Cluster]:
    """Ray, embedded with `workers` CPUs or a running cluster at `address`; silent, without dashboard and
    usage reports.

    Raises:
        RunError: it cannot be started or reached.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    token = Path("~/.ray/auth_token").expanduser()
    if address and token.is_file():  # for an explicit address Ray does not look for the token itself
        os.environ.setdefault("RAY_AUTH_MODE", "token")  # read once, when Ray is imported
    import ray

    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if address:
            _reach(address)
            ray.init(address=address, **quiet)
        else:
            small: dict[str, Any] = {"include_dashboard": False, "object_store_memory": OBJECT_STORE}
            _start(lambda: ray.init(address="local", num_cpus=workers, **small, **quiet))
    except Exception as error:  # what Ray raises has no type of its own
        where = f"no Ray cluster at {address}" if address else "Ray cannot be started here"
        raise RunError(f"{where}: {_reason(error)}") from None
    try:
        if address:
            workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
        yield Cluster(ray, workers, spread=address is not None)
    finally:
        ray.shutdown()


def _start(init: Callable[[], object]) -> None:
    """Start Ray; on a machine with much other work it may need more than the half minute that it gives
    itself.
    """
    for left in reversed(range(STARTS)):
        try:
            init()
        except Exception as error:
            if not left or type(error) is not Exception:  # "the current node timed out during startup"
                raise
        else:
            return


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


def _run_match(setup: MatchSetup, bots: tuple[BotName, ...], *packed: bytes) -> MatchResult:
    from .task import run_match

    return run_match(
        setup, [BotFiles(bot.name, bot.hash, data) for bot, data in zip(bots, packed, strict=True)]
    )


def _reason(error: Exception) -> str:
    cause = getattr(error, "cause", None) or error
    lines = [line for line in str(cause).splitlines() if line.strip()]
    return lines[-1].strip() if lines else type(cause).__name__
