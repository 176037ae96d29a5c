"""Matches as Ray tasks that are bound to a node, and the actor that starts them there.

In a large cluster the driver talks to one actor a node, its relay, and not to every core: it sends matches in
bundles and gets results in bundles. So as many references are on their way as there are nodes, and what Ray
costs the driver is shared by the matches of a bundle. The relay asks Ray for workers, as the driver does in a
small cluster, and plays nothing again. If it is lost, so is what it had: the driver has that played again.
"""

from __future__ import annotations

import asyncio
import pickle
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from ..errors import NodeGone, RunError, Terminated, unstopped
from ..jail.outcomes import HostError, Killed
from ..match.setup import MatchSetup
from . import worker
from .proof import reason

GATHER_S = 5.0  # from the first result of a bundle to its end, at most
T = TypeVar("T")
TASK = {"num_cpus": 1, "max_retries": 0}  # one CPU is for the worker and all its bots
LOOK_S = 0.5  # between two looks whether nobody waits any more
RETRIES = 2  # of work whose worker died, which may be its own fault
ASKING = "waits for workers"  # how threads are called that do
PORTION = 8  # a bundle ends before that with every eighth match that its node has: two are there for a CPU


class Tasks:
    """Matches that this process has Ray start, on whatever node."""

    def __init__(self) -> None:
        import ray

        self._task = ray.remote(worker.play)
        self._sized: dict[tuple[str, int], Any] = {}  # to make one costs as much as a call

    def start(self, node: str, memory: int, setup: MatchSetup, packed: Sequence[bytes]) -> Any:
        """Begin a match.

        Args:
            memory: bytes that the match may use.
            packed: references to the files of its bots, as bytes.
        """
        key = node, memory
        if key not in self._sized:
            self._sized[key] = self._task.options(memory=memory, **TASK, **bound_to(node))
        return self._sized[key].remote(setup.number, pickle.dumps((setup, packed), pickle.HIGHEST_PROTOCOL))


class Relay:
    """The actor of a node, whose id it is given. Ray calls its methods side by side on one thread."""

    def __init__(self, node: str) -> None:
        self._node = node
        self._tasks = Tasks()
        self._playing: set[asyncio.Task[None]] = set()
        self._ended: list[tuple[int, Any]] = []
        self._some, self._enough = asyncio.Event(), asyncio.Event()

    async def take(self, bundle: bytes) -> None:
        """Begin matches: number of the call, bytes of memory, setup, and the files of the bots of each."""
        for number, memory, setup, packed in pickle.loads(bundle):
            self._playing.add(asyncio.create_task(self._play(number, memory, setup, packed)))

    async def results(self, bundle: bytes) -> bytes:
        """Begin matches, wait for results, and for some more."""
        await self.take(bundle)
        await self._some.wait()
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._enough.wait(), GATHER_S)
        ended, self._ended = self._ended, []
        self._some.clear()
        self._enough.clear()
        return pickle.dumps(ended, pickle.HIGHEST_PROTOCOL)

    async def _play(self, number: int, memory: int, setup: MatchSetup, packed: Sequence[bytes]) -> None:
        outcome = await self._outcome(memory, setup, packed)
        self._ended.append((number, outcome))
        self._playing.remove(asyncio.current_task())  # type: ignore[arg-type]  # this is one
        self._some.set()
        if len(self._ended) * PORTION >= len(self._ended) + len(self._playing):
            self._enough.set()

    async def _outcome(self, memory: int, setup: MatchSetup, packed: Sequence[bytes]) -> Any:
        try:
            return await self._tasks.start(self._node, memory, setup, packed)
        except Exception as error:
            return failure_of(error)


def bound_to(node: str) -> dict[str, Any]:
    """Return the option that something must run on a node."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    return {"scheduling_strategy": NodeAffinitySchedulingStrategy(node, soft=False)}


# --- other work than matches ------------------------------------------------------------------------------


def run_elsewhere(
    function: Callable[..., Any], *given: Any, over: Callable[[], bool], retries: int = 0
) -> Any:
    """Run a function in a worker of the cluster that this process is connected to, and wait for it.

    Any thread may wait here, also while the driver hands out matches: Ray gives the CPU to either in turn.

    Args:
        function: of a module of the project.
        given: what it gets; like its result, it must be picklable.
        over: whether nobody waits any more. Then the work goes on, and its result is forgotten.
        retries: how often it begins again if its worker dies.

    Raises:
        Terminated: it is over.
        NodeGone: its node has left.
        RunError: the worker was lost, or the function raised something; says what.
    """
    import ray

    options = {**TASK, "max_retries": retries}
    reference = ray.remote(worker.run).options(**options).remote(function, *given)
    while not ray.wait([reference], timeout=LOOK_S)[0]:
        if over():
            raise Terminated
    try:
        return ray.get(reference)
    except Exception as error:  # what Ray raises has no type of its own
        failure = failure_of(error)
        raise (NodeGone if failure.gone else RunError)(failure.text) from None


def run_all(
    function: Callable[..., Any], tasks: Sequence[T], workers: int, given: Callable[[T], Sequence[Any]]
) -> Iterator[tuple[int, Any]]:
    """Run a function for every task, as many at a time as there are workers; yield as they end.

    What a node or a worker took with it is run again. If the caller stops, what runs is not waited for.

    Args:
        function: as `run_elsewhere`.
        given: what it gets of a task, asked for when its turn comes.

    Yields:
        The place of a task among all, and its result.

    Raises:
        RunError: a worker was lost again and again, or the function raised something; says what.
    """
    over = threading.Event()

    def wait_for(task: T) -> Any:
        while True:
            with suppress(NodeGone):
                return run_elsewhere(function, *given(task), over=over.is_set, retries=RETRIES)

    with ThreadPoolExecutor(workers, ASKING) as pool:
        try:
            places = {pool.submit(wait_for, task): at for at, task in enumerate(tasks)}
            for done in as_completed(places):
                yield places[done], done.result()
        finally:
            with unstopped():  # its threads use the cluster, which ends next
                over.set()
                pool.shutdown(cancel_futures=True)
                for one in threading.enumerate():  # Ctrl-C as one began keeps it off the pool
                    if one.name.startswith(ASKING):
                        one.join()


# --- what went wrong ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Failure:
    """Why a call gave no result."""

    text: str
    host: bool = False  # whether the host could not separate bots, or is another one than it should be
    lost: bool = False  # whether the worker or its node has ended; else the call itself has raised an error
    gone: bool = False  # whether it is the node that has ended
    memory: bool = False  # whether memory may have run out there


NODE_GONE = Failure("its node is gone", lost=True, gone=True)
RESULT_LOST = Failure("its result was lost with its node", lost=True)
LOSSES = {  # Ray's words for them are whole paragraphs
    "OutOfMemoryError": Failure("its node ran out of memory", lost=True, memory=True),
    "NodeDiedError": NODE_GONE,
    "TaskUnschedulableError": NODE_GONE,
    "WorkerCrashedError": Failure("its worker died", lost=True),
    "RayActorError": Failure("the relay of its node died", lost=True),
    "LocalRayletDiedError": NODE_GONE,
    "OwnerDiedError": RESULT_LOST,
    "ObjectLostError": RESULT_LOST,
    "ObjectFetchTimedOutError": RESULT_LOST,
}


def failure_of(error: Exception) -> Failure:
    """Say why a call gave no result, from what Ray raises for it."""
    from ray.exceptions import RayError, RayTaskError

    if not isinstance(error, RayTaskError):
        return _lost(error)
    cause = getattr(error, "cause", None) or error
    if isinstance(cause, RayError) and cause is not error:
        return _lost(cause)  # the task did not begin: its files did not come
    host = isinstance(cause, HostError)
    kind = "" if host else f"{type(cause).__name__}: "
    return Failure(f"{kind}{reason(error)}", host=host, memory=isinstance(cause, Killed))


def _lost(error: BaseException) -> Failure:
    names = [kind.__name__ for kind in type(error).__mro__]
    return next((LOSSES[name] for name in names if name in LOSSES), Failure(reason(error), lost=True))
