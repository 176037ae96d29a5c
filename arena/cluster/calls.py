"""All that the driver asks of Ray, in one place: a simulation puts itself here.

A task is bound to its node: the driver itself chooses nodes, so that a bad one gets no work and the tries of
a match go to different ones. Ray plays nothing again by itself. In a large cluster an actor on each node
starts the tasks there (`relay`).

Nothing is called off: a Ray whose driver calls a task off while its result comes ends the driver. What is on
its way is forgotten, and the cluster ends a driver's tasks when it disconnects.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Protocol

from ..match.setup import MatchSetup
from . import worker
from .proof import Needs
from .relay import TASK, Failure, Relay, Tasks, bound_to, failure_of

RELAYED_CPUS = 64  # of a cluster; with more of them matches go through relays


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
        """Return the nodes that are there now."""

    def put(self, data: bytes) -> Any:
        """Keep bytes where every node can fetch them, once; what `play` takes for them."""

    def play(self, node: Alive, memory: int, setup: MatchSetup, packed: Sequence[Any]) -> Any:
        """Begin a match on a node."""

    def prove(self, node: Alive, needs: Needs) -> Any:
        """Begin the proof of a node: its facts as a dict, see `proof.prove`."""

    def ask(self, node: Alive, number: int | None) -> Any:
        """Ask a node whether a match of this number, or any (None), is played there: a bool."""

    def forget(self, node: Alive) -> None:
        """Expect nothing more of the matches that a node has."""

    def collect(self, seconds: float) -> list[tuple[Any, Any]]:
        """Return what has come, as soon as something has; nothing after `seconds`.

        The answer has references and what they have given: results, or a `Failure` in their places. It also
        has those that the driver has forgotten.
        """


@dataclass(eq=False)
class _Relayed:
    """A relay as the driver sees it."""

    actor: Any
    numbers: set[int] = field(default_factory=set)  # of the matches that it has
    # matches that are to be sent: number, bytes of memory, setup, files
    bundle: list[tuple[int, int, MatchSetup, Sequence[Any]]] = field(default_factory=list)
    asked: bool = False  # whether it was asked for results


class RayCalls:
    """`Calls` on Ray, at most so many matches at a time (None: one a CPU)."""

    def __init__(self, ray: Any, most: int | None = None, relay: type[Relay] = Relay) -> None:
        self._ray, self._most = ray, most
        self._tasks, self._proof = Tasks(), ray.remote(_proof())
        self._preparation, self._relay = ray.remote(worker.prepare), ray.remote(relay)
        self._question = ray.remote(worker.plays)
        self._kept: list[Any] = []  # references to what was put: without them it is dropped
        self._on_way: dict[Any, _Relayed | None] = {}  # what Ray was asked, and whether that was of a relay
        self._relays: dict[str, _Relayed] = {}  # by id of their nodes
        self._numbers = count()
        self._large = False

    def nodes(self) -> list[Alive]:
        """As `Calls.nodes`."""
        alive = [node for node in self._ray.nodes() if node["Alive"]]
        names = [node["NodeManagerHostname"] for node in alive]
        found = [
            Alive(
                node["NodeID"],
                name if names.count(name) == 1 else f"{name} (node {node['NodeID'][:6]})",
                int(node["Resources"].get("CPU", 0)),
                int(node["Resources"].get("memory", 0)),
            )
            for node, name in zip(alive, names)
        ]
        self._large = min(sum(node.cpus for node in found), self._most or RELAYED_CPUS + 1) > RELAYED_CPUS
        return found

    def put(self, data: bytes) -> bytes:
        """As `Calls.put`; the reference is packed once, as it goes with every match."""
        self._kept.append(self._ray.put(data))
        return bytes(self._ray.cloudpickle.dumps(self._kept[-1]))

    def play(self, node: Alive, memory: int, setup: MatchSetup, packed: Sequence[Any]) -> Any:
        """As `Calls.play`; through a relay the match leaves with the next `collect`."""
        if not self._large:
            return self._asked(self._tasks.start(node.id, memory, setup, packed))
        number, relay = next(self._numbers), self._relays.get(node.id)
        if relay is None:
            relay = self._relays[node.id] = _Relayed(self._actor(node))
        relay.numbers.add(number)
        relay.bundle.append((number, memory, setup, packed))
        return number

    def _actor(self, node: Alive) -> Any:
        """Start the relay of a node."""
        return self._relay.options(num_cpus=0, **bound_to(node.id)).remote(node.id)

    def _asked(self, reference: Any, relay: _Relayed | None = None) -> Any:
        self._on_way[reference] = relay
        return reference

    def prove(self, node: Alive, needs: Needs) -> Any:
        """As `Calls.prove`. The node's other workers have themselves ready meanwhile."""
        proof = self._proof.options(**TASK, **bound_to(node.id)).remote(*needs)
        for _ in range(1, min(node.cpus, self._most or node.cpus)):
            self._preparation.options(**TASK, **bound_to(node.id)).remote(*needs)
        return self._asked(proof)

    def ask(self, node: Alive, number: int | None) -> Any:
        """As `Calls.ask`; it needs no CPU, since all may be in use."""
        question = self._question.options(num_cpus=0, max_retries=0, **bound_to(node.id))
        return self._asked(question.remote(number))

    def forget(self, node: Alive) -> None:
        """As `Calls.forget`: the next match of the node gets a new relay."""
        if relay := self._relays.pop(node.id, None):
            self._ray.kill(relay.actor)

    def collect(self, seconds: float) -> list[tuple[Any, Any]]:
        """As `Calls.collect`."""
        for relay in self._relays.values():
            if relay.bundle or not relay.asked:
                bundle = pickle.dumps(relay.bundle, pickle.HIGHEST_PROTOCOL)  # bots and options once
                call = relay.actor.take if relay.asked else relay.actor.results
                self._asked(call.remote(bundle), relay)
                relay.asked = True
                relay.bundle.clear()
        every = list(self._on_way)
        ready, _ = self._ray.wait(every, num_returns=len(every), timeout=0)
        if not ready:
            ready, _ = self._ray.wait(every, num_returns=1, timeout=seconds)
        return [
            one for reference, value in zip(ready, self._get(ready)) for one in self._came(reference, value)
        ]

    def _get(self, ready: Sequence[Any]) -> list[Any]:
        """Return what references have given, a `Failure` for those that raise."""
        try:
            return list(self._ray.get(list(ready)))
        except self._ray.exceptions.RayError:
            return [self._one(reference) for reference in ready]

    def _one(self, reference: Any) -> Any:
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            return failure_of(error)

    def _came(self, reference: Any, value: Any) -> Iterator[tuple[Any, Any]]:
        """Yield what the driver gets for what Ray was asked: results of matches, facts of a proof."""
        relay = self._on_way.pop(reference)
        if relay is None:
            yield reference, _unpacked(value)
        elif isinstance(value, Failure):
            yield from self._without(relay, value)
        elif value is not None:
            relay.asked = False
            for number, one in pickle.loads(value):
                relay.numbers.discard(number)
                yield number, _unpacked(one)

    def _without(self, relay: _Relayed, failure: Failure) -> Iterator[tuple[Any, Any]]:
        """Handle a relay call that failed: it may have ended or not, but nobody knows what it has."""
        self._relays = {node: one for node, one in self._relays.items() if one is not relay}
        self._ray.kill(relay.actor)
        yield from ((number, failure) for number in relay.numbers)
        relay.numbers.clear()


def _unpacked(value: Any) -> Any:
    """Return what a call has given: the facts of a proof, or a result."""
    return pickle.loads(value) if isinstance(value, bytes) else value


def _proof() -> Callable[..., dict[str, Any]]:
    """Return the proof as a function that travels with its code, to run where the project is missing."""

    def prove(*needs: Any) -> dict[str, Any]:
        try:
            from arena.cluster.worker import begin

            begin()
            from arena.cluster.proof import prove as give
        except ImportError as error:
            return {"lacks": f"the project is not installed there ({error})"}
        return give(*needs)

    return prove
