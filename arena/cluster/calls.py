"""All that the driver asks of Ray, in one place: a simulation puts itself here.

A task is bound to its node: the driver itself chooses nodes, so that a bad one gets no work and the tries of
a match go to different ones. Ray plays nothing again by itself.

Nothing is called off: a Ray whose driver calls a task off while its result comes ends the driver. What is on
its way is forgotten, and the cluster ends a driver's tasks when it disconnects.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ..jail.limits import HostError
from ..match.setup import MatchSetup
from .jobs import NODE_GONE, Failure, Needs, reason

KEPT_BYTES = 64 << 20  # of bots' files in a worker; the rest is fetched from its node again


@dataclass(frozen=True)
class Alive:
    """A node that is there: its id, its name for people, CPUs and bytes of memory that Ray may give away."""

    id: str
    name: str
    cpus: int
    memory: int


class Calls(Protocol):
    """What a cluster does for the driver. `Any` is a reference to something that is on its way."""

    def nodes(self) -> list[Alive]:
        """The nodes that are there now."""

    def put(self, data: bytes) -> Any:
        """Keep bytes where every node can fetch them, once; what `play` takes for them."""

    def play(self, node: Alive, memory: int, setup: MatchSetup, packed: Sequence[Any]) -> Any:
        """Begin a match on a node."""

    def prove(self, node: Alive, needs: Needs) -> Any:
        """Begin the proof of a node: its facts as a dict, see `proof.prove`."""

    def wait(self, references: Sequence[Any], seconds: float) -> list[Any]:
        """All that are ready, as soon as one is; none if that takes longer."""

    def get(self, ready: Sequence[Any]) -> list[Any]:
        """What they have given: results, or a `Failure` in their places."""


class RayCalls:
    """`Calls` on Ray.

    Args:
        ray: the module, connected.
        most: matches at a time; None: one a CPU.
    """

    def __init__(self, ray: Any, most: int | None = None) -> None:
        self._ray, self._most = ray, most
        self._task, self._proof = ray.remote(_run_match), ray.remote(_proof())
        self._preparation = ray.remote(_prepare)
        self._kept: list[Any] = []  # references to what was put: without them it is dropped
        self._sized: dict[tuple[str, int], Any] = {}  # to make one costs as much as a call

    def nodes(self) -> list[Alive]:
        """As `Calls.nodes`."""
        alive = [node for node in self._ray.nodes() if node["Alive"]]
        names = [node["NodeManagerHostname"] for node in alive]
        return [
            Alive(
                node["NodeID"],
                name if names.count(name) == 1 else f"{name} (node {node['NodeID'][:6]})",
                int(node["Resources"].get("CPU", 0)),
                int(node["Resources"].get("memory", 0)),
            )
            for node, name in zip(alive, names)
        ]

    def put(self, data: bytes) -> bytes:
        """As `Calls.put`; the reference is packed once, as it goes with every match."""
        self._kept.append(self._ray.put(data))
        return bytes(self._ray.cloudpickle.dumps(self._kept[-1]))

    def play(self, node: Alive, memory: int, setup: MatchSetup, packed: Sequence[Any]) -> Any:
        """As `Calls.play`."""
        key = node.id, memory
        if key not in self._sized:
            self._sized[key] = self._task.options(memory=memory, **_on(node))
        return self._sized[key].remote(pickle.dumps((setup, packed), pickle.HIGHEST_PROTOCOL))

    def prove(self, node: Alive, needs: Needs) -> Any:
        """As `Calls.prove`. The node's other workers have themselves ready meanwhile."""
        facts = (needs.game, needs.level, needs.profile, needs.preload, needs.code)
        proof = self._proof.options(**_on(node)).remote(*facts)
        for _ in range(1, min(node.cpus, self._most or node.cpus)):
            self._preparation.options(**_on(node)).remote(*facts)
        return proof

    def wait(self, references: Sequence[Any], seconds: float) -> list[Any]:
        """As `Calls.wait`."""
        every = list(references)
        ready, _ = self._ray.wait(every, num_returns=len(every), timeout=0)
        if not ready:
            ready, _ = self._ray.wait(every, num_returns=1, timeout=seconds)
        return list(ready)

    def get(self, ready: Sequence[Any]) -> list[Any]:
        """As `Calls.get`."""
        try:
            return [_unpacked(value) for value in self._ray.get(list(ready))]
        except self._ray.exceptions.RayError:
            return [self._one(reference) for reference in ready]

    def _one(self, reference: Any) -> Any:
        try:
            return _unpacked(self._ray.get(reference))
        except self._ray.exceptions.RayTaskError as error:
            cause = getattr(error, "cause", None) or error
            if isinstance(cause, self._ray.exceptions.RayError) and cause is not error:
                return _lost(cause)  # the task did not begin: its files did not come
            host = isinstance(cause, HostError)
            kind = "" if host else f"{type(cause).__name__}: "
            return Failure(f"{kind}{reason(error)}", host=host)
        except self._ray.exceptions.RayError as error:
            return _lost(error)


def _on(node: Alive) -> dict[str, Any]:
    """The options of a task that is bound to a node: one CPU is for the worker and all its bots."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    return {
        "num_cpus": 1,
        "max_retries": 0,
        "scheduling_strategy": NodeAffinitySchedulingStrategy(node.id, soft=False),
    }


def _run_match(match: bytes) -> bytes:
    """On a worker. Bytes are what Ray has no work with: it would take every part on its own, and look for
    the files of every bot at every match.
    """
    from .worker import begin

    begin()
    from .task import run_match

    setup, packed = pickle.loads(match)
    files = [_file(bot.hash, one) for bot, one in zip(setup.bots, packed, strict=True)]
    return pickle.dumps(run_match(setup, files), pickle.HIGHEST_PROTOCOL)


_files: dict[str, bytes] = {}


def _file(hash: str, reference: bytes) -> bytes:
    """On a worker: the packed files of a bot, fetched when they are needed first."""
    if hash not in _files:
        import ray

        data: bytes = ray.get(ray.cloudpickle.loads(reference))
        while _files and sum(map(len, _files.values())) + len(data) > KEPT_BYTES:
            del _files[next(iter(_files))]
        _files[hash] = data
    return _files[hash]


def _unpacked(value: Any) -> Any:
    """What a call has given: the facts of a proof, or a result."""
    return pickle.loads(value) if isinstance(value, bytes) else value


def _prepare(*needs: Any) -> None:
    from .worker import begin

    begin()
    from .proof import short_match
    from .task import prepare

    prepare(short_match(*needs))


def _proof() -> Callable[..., dict[str, Any]]:
    """The proof as a function that travels with its code: it has to run where the project is missing."""

    def prove(*needs: Any) -> dict[str, Any]:
        try:
            from arena.cluster.worker import begin

            begin()
            from arena.cluster.proof import prove as give
        except ImportError as error:
            return {"lacks": f"the project is not installed there ({error})"}
        return give(*needs)

    return prove


RESULT_LOST = Failure("its result was lost with its node", lost=True)
LOSSES = {  # Ray's words for them are whole paragraphs
    "OutOfMemoryError": Failure("its node ran out of memory", lost=True),
    "NodeDiedError": NODE_GONE,
    "TaskUnschedulableError": NODE_GONE,
    "WorkerCrashedError": Failure("its worker died", lost=True),
    "LocalRayletDiedError": NODE_GONE,
    "OwnerDiedError": RESULT_LOST,
    "ObjectLostError": RESULT_LOST,
    "ObjectFetchTimedOutError": RESULT_LOST,
}


def _lost(error: BaseException) -> Failure:
    names = [kind.__name__ for kind in type(error).__mro__]
    return next((LOSSES[name] for name in names if name in LOSSES), Failure(reason(error), lost=True))
