"""Nodes of a cluster that do what a test says, at once: for what the driver decides. Real Ray is in `test_faults`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from arena.cluster import proof
from arena.cluster.calls import Alive
from arena.cluster.proof import Needs
from arena.cluster.relay import NODE_GONE, Failure
from arena.intake import source
from arena.match.played import PlayedMatch
from arena.match.setup import MatchSetup
from leagues.limits import Limits

GIB = 1 << 30
Play = Callable[[MatchSetup], Any]
NEVER = object()  # in the place of a result: nothing comes


def setup_of(number: int, **limits: Any) -> MatchSetup:
    """A match of two bots."""
    bots = ("low", "hash"), ("high", "hash")
    return MatchSetup.of_games("flip7", [5], (0, 1), {}, number, limits=Limits(**limits), bots=bots)


def result(setup: MatchSetup, score: int) -> PlayedMatch:
    """What a match gives."""
    return PlayedMatch.of(setup, np.array([[score, 0]]), [np.array([1, 2], np.int16)], [0.1] * 2, [1, 1])


def well(setup: MatchSetup) -> PlayedMatch:
    return result(setup, setup.number)


def refuses(setup: MatchSetup) -> Failure:
    return Failure("no Landlock", host=True)


def dies(setup: MatchSetup) -> Failure:
    return Failure("its worker died", lost=True)


@dataclass
class Node:
    """A node that is there: what comes of a match, why its proof fails, or what it tells of itself."""

    play: Play = well
    plays: Any = True  # what it answers when it is asked that, or a function of the match's number
    lacks: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    cpus: int = 2
    memory: int = 64 * GIB


@dataclass
class Scripted:
    """`Calls` on nodes that a test has by name; `played` tells who has played what, in order."""

    nodes_by_name: dict[str, Node]
    played: list[tuple[str, int]] = field(default_factory=list)
    proofs: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    put_bytes: list[bytes] = field(default_factory=list)
    most: int = 0  # matches that were on their way at once
    ready: dict[int, Any] = field(default_factory=dict)
    matches: dict[int, int] = field(default_factory=dict)  # on their way: the number of each
    made: int = 0

    def nodes(self) -> list[Alive]:
        return [Alive(name, name, one.cpus, one.memory) for name, one in self.nodes_by_name.items()]

    def put(self, data: bytes) -> int:
        self.put_bytes.append(data)
        return len(self.put_bytes)

    def play(self, node: Alive, memory: int, setup: MatchSetup, packed: Sequence[Any]) -> int:
        self.played.append((node.name, setup.number))
        there = self.nodes_by_name.get(node.name)
        reference = self._keep(there.play(setup) if there else NODE_GONE)
        self.matches[reference] = setup.number
        self.most = max(self.most, len(self.matches))
        return reference

    def prove(self, node: Alive, needs: Needs) -> int:
        self.proofs.append(node.name)
        there = self.nodes_by_name[node.name]
        facts = {"games": proof.known_games("flip7"), "versions": {}, "host": ""} | there.facts
        return self._keep({"lacks": there.lacks} if there.lacks else facts)

    def ask(self, node: Alive, number: int | None) -> int:
        self.asked.append(node.name)
        plays = self.nodes_by_name[node.name].plays
        return self._keep(plays(number) if callable(plays) else plays)

    def forget(self, node: Alive) -> None:
        pass

    def _keep(self, value: Any) -> int:
        self.made += 1
        self.ready[self.made] = value
        return self.made

    def collect(self, seconds: float) -> list[tuple[int, Any]]:
        came = [(one, value) for one, value in self.ready.items() if value is not NEVER]
        for one, _ in came:
            del self.ready[one]
            self.matches.pop(one, None)
        return came


def flip7(goal: int = 50, **limits: Any) -> list[MatchSetup]:
    """One match of two bots that can be played."""
    bots = (("low", "hash"),) * 2
    return [MatchSetup.of_games("flip7", [5], (0, 1), {"goal": goal}, 3, limits=Limits(**limits), bots=bots)]


def low(digest: str) -> bytes:
    return source.pack({"low.py": b"GAMES = ['flip7']\ndef act(view): return view.legal[0]\n"})
