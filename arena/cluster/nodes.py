"""The nodes of a cluster: who is there, who has proved itself, who is excluded and why, who has room.

A node gets work when it has given its proof (`proof`), and gives it again after every match that it failed to
play. What fails is excluded for this cluster, and said once; a proof that failed is tried again after some
minutes. Nodes that join are seen within `LOOK_S`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..printable import Say
from .calls import Alive, Calls
from .proof import Needs, known_games, verdict
from .relay import Failure

LOOK_S = 2.0  # how often the cluster is asked for its nodes
LEFT_S = 30.0  # for so long it is not believed about one that was lost: it takes 15 s or so to see that
IN_FLIGHT = 2  # matches waiting or running per worker: a worker never waits for the driver
PROOFS = 3  # tries of a proof whose worker is lost
AGAIN_S = (60.0, 300.0, 1800.0)  # until a proof that failed is tried again, and again
PROOF_S = 30.0  # after which it is said that a node has not begun its proof


@dataclass(eq=False)
class Node:
    """A node, and what is known of it."""

    alive: Alive
    running: int = 0
    verdicts: dict[Needs, str] = field(default_factory=dict)  # by needs: why it may not play, "" if it may
    failed_proofs: int = 0
    # by needs: how often a proof has failed, and when it is tried again
    again: dict[Needs, tuple[int, float]] = field(default_factory=dict)
    heard: float = 0.0  # when it gave a result last
    asked: float = 0.0  # when it was asked last whether it plays
    past: float = 0.0  # when that was sent which was sent last of all that it has given results of

    @property
    def name(self) -> str:
        """For people."""
        return self.alive.name

    def slots(self, memory: int) -> int:
        """Return how many matches of so many bytes it can play at a time."""
        by_memory = self.alive.memory // memory if memory else self.alive.cpus
        return min(self.alive.cpus, max(1, by_memory))


class Nodes:
    """All nodes of a cluster.

    Attributes:
        gone: nodes that have left, until the driver has taken them from here.
        workers: matches that can be played at a time.
        capped: whether fewer matches are to be played at a time than there are CPUs.
    """

    def __init__(self, calls: Calls, most: int | None, say: Say) -> None:
        self._calls, self._most, self.say = calls, most, say
        self._nodes: dict[str, Node] = {}
        self._proofs: dict[Any, tuple[Node, Needs, float]] = {}
        self._small: set[str] = set()  # ids of nodes that have less memory than a match may take
        self.gone: list[Node] = []
        self.workers, self.capped = 1, False
        self._left: dict[str, float] = {}  # their ids, and when
        self._looked = -LOOK_S
        self._last_there = time.monotonic()
        self._begun = False

    def __iter__(self) -> Iterator[Node]:
        return iter(self._nodes.values())

    @property
    def silence_s(self) -> float:
        """For how long there has been no node at all."""
        return 0.0 if self._nodes else time.monotonic() - self._last_there

    def good(self, needs: Needs) -> list[Node]:
        """Those that have proved that they can play."""
        return [node for node in self if node.verdicts.get(needs) == ""]

    @property
    def due(self) -> bool:
        """Whether `look` would ask the cluster now."""
        return time.monotonic() - self._looked >= LOOK_S

    def look(self) -> None:
        """See who is there, now and then."""
        if not self.due:
            return
        now = time.monotonic()
        self._looked = now
        lost = {id for id, when in self._left.items() if now - when < LEFT_S}
        there = {one.id: one for one in self._calls.nodes() if one.cpus > 0 and one.id not in lost}
        for id in [id for id in self._nodes if id not in there]:
            self.leave(self._nodes[id])
        # in the order of the cluster: equal rooms go to the same node in every process
        for id in [id for id in there if id not in self._nodes]:
            self._nodes[id] = Node(there[id])
            if self._begun:
                self.say(f"node {there[id].name} has joined, {there[id].cpus} CPUs")
        self._count()
        if self._nodes:
            self._begun, self._last_there = True, now
        for node in self:
            due = [needs for needs, (_, at) in node.again.items() if now >= at]
            if due and node.alive.id not in self._proving:
                self._prove(node, due[0])

    def leave(self, node: Node) -> None:
        """Drop a node that is gone: the cluster says so, or what was on its way there is lost with it."""
        if self.holds(node):
            del self._nodes[node.alive.id]
            self._count()
            self.gone.append(node)
            self._left[node.alive.id] = time.monotonic()
            self._proofs = {key: one for key, one in self._proofs.items() if one[0] is not node}
            self.say(f"node {node.name} has left; its matches are played elsewhere")

    def _count(self) -> None:
        """Count the workers once, not for every match that is handed out."""
        cpus = sum(node.alive.cpus for node in self)
        self.capped = self._most is not None and self._most < cpus
        self.workers = max(1, cpus if self._most is None else min(cpus, self._most))

    def holds(self, node: Node) -> bool:
        """Whether a node is still there."""
        return self._nodes.get(node.alive.id) is node

    def warn_of_memory(self, node: Node, memory: int) -> None:
        """Say once that a node has less memory than a match of strangers may take."""
        if memory > node.alive.memory and node.alive.id not in self._small:
            self._small.add(node.alive.id)
            has, may = node.alive.memory / 2**30, memory / 2**30
            self.say(
                f"node {node.name} has {has:.1f} GiB of memory for matches, and one may take {may:.1f} GiB: "
                "if bots use that, the kernel ends one and the match is called off; lower memory_mib"
            )

    def free(self, needs: Needs, memory: int, avoid: Sequence[str] = ()) -> Node | None:
        """Return the node with most room for a match; one of `avoid` (ids) only if no other may play it."""
        good = self.good(needs)
        allowed = [node for node in good if node.alive.id not in avoid] or good
        # what waits on a node begins as soon as it has a CPU, so a cap below their number leaves none waiting
        if self.capped and sum(node.running for node in self) >= self.workers:
            return None
        best, least = None, float(IN_FLIGHT)
        for node in allowed:
            load = node.running / node.slots(memory)
            if load < least:
                best, least = node, load
        return best

    # --- proofs -------------------------------------------------------------------------------------------

    def ask_for_proofs(self, needs: Needs) -> None:
        """Begin the proofs that are missing."""
        busy = self._proving
        for node in self:
            if needs not in node.verdicts and node.alive.id not in busy:
                self._prove(node, needs)
        for reference, (node, wanted, due) in list(self._proofs.items()):
            if time.monotonic() > due:
                self.say(f"node {node.name} has not begun yet: its CPUs are in use, or it starts slowly")
                self._proofs[reference] = (node, wanted, float("inf"))

    @property
    def _proving(self) -> set[str]:
        """Ids of the nodes whose proofs are on their way."""
        return {node.alive.id for node, _, _ in self._proofs.values()}

    def _prove(self, node: Node, needs: Needs) -> None:
        reference = self._calls.prove(node.alive, needs)
        self._proofs[reference] = (node, needs, time.monotonic() + PROOF_S)

    @property
    def proving(self) -> bool:
        """Whether proofs are on their way."""
        return bool(self._proofs)

    def proved(self, reference: Any, facts: Any) -> None:
        """Take a proof that is ready; of a node that has left meanwhile it is not wanted any more."""
        if reference not in self._proofs:
            return
        node, needs, _ = self._proofs.pop(reference)
        if isinstance(facts, Failure):
            node.failed_proofs += 1
            if facts.gone:
                self.leave(node)
            if facts.gone or (facts.lost and node.failed_proofs < PROOFS):
                return
            told = facts.text
        else:
            told = verdict(facts, known_games(needs.game))
        before, node.verdicts[needs] = node.verdicts.get(needs, ""), told
        failed, _ = node.again.pop(needs, (0, 0.0))
        if told and failed < len(AGAIN_S):
            node.again[needs] = failed + 1, time.monotonic() + AGAIN_S[failed]
        if told != before and self.holds(node):
            self.say(f"node {node.name} gets {f'no work: {told}' if told else 'work from now on'}")

    def doubt(self, node: Node, needs: Needs) -> None:
        """Ask a node for its proof again before it gets more work."""
        if node.verdicts.get(needs) == "":
            del node.verdicts[needs]
            node.failed_proofs = 0

    def nobody(self, needs: Needs) -> str:
        """Why nobody may play, of all nodes; "" if somebody may, or is not known yet."""
        told = [node.verdicts.get(needs, "") for node in self]
        if not told or not all(told):
            return ""
        return "; ".join(f"node {node.name}: {node.verdicts[needs]}" for node in self)
